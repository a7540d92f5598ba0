package result

import (
	"io"
	"time"

	"tokscope/metrics/comparison"
	"tokscope/metrics/condition"
	"tokscope/metrics/figure"
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
	Allowed []comparison.Point `json:"allowed"` // points in which compared requests differ, by --allow
	Pairs   []ComparedPair     `json:"pairs"`   // requests of one setup, by users
	OnlyA   []comparison.Setup `json:"only_in_a"`
	OnlyB   []comparison.Setup `json:"only_in_b"`
	FailIf  []ComparedFailIf   `json:"fail_if"`
}

// ComparedSource is one side of a comparison.
type ComparedSource struct {
	*comparison.Sample
	Requests int `json:"requests"`
	// Marks are what a person changed of its load while it ran; absent without a
	// change.
	Marks []ComparedMark `json:"marks,omitempty"`
}

// ComparedMark is a mark of a load.
type ComparedMark struct {
	After *float64 `json:"after_s"` // seconds since the load began; null where the source does not say it
	LoadMark
}

// ComparedPair compares the requests of one setup in A and B.
type ComparedPair struct {
	*comparison.Pair
	Figures  []ComparedFigure    `json:"figures"`
	Failures comparison.Failures `json:"failures"`
}

// ComparedFigure compares one figure. Unknown is null.
type ComparedFigure struct {
	*comparison.Row
	Unit string `json:"unit"` // of the medians
	// of Mann and Whitney, corrected by Holm; null where nothing was tested
	P    *float64 `json:"p"`
	Text string   `json:"text"`
}

// ComparedFailIf is what a pair says of a condition of --fail-if.
type ComparedFailIf struct {
	*comparison.Verdict
	Pair    int      `json:"pair"` // index in pairs
	Low     *float64 `json:"low"`
	NoRatio bool     `json:"no_ratio,omitempty"` // it asks for a ratio to 0: give a limit in the unit of the figure
}

// WriteComparison writes the document of c.
func (s Sentences) WriteComparison(w io.Writer, c *comparison.Comparison, version string) error {
	return s.WriteDocument(w, ComparisonOf(c, version, s))
}

// ComparisonOf returns the document of c.
func ComparisonOf(c *comparison.Comparison, version string, say Sentences) Comparison {
	d := Comparison{
		Schema: CompareSchema, Tool: ToolOf(version), Summary: say.One(c), Level: comparison.Alpha,
		A: comparedSource(c.A), B: comparedSource(c.B), Allowed: c.Allowed, OnlyA: c.OnlyA, OnlyB: c.OnlyB,
	}
	for i := range c.Pairs {
		d.Pairs = append(d.Pairs, comparedPair(&c.Pairs[i], say))
	}
	for i := range c.Verdicts {
		v := &c.Verdicts[i]
		d.FailIf = append(d.FailIf, ComparedFailIf{v, v.Pair, lowOf(&v.Condition, v.Low), v.NoRatio})
	}
	return d
}

// lowOf returns the lower end of the interval of a condition, nil where it is not
// bounded. 0 bounds a share of failures, and no other value.
func lowOf(c *condition.Condition, v float64) *float64 {
	if v == 0 && c.Figure != figure.Failures {
		return nil
	}
	return finite(v)
}

func comparedSource(s *comparison.Sample) ComparedSource {
	out := ComparedSource{Sample: s, Requests: s.N()}
	for i := range s.Changes {
		m := ComparedMark{LoadMark: LoadMarkOf(&s.Changes[i])}
		if at := s.Changes[i].At; at.Known() {
			m.After = finite(time.Duration(at).Seconds())
		}
		out.Marks = append(out.Marks, m)
	}
	return out
}

func comparedPair(p *comparison.Pair, say Sentences) ComparedPair {
	out := ComparedPair{Pair: p, Failures: p.Failures}
	for i := range p.Rows {
		r := &p.Rows[i]
		row := ComparedFigure{Row: r, Unit: "tok/s", Text: say.One(r)}
		if r.Figure.Timed() {
			row.Unit = "ms"
		}
		if r.State >= comparison.Noise {
			row.P = finite(r.P)
		}
		out.Figures = append(out.Figures, row)
	}
	return out
}
