package record

import (
	"io"
	"math"
	"runtime"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
)

// CompareSchema names the format of the document of `tokscope compare --json`.
const CompareSchema = "tokscope/compare/v1"

// Comparison is the document of `tokscope compare --json`.
type Comparison struct {
	Schema  string             `json:"schema"`
	Tool    Tool               `json:"tool"`
	Summary string             `json:"summary"` // the comparison in a sentence
	Level   float64            `json:"level"`   // of the intervals, and of all states together
	A       ComparedSource     `json:"a"`
	B       ComparedSource     `json:"b"`
	Allowed []string           `json:"allowed"` // points in which compared requests differ, by --allow
	Pairs   []ComparedPair     `json:"pairs"`   // requests of one setup, by users
	OnlyA   []comparison.Setup `json:"only_in_a"`
	OnlyB   []comparison.Setup `json:"only_in_b"`
	FailIf  []ComparedFailIf   `json:"fail_if"`
}

// ComparedSource is one side of a comparison.
type ComparedSource struct {
	Source    string             `json:"source"` // as typed
	Kind      string             `json:"kind"`
	Endpoints []metrics.Endpoint `json:"endpoints"`
	Machines  []string           `json:"machines,omitempty"` // that measured; absent where the source does not say it
	Versions  []string           `json:"versions"`           // of tokscope
	From      string             `json:"from,omitempty"`     // when its first request was sent, UTC, RFC 3339
	To        string             `json:"to,omitempty"`
	Requests  int                `json:"requests"`
	Unended   int                `json:"requests_without_end"` // in none of the figures
	LeftOut   int                `json:"lines_left_out"`       // not written, or not readable
	Unsteady  int                `json:"loads_not_steady"`     // of a sweep
	// Marks are what a person changed of its load while it ran; absent without a
	// change.
	Marks        []ComparedMark `json:"marks,omitempty"`
	MarksLeftOut int            `json:"marks_left_out,omitempty"` // older ones that the source no longer has
}

// ComparedMark is a mark of a load.
type ComparedMark struct {
	After *float64 `json:"after_s"` // seconds since the load began; null where the source does not say it
	LoadMark
}

// ComparedPair compares the requests of one setup in A and B.
type ComparedPair struct {
	A        comparison.Setup `json:"a"`
	B        comparison.Setup `json:"b"`
	Figures  []ComparedFigure `json:"figures"`
	Failures ComparedFailures `json:"failures"`
	// Tested is how many p-values Holm's correction covers, over all pairs.
	Tested   int `json:"tested"`
	SuspectA int `json:"suspect_a"` // requests left out of the figures: the measurement spoiled them
	SuspectB int `json:"suspect_b"`
}

// ComparedFigure compares one figure. Unknown is null.
type ComparedFigure struct {
	Figure string   `json:"figure"`
	Unit   string   `json:"unit"` // of the medians
	State  string   `json:"state"`
	A      *float64 `json:"median_a"`
	B      *float64 `json:"median_b"`
	NA     int      `json:"n_a"`
	NB     int      `json:"n_b"`
	Ratio  *float64 `json:"ratio"` // of B to A, by Hodges and Lehmann on logarithms; null where a value is 0
	Low    *float64 `json:"ratio_low"`
	High   *float64 `json:"ratio_high"`
	// Shift is by how much B is larger, by Hodges and Lehmann, where a value is 0, so
	// that there is no ratio; absent where there is one.
	Shift     *float64 `json:"difference,omitempty"`
	ShiftLow  *float64 `json:"difference_low,omitempty"`
	ShiftHigh *float64 `json:"difference_high,omitempty"`
	// of Mann and Whitney, corrected by Holm; null where nothing was tested
	P       *float64 `json:"p"`
	Needs   int      `json:"needs_n,omitempty"`     // of too_few: values in both samples
	Explain *float64 `json:"explains_ms,omitempty"` // of a part of the wait: by how many ms it explains the change of TTFT
	Lag1    *float64 `json:"lag1"`                  // autocorrelation of neighboring requests, the larger of A and B
	Doubt   bool     `json:"interval_doubtful"`     // lag1 is so large that the interval may be too narrow
	Text    string   `json:"text"`
}

// ComparedFailures compares the shares of failed requests.
type ComparedFailures struct {
	State   string   `json:"state"`
	FailedA int      `json:"failed_a"`
	NA      int      `json:"n_a"`
	FailedB int      `json:"failed_b"`
	NB      int      `json:"n_b"`
	P       *float64 `json:"p"` // of Fisher's exact test, corrected by Holm; null where nothing was tested
}

// ComparedFailIf is what a pair says of a condition of --fail-if.
type ComparedFailIf struct {
	Condition string   `json:"condition"`
	Pair      int      `json:"pair"` // index in pairs
	Value     *float64 `json:"value"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
	Outcome   string   `json:"outcome"`
	NoRatio   bool     `json:"no_ratio,omitempty"` // it asks for a ratio to 0: give a limit in the unit of the figure
}

// WriteComparison writes the document of c.
func (s Sentences) WriteComparison(w io.Writer, c *comparison.Comparison, version string) error {
	return s.document(w, ComparisonOf(c, version, s))
}

// ComparisonOf returns the document of c.
func ComparisonOf(c *comparison.Comparison, version string, say Sentences) Comparison {
	d := Comparison{
		Schema: CompareSchema, Tool: Tool{"tokscope", version, runtime.GOOS + "/" + runtime.GOARCH}, Level: comparison.Alpha,
		A: comparedSource(c.A), B: comparedSource(c.B), Allowed: []string{},
		Pairs: []ComparedPair{}, FailIf: []ComparedFailIf{},
		OnlyA: c.OnlyA, OnlyB: c.OnlyB,
	}
	d.Summary = said(say.Compare, c)
	for _, p := range c.Allowed {
		d.Allowed = append(d.Allowed, string(p))
	}
	for i := range c.Pairs {
		d.Pairs = append(d.Pairs, comparedPair(&c.Pairs[i], say))
	}
	for i := range c.Verdicts {
		v := &c.Verdicts[i]
		d.FailIf = append(d.FailIf, ComparedFailIf{v.Condition.String(), v.Pair, finite(v.Value),
			lowOf(&v.Condition, v.Low), bound(v.High), v.Outcome.String(), v.NoRatio})
	}
	return d
}

// bound returns an end of an interval, nil where it is not bounded.
func bound(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return finite(v)
}

// ratioLow returns the lower end of the interval of a ratio of times, nil where it
// is not bounded: 0 bounds nothing.
func ratioLow(v float64) *float64 {
	if v == 0 {
		return nil
	}
	return bound(v)
}

// lowOf returns the lower end of the interval of a condition. A share of failures
// is bounded by 0, every other value is not bounded there.
func lowOf(c *condition.Condition, v float64) *float64 {
	if c.Failures {
		return bound(v)
	}
	return ratioLow(v)
}

func comparedSource(s *comparison.Sample) ComparedSource {
	out := ComparedSource{Source: s.Source, Kind: string(s.Kind), Endpoints: []metrics.Endpoint{}, Machines: s.Machines,
		Versions: slices.Clone(s.Versions), Requests: s.N(), Unended: s.Unended, LeftOut: s.LeftOut, Unsteady: s.Unsteady}
	if out.Versions == nil {
		out.Versions = []string{}
	}
	if !s.From.IsZero() {
		out.From, out.To = s.From.UTC().Format(time.RFC3339Nano), s.To.UTC().Format(time.RFC3339Nano)
	}
	out.Endpoints = append(out.Endpoints, s.Endpoints...)
	out.MarksLeftOut = s.ChangesLeftOut
	for i := range s.Changes {
		m := ComparedMark{LoadMark: loadMarkOf(&s.Changes[i])}
		if at := s.Changes[i].At; at.Known() {
			m.After = finite(time.Duration(at).Seconds())
		}
		out.Marks = append(out.Marks, m)
	}
	return out
}

func comparedPair(p *comparison.Pair, say Sentences) ComparedPair {
	f := &p.Failures
	out := ComparedPair{
		A: p.A, B: p.B, Figures: []ComparedFigure{},
		Tested: p.Tested, SuspectA: p.SuspectA, SuspectB: p.SuspectB,
		Failures: ComparedFailures{State: f.State.String(), FailedA: f.FailedA, NA: f.NA, FailedB: f.FailedB, NB: f.NB},
	}
	if f.NA > 0 && f.NB > 0 && f.FailedA+f.FailedB > 0 {
		out.Failures.P = finite(f.P)
	}
	for i := range p.Rows {
		r := &p.Rows[i]
		row := ComparedFigure{Figure: r.Figure.String(), Unit: unitOf(r.Figure), State: r.State.String(),
			NA: r.NA, NB: r.NB, Needs: r.Needs, Lag1: finite(r.Lag1), Doubt: r.Doubtful}
		if r.NA > 0 {
			row.A = finite(r.A)
		}
		if r.NB > 0 {
			row.B = finite(r.B)
		}
		if r.Both() {
			row.Ratio, row.Low, row.High = finite(r.Ratio), ratioLow(r.Low), bound(r.High)
			if r.Zero {
				row.Shift, row.ShiftLow, row.ShiftHigh = finite(r.Shift), bound(r.ShiftLow), bound(r.ShiftHigh)
			}
			if comparison.Part(r.Figure) {
				row.Explain = finite(r.Explains)
			}
		}
		if r.State >= comparison.Noise {
			row.P = finite(r.P)
		}
		row.Text = said(say.CompareRow, r)
		out.Figures = append(out.Figures, row)
	}
	return out
}

// unitOf names the unit of a figure.
func unitOf(f history.Figure) string {
	if f == history.Speed || f == history.Throughput {
		return "tok/s"
	}
	return "ms"
}
