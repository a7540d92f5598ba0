package slo

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
)

// Objective is one objective for a single request.
type Objective struct {
	// Name is one of Names.
	Name string
	// Limit is in milliseconds for times and in tokens per second for speed.
	Limit float64
	// AtLeast is true for speed: the figure must reach the limit. Times must
	// not pass it.
	AtLeast bool
}

// names are the available objectives, in the order of the help: names of the table of
// figures.
var names = []string{"ttfb", "ttft", "ttfc", "tpot", "itl", "gap", "total", "speed"}

// Names returns the names that Parse accepts. ttfb, ttft, ttfc, tpot and
// total are the figures of those names. itl is the p99 of the gaps per token,
// or their longest where they are too few for a p99. gap is the longest gap
// between chunks, so that a single stall can break an objective. speed is
// per-user tokens per second, a lower bound.
func Names() []string { return slices.Clone(names) }

// Parse reads objectives such as
//
//	ttft=500ms,tpot=50ms,speed>=20
//
// A time takes a unit (µs, ms, s, m) and "=" or "<=" or "<"; all three mean
// that the figure must not pass the limit. A speed takes "=", ">=" or ">" and
// a plain number or one with "tok/s"; all mean that it must reach the limit.
// Blanks are ignored, and an empty text gives no objectives. An error names
// the wrong part and the right form; a name may occur only once.
func Parse(text string) ([]Objective, error) {
	var out []Objective
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		o, err := parseOne(part)
		if err != nil {
			return nil, err
		}
		for _, have := range out {
			if have.Name == o.Name {
				return nil, fmt.Errorf("objective %q: %s is given twice", part, o.Name)
			}
		}
		out = append(out, o)
	}
	return out, nil
}

func parseOne(part string) (Objective, error) {
	at := strings.IndexAny(part, "<>=")
	if at < 0 {
		return Objective{}, fmt.Errorf("objective %q: write name=limit, such as ttft=500ms", part)
	}
	name := strings.ToLower(strings.TrimSpace(part[:at]))
	rest := part[at:]
	op := rest[:1]
	if strings.HasPrefix(rest, "<=") || strings.HasPrefix(rest, ">=") {
		op = rest[:2]
	}
	limit := strings.TrimSpace(rest[len(op):])
	f := figureOf(name)
	if f == nil {
		return Objective{}, fmt.Errorf("objective %q: %q is not known; known are %s", part, name, strings.Join(names, ", "))
	}
	atLeast := f.Better == figure.Higher
	switch {
	case atLeast && op[0] == '<':
		return Objective{}, fmt.Errorf("objective %q: %s is a lower bound: write %s>=%s", part, name, name, limit)
	case !atLeast && op[0] == '>':
		return Objective{}, fmt.Errorf("objective %q: %s is an upper bound: write %s=%s", part, name, name, limit)
	case atLeast:
		v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(limit, "tok/s")), 64)
		if err != nil || !(v > 0) || math.IsInf(v, 0) {
			return Objective{}, fmt.Errorf("objective %q: %q is not a speed: write tokens per second such as %s>=20",
				part, limit, name)
		}
		return Objective{Name: name, Limit: v, AtLeast: true}, nil
	}
	d, err := time.ParseDuration(limit)
	if err != nil || d <= 0 {
		return Objective{}, fmt.Errorf("objective %q: %q is not a time: write one with its unit such as %s=500ms",
			part, limit, name)
	}
	return Objective{Name: name, Limit: float64(d) / 1e6}, nil
}

// String returns the objective as Parse reads it.
func (o Objective) String() string {
	if o.AtLeast {
		return o.Name + ">=" + strconv.FormatFloat(o.Limit, 'g', -1, 64)
	}
	return o.Name + "=" + time.Duration(math.Round(o.Limit*1e6)).String()
}

// Of returns the figure of f for the objective: unknown for a name outside of
// Names.
func (o Objective) Of(f *metrics.Figures) metrics.Value {
	row := figureOf(o.Name)
	switch {
	case row == nil:
		return metrics.Unknown(metrics.WhyNoFigure)
	case row.ID != figure.GapPerToken:
		return row.Value(nil, f)
	case !f.ITL.P99.OK && f.ITL.Max.OK:
		return f.ITL.Max // at least the p99, which n is too small for
	}
	return f.ITL.P99
}

// figureOf returns the row of an objective, nil for a name outside of Names.
func figureOf(name string) *figure.Figure {
	if id, ok := figure.Named(name); ok && slices.Contains(names, name) {
		return figure.Of(id)
	}
	return nil
}

// Meets reports whether a figure of v meets the limit.
func (o Objective) Meets(v float64) bool {
	if o.AtLeast {
		return v >= o.Limit
	}
	return v <= o.Limit
}

// Met reports whether run meets all of slos. A request that did not end well
// (State is not Done) meets none. An objective with an unknown figure is missed:
// an unproven figure does not count as good. (TPOT of an answer of one token is
// such a case; other tools treat it as 0.)
func Met(run *metrics.Run, slos ...Objective) bool {
	return run.Stream.State == metrics.Done && !slices.ContainsFunc(slos, func(o Objective) bool {
		v := o.Of(&run.Figures)
		return !v.OK || !o.Meets(v.V)
	})
}
