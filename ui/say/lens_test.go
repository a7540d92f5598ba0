package say

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/slo"
	"tokscope/ui/format"
)

// one is the figure of a single request.
func one(v metrics.Value) slo.LensFigure {
	return slo.LensFigure{Typical: v, Tail: metrics.Unknown(metrics.WhyOneRequest)}
}

func lensFigures(ttft, tpot, gap, total float64) slo.LensFigures {
	of := func(v float64) slo.LensFigure { return one(metrics.Known(v, 0)) }
	return slo.LensFigures{TTFT: of(ttft), TPOT: of(tpot), Speed: of(1000 / tpot), Gap: of(gap), Total: of(total),
		Throughput: of(500 / tpot), Requests: 1}
}

func verdictOf(t *testing.T, vs []slo.LensVerdict, metric string) slo.LensVerdict {
	t.Helper()
	for _, v := range vs {
		if v.Metric == metric {
			return v
		}
	}
	t.Fatalf("no verdict on %s in %+v", metric, vs)
	return slo.LensVerdict{}
}

// TestVerdict holds the sentences of a lens. That of an engine says whether it judges
// the mean or the longest.
func TestVerdict(t *testing.T) {
	task := slo.AgentTask{Steps: 20, Tokens: 300}
	slow := lensFigures(640, 300, 1200, 90_000)
	quick := lensFigures(265, 7.1, 9, 2_400)
	near := lensFigures(440, 200, 950, 60_000)
	several := quick
	several.Requests = 40
	several.TTFT.Tail = metrics.Known(900, 40)
	guessed := quick
	guessed.Estimated = true
	wait := func(ms float64) slo.LensFigures {
		u := one(metrics.Unknown(metrics.WhyNoChunk))
		return slo.LensFigures{TTFT: u, TPOT: u, Speed: u, Gap: u, Total: u, Throughput: u, Requests: 1, Running: true,
			Waited: metrics.Known(ms, 0)}
	}
	engine := serving.EngineFigures{Requests: 14, TTFT: metrics.Known(109, 14),
		TTFTP95: metrics.Unknown(metrics.Needs(20)), TPOT: metrics.Known(27.4, 14),
		TPOTP95: metrics.Unknown(metrics.Needs(20)),
		Speed:   metrics.Known(36.5, 14), MaxGap: metrics.Known(31, 900), Total: metrics.Known(34, 900)}
	few := slo.LensOfEngine(&engine, 40)
	engine.Requests, engine.TTFTP95, engine.TPOTP95 = 40, metrics.Known(900, 40), metrics.Known(50, 40)
	many := slo.LensOfEngine(&engine, 40)
	for _, c := range []struct {
		lens, metric string
		f            slo.LensFigures
		say          string
	}{
		{"chat", "TTFT", quick, "first token after 265 ms: 185 ms to spare of what chat allows"},
		{"chat", "TTFT", slow, "first token after 640 ms: 190 ms over what chat allows"},
		{"chat", "TTFT", near, "first token after 440 ms: only 10.0 ms left of what chat allows"},
		{"chat", "TTFT", several,
			"first token after 265 ms (median of 40): one in twenty has 900 ms, beyond what chat allows"},
		{"chat", "TTFT", wait(412), "412 ms of 450 ms used"},
		{"chat", "TTFT", wait(640), "no token after 640 ms: 190 ms over what chat allows"},
		{"chat", "speed", quick, "141 tok/s for one user: 27x what chat needs"},
		{"chat", "speed", guessed, "about 141 tok/s for one user: 27x what chat needs"},
		{"chat", "TTFT", guessed, "first token after 265 ms: 185 ms to spare of what chat allows"},
		{"chat", "speed", slow, "3.33 tok/s for one user: 1.96 tok/s short of what chat needs"},
		{"chat", "speed", wait(10), "speed is unknown: no chunk yet"},
		{"chat", "gap", slow, "longest gap 1.20 s: 200 ms over what chat allows"},
		{"voice", "TTFT", quick, "first token after 265 ms: 5.00 ms over what voice allows"},
		{"voice", "speed", near, "5.00 tok/s for one user: 0.933 tok/s more than what voice needs"},
		{"agent", "step", quick, "a step of 300 tokens takes 2.40 s: 7.61 s to spare of what agent allows"},
		{"agent", "step", wait(10), "step is unknown: no chunk yet"},
		{"agent", "speed", near, "5.00 tok/s for one user: 20.0 tok/s short of what agent needs"},
		{"batch", "total", quick, "whole answer after 2.40 s: well within the 24 h that batch allows"},
		{"batch", "throughput", quick, "70.4 tok/s aggregate: 6.08M tokens in 24 h"},
		{"batch", "TTFT", slow, "first token after 640 ms: batch sets no limit"},
		{"batch", "TTFT", wait(2000), "no token after 2.00 s: batch sets no limit"},
		{"chat", slo.LensTTFT, few, "first token after 109 ms (mean of 14): 341 ms to spare of what chat allows"},
		{"chat", slo.LensGap, few, "longest gap 31.0 ms (longest of 14): 969 ms to spare of what chat allows"},
		{"agent", slo.LensStep, few, "a step of 300 tokens takes 8.33 s (mean of 14): 1.67 s to spare of what agent allows"},
		{"batch", slo.LensTotal, few, "whole answer after 1.18 s (mean of 14): well within the 24 h that batch allows"},
		{"batch", slo.LensThroughput, few, "34.0 tok/s aggregate: 2.94M tokens in 24 h"},
		{"chat", slo.LensTTFT, many,
			"first token after 109 ms (mean of 40): one in twenty has 900 ms, beyond what chat allows"},
		{"agent", slo.LensSpeed, many,
			"36.5 tok/s for one user (mean of 40): one in twenty has 20.0 tok/s, short of what agent needs"},
	} {
		v := verdictOf(t, slo.LensByKey(c.lens).Judge(c.f, task), c.metric)
		is(t, Verdict(&v), c.say)
	}
}

func TestAgentCost(t *testing.T) {
	c := slo.AgentTask{Steps: 20, Tokens: 300}.Cost(metrics.Known(300, 0), metrics.Known(10, 0))
	is(t, AgentCost(&c), "20 steps of 300 tokens take 66.0 s: 9 % waiting for first tokens, 91 % decoding; half the "+
		"TTFT saves 5 %, half the TPOT 45 %")
	c = slo.AgentTask{Steps: 20, Tokens: 300}.Cost(metrics.Known(300, 0), metrics.Unknown(metrics.WhyNoChunk))
	is(t, AgentCost(&c), "20 steps of 300 tokens: unknown, no chunk yet")
}

// Every verdict has words and only finite numbers. An unknown one gives its
// reason.
func TestVerdictsAreWellFormed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := func(name string) metrics.Value {
			return rapid.OneOf(
				rapid.Map(rapid.Float64Range(0, 1e5), func(v float64) metrics.Value { return metrics.Known(v, 1) }),
				rapid.Map(rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1), math.Inf(-1), -1, 1e308, 1e-308, 450, 25}),
					func(v float64) metrics.Value { return metrics.Known(v, 1) }),
				rapid.Just(metrics.Unknown(metrics.WhyNotMeasured)),
			).Draw(t, name)
		}
		f := slo.LensFigures{Requests: rapid.IntRange(0, 50).Draw(t, "n"), Running: rapid.Bool().Draw(t, "running"),
			Waited: value("waited")}
		for i, to := range []*slo.LensFigure{&f.TTFT, &f.TPOT, &f.Speed, &f.Gap, &f.Total, &f.Throughput} {
			*to = slo.LensFigure{Typical: value("figure " + strconv.Itoa(i)), Tail: value("tail " + strconv.Itoa(i))}
		}
		task := slo.AgentTask{Steps: rapid.IntRange(-1, 1e6).Draw(t, "steps"), Tokens: rapid.IntRange(-1, 1e9).Draw(t,
			"tokens")}
		for _, l := range slo.Lenses() {
			for _, v := range l.Judge(f, task) {
				for _, s := range []string{Verdict(&v), VerdictShort(&v)} {
					if s == "" || strings.Contains(s, "NaN") || strings.Contains(s, "Inf") || v.Case == slo.CaseUnknown &&
						!strings.Contains(s, format.Why(v.Measured.Why)) {
						t.Fatalf("%s %s says %q", l.Key, v.Metric, s)
					}
				}
			}
		}
	})
}
