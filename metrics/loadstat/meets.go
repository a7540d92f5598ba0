package loadstat

import (
	"math"

	"tokscope/metrics"
	"tokscope/metrics/slo"
)

// Attainment is the share of requests that must meet an objective for a load
// to count as meeting it: 90 %, the goal of DistServe (Zhong et al. 2024).
// One slow request does not fail an endpoint; more than one in ten does.
const Attainment = 0.90

// Share returns the share (0..1) of the requests ended in p that met o. It
// uses Misses when the requests were counted for o, else the distributions of
// the point. By distributions it is 1 when the percentile of Attainment meets
// the limit, and 0 otherwise. Unknown without either.
func (p *Point) Share(o slo.Objective) metrics.Value {
	for _, m := range p.Misses {
		if m.SLO != o {
			continue
		}
		n := p.GoodShare.N
		if !p.GoodShare.OK || n <= 0 {
			return metrics.Unknown(metrics.WhyNoneEnded)
		}
		return metrics.Finite(1-float64(m.N)/float64(n), n)
	}
	var v metrics.Value
	switch o.Name {
	case "ttft":
		v = p.TTFT.P90
	case "tpot":
		v = p.TPOT.P90
	case "gap":
		v = p.Gaps.Max
	case "speed":
		v = p.SpeedP5
	default:
		return metrics.Unknown(metrics.WhyNotCounted)
	}
	if !v.OK {
		return v
	}
	good := v.V <= o.Limit
	if o.AtLeast {
		good = v.V >= o.Limit
	}
	if good {
		return metrics.Known(1, v.N)
	}
	return metrics.Known(0, v.N)
}

// broken returns the objective of slos with the lowest share in p, if p
// misses any. known is false when one of them cannot be judged.
func (p *Point) broken(slos []slo.Objective) (worst string, missed, known bool) {
	low := Attainment
	known = true
	for _, o := range slos {
		v := p.Share(o)
		if !v.OK {
			known = false
			continue
		}
		if n := float64(v.N); v.V < Attainment && n*(1-Attainment) < 1 && math.Round(n*(1-v.V)) == 1 {
			// One miss among fewer than ten requests: too few to distinguish a
			// share of nine in ten from chance.
			known = false
			continue
		}
		if v.V < low {
			low, worst, missed = v.V, o.Name, true
		}
	}
	return worst, missed, known
}

// LargestMeeting returns the largest number of users at which the last steady
// point meets all of slos (Attainment). Every smaller number must meet them
// too: a success after the first miss is chance. ok is false without
// objectives, without such a point, and where it cannot be judged.
func LargestMeeting(points []Point, slos []slo.Objective) (users int, ok bool) {
	if len(slos) == 0 {
		return 0, false
	}
	var room [steps]int
	for _, i := range latestSteady(room[:0], points, anyPoint) {
		_, missed, known := points[i].broken(slos)
		if missed {
			break
		}
		if known {
			users, ok = points[i].Users, true
		}
	}
	return users, ok
}

// BreaksFirst returns the objective that is missed first as users grow, and
// the number of users. Of several missed by the same point it returns the one
// met by the fewest requests. ok is false without a miss.
func BreaksFirst(points []Point, slos []slo.Objective) (name string, users int, ok bool) {
	var room [steps]int
	for _, i := range latestSteady(room[:0], points, anyPoint) {
		if worst, missed, _ := points[i].broken(slos); missed {
			return worst, points[i].Users, true
		}
	}
	return "", 0, false
}

func anyPoint(*Point) bool { return true }
