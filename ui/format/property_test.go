package format

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

// writers are the functions whose text is a single number, with the factors
// of its units.
var writers = []struct {
	name  string
	write func([]byte, float64) []byte
	width int     // from 0 to below; 0 is unlimited
	below float64 // the width holds below it
}{
	{"number", AppendNumber, 7, math.Inf(1)},
	{"whole", AppendWhole, 0, 0},
	{"exact", AppendExact, 0, 0},
	{"ms", AppendMs, DurationWidth, fromMinute},
	{"limit", AppendLimit, 0, 0},
	{"percent", AppendPercent, 6, math.Inf(1)},
	{"change", AppendChange, 7, math.Inf(1)},
	{"factor", AppendFactor, 5, math.Inf(1)},
	{"ratio", appendRatio, 5, math.Inf(1)},
	{"amount", func(b []byte, v float64) []byte { return AppendAmount(b, v, "B") }, 0, 0},
	{"money", AppendMoney, 0, 0},
}

// units are the factors of the units behind a number.
var units = map[string]float64{
	"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "%": 0.01, "x": 1, "ns": msNano, "µs": msMicro, "ms": 1,
	"s": msSecond, "min": msMinute, "h": msHour,
	"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "EB": 1e18, "Th": 1e12 * msHour, "Gh": 1e9 * msHour,
	"Mh": 1e6 * msHour,
}

// read parses a text into the limits of its value. They are equal for a
// number, and differ for "<" and ">".
func read(t *rapid.T, s string) (low, high float64) {
	s = strings.NewReplacer(",", "", " ", "", Minus, "-").Replace(s)
	sign := strings.TrimLeft(s, "<>")
	end := strings.LastIndexAny(sign, "0123456789") + 1
	v, err := strconv.ParseFloat(sign[:end], 64)
	factor, ok := units[sign[end:]]
	testkit.Given(t, err == nil && ok, "%q is no number with a unit", s)
	v *= factor
	switch {
	case s[0] == '<' && v > 0:
		return 0, v
	case s[0] == '<':
		return math.Inf(-1), v
	case s[0] == '>' && v < 0:
		return v, 0
	case s[0] == '>':
		return v, math.Inf(1)
	}
	return v, v
}

var anything = rapid.OneOf(rapid.Float64(), rapid.Float64Range(-10, 10), rapid.Float64Range(0, 1),
	rapid.Float64Range(0, 1e5), rapid.Float64Range(0, 1e9),
	rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64,
		999.5, 999_500, 9995, 99.95, 0.9995, 0.0005}))

// No text holds a non-figure, none is wider than promised, and zero means
// only zero.
func TestEveryFigure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anything.Draw(t, "v")
		for _, w := range writers {
			s := string(w.write(nil, v))
			if s == "" || strings.ContainsAny(s, "eEnNaI+") && (strings.Contains(s, "NaN") || strings.Contains(s, "Inf") ||
				strings.Contains(s, "e+") || strings.Contains(s, "e-")) {
				t.Fatalf("%s: %v is written as %q", w.name, v, s)
			}
			if n := ansi.StringWidth(s); w.width > 0 && (v >= 0 && v < w.below || math.IsNaN(v)) && n > w.width {
				t.Fatalf("%s: %v is written as %q, %d columns of %d", w.name, v, s, n, w.width)
			}
			if strings.HasPrefix(s, "–") {
				continue
			}
			whole := w.name == "whole" && math.Abs(v) < 0.5
			below := v < 0 && (w.name == "percent" || w.name == "ratio" || w.name == "amount" || w.name == "compact" ||
				w.name == "factor")
			if low, high := read(t, s); low == 0 && high == 0 && v != 0 && !whole && !below {
				t.Fatalf("%s: %v is written as %q, which is zero", w.name, v, s)
			}
		}
	})
}

// A larger figure never reads as a smaller one.
func TestFiguresRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := anything.Filter(func(v float64) bool { return !math.IsNaN(v) }).Draw(t, "a")
		b := a
		if rapid.Bool().Draw(t, "near") {
			b = a * rapid.Float64Range(0.9, 1.1).Draw(t, "factor")
		} else {
			b = anything.Filter(func(v float64) bool { return !math.IsNaN(v) }).Draw(t, "b")
		}
		if math.IsNaN(b) {
			return
		}
		a, b = min(a, b), max(a, b)
		for _, w := range writers {
			if w.name == "change" { // "<1 %" has no sign
				continue
			}
			x, y := string(w.write(nil, a)), string(w.write(nil, b))
			low, _ := read(t, x)
			if _, high := read(t, y); low > high {
				t.Fatalf("%s: %v is written as %q, %v as %q", w.name, a, x, b, y)
			}
		}
	})
}

// Three significant digits are within half of the third one.
func TestNumberIsClose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(rapid.Float64Range(0.1, 1000), rapid.Float64Range(1000, 1e6), rapid.Float64Range(1e6, 9e14)).Draw(t,
			"v")
		if low, _ := read(t, Number(v)); math.Abs(low-v) > v*0.00501 {
			t.Fatalf("%v is written as %q", v, Number(v))
		}
	})
}

// The 30 Hz path allocates nothing for a figure.
func TestAppendDoesNotAllocate(t *testing.T) {
	b := make([]byte, 0, 64)
	for _, w := range writers {
		testkit.Allocates(t, 0, 100, func() { w.write(b, 4114.7) }, w.name)
	}
}
