package lessons

import (
	"math"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// lesson is one lesson. Its texts and its verdict are templates: see words.go.
type lesson struct {
	key, title, claim string
	text              []string
	focus             string
	try               string
	knobs             []serving.Knob
	set               func(*serving.Knobs) // from the default knobs to those shared by all stages
	stages            []stage
	objectives        explain.Objectives
	rows              []row
	// verdict describes what the figures show about the claim, with yes behind it where
	// holds reports that they confirm it, else with no. It is said once every stage and
	// every figure that it names is measured. holds gets figures by their names.
	verdict, yes, no string
	holds            func(of func(name string) float64) bool
	curve            bool // over users
}

// stage is one setting of the knobs in a lesson.
type stage struct {
	key         string // the stage's name in the texts
	label, turn string
	set         func(*serving.Knobs)
}

// row is one figure over the stages, in the unit of its column. Labels are short: a
// column has thirteen cells for one and its unit.
type row struct{ label, unit, figure string }

// of returns the figure of an outcome, a share in "%" and a time in "s".
func (r *row) of(o *explain.Outcome) metrics.Value {
	v := figures[r.figure].of(o)
	switch r.unit {
	case "%":
		return scaled(v, 100)
	case "s":
		return scaled(v, 1e-3)
	}
	return v
}

// Rows shared by several lessons.
var (
	rowTTFT  = row{"TTFT", "ms", "ttft"}
	rowTPOT  = row{"TPOT", "ms", "tpot"}
	rowSpeed = row{"user", "tok/s", "speed"}
	rowTotal = row{"aggr.", "tok/s", "total"}
)

// lessons is the tour, in order.
var lessons = []*lesson{
	&twoPhases, &longPrompt, &quantize, &seesaw, &share, &stall, &fullCache, &past, &draft, &goodput, &uses,
}

// stageKnobs returns the knobs of stage i.
func (l *lesson) stageKnobs(i int) serving.Knobs {
	k := explain.Default()
	l.set(&k)
	if f := l.stages[i].set; f != nil {
		f(&k)
	}
	return k
}

// judge says what the figures show about the claim, and whether they confirm it. got
// holds the outcome of each stage, nil for one that is not measured; "" means that
// something is missing.
func (l *lesson) judge(got []*explain.Outcome) (verdict string, holds bool) {
	verdict, known := l.fill(l.verdict, 0, got)
	if !known {
		return "", false
	}
	holds = l.holds(func(name string) float64 {
		_, v, ok := l.figure(name, 0, got)
		if !ok {
			return math.NaN()
		}
		return v.OrNaN()
	})
	if !holds {
		return verdict + ": " + l.no, false
	}
	return verdict + ": " + l.yes, true
}

// Headings returns the headings of the lessons, in order. A claim with
// figures is "": they are computed only when the lesson is shown.
func Headings() []serving.LessonHeading {
	var all []serving.LessonHeading
	for _, l := range lessons {
		h := serving.LessonHeading{Key: l.key, Title: l.title, Claim: l.claim}
		if strings.Contains(h.Claim, "{") {
			h.Claim = ""
		}
		all = append(all, h)
	}
	return all
}
