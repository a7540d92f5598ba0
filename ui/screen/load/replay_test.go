package load

import (
	"math"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// A recorded load of another program can hold any number. The screen draws it
// without a panic, at any size.
func TestHostileRecordedLoad(t *testing.T) {
	for _, users := range []int{math.MinInt, -1, 0, math.MaxInt} {
		for _, x := range []float64{-math.MaxFloat64, 0, math.SmallestNonzeroFloat64, math.MaxFloat64} {
			v := scene(4)
			v.Replay = &loadstat.Replay{Sent: users, WithEvents: users, Load: users, PointsLeft: users}
			l := &v.Load
			l.Target, l.Users, l.Done, l.Failed, l.Live.Users = users, users, users, users, users
			l.Live.Speed, l.Live.Total, l.Live.TTFT.P50 = metrics.Known(x, 1), metrics.Known(x, 1), metrics.Known(x, 1)
			l.Path = append(l.Path, l.Live)
			for i := range l.Lanes {
				l.Lanes[i].Since, l.Lanes[i].Gap = metrics.Stamp(users), math.Abs(x)
			}
			for _, size := range [][2]int{{200, 50}, {80, 24}, {40, 12}, {3, 3}} {
				for v.Kind = range Kinds {
					if g := frame(v, size[0], size[1]); g == nil {
						t.Fatal("no frame")
					}
				}
			}
		}
	}
}
