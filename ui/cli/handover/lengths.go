package handover

import (
	"fmt"
	"math"

	"tokscope/metrics"
)

// ownTokens is the length of a prompt's own part in a load whose prompts
// share their beginning. Without it all requests would be the same.
const ownTokens = 16

// prefix is the length of the shared beginning of the prompts, 0 without one.
func (l *line) prefix() int {
	if !l.SharedPrefix {
		return 0
	}
	low, _ := l.Input.Bounds()
	return low - min(ownTokens, low)
}

// rest is the lengths of prompts without their shared beginning.
func (l *line) rest() metrics.Lengths {
	in, by := l.Input, l.prefix()
	out := metrics.Lengths{Low: in.Low - by, High: in.High - by, SD: in.SD}
	if in.SD > 0 {
		out.Mean = in.Mean - float64(by)
	}
	for _, n := range in.Choices {
		out.Choices = append(out.Choices, n-by)
	}
	return out
}

// mean is the expected length as a whole number of tokens, at least 1.
func mean(l metrics.Lengths) int { return max(int(math.Round(l.Expected())), 1) }

// even is a uniform distribution as vLLM takes it: a middle and a ratio r,
// for lengths from ⌊middle·(1−r)⌋ to ⌈middle·(1+r)⌉. The ratio is cut, not
// rounded. It is cut by one more where floating point would exceed the
// limits.
func even(low, high int) (middle int, ratio float64) {
	middle = max((low+high)/2, 1)
	millionths := int64(high-low) * 1_000_000 / int64(high+low)
	ratio = float64(millionths) / 1e6
	m := float64(middle)
	if millionths > 0 && (low+high)%2 == 0 && (m*(1-ratio) < float64(low) || m*(1+ratio) > float64(high)) {
		ratio = float64(millionths-1) / 1e6
	}
	return middle, ratio
}

// spread is a uniform distribution from low to high. exact reports that it equals the
// lengths that it stands for.
type spread struct {
	middle    int
	ratio     float64
	low, high int
	exact     bool
}

// spreadEvenly is the uniform distribution with the mean and the deviation of
// l, as far as lengths of at least 1 allow.
func spreadEvenly(l metrics.Lengths) spread {
	s := spread{exact: true}
	if s.low, s.high = l.Bounds(); (len(l.Choices) > 0 || l.SD > 0) && s.low != s.high {
		m := mean(l)
		half := min(int(math.Round(l.Deviation()*math.Sqrt(3))), m-1)
		s.low, s.high, s.exact = m-half, m+half, false
	}
	s.middle, s.ratio = even(s.low, s.high)
	return s
}

// note says what l becomes where s is not exact, behind a beginning of that many
// tokens.
func (s spread) note(what string, l metrics.Lengths, behind int) string {
	return when(!s.exact, fmt.Sprintf("%sit can only spread lengths evenly: %s of %s tokens become %d..%d",
		notSame, what, l, s.low+behind, s.high+behind))
}
