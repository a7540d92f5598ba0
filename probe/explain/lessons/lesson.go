package lessons

import (
	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// lesson is one lesson. Its texts are templates: see words.go.
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
	// judge describes what the figures show about the claim and reports whether
	// they confirm it. got holds the measurements of each stage, nil for an
	// unmeasured one; "" means that one is missing.
	judge func(got []*explain.Outcome) (verdict string, holds bool)
	curve bool // over users
}

// stage is one setting of the knobs in a lesson.
type stage struct {
	key         string // the stage's name in the texts
	label, turn string
	set         func(*serving.Knobs)
}

// row is one figure over the stages.
type row struct {
	label, unit string
	of          func(*explain.Outcome) metrics.Value
}

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

// Rows shared by several lessons. Names are short: a column has thirteen
// cells for a name and its unit.
var (
	rowTTFT  = row{"TTFT", "ms", func(o *explain.Outcome) metrics.Value { return o.Measured.TTFT }}
	rowTPOT  = row{"TPOT", "ms", func(o *explain.Outcome) metrics.Value { return o.Measured.TPOT }}
	rowSpeed = row{"user", "tok/s", func(o *explain.Outcome) metrics.Value { return o.Measured.Speed }}
	rowTotal = row{"aggr.", "tok/s", func(o *explain.Outcome) metrics.Value { return o.Measured.Total }}
	rowGap   = row{"max gap", "ms", func(o *explain.Outcome) metrics.Value { return o.Measured.MaxGap }}
)

// seconds converts milliseconds to seconds.
func seconds(v metrics.Value) metrics.Value {
	v.V /= 1e3
	return v
}

// hundred converts a share to a percentage.
func hundred(v metrics.Value) metrics.Value {
	v.V *= 100
	return v
}

// shown reports whether stages are measured.
func shown(got []*explain.Outcome, stages ...int) bool {
	for _, i := range stages {
		if got[i] == nil {
			return false
		}
	}
	return true
}

// known reports whether all values are known.
func known(values ...metrics.Value) bool {
	for _, v := range values {
		if !v.OK {
			return false
		}
	}
	return true
}

// or selects the text for a claim that holds or for one that does not.
func or(holds bool, yes, no string) string {
	if holds {
		return yes
	}
	return no
}
