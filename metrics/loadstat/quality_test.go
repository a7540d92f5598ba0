package loadstat

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func TestStampsOf(t *testing.T) {
	for _, c := range []struct {
		whole  string
		points []string
		want   string
	}{
		{"", nil, "none"}, {"none", []string{""}, "none"}, {"kernel", nil, "kernel"}, {"", []string{"kernel", "", "kernel"},
			"kernel"},
		{"none", []string{"user"}, "user"}, {"kernel", []string{"user"}, "mixed"}, {"mixed", []string{"kernel"}, "mixed"},
		{"body", []string{"body"}, "body"},
	} {
		var points []Point
		for _, s := range c.points {
			points = append(points, Point{Stamps: s})
		}
		testkit.Is(t, StampsOf(points, c.whole), c.want, c.whole, "and", c.points)
	}
}

func TestWorstDelay(t *testing.T) {
	a, b := metrics.Delay{Code: metrics.DelayReads, P99: 3}, metrics.Delay{Code: metrics.DelayStamps, P99: 7}
	testkit.Is(t, WorstDelay([]Point{{Delay: a}, {Delay: b}, {}}), b)
	d := WorstDelay([]Point{{}})
	testkit.That(t, d.Code == "", "%+v", d)
}
