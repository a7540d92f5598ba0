package metrics

import (
	"fmt"
	"math"
	"strconv"
)

// Grade is how a figure stands to its budget.
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
	// GradeFree: the use asks nothing of this figure.
	GradeFree
)

// String returns the word used on screen and in JSON.
func (g Grade) String() string {
	return [...]string{"unknown", "meets", "close", "misses", "no limit"}[g]
}

// LensVerdict is what a lens says of one figure.
type LensVerdict struct {
	Metric   string
	Budget   LensBudget
	Measured Value // LensFigure.Typical
	Grade    Grade
	// Used is the share of the budget that is used, 0 and up: measured/limit,
	// and limit/measured where the figure must be reached. While a first token
	// is waited for it grows with the clock.
	Used Value
	// Clock is how long the first token has been waited for, ms; known only
	// while it is.
	Clock Value
	Say   string // a sentence with the figures
	Short string // what the sentence adds to figure and limit
	// Estimated: Measured rests on an estimate of the tokens.
	Estimated bool
}

// usedMost bounds Used, so that a speed of nothing is a number.
const usedMost = 1e6

// Judge returns a verdict for each budget of the lens, in their order.
//
// Of several requests the median is judged, because it is known from the first
// request on (of those of an engine the mean: LensOfEngine); where there are
// enough for a p95 and that is beyond the budget, a figure that would meet it is
// only close. So a lens is milder than an SLO, which every request must meet,
// and than MLPerf, which binds its limits at the p99: it says whether an
// endpoint suits a use, not whether to raise an alarm.
//
// A first token that is still waited for has no verdict until the clock has
// passed the budget; from then on it is missed, whatever comes. task is the
// agent's; the other lenses ignore it.
func (l *Lens) Judge(f LensFigures, task AgentTask) []LensVerdict {
	out := make([]LensVerdict, len(l.Budgets))
	for i := range l.Budgets {
		out[i] = l.judge(&l.Budgets[i], &f, task, true)
	}
	return out
}

// AppendVerdicts appends to dst what Judge returns, without the sentences (Say),
// for which a screen has no room.
func (l *Lens) AppendVerdicts(dst []LensVerdict, f *LensFigures, task AgentTask) []LensVerdict {
	for i := range l.Budgets {
		dst = append(dst, l.judge(&l.Budgets[i], f, task, false))
	}
	return dst
}

// judge judges one budget; say also puts it into a sentence.
func (l *Lens) judge(b *LensBudget, f *LensFigures, task AgentTask, say bool) LensVerdict {
	fig := f.of(b.Metric, task)
	m := fig.Typical
	estimated := f.Estimated && m.OK && (b.Metric == LensSpeed || b.Metric == LensStep || b.Metric == LensThroughput)
	if m.OK {
		m = Finite(m.V, m.N)
	}
	if fig.Tail.OK {
		fig.Tail = Finite(fig.Tail.V, fig.Tail.N)
	}
	v := LensVerdict{Metric: b.Metric, Budget: *b, Measured: m, Estimated: estimated, Used: Unknown("no limit"), Clock: Unknown("nothing is waited for")}
	if !m.OK {
		v.Used = Unknown(m.Why)
		if w := f.Waited; b.Metric == LensTTFT && f.Running && w.OK && Finite(w.V, 0).OK {
			l.waiting(&v, w.V)
			return v
		}
		if v.Short = m.Why; say {
			v.Say = b.Metric + " is unknown: " + m.Why
		}
		return v
	}
	if b.Limit <= 0 {
		v.Grade, v.Short = GradeFree, l.Key+" sets no limit"
		if b.Metric == LensThroughput {
			v.Short = inADay(m.V) + " tokens in 24 h"
		}
		if say {
			v.Say = v.subject(f, task) + ": " + v.Short
		}
		return v
	}
	v.Used = b.used(m.V)
	tail := ""
	switch {
	case b.beyond(m.V):
		v.Grade = GradeMisses
	case fig.Tail.OK && b.beyond(fig.Tail.V):
		v.Grade, tail = GradeClose, LensNumber(b.Metric, fig.Tail.V)
	case v.Used.V > lensNear:
		v.Grade = GradeClose
	default:
		v.Grade = GradeMeets
	}
	number := LensNumber(b.Metric, math.Abs(m.V-b.Limit))
	// The sentence is what is said here and the use's demand: "190 ms over",
	// " what chat allows". Where it says more than Short, lead holds it.
	lead, join := "", ""
	switch {
	case v.Grade == GradeMisses && b.AtLeast:
		v.Short, join = number+" short", " of"
	case v.Grade == GradeMisses:
		v.Short = number + " over"
	case tail != "":
		v.Short, lead, join = "one in twenty: "+tail, "one in twenty has "+tail, ", beyond"
		if b.AtLeast {
			join = ", short of"
		}
	case v.Grade == GradeClose && b.AtLeast:
		v.Short, join = "only "+number+" more", " than"
	case v.Grade == GradeClose:
		v.Short, join = "only "+number+" left", " of"
	case b.AtLeast && v.Used.V <= 0.5:
		lead = times(1 / v.Used.V)
		v.Short = lead + " what is needed"
	case b.AtLeast:
		v.Short, join = number+" more", " than"
	case v.Used.V < 0.01:
		v.Short = "far within"
		if say {
			v.Say = v.subject(f, task) + ": far within the " + LensNumber(b.Metric, b.Limit) + " that " + l.Key + " allows"
		}
		return v
	default:
		v.Short, join = number+" to spare", " of"
	}
	if say {
		if lead == "" {
			lead = v.Short
		}
		demand := " allows"
		if b.AtLeast {
			demand = " needs"
		}
		v.Say = v.subject(f, task) + ": " + lead + join + " what " + l.Key + demand
	}
	return v
}

// waiting is the verdict on a first token that has not come after ms.
func (l *Lens) waiting(v *LensVerdict, ms float64) {
	b := &v.Budget
	v.Clock = Known(ms, 0)
	clock := LensNumber(LensTTFT, ms)
	switch {
	case b.Limit <= 0:
		v.Short = clock + " so far"
		v.Say = "no token after " + clock + ": " + l.Key + " sets no limit"
		return
	case b.beyond(ms):
		v.Grade = GradeMisses
		v.Short = LensNumber(LensTTFT, ms-b.Limit) + " over"
		v.Say = "no token after " + clock + ": " + v.Short + " what " + l.Key + " allows"
	default:
		v.Short = clock + " of " + LensNumber(LensTTFT, b.Limit) + " used"
		v.Say = v.Short
	}
	v.Used = b.used(ms)
}

// subject begins the sentence about a known figure.
func (v *LensVerdict) subject(f *LensFigures, task AgentTask) string {
	s := LensNumber(v.Metric, v.Measured.V)
	if v.Estimated {
		s = "about " + s
	}
	switch v.Metric {
	case LensTTFT:
		s = "first token after " + s
	case LensSpeed:
		s += " for one user"
	case LensGap:
		if s = "longest gap " + s; f.Running {
			s += " so far"
		}
	case LensStep:
		s = "a step of " + strconv.Itoa(task.Tokens) + " tokens takes " + s
	case LensTotal:
		s = "whole answer after " + s
	case LensThroughput:
		return s + " in total"
	}
	if f.Requests > 1 {
		what := f.of(v.Metric, task).What
		if what == "" {
			what = "median"
		}
		s += " (" + what + " of " + strconv.Itoa(f.Requests) + ")"
	}
	return s
}

// beyond reports whether v breaks the budget.
func (b *LensBudget) beyond(v float64) bool {
	if b.AtLeast {
		return v < b.Limit
	}
	return v > b.Limit
}

// used is the share of the budget that v uses.
func (b *LensBudget) used(v float64) Value {
	if b.AtLeast {
		if v <= b.Limit/usedMost {
			return Known(usedMost, 0)
		}
		return Known(b.Limit/v, 0)
	}
	return Known(min(max(v/b.Limit, 0), usedMost), 0)
}

// LensNumber writes a value of a metric with its unit: "640 ms", "1.24 s",
// "2 min 10 s", "24 h", "5.3 tok/s".
func LensNumber(metric string, v float64) string {
	var room [32]byte
	fixed := func(v float64, digits int, unit string) string {
		return string(append(strconv.AppendFloat(room[:0], v, 'f', digits, 64), unit...))
	}
	if metric == LensSpeed || metric == LensThroughput {
		if v < 9.95 {
			return fixed(v, 1, " tok/s")
		}
		if v < 1e6 {
			return fixed(v, 0, " tok/s")
		}
		return fmt.Sprintf("%.3g tok/s", v)
	}
	switch {
	case v < 9.95:
		return fixed(v, 1, " ms")
	case v < 999.5:
		return fixed(v, 0, " ms")
	case v < 9_995:
		return fixed(v/1e3, 2, " s")
	case v < 99_950:
		return fixed(v/1e3, 1, " s")
	case v < 3_600_000:
		s := math.Round(v / 1e3)
		return fmt.Sprintf("%.0f min %02.0f s", math.Floor(s/60), math.Mod(s, 60))
	}
	return fmt.Sprintf("%.3g h", v/3_600_000)
}

// inADay is how many of what comes v times a second come in 24 hours.
func inADay(v float64) string {
	switch n := min(v, 1e300) * 86_400; {
	case n < 1e3:
		return fmt.Sprintf("%.0f", n)
	case n < 1e6:
		return fmt.Sprintf("%.0fk", n/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.1fM", n/1e6)
	default:
		return fmt.Sprintf("%.3gG", n/1e9)
	}
}

// times is a factor of at least 2.
func times(v float64) string {
	if v < 9.95 {
		return fmt.Sprintf("%.1fx", v)
	}
	return fmt.Sprintf("%.0fx", v)
}
