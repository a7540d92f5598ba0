package loadstat

import (
	"testing"

	"tokscope/metrics"
)

func TestStampsOf(t *testing.T) {
	for _, c := range []struct {
		whole  string
		points []string
		want   string
	}{
		{"", nil, "none"}, {"none", []string{""}, "none"}, {"kernel", nil, "kernel"}, {"", []string{"kernel", "", "kernel"}, "kernel"},
		{"none", []string{"user"}, "user"}, {"kernel", []string{"user"}, "mixed"}, {"mixed", []string{"kernel"}, "mixed"}, {"body", []string{"body"}, "body"},
	} {
		var points []Point
		for _, s := range c.points {
			points = append(points, Point{Stamps: s})
		}
		if have := StampsOf(points, c.whole); have != c.want {
			t.Errorf("%q and %q: %q, want %q", c.whole, c.points, have, c.want)
		}
	}
}

func TestWorstDelay(t *testing.T) {
	a, b := metrics.Delay{Code: metrics.DelayReads, P99: 3}, metrics.Delay{Code: metrics.DelayStamps, P99: 7}
	if d := WorstDelay([]Point{{Delay: a}, {Delay: b}, {}}); d != b {
		t.Errorf("%+v", d)
	}
	if d := WorstDelay([]Point{{}}); d.Code != "" {
		t.Errorf("%+v", d)
	}
}
