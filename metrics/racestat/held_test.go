package racestat

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/testkit"
)

// answered is the result of an answer of n tokens, each ms apart, the first after wait
// ms.
func answered(wait, each float64, n int) Result {
	v := metrics.NoStream(0)
	v.State, v.Usage.Completion, v.TokensFrom = metrics.Done, n, metrics.TokensUsage
	v.Marks.Start, v.Marks.Sent = 0, 0
	for i := range n {
		at := metrics.Stamp((wait + each*float64(i)) * 1e6)
		v.Text = append(v.Text, "word "...)
		v.Chunks = append(v.Chunks, metrics.Chunk{At: at, User: at, Read: int32(i), Event: int32(i), Bytes: 180,
			TextEnd: int32(len(v.Text)), Tokens: -1, Kernel: true})
		v.Marks.End, v.Now = at, at
	}
	f := metrics.Measure(&v, metrics.Options{})
	return ResultOf(&v, &f)
}

// TestMayBeHeld holds which pairs of answers say nothing of the pace: where one came as
// if it had been let go, and the other took clearly longer. Both have their speed.
func TestMayBeHeld(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b Result
		want State
	}{
		{"12 tokens within 7 ms of 260", answered(160, 8.4, 12), answered(260, 0.6, 12), AtOnce},
		{"4 within 4 ms of 220", answered(220, 1.3, 4), answered(160, 20, 4), AtOnce},
		{"24 within 30 ms of 1.4 s", answered(1130, 13, 24), answered(1440, 1.3, 24), AtOnce},
		{"24 s of prefill", answered(24_000, 30, 40), answered(24_000, 10, 40), Decided},
		{"2,500 tok/s", answered(250, 10, 400), answered(200, 0.4, 400), Decided},
		{"both fast, 10 % apart", answered(1000, 0.4, 40), answered(1000, 0.44, 40), Decided},
	} {
		b := NewBoard(2, Level, Band, 30)
		for n := range 30 {
			b.Add(&Round{N: n + 1, Order: []int{n % 2, 1 - n%2}, Results: []Result{c.a, c.b}})
		}
		b.End()
		for _, v := range b.Verdicts() {
			pace := v.Figure == figure.TPOT || v.Figure == figure.Longest
			testkit.That(t, (!pace || v.State == c.want) && (pace || v.State != AtOnce),
				"%s: %s is %s, want %s", c.name, v.Figure, v.State, c.want)
		}
		tpot := c.b.Values[figure.TPOT]
		testkit.That(t, tpot.OK, "%s: TPOT is unknown, %v", c.name, tpot.Why)
	}
}
