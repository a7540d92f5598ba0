package say

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// steadyAt is a steady point with figures that hardly vary.
func steadyAt(users int, speed, total, ttft float64) loadstat.Point {
	around := func(v float64) []float64 { return []float64{v * 0.98, v, v, v, v, v, v, v * 1.02} }
	narrow := func(v float64) loadstat.Interval {
		return loadstat.Interval{Low: metrics.Known(0.99*v, 20), High: metrics.Known(1.01*v, 20)}
	}
	return loadstat.Point{Users: users, Steady: true, To: 20e9, Requests: 8, Speed: metrics.Known(speed, 8), Total: metrics.Known(total, 0),
		TPOT: metrics.Distribution(around(1000 / speed)), TTFT: metrics.Distribution(around(ttft)),
		SpeedInterval: narrow(speed), TotalInterval: narrow(total)}
}

// TestLoadTitle holds that title and sentence say what the curves do, and nothing before
// they do it.
func TestLoadTitle(t *testing.T) {
	one := steadyAt(1, 149, 140, 31)
	for _, c := range []struct {
		name      string
		points    []loadstat.Point
		title, at string // the sentence at the last of them
	}{
		{"before any", nil, "speed over users", ""},
		{"one", []loadstat.Point{one}, "speed over users", "1 user: 149 tok/s per user, 140 tok/s aggregate"},
		{"a batch", []loadstat.Point{one, steadyAt(64, 57.3, 3500, 66)}, "per-user falls, aggregate rises",
			"from 1 to 64 users: 25x the tokens, 2.6x slower per user, TTFT +35.0 ms; 57.3 tok/s per user, 3,500 tok/s aggregate"},
		{"a queue", []loadstat.Point{steadyAt(1, 54.6, 36, 124), steadyAt(8, 54.3, 36, 4710)},
			"more users add nothing: requests queue, TTFT 124 ms → 4.71 s",
			"from 1 to 8 users: no more tokens, as fast per user, requests queue, TTFT 124 ms → 4.71 s; 54.3 tok/s per user, 36.0 tok/s aggregate"},
		{"a queue from eight on", []loadstat.Point{steadyAt(1, 54, 50, 124), steadyAt(8, 54, 400, 130), steadyAt(64, 54, 400, 9000)},
			"more than 8 users add nothing: requests queue, TTFT 130 ms → 9.00 s",
			"from 1 to 64 users: 8.0x the tokens, as fast per user, TTFT +8.88 s; 54.0 tok/s per user, 400 tok/s aggregate"},
		{"flat, but for noise", []loadstat.Point{one, steadyAt(2, 145, 146, 33)}, "more users add nothing",
			"from 1 to 2 users: no more tokens, as fast per user; 145 tok/s per user, 146 tok/s aggregate"},
		{"overload", []loadstat.Point{one, steadyAt(256, 4, 90, 9000)}, "per-user and aggregate fall",
			"from 1 to 256 users: 0.64x the tokens, 37x slower per user, TTFT +8.97 s; 4.00 tok/s per user, 90.0 tok/s aggregate"},
	} {
		v := loadstat.View{Running: true, Path: c.points}
		if n := len(c.points); n > 0 {
			v.Live = c.points[n-1]
			v.Users, v.Target = v.Live.Users, v.Live.Users
			is(t, Load(&v).String(), c.at)
		}
		is(t, LoadTitle(&v).String(), c.title)
	}
	// requests that wait are not in TTFT yet
	queued := loadstat.View{Running: true, Users: 8, Target: 8, InFlight: 8, Now: 30e9, Sent: 12, Chunks: 9, Path: []loadstat.Point{one},
		Live: loadstat.Point{Users: 8, Speed: metrics.Known(54.5, 0), Total: metrics.Known(36.4, 0)}}
	for i := range 8 {
		queued.Lanes = append(queued.Lanes, loadstat.Lane{User: i + 1, Stream: i + 1, State: loadstat.LaneNoToken, Since: metrics.Stamp(9+i) * 1e9})
	}
	queued.Lanes[7].State = loadstat.LaneDecoding
	is(t, Load(&queued).String(), "7 of 8 requests have no token yet, the longest for 21 s; 1 user waited 31.0 ms; "+
		"8 users: 54.5 tok/s per user, 36.4 tok/s aggregate, not steady")
	v := loadstat.View{Running: true, Users: 64, Target: 64, Path: []loadstat.Point{one}, Live: steadyAt(64, 57.3, 3500, 66)}
	v.Live.Steady, v.Live.Why = false, loadstat.Unsteady{Code: loadstat.UnsteadyFew, N: 5, Of: 64}
	is(t, Load(&v).String(), "from 1 to 64 users: 25x the tokens, 2.6x slower per user, TTFT +35.0 ms; not certain yet: "+
		"5 requests measured, 64 needed; 57.3 tok/s per user, 3,500 tok/s aggregate")
	is(t, Load(&v).Fit(100), "from 1 to 64 users: 25x the tokens, 2.6x slower per user, TTFT +35.0 ms; not certain yet")
	is(t, LoadTitle(&v).String(), "speed over users")
}
