package load

import (
	"slices"

	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
)

// choose appends the index of the point for each number of users, ascending:
// the last steady one, else the last with figures.
func choose(dst []int, points []loadstat.Point) []int {
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

// measured reports whether a line may lead from a to b, two points of a path in
// order of users: both are steady, and no doubling between them was left out.
// Elsewhere the line is a guess.
func measured(a, b *loadstat.Point) bool {
	return a.Steady && b.Steady && b.Users <= 2*a.Users
}

// plotted reports whether the live window is a point of its number of users.
// It is false on hold, where requests only end, while users leave, whose tokens
// it would include, and while users join, which would disturb the scales.
func plotted(l *loadstat.View) bool {
	return !l.Holding && !leaving(l) && !l.Live.Warmup
}

// leaving reports whether more users run than requested.
func leaving(l *loadstat.View) bool {
	return l.Running && l.Live.Asked == 0 && l.Target > 0 && l.Users > l.Target
}

// speedLimit is the per-user speed below which the objective is missed. ok is
// false for an objective without a speed.
func speedLimit(o slo.Objective) (tokS float64, ok bool) {
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
