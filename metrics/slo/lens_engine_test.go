package slo

import (
	"math"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
)

// The lens judges the mean of an engine's requests and the longest gap of
// all. The mean does not hide one slow request in twenty.
func TestLensOfEngineNamesItsStatistic(t *testing.T) {
	f := serving.EngineFigures{Requests: 14, TTFT: metrics.Known(109, 14), TTFTP95: metrics.Unknown(metrics.Needs(20)),
		TPOT: metrics.Known(27.4, 14), TPOTP95: metrics.Unknown(metrics.Needs(20)),
		Speed: metrics.Known(36.5, 14), MaxGap: metrics.Known(31, 900), Total: metrics.Known(34, 900)}
	few := LensOfEngine(&f, 40)
	f.Requests, f.TTFTP95, f.TPOTP95 = 40, metrics.Known(900, 40), metrics.Known(50, 40)
	many := LensOfEngine(&f, 40)
	for _, c := range []struct {
		lens, metric string
		f            LensFigures
		want         Grade
		on           LensCase
	}{
		{"chat", LensTTFT, few, GradeMeets, CaseWithin},
		{"chat", LensGap, few, GradeMeets, CaseWithin},
		{"agent", LensStep, few, GradeMeets, CaseWithin},
		{"batch", LensTotal, few, GradeMeets, CaseFar},
		{"batch", LensThroughput, few, GradeFree, CaseFree},
		{"chat", LensTTFT, many, GradeClose, CaseTail},
		{"agent", LensSpeed, many, GradeClose, CaseTail},
	} {
		v := verdictOf(t, LensByKey(c.lens).Judge(c.f, DefaultAgentTask), c.metric)
		testkit.That(t, v.Grade == c.want && v.Case == c.on,
			"%s %s: %s, case %d; want %s, %d", c.lens, c.metric, v.Grade, v.Case, c.want, c.on)
	}
	for _, n := range []int{0, 1, 14} {
		f.Requests = n
		if got := LensOfEngine(&f, 40); got.Kind != FiguresMeans || got.Requests != n {
			t.Errorf("of %d requests: kind %d of %d", n, got.Kind, got.Requests)
		}
	}
}

// The time of a whole request is that of its first token and of the others;
// an answer of one token has no others.
func TestLensOfEngineTotal(t *testing.T) {
	f := serving.EngineFigures{Requests: 1, TTFT: metrics.Known(100, 1), TPOT: metrics.Known(10, 1)}
	for output, want := range map[int]float64{1: 100, 2: 110, 40: 490} {
		if got := LensOfEngine(&f, output).Total.Typical; !got.OK || math.Abs(got.V-want) > 1e-9 {
			t.Errorf("%d tokens: %+v, want %g ms", output, got, want)
		}
	}
	f.TPOT = metrics.Unknown(metrics.WhyNoneEnded)
	if got := LensOfEngine(&f, 40).Total.Typical; got.OK || got.Why != metrics.WhyNoneEnded {
		t.Errorf("without a TPOT the total is %+v", got)
	}
}

// A prediction without data gives no figures.
func TestLensOfPrediction(t *testing.T) {
	p := serving.Prediction{Knobs: serving.Knobs{Users: 1, Output: 11}, EngineFigures: serving.EngineFigures{
		TTFT: metrics.Known(50, 1), TPOT: metrics.Known(5, 1), Speed: metrics.Known(200, 1), Total: metrics.Known(180, 1)}}
	f := LensOfPrediction(&p)
	got := f.Total.Typical
	testkit.That(t, got.OK && got.V == 100, "the total is %+v, want 100 ms", got)
	v := verdictOf(t, LensByKey("chat").Judge(f, DefaultAgentTask), LensGap)
	testkit.That(t, v.Grade == GradeUnknown && v.Measured.Why == metrics.WhyNotPredicted, "the gap: %+v", v)
	refused := p
	refused.Err = "no room"
	for _, none := range []serving.Prediction{{}, refused} {
		if f := LensOfPrediction(&none); f != (LensFigures{}) {
			t.Errorf("of nothing there is %+v", f)
		}
	}
}
