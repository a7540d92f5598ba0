package cli

import (
	"math"
	"strconv"
	"strings"
)

// The bounds of a sweep's lists. 64 steps of a minute are an hour.
const (
	mostSteps = 64
	mostRate  = 10_000.0
)

// parseUsers reads numbers of users such as 1,2,4. Each must be larger than
// the one before, so that the curve has a direction.
func parseUsers(text string) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || n > maxUsers {
			return nil, Usage("--users %q: %q is no number from 1 to %d", text, strings.TrimSpace(part), maxUsers)
		}
		if len(out) > 0 && n <= out[len(out)-1] {
			return nil, Usage("--users %q: %d does not follow on %d, give rising numbers such as %s", text, n, out[len(out)-1], defaultUsers)
		}
		out = append(out, n)
	}
	if len(out) > mostSteps {
		return nil, Usage("--users: %d steps, give at most %d", len(out), mostSteps)
	}
	return out, nil
}

// parseRates reads rates such as 0.5,1,2, in requests per second, rising.
func parseRates(text string) ([]float64, error) {
	var out []float64
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || math.IsNaN(v) || v < 0.001 || v > mostRate {
			return nil, Usage("--rate %q: %q is no rate from 0.001 to %.0f requests per second", text, strings.TrimSpace(part), mostRate)
		}
		if len(out) > 0 && v <= out[len(out)-1] {
			return nil, Usage("--rate %q: %v does not follow on %v, give rising rates such as 1,2,5", text, v, out[len(out)-1])
		}
		out = append(out, v)
	}
	if len(out) > mostSteps {
		return nil, Usage("--rate: %d steps, give at most %d", len(out), mostSteps)
	}
	return out, nil
}

// Span is a number of tokens, or a range that each request draws from evenly.
// The zero Span is none.
type Span struct{ Min, Max int }

// Fixed reports whether all of the span is one number.
func (s Span) Fixed() bool { return s.Min == s.Max }

// Mean is the expected number of tokens, 0 for none.
func (s Span) Mean() int { return (s.Min + s.Max) / 2 }

// String writes the span as ParseSpan reads it, "" for none.
func (s Span) String() string {
	switch {
	case s == Span{}:
		return ""
	case s.Fixed():
		return strconv.Itoa(s.Min)
	}
	return strconv.Itoa(s.Min) + ".." + strconv.Itoa(s.Max)
}

// mostTokens bounds a length: no endpoint takes more.
const mostTokens = 2_000_000

// ParseSpan reads 200 or 100..400 for the flag of that name.
func ParseSpan(flag, text string) (Span, error) {
	low, high, ranged := strings.Cut(text, "..")
	a, err := strconv.Atoi(strings.TrimSpace(low))
	b := a
	if err == nil && ranged {
		b, err = strconv.Atoi(strings.TrimSpace(high))
	}
	if err != nil || a < 1 || b < a || b > mostTokens {
		return Span{}, Usage("--%s %q: give tokens such as 200, or a range such as 100..400", flag, text)
	}
	return Span{a, b}, nil
}
