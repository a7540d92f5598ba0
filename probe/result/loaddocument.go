package result

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
)

// MaxLoadPoints bounds the recorded points of one load: with about 2 kB each
// at most 4 MB. The others are counted.
const MaxLoadPoints = 2000

// SLOWords returns the objectives in the form of --slo, as an empty list
// without any.
func SLOWords(slos []slo.Objective) []string {
	return pick.Each(slos, func(o *slo.Objective) string { return o.String() })
}

// LoadDocumentOf returns the document of a load on the screen, in the format
// of a sweep. Each window at a number of users is a step, the live window the
// last. Windows of a work before the present one stand apart.
func LoadDocumentOf(version string, began time.Time, v *loadstat.View, say Sentences) Sweep {
	points := v.Present()
	if live := &v.Live; live.Setup == v.Setup && live.Total.OK &&
		(len(points) == 0 || points[len(points)-1].From != live.From) {
		points = append(points[:len(points):len(points)], *live)
	}
	d := SweepData{
		Started: began, Say: say,
		Plan: loadstat.SweepPlan{Work: v.Work, Poisson: v.Drive.Poisson, Input: v.Input, Output: v.Output, SLOs: v.SLOs},
		Outcome: loadstat.SweepOutcome{Endpoint: v.Endpoint, Planned: len(points), Stopped: v.Stopped,
			Interrupted: v.Running, View: *v},
		Verdicts: loadstat.SweepVerdicts{Sentence: say.One(v), Knee: loadstat.Knee(points)},
	}
	if v.Rate > 0 {
		d.Plan.Rates = []float64{v.Rate}
	}
	if v.Broken != (metrics.Ending{}) {
		d.Outcome.Stopped = v.Broken
	}
	for _, p := range points {
		d.Outcome.Steps = append(d.Outcome.Steps, loadstat.SweepStep{Point: p})
	}
	d.Verdicts.Largest, d.Verdicts.BreaksStep, d.Verdicts.Breaks = loadstat.Meeting(points, v.SLOs)
	doc := SweepOf(version, d)
	doc.Marks, doc.MarksLeftOut, doc.Earlier = changesOf(v), v.MarksLeftOut, earlierOf(v, say)
	return doc
}

// possible returns d without what no load can be: negative numbers, and a ramp
// without an end.
func possible(d loadstat.Drive) loadstat.Drive {
	out := loadstat.Drive{Users: max(d.Users, 0), Rate: min(max(d.Rate, 0), loadstat.MostRate)}
	out.Poisson = d.Poisson && out.Open()
	if d.Ramps() {
		out.To, out.Within = min(d.To, loadstat.MostRate), min(d.Within, loadstat.MostRamp)
	}
	return out
}

// Objectives returns the objectives of words, without those of later versions.
func Objectives(words []string) (all []slo.Objective) {
	for _, w := range words {
		if o, err := slo.Parse(w); err == nil {
			all = append(all, o...)
		}
	}
	return all
}

// DrawnLengths returns the lengths of text, the zero Lengths for "" and for those
// of later versions.
func DrawnLengths(text string) metrics.Lengths {
	if text == "" {
		return metrics.Lengths{}
	}
	l, err := metrics.ParseLengths(text)
	if err != nil {
		return metrics.Lengths{}
	}
	return l
}

// Drawn returns the lengths in the form of --input-tokens, "" when all are
// equal: the workload has that length.
func Drawn(l metrics.Lengths) string {
	if !l.Varies() {
		return ""
	}
	return l.String()
}

// Listed counts the ended requests of a load in the list of the Load screen, and
// what its bounds left out. The requests themselves are in the session file.
type Listed struct {
	Ended          int `json:"ended"`            // of any ending
	Figures        int `json:"figures"`          // requests with figures
	FiguresLeftOut int `json:"figures_left_out"` // dropped
	Events         int `json:"events"`           // requests that can be opened: their events are kept
	EventsLeftOut  int `json:"events_left_out"`  // dropped
}

// WithRequests adds what the list of requests holds.
func (s *Sweep) WithRequests(v *request.View) {
	figures, events := v.LeftOut()
	s.Listed = &Listed{Ended: v.Ended, Figures: v.Len(),
		FiguresLeftOut: figures, Events: v.Streams(), EventsLeftOut: events}
}
