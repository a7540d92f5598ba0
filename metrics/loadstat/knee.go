package loadstat

import "slices"

// LatestSteady appends to at the index of the last steady point at each
// number of users, of those that use has, in rising order of users. These points describe
// the endpoint as it is now.
func LatestSteady(at []int, points []Point, use func(*Point) bool) []int {
	for i := range points {
		p := &points[i]
		if !p.Steady || !use(p) {
			continue
		}
		k, again := slices.BinarySearchFunc(at, p.Users, func(j, users int) int { return points[j].Users - users })
		if again {
			at[k] = i
		} else {
			at = slices.Insert(at, k, i)
		}
	}
	return at
}

// steps is the usual upper bound of the numbers of users in a path. More cost
// an allocation per call.
const steps = 32

const (
	// LeastForKnee is the number of points below which a bend cannot be
	// distinguished from a line.
	LeastForKnee = 4
	// kneeBow: a curve that rises less than this above the straight line from
	// its first to its last point has no knee yet.
	kneeBow = 0.1
)

// Knee finds the number of users beyond which a further one adds less
// throughput than below it. The throughput may still grow much. Knee uses the
// last steady point at each number of users and returns the knee's index in
// points, or -1.
//
//	x = (users − min)/(max − min)    y = (total − min)/(max − min)
//	knee = the point of the largest y − x
//
// That is Kneedle, Satopää et al. 2011, "Finding a Kneedle in a Haystack",
// without its smoothing, which a handful of points does not need. Where the
// curve falls again, only the part up to its top counts. The knee is that of
// the measured range: a wider range may move it. There is none below four
// numbers of users, and while the curve is nearly straight (bow under 0.1). A
// nearly straight curve means that the endpoint is not saturated.
func Knee(points []Point) int {
	var room [steps]int
	at := LatestSteady(room[:0], points, func(p *Point) bool { return p.Total.OK && p.Asked == 0 })
	top := 0
	for i := range at {
		if points[at[i]].Total.V > points[at[top]].Total.V {
			top = i
		}
	}
	if len(at) < LeastForKnee {
		return -1
	}
	first, last := &points[at[0]], &points[at[len(at)-1]]
	low, high := first.Total.V, points[at[top]].Total.V
	dx, dy := float64(last.Users-first.Users), high-low
	if !(dx > 0) || !(dy > 0) {
		return -1
	}
	knee, best := -1, kneeBow
	for _, i := range at[:top+1] {
		x := float64(points[i].Users-first.Users) / dx
		y := (points[i].Total.V - low) / dy
		if y-x > best {
			best, knee = y-x, i
		}
	}
	return knee
}
