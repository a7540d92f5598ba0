package format

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// A lower bound is never written as more than it is, and loses at most a digit.
func TestLowerBoundsAreRoundedDown(t *testing.T) {
	rng := testkit.Rand(t, 5)
	units := map[string]float64{"ns": 1e-6, "µs": 1e-3, "ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000}
	for range 20_000 {
		ms := math.Pow(10, -3+12*rng.Float64())
		number, unit, _ := strings.Cut(Ms(DownMs(ms)), " ")
		have, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
		if have *= units[unit]; err != nil || have > ms*(1+1e-9) || have < ms*0.989 {
			t.Fatalf("%v ms is written as %s %s", ms, number, unit)
		}
	}
	for _, x := range []struct {
		v, low metrics.Value
		want   string
	}{
		{metrics.Unknown(metrics.WhyNoSchedule), metrics.Known(12_086, 9), "≥12,000"}, {metrics.Known(700, 9), metrics.Known(1299, 90), "≥1,290"},
		{metrics.Known(700, 9), metrics.Value{}, "700"}, {metrics.Unknown(metrics.WhyNoSchedule), metrics.Value{}, "–"}, {metrics.Value{}, metrics.Known(0, 1), "≥0"},
	} {
		is(t, Waiting(x.v, x.low), x.want)
	}
}
