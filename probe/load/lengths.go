package load

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Lengths is a number of tokens: one for all requests, or a distribution. The
// zero value is none at all: the workload keeps its own.
type Lengths struct {
	// Low and High bound what is drawn, evenly spread; equal: always the same.
	Low, High int
	// SD > 0 draws from a normal distribution around Mean, cut to [Low, High].
	Mean, SD float64
	// Choices, when there are any, is what is drawn from instead, each as often.
	Choices []int
}

// maxLength bounds a length that is asked for: no context is longer.
const maxLength = 10_000_000

// Fixed returns the length n for all requests.
func Fixed(n int) Lengths { return Lengths{Low: n, High: n} }

// IsZero reports whether l says nothing.
func (l Lengths) IsZero() bool { return l.High <= 0 && len(l.Choices) == 0 }

// Varies reports whether two requests can differ.
func (l Lengths) Varies() bool { return len(l.Choices) > 1 || l.High > l.Low }

// Draw returns a length of at least 1, or 0 when l says nothing.
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

// Expected is the mean of what Draw returns (of a normal one before it is
// cut), 0 when l says nothing.
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

// String writes l as ParseLengths reads it.
func (l Lengths) String() string {
	switch {
	case l.IsZero():
		return ""
	case len(l.Choices) > 0:
		var parts []string
		for _, n := range l.Choices {
			parts = append(parts, strconv.Itoa(n))
		}
		return strings.Join(parts, ",")
	case l.SD > 0:
		return fmt.Sprintf("%g±%g", l.Mean, l.SD)
	case l.High > l.Low:
		return fmt.Sprintf("%d-%d", l.Low, l.High)
	}
	return strconv.Itoa(l.High)
}

// ParseLengths reads
//
//	1000            always the same
//	500-1500        anything from 500 to 1500, evenly spread
//	1000±200        a normal distribution (also 1000+-200), cut at three
//	                deviations and at 1
//	100,1000,10000  one of these, each as often
//
// and "" as the zero Lengths.
func ParseLengths(text string) (Lengths, error) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, " ", ""), "+-", "±")
	if text == "" {
		return Lengths{}, nil
	}
	if mean, dev, ok := strings.Cut(text, "±"); ok {
		m, err := length(mean)
		if err != nil {
			return Lengths{}, err
		}
		sd, err := length(dev)
		if err != nil {
			return Lengths{}, err
		}
		return Lengths{Low: max(m-3*sd, 1), High: min(m+3*sd, maxLength), Mean: float64(m), SD: float64(sd)}, nil
	}
	if low, high, ok := strings.Cut(text, "-"); ok {
		a, err := length(low)
		if err != nil {
			return Lengths{}, err
		}
		b, err := length(high)
		if err != nil {
			return Lengths{}, err
		}
		if b < a {
			return Lengths{}, fmt.Errorf("lengths %q: the second is below the first", text)
		}
		return Lengths{Low: a, High: b}, nil
	}
	var l Lengths
	for part := range strings.SplitSeq(text, ",") {
		n, err := length(part)
		if err != nil {
			return Lengths{}, err
		}
		l.Choices = append(l.Choices, n)
	}
	if len(l.Choices) == 1 {
		return Fixed(l.Choices[0]), nil
	}
	return l, nil
}

func length(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > maxLength {
		return 0, fmt.Errorf("length %q: give tokens from 1 to %d, such as 1000, 500-1500, 1000±200 or 100,1000", s, maxLength)
	}
	return n, nil
}
