// Package condition reads and judges the conditions of --fail-if, which compare,
// race and watch share:
//
//	ttft.p50 > 1.2x            B of a comparison to A, a watched target to its baseline
//	ttft.p90 of B > 1.2x A     which lanes of a race
//	ttft.p50 > 1.2x baseline   the baseline by its name
//	tpot > 50ms                a time
//	speed < 40tok/s            tokens per second
//	failures > 2%              the share of requests that did not end well
//
// A condition is met where the whole interval of its figure lies beyond the
// limit. The package has no I/O and knows no sample: who has one asks for the
// interval and gives it to Judge.
package condition

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"tokscope/metrics"
	"tokscope/metrics/figure"
)

// Unit is what the limit of a condition counts.
type Unit uint8

// The units.
const (
	Ratio Unit = iota // "1.2x": the figure's ratio to that of Than
	Ms                // "500ms"
	Speed             // "40tok/s"
	Share             // "2%": of failures alone, 0 to 1
)

// Condition is one condition of --fail-if.
type Condition struct {
	Figure figure.ID // what is judged: one before figure.Kept, or figure.Failures
	// Quantile is 0.5, 0.9, 0.95 or 0.99; 0 of failures.
	Quantile float64
	// Of is the target that is judged, as typed; "" is the usual one: B of a
	// comparison, the target of a watch, the second of two lanes.
	Of string
	// Above is met by larger figures, else smaller ones meet it.
	Above bool
	Limit float64 // in Unit, positive
	Unit  Unit
	// Than is what a ratio is to, as typed; "" is the usual one: A, the
	// baseline, the first of two lanes.
	Than string
}

// Baseline is the name of the baseline of a watched target in Than.
const Baseline = "baseline"

// most bounds the length of a condition in bytes, and largest its limit.
const (
	most    = 400
	largest = 1e9
)

// quantiles are the known ones, by their names.
var quantiles = []struct {
	name string
	q    float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}}

// Names returns the names of the figures that Parse accepts, in the order of a
// request.
func Names() []string {
	var names []string
	for f := range figure.Kept {
		names = append(names, f.String())
	}
	return append(names, figure.Failures.String())
}

// Parse reads a condition: FIGURE[.p50|.p90|.p95|.p99] [of TARGET] >|< LIMIT
// [TARGET]. Without a quantile it is the median. An error names the wrong part and
// the right form.
func Parse(text string) (Condition, error) {
	c, err := parse(text)
	if err != nil {
		return Condition{}, fmt.Errorf("condition %q: %w", metrics.Shortened(text, 80), err)
	}
	return c, nil
}

// parse is Parse without the condition in the error.
func parse(text string) (Condition, error) {
	var c Condition
	if len(text) > most {
		return c, fmt.Errorf("longer than %d bytes", most)
	}
	at := strings.IndexAny(text, "<>")
	if at < 0 {
		return c, fmt.Errorf("no < or >: write a condition such as 'ttft.p50 > 1.2x'")
	}
	left, right := strings.Fields(text[:at]), strings.Fields(strings.TrimPrefix(text[at+1:], "="))
	c.Above = text[at] == '>'
	switch {
	case len(left) == 0:
		return c, fmt.Errorf("no figure before %q: known are %s", text[at:at+1], strings.Join(Names(), ", "))
	case len(left) == 3 && left[1] == "of" && printable(left[2]):
		c.Of = left[2]
	case len(left) > 1:
		return c, fmt.Errorf("%q is not a figure: write FIGURE or FIGURE of TARGET", strings.Join(left, " "))
	}
	if err := c.figure(left[0]); err != nil {
		return c, err
	}
	// A unit may stand apart from its number.
	if len(right) > 1 && slices.Contains([]string{"x", "tok/s", "%", "ms", "s", "µs", "us"}, right[1]) {
		right = append([]string{right[0] + right[1]}, right[2:]...)
	}
	switch {
	case len(right) == 0:
		return c, fmt.Errorf("no limit after %q: write one such as 1.2x, 500ms or 2%%", text[at:at+1])
	case len(right) > 2 || len(right) == 2 && !printable(right[1]):
		return c, fmt.Errorf("%q is not a limit: write LIMIT or LIMIT TARGET, such as 1.2x A", strings.Join(right, " "))
	}
	if err := c.limit(right[0]); err != nil {
		return c, err
	}
	if len(right) == 2 {
		c.Than = right[1]
		if c.Unit != Ratio {
			return c, fmt.Errorf("%s is no ratio: only one such as 1.2x has a target after it", right[0])
		}
	}
	return c, c.fits()
}

// figure reads FIGURE[.QUANTILE].
func (c *Condition) figure(text string) error {
	name, quantile, has := strings.Cut(strings.ToLower(text), ".")
	f, known := figure.Named(name)
	if !known || f >= figure.Kept && f != figure.Failures {
		return fmt.Errorf("%q is not a figure: known are %s", name, strings.Join(Names(), ", "))
	}
	c.Figure = f
	switch {
	case f == figure.Failures && has:
		return fmt.Errorf("failures have no quantile: write failures > 2%%")
	case f == figure.Failures:
		return nil
	case !has:
		quantile = "p50"
	}
	for _, q := range quantiles {
		if q.name == quantile {
			c.Quantile = q.q
			return nil
		}
	}
	return fmt.Errorf("%q is not a quantile: write .p50, .p90, .p95 or .p99", quantile)
}

// limit reads a number with its unit.
func (c *Condition) limit(text string) error {
	number, unit := text, Unit(0)
	switch {
	case strings.HasSuffix(text, "tok/s"):
		number, unit = strings.TrimSuffix(text, "tok/s"), Speed
	case strings.HasSuffix(text, "x"):
		number, unit = strings.TrimSuffix(text, "x"), Ratio
	case strings.HasSuffix(text, "%"):
		number, unit = strings.TrimSuffix(text, "%"), Share
	default:
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return fmt.Errorf("%q is not a limit: write a ratio (1.2x), a time (500ms), a speed (40tok/s) or a share (2%%)",
				text)
		}
		c.Limit, c.Unit = float64(d)/float64(time.Millisecond), Ms
		return nil
	}
	v, err := strconv.ParseFloat(number, 64)
	if unit == Share {
		v /= 100
	}
	if err != nil || !(v > 0) || v > largest || v < 1/largest {
		return fmt.Errorf("%q is not a limit: write a number above 0 before its unit", text)
	}
	c.Limit, c.Unit = v, unit
	return nil
}

// fits reports an error where figure and unit do not belong together.
func (c *Condition) fits() error {
	failures, timed := c.Figure == figure.Failures, c.Figure.Timed()
	switch {
	case failures && c.Unit != Share:
		return fmt.Errorf("failures are a share of requests: write failures > 2%%")
	case failures && c.Limit >= 1:
		return fmt.Errorf("failures cannot pass 100 %%: give less")
	case !failures && c.Unit == Share:
		return fmt.Errorf("a percentage is for failures: write a ratio, %s > 1.2x", c.name())
	case !timed && c.Unit == Ms, timed && c.Unit == Speed:
		return fmt.Errorf("%s is not measured in that unit: write a ratio such as 1.2x, or its own unit", c.name())
	case c.Of != "" && c.Of == c.Than:
		return fmt.Errorf("%s is compared with itself: name two targets", c.Of)
	}
	return nil
}

// name returns the figure's name with its quantile, as Parse reads it.
func (c *Condition) name() string {
	for _, q := range quantiles {
		if q.q == c.Quantile {
			return c.Figure.String() + "." + q.name
		}
	}
	return c.Figure.String()
}

// String returns the condition as Parse reads it.
func (c Condition) String() string {
	text := c.name()
	if c.Of != "" {
		text += " of " + c.Of
	}
	if c.Above {
		text += " > "
	} else {
		text += " < "
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	switch c.Unit {
	case Ms:
		text += time.Duration(math.Round(c.Limit * float64(time.Millisecond))).String()
	case Speed:
		text += number(c.Limit) + "tok/s"
	case Share:
		text += strconv.FormatFloat(c.Limit*100, 'g', 12, 64) + "%"
	default:
		text += number(c.Limit) + "x"
	}
	if c.Than != "" {
		text += " " + c.Than
	}
	return text
}

// Outcome is what an interval says of a condition.
type Outcome uint8

// The outcomes.
const (
	// Unknown: there is no interval; too few values, or none.
	Unknown Outcome = iota
	// Unmet: the whole interval lies on the good side of the limit.
	Unmet
	// Open: the limit lies in the interval.
	Open
	// Met: the whole interval lies beyond the limit.
	Met
)

// String returns the outcome's name in JSON.
func (o Outcome) String() string { return [...]string{"unknown", "unmet", "open", "met"}[o] }

// Judge compares an interval in the unit of the condition with its limit. An end
// that is not bounded is infinite, or 0 for low; NaN is no interval.
func (c *Condition) Judge(low, high float64) Outcome {
	bounded := low > 0 && !math.IsInf(low, 0) || !math.IsInf(high, 0)
	switch {
	case math.IsNaN(low) || math.IsNaN(high) || !bounded:
		return Unknown
	case c.Above && low > c.Limit, !c.Above && high < c.Limit:
		return Met
	case c.Above && high <= c.Limit, !c.Above && low >= c.Limit:
		return Unmet
	default:
		return Open
	}
}

// printable reports whether a name can be typed and shown.
func printable(name string) bool {
	return !strings.ContainsFunc(name,
		func(r rune) bool { return !unicode.IsPrint(r) || r == '<' || r == '>' || r == unicode.ReplacementChar })
}
