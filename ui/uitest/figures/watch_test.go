package figures

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/watchstat"
	"tokscope/probe/record"
	"tokscope/ui/draw"
	"tokscope/ui/report"
	watchscreen "tokscope/ui/screen/watch"
	"tokscope/ui/uitest"
)

// watch is a watch of one target, with the row of its TTFT, its change, and the
// times of its last probe.
type watch struct {
	Board  watchstat.Board
	Target watchstat.Target
	Row    watchstat.Row
	Change watchstat.Change
	Probe  [watchstat.Timed]metrics.Value
}

const (
	inItsPlace = "One of them is walked in its place."
)

// ofWatches are the figures of a watch that do not stand everywhere.
var ofWatches = map[string]exception{
	"Target.View.Rows*":   {unwalked, inItsPlace},
	"Target.View.Change":  {unwalked, inItsPlace},
	"Change.Rows*":        {unwalked, inItsPlace},
	"Board.Targets":       {unwalked, inItsPlace},
	"Target.Judgments":    {unwalked, "The conditions of --fail-if have tests of their own."},
	"Board.Program":       {"screen, text", "Its workloads are the targets; the head in text explains it."},
	"Board.Ended":         {"screen, text", "It is a sentence by its code, and those have tests."},
	"Target.Model":        {"screen, text, JSON", "The head names the model that is asked for; the history keeps the one that answered."},
	"Target.View.Suspect": {"screen", "The chart leaves those probes out; text and JSON count them."},
	"Target.View.Past":    {"text, JSON", "It is the chart; each probe has a line in text and JSON."},
	"Target.Skip.Code":    {"screen, text", "It is a sentence by its code, and those have tests."},
	"Target.Skip.Slots":   {"screen", "The row says until when the pause lasts."},
	"Row.Limit":           {"screen, text", "The screen compares medians; JSON has the limit of a probe."},
	"Row.Design.Rank":     {"screen, text, JSON", "It is how the limit was chosen; the interval between false alarms follows from it."},
	"Row.Design.Up":       {"screen, text, JSON", "It is how the limit was chosen; the interval between false alarms follows from it."},
	"Row.Design.Height":   {"screen, text, JSON", "It is how the limit was chosen; the interval between false alarms follows from it."},
	"Row.Design.Rounds":   {"screen, text, JSON", "It is how the limit was chosen; the interval between false alarms follows from it."},
	"Row.Design.Delay":    {"screen, text, JSON", "It is how the limit was chosen; the interval between false alarms follows from it."},
	"Row.Design.Least":    {"screen, text, JSON", "It is how the limit was chosen; the interval between false alarms follows from it."},
	"Change.Probes":       {"screen, text", "The sentence has the time since when, and JSON the number of probes."},
	"Change.Delay":        {"screen, text", "The sentence has the time since when, and JSON the number of probes."},
	"Change.Cause":        {"screen, text", "The sentences name the causes that exist, and those have tests."},
	"Change.Explained":    {"screen, text", "The sentence has it where a phase explains a part only."},
	"Probe[1]":            {"screen, text", "The line of a probe has TTFT, of which it is a part."},
	"Probe[2]":            {"screen, text", "The line of a probe has TTFT, of which it is a part."},
}

var watchBegan = time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC)

// probe is the i-th of a target whose prefill takes twice as long from the 62nd on.
func probe(i int) history.Entry {
	e := history.Entry{At: watchBegan.Add(time.Duration(i) * time.Minute), N: 1}
	x := 1.0
	if i >= 62 {
		x = 2
	}
	known := func(ms float64, n int) metrics.Value { return metrics.Known(ms*(1+0.1*math.Sin(float64(i*n))), 1) }
	e.Figures[history.TCP], e.Figures[history.Queue], e.Figures[history.Prefill] = known(12, 5), known(2, 7), known(250*x, 3)
	e.Figures[history.TTFT] = metrics.Known(e.Figures[history.Prefill].V+e.Figures[history.Queue].V+14, 1)
	e.Figures[history.TPOT], e.Figures[history.Longest] = known(7, 11), known(19, 13)
	e.Figures[history.Total] = metrics.Known(e.Figures[history.TTFT].V+23*e.Figures[history.TPOT].V, 1)
	return e
}

// watched is a watch in which TTFT has changed.
func watched() watch {
	w := watchstat.New(watchstat.Plan{Every: time.Minute, Targets: 1})
	for i := range 100 {
		w.Add(probe(i))
	}
	out := watch{
		Board: watchstat.Board{Began: watchBegan, Every: time.Minute, Bounds: watchstat.DefaultBounds, Program: "aa", Tokens: 8100, Money: 0.2, Currency: "USD", Priced: true},
		Target: watchstat.Target{
			Label: "groq", Endpoint: uitest.Demo, Work: metrics.Workload{Name: "chat", Prompt: "Why?", MaxTokens: 24}, View: w.View(), Skipped: 3, Spent: 8000,
			TTFT: watchstat.Typical{Value: metrics.Known(270, 90)}, TPOT: watchstat.Typical{Value: metrics.Known(7, 90)}, Total: watchstat.Typical{Value: metrics.Known(430, 90)},
		},
	}
	v := &out.Target.View
	out.Row, out.Change, out.Probe = v.Rows[watchstat.TTFT], *v.Change, watchstat.ValuesOf(&v.Last)
	return out
}

// target returns the target with the parts of w.
func (w *watch) target() watchstat.Target {
	t := w.Target
	v := &t.View
	v.Rows[watchstat.TTFT] = w.Row
	change := w.Change
	change.Rows = v.Rows
	v.Change = &change
	last := v.Last
	for i, f := range [watchstat.Timed]history.Figure{
		watchstat.Connect: history.TCP, watchstat.Queue: history.Queue, watchstat.Prefill: history.Prefill, watchstat.TTFT: history.TTFT, watchstat.TPOT: history.TPOT, watchstat.Stall: history.Longest, watchstat.Total: history.Total,
	} {
		last.Figures[f] = w.Probe[i]
	}
	v.Last = last
	return t
}

// shown are the target in all states, with a baseline and without, failing and
// paused.
func (w *watch) shown() (all []watchstat.Target) {
	for _, state := range []watchstat.State{watchstat.Changed, watchstat.Learning, watchstat.Usual, watchstat.Daily} {
		t := w.target()
		if t.View.State == watchstat.Changed {
			t.View.State = state
		}
		if state == watchstat.Learning {
			t.View.N = min(t.View.N, 0)
		}
		all = append(all, t)
	}
	failing, paused, usual := w.target(), w.target(), w.target()
	if failing.Fault == nil {
		failing.Fault = &metrics.Fault{Kind: metrics.FaultReset, Message: "the connection broke"}
	}
	if paused.Skip.Code == "" {
		paused.Skip.Code, paused.Skip.Until = watchstat.SkipBusy, watchBegan
	}
	usual.View.State = watchstat.Usual
	usual.View.Change.Ended = watchBegan.Add(99 * time.Minute)
	return append(all, failing, paused, usual)
}

// TestEveryFigureOfAWatch walks watchstat.Board, Target, Row and Change.
func TestEveryFigureOfAWatch(t *testing.T) {
	t.Parallel()
	now := watchBegan.Add(100 * time.Minute)
	walkAll(t, 60, watched(), ofWatches, func(w watch) texts {
		out := texts{}
		for _, target := range w.shown() {
			b := w.Board
			b.Targets = []watchstat.Target{target}
			for _, f := range []watchstat.Figure{watchstat.TTFT, watchstat.TPOT, watchstat.Total, watchstat.Stall, watchstat.Connect} {
				out.add(onScreen, func() string {
					v := watchscreen.View{Board: b, Figure: f, Now: now}
					return frame(func(g *draw.Grid) { watchscreen.DrawView(g, g.Bounds(), &v) })
				})
			}
			out.add(inText, func() string { return written(t, func(to *bytes.Buffer) error { return report.WatchHead(to, &b) }) })
			out.add(inText, func() string {
				return written(t, func(to *bytes.Buffer) error { return report.WatchResult(to, &b, now) })
			})
			out.add(inText, func() string {
				return written(t, func(to *bytes.Buffer) error { return report.WatchJUnit(to, &b, now) })
			})
			out.add(inJSON, func() string {
				return written(t, func(to *bytes.Buffer) error { return record.WriteWatchBegin(to, &b) })
			})
			out.add(inJSON, func() string {
				return written(t, func(to *bytes.Buffer) error { return record.WriteWatchEnd(to, &b, now, true, say) })
			})
			for _, u := range updates(b) {
				out.add(inText, func() string { return written(t, func(to *bytes.Buffer) error { return report.WatchLine(to, &u) }) })
				out.add(inJSON, func() string {
					return written(t, func(to *bytes.Buffer) error { return record.WriteWatchUpdate(to, &u, say) })
				})
			}
		}
		return out
	})
}

// updates are what can happen to the target of a board.
func updates(b watchstat.Board) (all []watchstat.Update) {
	for _, e := range []watchstat.Event{watchstat.NoEvent, watchstat.Learned, watchstat.Began, watchstat.Ended} {
		if e != watchstat.Ended || !b.Targets[0].View.Change.Ended.IsZero() {
			all = append(all, watchstat.Update{Board: b, Probe: true, Event: e})
		}
	}
	return slices.Concat(all, []watchstat.Update{{Board: b}})
}
