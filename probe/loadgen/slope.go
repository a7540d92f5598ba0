package loadgen

import (
	"math"
	"time"

	"tokscope/metrics"
)

// slope is a figure over time: from until begin, to from end on, and a
// straight line between them. Where begin is end, it is constant. from and to
// are above 0.
type slope struct {
	from, to   float64
	begin, end metrics.Stamp
}

// level returns the constant slope of v.
func level(v float64) slope { return slope{from: v, to: v} }

// at returns the figure at t.
func (s *slope) at(t metrics.Stamp) float64 {
	switch {
	case t >= s.end:
		return s.to
	case t <= s.begin:
		return s.from
	}
	return s.from + (s.to-s.from)*float64(t-s.begin)/float64(s.end-s.begin)
}

// area returns the integral of the figure from a to b, in figure times seconds.
// It is negative where b is before a.
func (s *slope) area(a, b metrics.Stamp) float64 { return s.until(b) - s.until(a) }

// until returns the integral from begin to t.
func (s *slope) until(t metrics.Stamp) float64 {
	seconds := func(d metrics.Stamp) float64 { return float64(d) / 1e9 }
	switch {
	case t <= s.begin:
		return s.from * seconds(t-s.begin)
	case t <= s.end:
		return (s.from + s.at(t)) / 2 * seconds(t-s.begin)
	}
	return (s.from+s.to)/2*seconds(s.end-s.begin) + s.to*seconds(t-s.end)
}

// after returns how long from t on it takes until the integral is area, an hour
// at most:
//
//	d = area/r                                 where the figure is r
//	d = 2·area / (r + √(r² + 2·k·area))        where it is r and changes by k per second
func (s *slope) after(t metrics.Stamp, area float64) time.Duration {
	d := 0.0 // seconds
	if t < s.begin {
		if lead := s.area(t, s.begin); area <= lead || s.begin == s.end {
			return anHour(area / s.from)
		} else {
			area, d, t = area-lead, float64(s.begin-t)/1e9, s.begin
		}
	}
	if t < s.end {
		r, k := s.at(t), (s.to-s.from)/(float64(s.end-s.begin)/1e9)
		if rest := s.area(t, s.end); area > rest {
			return anHour(d + float64(s.end-t)/1e9 + (area-rest)/s.to)
		}
		return anHour(d + 2*area/(r+math.Sqrt(max(r*r+2*k*area, 0))))
	}
	return anHour(d + area/s.to)
}

// anHour converts seconds to a duration of an hour at most.
func anHour(s float64) time.Duration { return time.Duration(min(s, 3600) * float64(time.Second)) }
