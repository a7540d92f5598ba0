package loadstat

import (
	"math"

	"tokscope/metrics"
)

// Course is what a figure does between two points, with the noise of both.
type Course uint8

const (
	Unclear Course = iota // neither of the others is certain
	Falls
	Rises
	Stays // within a sixth
)

// Trend is what the figures of a closed loop did from one number of users to a larger
// one, with the same work.
type Trend struct {
	From, To *Point // read only
	// Speed is that of per-user speed, Total of the aggregate, TTFT of its median.
	Speed, Total, TTFT Course
	// Full is the point of the fewest users whose aggregate is that of To: further users
	// added nothing. nil where they did, or where that is not certain.
	Full *Point
	// Queues reports whether requests wait for their first token from Full on: TTFT is at
	// least twice as long and the speed behind it as high.
	Queues bool
	// Suspected: To is not steady yet, so that nothing of this is certain.
	Suspected bool
}

const (
	// leastNoise is the least noise of a figure: what Steady accepts between the halves
	// of a window. Of TTFT it is twice as much.
	leastNoise = SteadyTolerance
	// suspectNoise is the least noise of a point that is not steady, and of a speed
	// before the first of its requests has ended.
	suspectNoise = 0.2
	// slowNoise is that of an aggregate whose parts depend on each other.
	slowNoise = 0.5
	// stays is the largest change that counts as none.
	stays = 1.2
	// queues is the least factor of TTFT that makes a queue.
	queues = 2
	// fullUsers is the least factor between the users of Full and To.
	fullUsers = 1.5
)

// Trend returns what v shows of more users with the present work: between the last steady
// points at the fewest and at the most users. ok is false before there are two.
//
// A figure falls or rises only where it does by more than the noise of both points: twice
// their 95 % intervals, for all steps of a load are looked at, and at least 5 % each. On
// curves that are flat one of them seems to do so in fewer than 5 of 100 loads of nine
// steps (TestTrendOfFlatCurves).
func (v *View) Trend() (t Trend, ok bool) {
	var room [steps]int
	var list [steps + 1]*Point
	points, live := list[:0], v.settled()
	for _, i := range LatestSteady(room[:0], v.Path, v.compares) {
		p := &v.Path[i]
		if live && p.Users >= v.Live.Users {
			points, live = append(points, &v.Live), false
		}
		if p.Users != v.Live.Users || !v.settled() {
			points = append(points, p)
		}
	}
	if live {
		points = append(points, &v.Live)
	}
	if len(points) < 2 {
		return t, false
	}
	t = between(points[0], points[len(points)-1])
	for _, p := range points[:len(points)-1] {
		part := between(p, t.To)
		if part.Total != Stays || float64(t.To.Users) < fullUsers*float64(p.Users) {
			continue
		}
		t.Full = p
		t.Queues = part.TTFT == Rises && part.Speed != Falls && t.To.TTFT.P50.V >= queues*p.TTFT.P50.V
		break
	}
	return t, true
}

// Suspect returns what the present window shows against the steady points although it is
// not steady yet: against the fewest users, or against its own number of users before. ok
// is false where that is nothing, also of a window in which users join, leave or are on
// hold.
func (v *View) Suspect() (t Trend, ok bool) {
	p := &v.Live
	if p.Steady || p.Warmup || !v.Running || v.Holding || v.Ending || v.Target != p.Users || v.Users != p.Users ||
		!v.compares(p) || p.To-p.From < suspectAfter {
		return t, false
	}
	var room [steps]int
	at := LatestSteady(room[:0], v.Path, v.compares)
	from := v.One()
	if len(at) > 0 {
		from = &v.Path[at[0]]
	}
	if from == nil || from.Users >= p.Users || !from.Total.OK {
		return t, false
	}
	t = between(from, p)
	t.Suspected = true
	return t, t.Speed == Falls || t.Total == Falls || t.Total == Rises || t.TTFT == Rises
}

// suspectAfter is the length of a window from which on it can be suspected of something.
const suspectAfter = metrics.Stamp(2e9)

// compares reports whether p is a point of a closed loop with the present work and both
// speeds.
func (v *View) compares(p *Point) bool {
	return p.Setup == v.Setup && p.Asked == 0 && p.Ramp == nil && p.Speed.OK && p.Total.OK && p.Total.V > 0
}

// settled reports whether the present window is a steady point that compares.
func (v *View) settled() bool { return v.Live.Steady && v.compares(&v.Live) }

// between returns the courses from one point to another.
func between(from, to *Point) Trend {
	return Trend{From: from, To: to,
		Speed: course(from.Speed, to.Speed, from.speedNoise(), to.speedNoise()),
		Total: course(from.Total, to.Total, from.totalNoise(), to.totalNoise()),
		TTFT: course(from.TTFT.P50, to.TTFT.P50, from.noise(spread(&from.TTFT, 2*leastNoise)),
			to.noise(spread(&to.TTFT, 2*leastNoise)))}
}

// Slower reports whether the speed of a user is lower in p than in than, by more than the noise of
// both.
func (p *Point) Slower(than *Point) bool {
	return p.speedNoise() < 1 && between(than, p).Speed == Falls
}

// course compares two figures, each with its relative noise.
func course(a, b metrics.Value, noiseA, noiseB float64) Course {
	if !a.OK || !b.OK || !(a.V > 0) || noiseA >= 1 {
		return Unclear
	}
	low, high := b.V*(1-noiseB)/(a.V*(1+noiseA)), b.V*(1+noiseB)/(a.V*(1-noiseA))
	switch {
	case low > 1:
		return Rises
	case high < 1:
		return Falls
	case low > 1/stays && high < stays:
		return Stays
	}
	return Unclear
}

// noise is at least that of a point which is not steady.
func (p *Point) noise(of float64) float64 {
	if !p.Steady {
		return max(of, suspectNoise)
	}
	return of
}

// speedNoise is how far per-user speed may be from its mean, relative to it: by its
// interval, else by the spread of its requests. Where these resemble each other, their
// number tells nothing, and the spread itself counts.
func (p *Point) speedNoise() float64 {
	if n, ok := p.SpeedInterval.noise(p.Speed.V); ok {
		return p.noise(n)
	}
	if p.TPOT.N == 0 {
		return p.noise(suspectNoise)
	}
	n := spread(&p.TPOT, leastNoise)
	if p.SpeedInterval.Low.Why == metrics.WhyDependent {
		n = max(n, 2*deviation(&p.TPOT))
	}
	return p.noise(n)
}

// totalNoise is the same of the aggregate. Without an interval it is that of requests
// that begin and end at random, one a user at least, and much where it varies slowly.
func (p *Point) totalNoise() float64 {
	if n, ok := p.TotalInterval.noise(p.Total.V); ok {
		return p.noise(n)
	}
	if p.TotalInterval.Low.Why == metrics.WhyDependent {
		return p.noise(slowNoise)
	}
	return p.noise(max(2*leastNoise, 2/math.Sqrt(float64(max(p.Requests, p.Users, 1)))))
}

// noise is the width of an interval relative to its mean, at least leastNoise.
func (i *Interval) noise(mean float64) (n float64, ok bool) {
	if !i.Low.OK || !i.High.OK || !(mean > 0) {
		return 0, false
	}
	return max((i.High.V-i.Low.V)/mean, leastNoise), true
}

// spread is the noise of the mean or median of a distribution: four standard errors and
// more of few values, at least that much. Fewer than three values may be anywhere.
func spread(d *metrics.Dist, least float64) float64 {
	if d.N < 3 {
		return 1
	}
	n := float64(d.N)
	return max(least, (4+60/((n-1)*(n-1)))*deviation(d)/math.Sqrt(n))
}

// deviation is the standard deviation relative to the mean; 0 where one is unknown.
func deviation(d *metrics.Dist) float64 {
	if !d.StdDev.OK || !(d.Mean.V > 0) {
		return 0
	}
	return d.StdDev.V / d.Mean.V
}
