package metrics

import (
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

func TestSummarize(t *testing.T) {
	var runs []Run
	add := func(s *play) {
		s.ID = len(runs) + 1
		runs = append(runs, Run{Stream: s.Stream, Figures: s.measure()})
	}
	// Six requests one after the other, a second apart: TTFT 100 to 150 ms,
	// ten tokens 10 ms apart.
	for i := range 6 {
		at := 1000 * float64(i)
		s := newPlay().every(at+100+10*float64(i), 10, 10, "a ").usage(10).done()
		s.Marks.Sent = stamp(at)
		s.Usage.Prompt = 20 + i
		s.Work.Concurrency = 1
		s.Conn.Reused = i > 0
		s.Observer = Observer{N: 5, LateP99: time.Duration(i) * time.Millisecond}
		add(s)
	}
	for _, kind := range []FaultKind{FaultReset, FaultTimeout, FaultReset} {
		s := newPlay().chunk(5, "a")
		s.State, s.Fault = Failed, &Fault{Kind: kind}
		add(s)
	}
	cut := newPlay().every(1, 1, 5, "a")
	cut.State, cut.Fault = Truncated, &Fault{Kind: FaultTruncated}
	add(cut)
	sum := Summarize(runs)

	testkit.That(t, sum.Requests == 10 && sum.Done == 6 && sum.Failed == 3 && sum.Truncated == 1,
		"requests %d done %d failed %d truncated %d, want 10, 6, 3, 1", sum.Requests, sum.Done, sum.Failed, sum.Truncated)
	testkit.Same(t, sum.Faults, []FaultCount{{Kind: FaultReset, N: 2}, {Kind: FaultTimeout, N: 1},
		{Kind: FaultTruncated, N: 1}})
	near(t, "TTFT p50: failed ones are not in it", sum.TTFT.P50, 125)
	near(t, "TTFT min", sum.TTFT.Min, 100)
	testkit.That(t, sum.TTFT.Low.OK && sum.TTFT.Low.V <= 125 && sum.TTFT.High.V >= 125,
		"interval [%v, %v] is not around the median", sum.TTFT.Low, sum.TTFT.High)
	near(t, "TPOT", sum.TPOT.P50, 10)
	testkit.Is(t, sum.Gaps.N, 54, "gaps pooled, want 9 of each of 6 requests")
	near(t, "pooled ITL", sum.ITL.P50, 10)
	near(t, "output", sum.OutputTokens, 60)
	near(t, "window: first sent to last chunk", sum.Window, 5240)
	near(t, "throughput", sum.Throughput, 60/5.240)
	near(t, "requests per second", sum.RequestRate, 6/5.240)
	testkit.Same(t, sum.Prompt, Range{6, Known(20, 0), Known(25, 0)})
	testkit.That(t, sum.Reused == 9 && sum.Fresh == 1,
		"reused %d fresh %d, want 9 and 1: those that failed had a connection too", sum.Reused, sum.Fresh)
	testkit.That(t, sum.Observer.N == 30 && sum.Observer.LateP99 == 5*time.Millisecond,
		"observer %+v, want 30 beats and the worst lateness", sum.Observer)
}

func TestSummaryOfNothing(t *testing.T) {
	sum := Summarize(nil)
	unknown(t, "TTFT", sum.TTFT.P50, WhyNoneEndedWell)
	unknown(t, "throughput", sum.Throughput, WhyNoneEndedWell)
	unknown(t, "interval", sum.TTFT.Low, Needs(6))
}

func TestThroughputNeedsEveryCount(t *testing.T) {
	a := newPlay().every(100, 10, 10, "a").usage(10).done()
	b := newPlay().every(100, 10, 10, "a").done()
	runs := []Run{{Stream: a.Stream, Figures: a.measure()}, {Stream: b.Stream, Figures: b.measure()}}
	sum := Summarize(runs)
	testkit.That(t, sum.Estimated, "an estimate is among the counts, and nobody says so")
	runs[1].Figures.Tokens = Unknown(WhyNoCount)
	unknown(t, "throughput", Summarize(runs).Throughput, WhySomeTokens)
}
