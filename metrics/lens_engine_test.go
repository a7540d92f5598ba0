package metrics

import (
	"math"
	"strings"
	"testing"
)

// Of an engine the mean is judged, and every sentence says so; the gap is the
// longest of all; one slow request in twenty is not hidden by the mean.
func TestLensOfEngineNamesItsStatistic(t *testing.T) {
	f := EngineFigures{Requests: 14, TTFT: Known(109, 14), TTFTP95: Unknown("needs 20"), TPOT: Known(27.4, 14), TPOTP95: Unknown("needs 20"),
		Speed: Known(36.5, 14), MaxGap: Known(31, 900), Total: Known(34, 900)}
	few := LensOfEngine(&f, 40)
	f.Requests, f.TTFTP95, f.TPOTP95 = 40, Known(900, 40), Known(50, 40)
	many := LensOfEngine(&f, 40)
	for _, c := range []struct {
		lens, metric string
		f            LensFigures
		want         Grade
		on           string
	}{
		{"chat", LensTTFT, few, GradeMeets, "first token after 109 ms (mean of 14): 341 ms to spare of what chat allows"},
		{"chat", LensGap, few, GradeMeets, "longest gap 31 ms (longest of 14): 969 ms to spare of what chat allows"},
		{"agent", LensStep, few, GradeMeets, "a step of 300 tokens takes 8.33 s (mean of 14): 1.67 s to spare of what agent allows"},
		{"batch", LensTotal, few, GradeMeets, "whole answer after 1.18 s (mean of 14): far within the 24 h that batch allows"},
		{"batch", LensThroughput, few, GradeFree, "34 tok/s in total: 2.9M tokens in 24 h"},
		{"chat", LensTTFT, many, GradeClose, "first token after 109 ms (mean of 40): one in twenty has 900 ms, beyond what chat allows"},
		{"agent", LensSpeed, many, GradeClose, "36 tok/s for one user (mean of 40): one in twenty has 20 tok/s, short of what agent needs"},
	} {
		v := verdictOf(t, LensByKey(c.lens).Judge(c.f, DefaultAgentTask), c.metric)
		if v.Grade != c.want || v.Say != c.on {
			t.Errorf("%s %s: %s, %q; want %s, %q", c.lens, c.metric, v.Grade, v.Say, c.want, c.on)
		}
	}
	for n, want := range map[int]string{0: "not measured yet", 1: "one request", 14: "mean of 14 requests"} {
		f.Requests = n
		if got := LensOfEngine(&f, 40).Kind; got != want {
			t.Errorf("%d requests are %q, want %q", n, got, want)
		}
	}
}

// The time of a whole request is that of its first token and of the others;
// an answer of one token has no others.
func TestLensOfEngineTotal(t *testing.T) {
	f := EngineFigures{Requests: 1, TTFT: Known(100, 1), TPOT: Known(10, 1)}
	for output, want := range map[int]float64{1: 100, 2: 110, 40: 490} {
		if got := LensOfEngine(&f, output).Total.Typical; !got.OK || math.Abs(got.V-want) > 1e-9 {
			t.Errorf("%d tokens: %+v, want %g ms", output, got, want)
		}
	}
	f.TPOT = Unknown("no request has ended")
	if got := LensOfEngine(&f, 40).Total.Typical; got.OK || got.Why != "no request has ended" {
		t.Errorf("without a TPOT the total is %+v", got)
	}
}

// A prediction of nothing is no figure of anything.
func TestLensOfPrediction(t *testing.T) {
	p := Prediction{Knobs: Knobs{Users: 1, Output: 11}, TTFT: Known(50, 1), TPOT: Known(5, 1), Speed: Known(200, 1), Total: Known(180, 1)}
	f := LensOfPrediction(&p)
	if got := f.Total.Typical; !got.OK || got.V != 100 {
		t.Errorf("the total is %+v, want 100 ms", got)
	}
	if v := verdictOf(t, LensByKey("chat").Judge(f, DefaultAgentTask), LensGap); v.Grade != GradeUnknown || !strings.Contains(v.Say, "predicts no such figure") {
		t.Errorf("the gap: %+v", v)
	}
	refused := p
	refused.Err = "no room"
	for _, none := range []Prediction{{}, refused} {
		if f := LensOfPrediction(&none); f != (LensFigures{}) {
			t.Errorf("of nothing there is %+v", f)
		}
	}
}
