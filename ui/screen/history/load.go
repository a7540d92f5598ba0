package history

import (
	"context"
	"math"
	"slices"
	"time"

	"tokscope/metrics/history"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// question is what the screen wants to know.
type question struct {
	filter        string
	offset, limit int             // of the rows
	series        *history.Series // of the chart; nil chooses the most important
	figure        history.Figure  // of the sparklines
	span          Span
	change        time.Time // the chosen change point; zero is the newest, or the baseline
}

// answer is what the store knows.
type answer struct {
	question
	err     error
	now     time.Time
	version uint64

	rows     history.View // entries from offset on, and all series with their changes
	order    history.Order
	shown    *history.SeriesView // of the chart, nil before any
	from, to time.Time           // of the chart
	length   Span                // that was chosen
	bounded  bool                // the filter has the beginning
	at       int                 // of shown.Changes: the one the phases are about, -1 for none
	finding  say.HistoryFinding
	sparks   map[history.Series][]float64 // the figure, oldest first, as shares; NaN is a gap
	differ   several
}

// Bounds of one look.
const (
	sampleMost = 5000               // requests of each side of a comparison
	recent     = 7 * 24 * time.Hour // a change older than this is what is usual
	judgeSlots = 20                 // slots below which no change can be found
	sparkWidth = 12
)

// ask asks the store. It runs in a command.
func ask(ctx context.Context, b Backend, q question) (a answer) {
	a = answer{question: q, now: time.Now().UTC(), at: -1}
	a.version = b.HistoryVersion(ctx)
	filter, err := history.ParseFilter(q.filter, a.now)
	if err != nil {
		a.err = err
		return a
	}
	if a.order = filter.Order; a.order == (history.Order{}) {
		a.order = history.Newest
	}
	a.rows, a.err = b.HistoryView(ctx, history.Query{Filter: q.filter, Offset: q.offset, Limit: q.limit})
	if a.err != nil || len(a.rows.Series) == 0 {
		return a
	}
	a.differ = differences(a.rows.Series)
	chosen := important(a.rows.Series, a.now)
	if i := slices.IndexFunc(a.rows.Series,
		func(s history.SeriesView) bool { return q.series != nil && s.Series == *q.series }); i >= 0 {
		chosen = &a.rows.Series[i]
	}
	a.place(chosen, &filter)
	trend, err := b.HistoryView(ctx, history.Query{Filter: q.filter, From: a.from, To: a.to, Limit: 1})
	if err != nil {
		a.err = err
		return a
	}
	a.sparks = map[history.Series][]float64{}
	shown := *chosen
	shown.Slots, shown.N, shown.Failed = nil, 0, 0
	for i := range trend.Series {
		s := &trend.Series[i]
		a.sparks[s.Series] = spark(s.Slots, q.figure, a.from, a.to)
		if s.Series == shown.Series {
			shown.Slots, shown.N, shown.Failed = s.Slots, s.N, s.Failed
		}
	}
	a.shown = &shown
	a.err = a.find(ctx, b, trend.Series)
	return a
}

// place chooses the time of the chart.
func (a *answer) place(s *history.SeriesView, f *history.Filter) {
	a.to = a.now
	if !f.To.IsZero() && f.To.Before(a.to) {
		a.to = f.To
	}
	a.length = a.span
	if a.length == Auto {
		a.length = fitting(s, a.to)
	}
	switch d := a.length.Duration(); {
	case !f.From.IsZero():
		a.from, a.bounded = f.From, true
	case d > 0:
		a.from = a.to.Add(-d)
	default:
		a.from = s.First
		if b := s.Baseline; b != nil && b.From.Before(a.from) {
			a.from = b.From
		}
	}
	if least := a.to.Add(-time.Minute); a.from.After(least) {
		a.from = least
	}
}

// shows is how long the chart is, 0 for all.
func (a *answer) shows() time.Duration {
	if d := a.to.Sub(a.from); a.length == All || a.length.Duration() != d {
		if a.bounded {
			return d.Round(time.Minute)
		}
	}
	return a.length.Duration()
}

// fitting returns the shortest span that holds the latest change and a good part
// of what there is.
func fitting(s *history.SeriesView, now time.Time) Span {
	need := now.Sub(s.Last)
	if i := latest(s, now); i >= 0 {
		need = max(need, now.Sub(s.Changes[i].At)*4/3)
	}
	switch whole := now.Sub(s.First); {
	case whole <= 10*time.Minute:
		return TenMinutes
	case whole <= time.Hour:
		return Hour
	case need <= 20*time.Hour:
		return Day
	case need <= 7*24*time.Hour:
		return Week
	case need <= 30*24*time.Hour:
		return Month
	}
	return All
}

// main reports whether a change of that figure is worth a sentence: the others
// follow from these.
func main(f history.Figure) bool {
	return f == history.TTFT || f == history.TPOT || f == history.Total || f == history.Throughput
}

// newsFrom is the ratio from which a change is worth a sentence. Many endpoints
// are some percent slower by day; such changes are in the chart.
const newsFrom = 1.15

// latest returns the index of the newest change that is worth a sentence, -1 without
// one. Of those of one moment it is that of the figure that matters most.
func latest(s *history.SeriesView, now time.Time) int {
	found := -1
	for i := len(s.Changes) - 1; i >= 0; i-- {
		c := &s.Changes[i]
		switch {
		case !main(c.Figure) || now.Sub(c.At) >= recent || c.Ratio > 1/newsFrom && c.Ratio < newsFrom:
		case found < 0:
			found = i
		case s.Changes[found].At.Sub(c.At) > oneChange:
			return found
		case order(c.Figure) < order(s.Changes[found].Figure):
			found = i
		}
	}
	return found
}

// oneChange is the time within which changes of several figures are one.
const oneChange = 30 * time.Minute

// order is the place of a figure among those that matter.
func order(f history.Figure) int { return slices.Index(figures, f) }

// important returns the series with the largest recent change, else the one that
// was measured last. Of changes that are equal it takes the first.
func important(all []history.SeriesView, now time.Time) *history.SeriesView {
	best, largest := &all[0], 0.0
	for i := range all {
		s := &all[i]
		size := 0.0
		if i := latest(s, now); i >= 0 && s.Changes[i].Ratio > 0 {
			size = math.Abs(math.Log(s.Changes[i].Ratio))
		}
		if size > largest {
			best, largest = s, size
		}
	}
	return best
}

// differences says in what the series differ.
func differences(all []history.SeriesView) (d several) {
	a := &all[0].Series
	for i := range all {
		b := &all[i].Series
		d.endpoints = d.endpoints || a.Endpoint != b.Endpoint || a.URL != b.URL
		d.models = d.models || a.Model != b.Model
		d.workloads = d.workloads || a.Workload != b.Workload || a.Prompt != b.Prompt
		d.endpointW = max(d.endpointW, min(draw.Width(sanitize.Line(b.Endpoint, 20)), 20))
		d.modelW = max(d.modelW, min(draw.Width(sanitize.Line(b.Model, 24)), 24))
		d.workloadW = max(d.workloadW, min(draw.Width(sanitize.Line(b.Workload, 12)), 12))
		d.machines = d.machines || a.Machine != b.Machine
	}
	return d
}

// spark returns the medians of a figure over time, as shares of their range.
func spark(slots []history.Slot, f history.Figure, from, to time.Time) []float64 {
	var of [sparkWidth][]history.Quantiles
	span := to.Sub(from).Seconds()
	for i := range slots {
		s := &slots[i]
		x := int(math.Floor((s.From.Sub(from).Seconds() + s.Width.Seconds()/2) / span * sparkWidth))
		if s.Figures[f].N > 0 {
			x = min(max(x, 0), sparkWidth-1)
			of[x] = append(of[x], s.Figures[f])
		}
	}
	out := make([]float64, sparkWidth)
	lo, hi := math.Inf(1), math.Inf(-1)
	for x := range of {
		out[x] = math.NaN()
		if q := history.Mix(of[x]...); q.N > 0 {
			out[x] = q.P50
			lo, hi = min(lo, q.P50), max(hi, q.P50)
		}
	}
	// A range of less than a factor of two fills part of the height: noise shall
	// not look like a change.
	hi = max(hi, 2*lo)
	for x := range out {
		out[x] = .15 + .85*(out[x]-lo)/max(hi-lo, 1e-12)
	}
	return out
}
