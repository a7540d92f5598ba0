package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics/pick"
)

// Lengths is a number of tokens: one for all requests, or a distribution that
// each request draws from. The zero value is unset: the workload keeps its
// own lengths.
type Lengths struct {
	// Low and High bound a uniform draw; equal values give a fixed length.
	Low, High int
	// SD > 0 draws from a normal distribution around Mean, cut to [Low, High].
	Mean, SD float64
	// Choices, unless empty, replaces the draw: each entry is equally likely.
	Choices []int
}

// The bounds of ParseLengths. No endpoint accepts a longer prompt, and a
// longer list is a data set.
const (
	MaxLength     = 2_000_000
	maxLengthText = "2,000,000" // as a message has it
	maxChoices    = 1000
)

// FixedLength returns the length n for all requests.
func FixedLength(n int) Lengths { return Lengths{Low: n, High: n} }

// IsZero reports whether l is unset.
func (l Lengths) IsZero() bool { return l.High <= 0 && len(l.Choices) == 0 }

// Varies reports whether two requests can differ.
func (l Lengths) Varies() bool {
	low, high := l.Bounds()
	return high > low
}

// Bounds returns the smallest and the largest result of Draw; 0 and 0 when l
// is unset.
func (l Lengths) Bounds() (low, high int) {
	switch {
	case l.IsZero():
		return 0, 0
	case len(l.Choices) > 0:
		return max(slices.Min(l.Choices), 1), max(slices.Max(l.Choices), 1)
	}
	return max(l.Low, 1), max(l.High, 1)
}

// Draw returns a length of at least 1, or 0 when l is unset.
func (l Lengths) Draw(rng *rand.Rand) int {
	switch {
	case l.IsZero():
		return 0
	case len(l.Choices) > 0:
		return max(l.Choices[rng.IntN(len(l.Choices))], 1)
	case l.SD > 0:
		n := math.Round(l.Mean + l.SD*rng.NormFloat64())
		return int(min(max(n, float64(l.Low), 1), float64(l.High)))
	case l.High > l.Low:
		return max(l.Low+rng.IntN(l.High-l.Low+1), 1)
	}
	return l.High
}

// Expected returns the mean of Draw (of a normal distribution before it is
// cut), 0 when l is unset.
func (l Lengths) Expected() float64 {
	switch {
	case l.IsZero():
		return 0
	case len(l.Choices) > 0:
		sum := 0.0
		for _, n := range l.Choices {
			sum += float64(max(n, 1))
		}
		return sum / float64(len(l.Choices))
	case l.SD > 0:
		return min(max(l.Mean, float64(l.Low), 1), float64(l.High))
	}
	return float64(l.Low+l.High) / 2
}

// Deviation returns the standard deviation of Draw (of a normal distribution
// before it is cut). It is 0 when l is fixed or unset. A uniform draw over n
// numbers has √((n²−1)/12).
func (l Lengths) Deviation() float64 {
	switch {
	case !l.Varies():
		return 0
	case len(l.Choices) > 0:
		mean, sum := l.Expected(), 0.0
		for _, n := range l.Choices {
			sum += (float64(n) - mean) * (float64(n) - mean)
		}
		return math.Sqrt(sum / float64(len(l.Choices)))
	case l.SD > 0:
		return l.SD
	}
	n := float64(l.High-l.Low) + 1
	return math.Sqrt((n*n - 1) / 12)
}

// String formats l as ParseLengths reads it, "" when l is unset.
func (l Lengths) String() string {
	switch {
	case l.IsZero():
		return ""
	case len(l.Choices) > 0:
		return strings.Join(pick.Each(l.Choices, func(n *int) string { return strconv.Itoa(*n) }), ",")
	case l.SD > 0:
		return fmt.Sprintf("%.0f±%.0f", l.Mean, l.SD)
	case l.High > l.Low:
		return fmt.Sprintf("%d..%d", l.Low, l.High)
	}
	return strconv.Itoa(l.High)
}

// LengthForms lists the forms that ParseLengths accepts, by example.
const LengthForms = "1000, 200..4000, 1000±200 or 100,1000"

// ParseLengths reads
//
//	1000            always the same
//	200..4000       uniform from 200 to 4000 (also 200-4000)
//	1000±200        a normal distribution with this deviation (also 1000+-200),
//	                cut at three deviations and at 1
//	100,1000,10000  one of these, equally likely
//
// and "" as the zero Lengths. Each number is an integer from 1 to MaxLength.
// The error names the fault and the accepted forms.
func ParseLengths(text string) (Lengths, error) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), "+-", "±")
	if text == "" {
		return Lengths{}, nil
	}
	if mean, dev, ok := strings.Cut(text, "±"); ok {
		m, sd, err := twoLengths(mean, dev)
		if err != nil {
			return Lengths{}, err
		}
		return Lengths{Low: max(m-3*sd, 1), High: min(m+3*sd, MaxLength), Mean: float64(m), SD: float64(sd)}, nil
	}
	low, high, ok := strings.Cut(text, "..")
	if !ok {
		low, high, ok = strings.Cut(text, "-")
	}
	if ok {
		a, b, err := twoLengths(low, high)
		switch {
		case err != nil:
			return Lengths{}, err
		case b < a:
			return Lengths{}, fmt.Errorf("%d..%d: the second is below the first", a, b)
		}
		return Lengths{Low: a, High: b}, nil
	}
	var l Lengths
	for part := range strings.SplitSeq(text, ",") {
		n, err := length(part)
		switch {
		case err != nil:
			return Lengths{}, err
		case len(l.Choices) == maxChoices:
			return Lengths{}, fmt.Errorf("more than %d lengths: give fewer, or a range such as 200..4000", maxChoices)
		}
		l.Choices = append(l.Choices, n)
	}
	if len(l.Choices) == 1 {
		return FixedLength(l.Choices[0]), nil
	}
	return l, nil
}

func twoLengths(a, b string) (x, y int, err error) {
	if x, err = length(a); err != nil {
		return 0, 0, err
	}
	y, err = length(b)
	return x, y, err
}

func length(s string) (int, error) {
	n, err := strconv.Atoi(s)
	switch {
	case strings.Trim(s, "0123456789") == "" && s != "" && (err != nil || n < 1 || n > MaxLength): // its form is right
		return 0, fmt.Errorf("%q is out of range: give 1 to %s", s, maxLengthText)
	case err != nil || n < 1 || n > MaxLength:
		return 0, fmt.Errorf("%q is not a number from 1 to %s: give %s", s, maxLengthText, LengthForms)
	}
	return n, nil
}
