package loadstat

import (
	"math"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// A hostile or silent server leaves figures unknown, with their reasons.
func TestDepthSamplesOfHostileFigures(t *testing.T) {
	var s DepthSamples
	done := &metrics.Stream{State: metrics.Done}
	figures := func(prompt, ttft metrics.Value) *metrics.Figures {
		return &metrics.Figures{PromptTokens: prompt, TTFT: ttft, CachedTokens: metrics.Unknown(metrics.WhyNotReportedEnd),
			TPOT: metrics.Unknown(metrics.WhyOneChunk), Speed: metrics.Unknown(metrics.WhyOneChunk)}
	}
	if r := s.Row(9); r.Cold.TTFT.OK || r.Cold.TTFT.Why != metrics.WhyNoneEndedWell ||
		r.TPOT.Why != metrics.WhyNoneEndedWell {
		t.Errorf("no request: %+v", r)
	}
	s.Add(done, figures(metrics.Known(1000, 0), metrics.Known(0, 0)), false) // tokens in no time
	s.Add(done, figures(metrics.Known(math.Inf(1), 0), metrics.Known(100, 0)), false)
	s.Add(done, figures(metrics.Unknown(metrics.WhyNotReportedEnd), metrics.Known(math.NaN(), 0)), false)
	s.Add(&metrics.Stream{State: metrics.Failed}, figures(metrics.Known(5, 0), metrics.Known(5, 0)), false)
	r := s.Row(9)
	if c := &r.Cold; c.Prefill.OK || c.Prompt.V != 1000 || c.Prompt.N != 1 || c.TTFT.V != 50 || c.TTFT.N != 2 ||
		c.Ended != 3 || c.Failed != 1 || c.Cached.Why != metrics.WhyNotReportedEnd {
		t.Errorf("hostile: %+v", *c)
	}
	testkit.That(t, !r.TPOT.OK && r.TPOT.Why == metrics.WhyOneChunk && r.Warm.Ended == 0, "hostile: %+v", r)
	s.Add(done, figures(metrics.Known(1000, 0), metrics.Known(500, 0)), false)
	p := s.Row(9).Cold.Prefill
	testkit.That(t, p.V == 2000 && p.N == 1, "prefill %+v, want 2000 tok/s of 1", p)
}

func TestDepthFit(t *testing.T) {
	var cold []metrics.Figures
	for i := range 9 {
		x := float64(1000 * (1 + i))
		cold = append(cold, metrics.Figures{PromptTokens: metrics.Known(x, 0), TTFT: metrics.Known(20+0.03*x, 0)})
	}
	if f := DepthFit(cold); f.N != 9 || math.Abs(f.A.V-20) > 1e-9 || math.Abs(f.B.V-0.03) > 1e-12 || f.High != 9000 {
		t.Errorf("%+v", f)
	}
	if f := DepthFit(cold[:7]); f.B.OK || f.B.Why != metrics.Needs(8) {
		t.Errorf("seven requests: %+v", f)
	}
	for i := range cold {
		cold[i].PromptTokens = metrics.Unknown(metrics.WhyNotReportedEnd)
	}
	if f := DepthFit(cold); f.B.OK || f.B.Why != metrics.WhyNoPromptCount || f.N != 0 {
		t.Errorf("uncounted: %+v", f)
	}
	if f := DepthFit(nil); f.B.OK || f.B.Why != metrics.Needs(8) {
		t.Errorf("no requests: %+v", f)
	}
}
