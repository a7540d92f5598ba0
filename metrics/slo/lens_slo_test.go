package slo

import (
	"math"
	"slices"
	"testing"

	"tokscope/metrics/testkit"
)

// The objectives of a use are its budgets, and can be typed as they are written.
func TestLensSLOs(t *testing.T) {
	for key, want := range map[string]string{
		"chat": "ttft=450ms,speed>=5.3,gap=1s", "voice": "ttft=260ms,speed>=4.1,gap=1s", "agent": "ttft=450ms,speed>=25",
		"batch": "",
	} {
		l := LensByKey(key)
		slos, err := Parse(want)
		testkit.OK(t, err)
		if !slices.Equal(l.SLOs(), slos) {
			t.Errorf("%s: %v, want %v", key, l.SLOs(), slos)
		}
		for _, o := range l.SLOs() {
			near := false
			for _, b := range l.Budgets {
				near = near || b.AtLeast == o.AtLeast && math.Abs(b.Limit-o.Limit) <= 0.05
			}
			testkit.That(t, near, "%s: %v is no budget", key, o)
		}
		if got := LensOfSLOs(slos); len(slos) > 0 && got != l || len(slos) == 0 && got != nil {
			t.Errorf("%q is the lens %v", want, got)
		}
	}
	if got := LensOfSLOs([]Objective{{Name: "ttft", Limit: 450}}); got != nil {
		t.Errorf("a part of the objectives is the lens %s", got.Key)
	}
}
