package load

import (
	"slices"

	"tokscope/metrics"
)

// choose appends the index of the point that stands for each number of users,
// by rising number: the last steady one, else the last with figures.
func choose(dst []int, points []metrics.Point) []int {
	for i := range points {
		q := &points[i]
		if q.Users <= 0 || !q.Speed.OK && !q.Total.OK {
			continue
		}
		at := slices.IndexFunc(dst, func(j int) bool { return points[j].Users == q.Users })
		switch {
		case at < 0:
			dst = append(dst, i)
		case q.Steady || !points[dst[at]].Steady:
			dst[at] = i
		}
	}
	slices.SortFunc(dst, func(a, b int) int { return points[a].Users - points[b].Users })
	return dst
}

// plotted reports whether the live window is a point of its number of users:
// not on hold, where what runs only ends, not while others still leave, whose
// tokens it holds, and not while users still come: their figures would pull the
// scales about.
func plotted(l *metrics.View) bool {
	return !l.Holding && !leaving(l) && !l.Live.Warmup
}

// leaving reports whether there are more users than asked for.
func leaving(l *metrics.View) bool {
	return l.Running && l.Live.Asked == 0 && l.Target > 0 && l.Users > l.Target
}

// speedLimit is the per-user speed below which an objective is missed; ok is
// false for one that is no matter of speed.
func speedLimit(o metrics.Objective) (tokS float64, ok bool) {
	switch {
	case !(o.Limit > 0):
		return 0, false
	case o.AtLeast:
		return o.Limit, true
	case o.Name == "tpot":
		return 1000 / o.Limit, true
	}
	return 0, false
}
