package slo

import (
	"math"

	"tokscope/metrics"
)

// Grade compares a figure with its budget.
type Grade uint8

const (
	// GradeUnknown: the figure is unknown, or not yet known.
	GradeUnknown Grade = iota
	// GradeMeets: within the budget.
	GradeMeets
	// GradeClose: within the budget, but it uses more than lensNear of it, or
	// one request in twenty is beyond it.
	GradeClose
	// GradeMisses: beyond the budget.
	GradeMisses
	// GradeFree: the use has no limit for this figure.
	GradeFree
)

// String returns the word used on screen and in JSON.
func (g Grade) String() string {
	return [...]string{"unknown", "meets", "close", "misses", "no limit"}[g]
}

// LensCase names the figures on which a verdict rests.
type LensCase uint8

const (
	// CaseUnknown: Measured is unknown, and says why.
	CaseUnknown LensCase = iota
	// CaseWaiting: no token yet; Clock is within the budget, or the budget has
	// no limit.
	CaseWaiting
	// CaseLate: no token yet, and Clock exceeds the budget by Apart.
	CaseLate
	// CaseFree: the budget has no limit.
	CaseFree
	// CaseBeyond: Measured exceeds the limit by Apart.
	CaseBeyond
	// CaseTail: Measured is within the limit, Tail is not.
	CaseTail
	// CaseNear: Measured is within the limit by Apart only.
	CaseNear
	// CaseFactor: Measured is 1/Used times the limit, at least twice.
	CaseFactor
	// CaseFar: Measured uses less than a hundredth of the limit.
	CaseFar
	// CaseWithin: Measured is within the limit by Apart.
	CaseWithin
	// CaseTextless: Textless of Requests have no text, which the lens needs.
	CaseTextless
)

// LensVerdict is the verdict of a lens on one figure.
type LensVerdict struct {
	Metric   string        `json:"metric"`
	Budget   LensBudget    `json:"" form:"inline"`
	Measured metrics.Value `json:"measured"` // LensFigure.Typical
	Grade    Grade         `json:"verdict"`
	Case     LensCase
	// Used is the used share of the budget, 0 and up: measured/limit, or
	// limit/measured for a lower limit. During the wait for a first token it
	// grows with the clock.
	Used metrics.Value `json:"used" form:"bare"`
	// Clock is the waiting time for the first token so far, ms; known only
	// during the wait.
	Clock metrics.Value
	// Tail is the value that one request in twenty exceeds. It is set only
	// where it is beyond the budget and Measured is not; else unknown.
	Tail metrics.Value
	// Apart is the distance between the limit and Measured, or Clock, in the
	// metric's unit; 0 without a limit.
	Apart float64
	// Estimated: Measured rests on an estimate of the tokens.
	Estimated bool `json:"estimated"`

	// Lens is the key of the judging lens.
	Lens string
	// Requests is the number of requests behind the figure, and What its
	// statistic: LensFigure.What.
	Requests int
	What     string
	Textless int // of CaseTextless
	// Running: the stream goes on, so the longest gap can still grow.
	Running bool
	// StepTokens is the number of output tokens in a step of the agent.
	StepTokens int
}

// usedMost bounds Used, so that a speed of 0 gives a finite number.
const usedMost = 1e6

// Where a verdict says more than the distance to the limit: a speed at least
// this many times the needed one, and a figure below this share of its
// budget.
const (
	lensFactor = 2
	lensFar    = 0.01
)

// Judge returns a verdict for each budget of the lens, in their order: of a first token
// or of a first sound.
//
// For several requests it judges the median, because that is known from the
// first request on (for an engine the mean: LensOfEngine). With enough
// requests for a p95, a p95 beyond the budget turns "meets" into "close". So
// a lens is milder than an SLO, which every request must meet, and than
// MLPerf, which binds its limits at the p99. A lens says whether an endpoint
// suits a use, not whether to raise an alarm.
//
// A pending first token has no verdict until the clock has passed the budget;
// from then on the budget is missed. task is the agent's; the other lenses
// ignore it.
func (l *Lens) Judge(f LensFigures, task AgentTask) []LensVerdict {
	return l.AppendVerdicts(make([]LensVerdict, 0, len(l.Budgets)), &f, task)
}

// AppendVerdicts appends the result of Judge to dst. The budget of a first sound takes
// the place of the one before it where the answers are sound.
func (l *Lens) AppendVerdicts(dst []LensVerdict, f *LensFigures, task AgentTask) []LensVerdict {
	for i := range l.Budgets {
		if l.Budgets[i].Metric == LensTTFA {
			if !f.Sounds() {
				continue
			}
			dst = dst[:len(dst)-1]
		}
		dst = append(dst, l.judge(&l.Budgets[i], f, task))
	}
	return dst
}

// judge judges one budget.
func (l *Lens) judge(b *LensBudget, f *LensFigures, task AgentTask) LensVerdict {
	fig := f.of(b.Metric, task)
	v := LensVerdict{
		Metric: b.Metric, Budget: *b, Measured: fig.Typical, Used: metrics.Unknown(metrics.WhyNoLimit),
		Clock: metrics.Unknown(metrics.WhyNoWait), Tail: metrics.Unknown(metrics.WhyWithinLimit),
		Lens: l.Key, Requests: f.Requests, What: fig.What, Running: f.Running, StepTokens: task.Tokens,
	}
	if b.Pace.Name != "" && f.Sounds() { // the pace is one of words
		v.Measured = metrics.Unknown(metrics.WhySound)
	} else if m := fig.Typical; m.OK {
		v.Measured = metrics.Finite(m.V, m.N)
		counts := b.Metric == LensSpeed || b.Metric == LensStep || b.Metric == LensThroughput // tokens
		v.Estimated = f.Estimated && counts
	}
	switch {
	case !v.Measured.OK:
		v.unknown(f)
	case b.Limit <= 0:
		v.Grade, v.Case = GradeFree, CaseFree
	default:
		v.grade(fig.Tail)
	}
	if l.Text && (b.Metric == LensTTFT || b.Metric == LensTTFA) && f.Textless > 0 {
		v.textless(f)
	}
	return v
}

// textless judges a first token that begins no text: in half of the answers or more
// it misses, as a median would, in fewer it is close.
func (v *LensVerdict) textless(f *LensFigures) {
	grade := GradeClose
	if 2*f.Textless >= f.Requests {
		grade = GradeMisses
	}
	if v.Grade < grade {
		v.Grade, v.Case, v.Textless = grade, CaseTextless, f.Textless
	}
}

// unknown judges a figure without a value: a pending first token by its
// clock, all others not at all.
func (v *LensVerdict) unknown(f *LensFigures) {
	v.Used = metrics.Unknown(v.Measured.Why)
	if v.Metric != LensTTFT || !f.Running || !f.Waited.OK || !metrics.Finite(f.Waited.V, 0).OK {
		return
	}
	b, ms := &v.Budget, f.Waited.V
	v.Clock, v.Case = metrics.Known(ms, 0), CaseWaiting
	if b.Limit <= 0 {
		return
	}
	v.Used, v.Apart = b.used(ms), math.Abs(ms-b.Limit)
	if b.beyond(ms) {
		v.Grade, v.Case = GradeMisses, CaseLate
	}
}

// grade judges a known figure against a limit. tail is LensFigure.Tail.
func (v *LensVerdict) grade(tail metrics.Value) {
	b, m := &v.Budget, v.Measured.V
	v.Used, v.Apart = b.used(m), math.Abs(m-b.Limit)
	if tail.OK {
		tail = metrics.Finite(tail.V, tail.N)
	}
	switch {
	case b.beyond(m):
		v.Grade, v.Case = GradeMisses, CaseBeyond
	case tail.OK && b.beyond(tail.V):
		v.Grade, v.Case, v.Tail = GradeClose, CaseTail, tail
	case v.Used.V > lensNear:
		v.Grade, v.Case = GradeClose, CaseNear
	case b.AtLeast && v.Used.V <= 1.0/lensFactor:
		v.Grade, v.Case = GradeMeets, CaseFactor
	case !b.AtLeast && v.Used.V < lensFar:
		v.Grade, v.Case = GradeMeets, CaseFar
	default:
		v.Grade, v.Case = GradeMeets, CaseWithin
	}
}

// beyond reports whether v breaks the budget.
func (b *LensBudget) beyond(v float64) bool {
	return !Objective{Limit: b.Limit, AtLeast: b.AtLeast}.Meets(v)
}

// used returns the share of the budget that v uses.
func (b *LensBudget) used(v float64) metrics.Value {
	if b.AtLeast {
		if v <= b.Limit/usedMost {
			return metrics.Known(usedMost, 0)
		}
		return metrics.Known(b.Limit/v, 0)
	}
	return metrics.Known(min(max(v/b.Limit, 0), usedMost), 0)
}
