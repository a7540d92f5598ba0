package loadgen

import (
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// The ramp of a sweep ends with the ramp, and its slices are the outcome.
func TestClimb(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(overloadPrefill, overloadGap)
		shape := Shape{Drive: loadstat.Drive{Rate: 2, Within: 20 * time.Second, To: 6}}
		l := closed(f, shape, 11)
		l.rampEnds(t.Context())
		v := l.View()
		points := slicesOf(&v)
		c := Curve{SweepPlan: loadstat.SweepPlan{Ramp: loadstat.Drive{Rate: 2, To: 6, Within: 20 * time.Second},
			Duration: 20 * time.Second, Rates: []float64{6}}}
		if elapsed := f.now(); len(points) != 20 || c.planned() != 20 || elapsed < metrics.Stamp(20*time.Second) ||
			elapsed > metrics.Stamp(21*time.Second) {
			t.Errorf("%d slices of %d after %v", len(points), c.planned(), time.Duration(elapsed))
		}
		for i, p := range points {
			if p.Point.Steady || p.Rate != p.Point.Asked || i > 0 && p.Rate <= points[i-1].Rate {
				t.Errorf("slice %d: rate %v, steady %v", i, p.Rate, p.Point.Steady)
			}
		}
		finish(l)
	})
}
