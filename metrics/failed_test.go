package metrics

import (
	"math"
	"testing"

	"tokscope/metrics/testkit"
)

// TestWithFailures holds where percentiles lie when requests that failed count as waits
// without an end.
func TestWithFailures(t *testing.T) {
	for name, c := range map[string]struct {
		waits    []float64
		failed   int
		p50, p90 float64 // NaN: withheld, infinite: among the failures
		share    float64
	}{
		"the slow half":         {[]float64{1, 2, 3, 4, 5, 6}, 5, 6, math.Inf(1), 5. / 11},
		"one of eleven":         {[]float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 1, 6, 10, 1. / 11},
		"three of ten":          {[]float64{700, 100, 200, 300, 400, 500, 600}, 3, 550, math.Inf(1), 0.3},
		"most of a few":         {[]float64{5}, 4, math.Inf(1), math.NaN(), 0.8},
		"all":                   {nil, 12, math.Inf(1), math.Inf(1), 1},
		"between last and none": {[]float64{1, 2}, 2, math.Inf(1), math.NaN(), 0.5},
	} {
		w := WithFailuresOf(c.waits, c.failed)
		testkit.That(t, w.Failed == c.failed && w.N == len(c.waits)+c.failed && math.Abs(w.Share()-c.share) <= 1e-9,
			"%s: %+v", name, w)
		for _, q := range []struct {
			got  Value
			want float64
		}{{w.P50, c.p50}, {w.P90, c.p90}} {
			switch {
			case math.IsNaN(q.want):
				testkit.That(t, !q.got.OK && q.got.Why.Code() == WhyNeeds, "%s: %+v, want it withheld", name, q.got)
			case math.IsInf(q.want, 1):
				testkit.That(t, !q.got.OK && q.got.Why == WhyFailed, "%s: %+v, want it among the failures", name, q.got)
			case !q.got.OK || q.got.V != q.want:
				t.Errorf("%s: %+v, want %g", name, q.got, q.want)
			}
		}
	}
	if w := WithFailuresOf([]float64{1, 2}, 0); !w.IsZero() || w != (WithFailures{}) {
		t.Errorf("%+v of requests that all ended well", w)
	}
}

// TestFailingIsNotFast plays servers that fail their slow requests: the plain percentiles
// look fast, those with failures are those of the same server if it failed none, up to the
// slowest that ended, and never below them.
func TestFailingIsNotFast(t *testing.T) {
	rnd := testkit.Rand(t, 3)
	for _, share := range []float64{0.05, 0.3, 0.5, 0.8} {
		for range 200 {
			n := 10 + rnd.IntN(200)
			all := make([]float64, n)
			for i := range all {
				all[i] = 100 * math.Exp(rnd.NormFloat64())
			}
			truth := Distribution(all)
			sorted := sortedFinite(all)
			kept := max(n-int(math.Ceil(share*float64(n))), 1)
			w, plain := WithFailuresOf(sorted[:kept], n-kept), Distribution(sorted[:kept])
			testkit.Given(t, plain.P50.V < truth.P50.V || n-kept <= 1,
				"%d of %d: a plain median of %v is not fast", kept, n, plain.P50)
			for _, q := range []struct{ got, want Value }{{w.P50, truth.P50}, {w.P90, truth.P90}, {w.P95, truth.P95},
				{w.P99, truth.P99}} {
				switch {
				case q.got.OK && q.got.V != q.want.V:
					t.Fatalf("%d of %d: %v, the truth is %v", kept, n, q.got, q.want)
				case !q.got.OK && q.want.OK && (q.got.Why != WhyFailed || q.want.V <= sorted[kept-1]):
					t.Fatalf("%d of %d: %v, the truth is %v", kept, n, q.got, q.want)
				}
			}
		}
	}
}
