package metrics

import (
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

func TestLagHistogram(t *testing.T) {
	var l LagHistogram
	if l.Quantile(0.5) != 0 || l.N() != 0 {
		t.Error("a quantile of nothing")
	}
	for i := range 1000 {
		l.Add(time.Duration(i+1) * time.Microsecond)
	}
	for _, tt := range []struct {
		p    float64
		want time.Duration
	}{{0.5, 500 * time.Microsecond}, {0.99, 990 * time.Microsecond}, {0.001, 2 * time.Microsecond},
		{1, time.Millisecond}} {
		if got := l.Quantile(tt.p); float64(got) < 0.95*float64(tt.want) || float64(got) > 1.05*float64(tt.want) {
			t.Errorf("quantile %v = %v, want about %v", tt.p, got, tt.want)
		}
	}
	for _, d := range []time.Duration{-1, 0, 63, 64, 65, 127, 128, time.Millisecond, time.Second, time.Minute, time.Hour,
		1<<63 - 1} {
		var one LagHistogram
		one.Add(d)
		if v := one.Quantile(0.99); d >= 64 && d <= time.Minute && (float64(v) < 0.95*float64(d) ||
			float64(v) > 1.05*float64(d)) {
			t.Errorf("%v is shown as %v", d, v)
		}
	}
	// The p99 of few values is the longest of them.
	var few LagHistogram
	for _, d := range []time.Duration{1, 2, 3, 4, 40 * time.Millisecond} {
		few.Add(d)
	}
	if v := few.Quantile(0.99); v < 38*time.Millisecond {
		t.Errorf("p99 of five is %v", v)
	}
	testkit.Allocates(t, 0, 100, func() { few.Add(time.Millisecond) })
}
