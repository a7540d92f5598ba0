package watch

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/history"
)

// EntryOf returns the entry of an ended probe, without ID, series and session.
// Suspect is it by this program's own lateness alone: see metrics.SuspectCode.Lag.
func EntryOf(r *metrics.Run) history.Entry {
	s, f := &r.Stream, &r.Figures
	e := history.EntryOf(s, f)
	e.At, e.Kind, e.Suspect = s.Wall.UTC(), history.Watch, late(f)
	if s.State != metrics.Done {
		e.Failed = 1
	}
	unreported := metrics.Unknown(metrics.WhyUnreported) // what the server says stands as it says it
	e.Figures[history.Upload], e.Figures[history.Queue], e.Figures[history.Prefill] = f.Send, unreported, unreported
	for i := range s.Server {
		v := metrics.Known(float64(s.Server[i].D)/1e6, 0)
		switch t := &s.Server[i]; {
		case t.D < 0:
		case t.Name == metrics.ServerQueue:
			e.Figures[history.Queue] = v
		case t.Name == metrics.ServerPrefill:
			e.Figures[history.Prefill] = v
		}
	}
	return e
}

// late reports whether this program's own lateness shows in the figures.
func late(f *metrics.Figures) bool {
	return f.Delay.Code != "" || slices.ContainsFunc(f.Suspect, func(s metrics.Suspicion) bool { return s.Code.Lag() })
}
