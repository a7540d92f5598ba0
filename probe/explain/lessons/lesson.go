package lessons

import (
	"tokscope/metrics"
	"tokscope/probe/explain"
)

// lesson is one lesson. Its texts are templates: see words.go.
type lesson struct {
	key, title, claim string
	text              []string
	focus             string
	try               string
	knobs             []metrics.Knob
	set               func(*metrics.Knobs) // from the default knobs to those that all stages share
	stages            []stage
	objectives        explain.Objectives
	rows              []row
	// judge says what the figures show of the claim and whether they bear it
	// out. got holds what was measured of each stage, nil where it was not yet;
	// "" means that something is missing.
	judge func(got []*explain.Outcome) (verdict string, holds bool)
	curve bool // over users
}

// stage is a setting of the knobs that the lesson goes through.
type stage struct {
	key         string // by which the texts name it
	label, turn string
	set         func(*metrics.Knobs)
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

// stageKnobs are the knobs of stage i.
func (l *lesson) stageKnobs(i int) metrics.Knobs {
	k := explain.Default()
	l.set(&k)
	if f := l.stages[i].set; f != nil {
		f(&k)
	}
	return k
}

// Rows that several lessons have. Names are short: a column has thirteen cells
// for a name and its unit.
var (
	rowTTFT  = row{"TTFT", "ms", func(o *explain.Outcome) metrics.Value { return o.Measured.TTFT }}
	rowTPOT  = row{"TPOT", "ms", func(o *explain.Outcome) metrics.Value { return o.Measured.TPOT }}
	rowSpeed = row{"each", "tok/s", func(o *explain.Outcome) metrics.Value { return o.Measured.Speed }}
	rowTotal = row{"in all", "tok/s", func(o *explain.Outcome) metrics.Value { return o.Measured.Total }}
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
