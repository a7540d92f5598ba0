package handover

import (
	"fmt"
	"math"
	"strings"

	"tokscope/metrics"
)

// notSame begins a note on a command line that measures another workload than
// tokscope. Such a note comes first.
const notSame = "NOT THE SAME WORKLOAD: "

// ownTokens is the length of a prompt's own part in a load whose prompts
// share their beginning. Without it all requests would be the same.
const ownTokens = 16

// parted splits the prompts of a load into their shared beginning, 0 without
// one, and the lengths of the rest.
func (l *Load) parted() (shared int, rest metrics.Lengths) {
	if !l.SharedPrefix {
		return 0, l.Input
	}
	low, _ := l.Input.Bounds()
	shared = low - min(ownTokens, low)
	return shared, less(l.Input, shared)
}

// less subtracts by tokens from each length of l. by must be below the
// smallest length.
func less(l metrics.Lengths, by int) metrics.Lengths {
	out := metrics.Lengths{Low: l.Low - by, High: l.High - by, SD: l.SD}
	if l.SD > 0 {
		out.Mean = l.Mean - float64(by)
	}
	for _, n := range l.Choices {
		out.Choices = append(out.Choices, n-by)
	}
	return out
}

// sharedNote says what other tools' shared beginning omits, "" when nothing.
func (l *Load) sharedNote(shared int) string {
	if !l.SharedPrefix || !l.Input.Varies() {
		return ""
	}
	return fmt.Sprintf("lets prompts share their first %d tokens alone; here longer ones share more", shared)
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

// spreadEvenly is the uniform distribution with the mean and the deviation of
// l, as far as lengths of at least 1 allow. It also returns its range. exact
// reports that it equals l.
func spreadEvenly(l metrics.Lengths) (middle int, ratio float64, low, high int, exact bool) {
	low, high = l.Bounds()
	if len(l.Choices) == 0 && l.SD == 0 || low == high {
		middle, ratio = even(low, high)
		return middle, ratio, low, high, true
	}
	m := mean(l)
	half := min(int(math.Round(l.Deviation()*math.Sqrt(3))), m-1)
	middle, ratio = even(m-half, m+half)
	return middle, ratio, m - half, m + half, false
}

// notEven is vLLM's note on lengths that it cannot draw.
func notEven(what string, l metrics.Lengths, low, high int) string {
	return fmt.Sprintf("%sit can only spread lengths evenly: %s of %s tokens become %d..%d", notSame, what, l, low, high)
}

// synthetic returns the fields of GuideLLM's synthetic text for lengths with
// the field name "prompt_tokens" or similar. exact reports that they draw as
// l does.
func synthetic(name string, l metrics.Lengths) (fields string, exact bool) {
	fields = fmt.Sprintf(",%s=%d", name, mean(l))
	if !l.Varies() {
		return fields, true
	}
	low, high := l.Bounds()
	uniform := len(l.Choices) == 0 && l.SD == 0
	if !uniform {
		fields += fmt.Sprintf(",%s_stdev=%d", name, max(int(math.Round(l.Deviation())), 1))
	}
	return fields + fmt.Sprintf(",%s_min=%d,%s_max=%d", name, low, name, high), len(l.Choices) == 0
}

// parts are lengths as AIPerf mixes them: some means with equal chances and
// one deviation. exact reports that they draw as l does, except that a normal
// distribution is not cut.
func parts(l metrics.Lengths) (means []int, dev float64, exact bool) {
	switch {
	case !l.Varies():
		low, _ := l.Bounds()
		return []int{low}, 0, true
	case len(l.Choices) > 0:
		return l.Choices, 0, true
	}
	return []int{mean(l)}, l.Deviation(), l.SD > 0
}

// mostPairs limits the size of a command line.
const mostPairs = 64

// pairsOf mixes prompts and answers as AIPerf's --sequence-distribution takes
// them, with chances in percent. It returns false for too many pairs.
func pairsOf(in, out metrics.Lengths) (string, bool) {
	ins, inDev, _ := parts(in)
	outs, outDev, _ := parts(out)
	n := len(ins) * len(outs)
	if n > mostPairs {
		return "", false
	}
	with := func(mean int, dev float64) string {
		if dev > 0 {
			return fmt.Sprintf("%d|%s", mean, trim(dev))
		}
		return fmt.Sprint(mean)
	}
	var pairs []string
	for _, a := range ins {
		for _, b := range outs {
			pairs = append(pairs, fmt.Sprintf("%s,%s:%s", with(a, inDev), with(b, outDev), digits(100/float64(n), 6)))
		}
	}
	return strings.Join(pairs, ";"), true
}
