package loadstat

import (
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/slo"
)

// Attainment is the share of requests that must meet an objective for a load
// to count as meeting it: 90 %, the goal of DistServe (Zhong et al. 2024).
// One slow request does not fail an endpoint; more than one in ten does.
const Attainment = 0.90

// Failures is the name of what breaks a load in which requests fail, where more of
// them fail than miss any objective.
const Failures = "failures"

// Share returns the share (0..1) that met o of the requests in p that ended well. It
// uses Misses when the requests were counted for o, else the distributions of
// the point. By distributions it is 1 when the percentile of Attainment meets
// the limit, and 0 otherwise. Unknown without either.
func (p *Point) Share(o slo.Objective) metrics.Value {
	for _, m := range p.Misses {
		if m.SLO != o {
			continue
		}
		n := p.GoodShare.N - p.JudgedFailed
		if !p.GoodShare.OK || n <= 0 {
			return metrics.Unknown(metrics.WhyNoneEnded)
		}
		return metrics.Finite(1-float64(m.N-p.JudgedFailed)/float64(n), n)
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
	if o.Meets(v.V) {
		return metrics.Known(1, v.N)
	}
	return metrics.Known(0, v.N)
}

// FailedShare returns the share (0..1) of the judged requests that failed; unknown
// without one.
func (p *Point) FailedShare() metrics.Value {
	if !p.GoodShare.OK || p.GoodShare.N <= 0 {
		return metrics.Unknown(metrics.WhyNoneEnded)
	}
	return metrics.Known(float64(p.JudgedFailed)/float64(p.GoodShare.N), p.GoodShare.N)
}

// broken returns what is worst about p if it misses any of slos: the objective with
// the lowest Share, or Failures. A failed request misses every objective. known is
// false when one of them cannot be judged.
func (p *Point) broken(slos []slo.Objective) (worst string, missed, known bool) {
	low := math.Inf(1)
	known = true
	failed := p.FailedShare()
	if p.JudgedFailed > 0 && failed.OK {
		low, worst = 1-failed.V, Failures
	}
	for _, o := range slos {
		v := p.Share(o)
		all := v
		if i := slices.IndexFunc(p.Misses, func(m Miss) bool { return m.SLO == o }); i >= 0 && failed.OK {
			n := failed.N
			all = metrics.Finite(1-float64(p.Misses[i].N)/float64(n), n)
		}
		if !all.OK {
			known = false
			continue
		}
		if n := float64(all.N); all.V < Attainment && n*(1-Attainment) < 1 && math.Round(n*(1-all.V)) == 1 {
			// One miss among fewer than ten requests: too few to distinguish a
			// share of nine in ten from chance.
			known = false
			continue
		}
		missed = missed || all.V < Attainment
		if v.OK && v.V < low {
			low, worst = v.V, o.Name
		}
	}
	if !missed {
		return "", false, known
	}
	return worst, true, known
}

// Breaks returns the objective of slos that p misses, that of the lowest share;
// "" where p meets all of them. known is false where p cannot be judged.
func (p *Point) Breaks(slos []slo.Objective) (name string, known bool) {
	name, missed, known := p.broken(slos)
	return name, missed || known
}

// Meeting judges the last steady point at each number of users by slos, as the users grow,
// up to the first that misses one: a success after it is chance. It returns the indexes of
// the last point that meets all of them (Attainment), and of the first that misses one,
// with what it Breaks; -1 without such a point, and without objectives.
func Meeting(points []Point, slos []slo.Objective) (largest, first int, breaks string) {
	largest = -1
	var room [steps]int
	for _, i := range LatestSteady(room[:0], points, anyPoint) {
		worst, missed, known := points[i].broken(slos)
		if missed {
			return largest, i, worst
		}
		if known && len(slos) > 0 {
			largest = i
		}
	}
	return largest, -1, ""
}

func anyPoint(*Point) bool { return true }
