package racestat

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/figure"
)

// blockOf is a block of requests with these TPOTs, ms; 0 came at once, and has no TTFT.
func blockOf(lane int, tpot ...float64) Block {
	b := Block{Lane: lane}
	for _, x := range tpot {
		var r Result
		r.Values[figure.TPOT], r.Values[figure.TTFT] = metrics.Known(x, 1), metrics.Known(10*x, 1)
		if x == 0 {
			r.Values[figure.TPOT], r.Values[figure.TTFT] = metrics.Unknown(metrics.WhyAtOnce),
				metrics.Unknown(metrics.WhyNotCounted)
		}
		b.Results = append(b.Results, r)
	}
	b.Sum()
	return b
}

// TestBlockValue: a block is the geometric mean of more than half of its requests.
func TestBlockValue(t *testing.T) {
	if b := blockOf(0, 4, 9, 0); !b.Values[figure.TPOT].OK || b.Values[figure.TPOT].V < 5.999 ||
		b.Values[figure.TPOT].V > 6.001 || b.Values[figure.TPOT].N != 2 {
		t.Errorf("%+v", b.Values[figure.TPOT])
	}
	if b := blockOf(0, 4, 0); b.Values[figure.TPOT].OK || b.Values[figure.TPOT].Why != metrics.WhyAtOnce ||
		b.Values[figure.TTFT].Why != metrics.WhyNotCounted {
		t.Errorf("%+v", b.Values[figure.TPOT])
	}
	if b := blockOf(0); b.Values[figure.TPOT].OK || b.Values[figure.TPOT].Why != metrics.WhyNoneEnded {
		t.Errorf("an empty one: %+v", b.Values[figure.TPOT])
	}
}

// TestVerdictsOfBlocks: answers that came at once leave the pace open, blocks without a
// figure are left out, and a lane without any has no verdict.
func TestVerdictsOfBlocks(t *testing.T) {
	s := Swap{Blocks: 5, Requests: 1}
	verdicts := func(slow func(i int) float64) (wait, pace Verdict) {
		var blocks []Block
		for i := range 5 {
			blocks = append(blocks, blockOf(0, 10+float64(i)/100), blockOf(1, slow(i)))
		}
		all := s.Verdicts(blocks, 2, Band, true)
		return find(t, all, figure.TTFT, 0, 1), find(t, all, figure.TPOT, 0, 1)
	}
	wait, pace := verdicts(func(i int) float64 { return 12 + float64(i)/10 })
	if pace.State != Decided || pace.Leader != 0 || pace.Faster != 1 || wait.State != Decided || pace.P != 2.0/252 ||
		pace.Turned().Faster != -1 {
		t.Errorf("%+v", pace)
	}
	if wait, pace = verdicts(func(i int) float64 { return 10.05 + float64(i)/100 }); pace.State != Equal || !pace.Equal ||
		wait.Faster != 0 {
		t.Errorf("%+v", pace)
	}
	if wait, pace = verdicts(func(i int) float64 { return float64(8 + i) }); pace.State != Undecided ||
		pace.Leader != 0 && pace.Leader != 1 {
		t.Errorf("%+v", pace)
	}
	if wait, pace = verdicts(func(i int) float64 { return 12 * float64(min(i, 1)) }); pace.State != AtOnce ||
		wait.State != Decided || wait.Left != 1 || wait.N != 9 || wait.P != 2.0/126 {
		t.Errorf("%+v\n%+v", wait, pace)
	}
	if wait, pace = verdicts(func(int) float64 { return 0 }); pace.State != AtOnce || wait.State != Missing ||
		wait.Lo != 0 {
		t.Errorf("%+v\n%+v", wait, pace)
	}
	if NeedsBlocks(2) != 5 || NeedsBlocks(3) != 5 || NeedsBlocks(6) != 7 {
		t.Errorf("%d, %d, %d blocks", NeedsBlocks(2), NeedsBlocks(3), NeedsBlocks(6))
	}
}
