package history

import (
	"math"
	"slices"
)

// Mix returns the quantiles of all values of qs together. N, Min and Max are
// exact. The others follow from the sum of the distributions, each taken as
// linear between its known quantiles. One known element is returned as it is.
func Mix(qs ...Quantiles) Quantiles {
	var out Quantiles
	last, known := 0, 0
	for i := range qs {
		if qs[i].N <= 0 {
			continue
		}
		if known++; known == 1 {
			out.Min, out.Max = qs[i].Min, qs[i].Max
		}
		last = i
		out.N += qs[i].N
		out.Min, out.Max = min(out.Min, qs[i].Min), max(out.Max, qs[i].Max)
	}
	if known == 0 {
		return Quantiles{}
	}
	if known == 1 {
		return qs[last]
	}
	var room [128]float64
	at := room[:0]
	for i := range qs {
		if q := &qs[i]; q.N > 0 {
			at = append(at, q.Min, q.P10, q.P25, q.P50, q.P75, q.P90, q.Max)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	for _, p := range [...]struct {
		share float64
		to    *float64
	}{{.1, &out.P10}, {.25, &out.P25}, {.5, &out.P50}, {.75, &out.P75}, {.9, &out.P90}} {
		*p.to = quantileOf(qs, at, out.N, p.share)
	}
	return out
}

// quantileOf returns the smallest value with that share of the mixture at or
// below it. at are the places where the distributions bend, ascending.
func quantileOf(qs []Quantiles, at []float64, n int, share float64) float64 {
	want := share * float64(n)
	i, _ := slices.BinarySearchFunc(at, want, func(v, want float64) int {
		if mass(qs, v, false) < want {
			return -1
		}
		return 1
	})
	switch i {
	case 0:
		return at[0]
	case len(at):
		return at[len(at)-1]
	}
	// Between two bends the mixture is a line, and a step may stand at its end.
	lo, hi := mass(qs, at[i-1], false), mass(qs, at[i], true)
	if hi <= want || hi <= lo {
		return at[i]
	}
	return at[i-1] + (at[i]-at[i-1])*(want-lo)/(hi-lo)
}

// mass is how many values lie at or below v; with below, those that lie below.
func mass(qs []Quantiles, v float64, below bool) float64 {
	sum := 0.0
	for i := range qs {
		if q := &qs[i]; q.N > 0 {
			sum += float64(q.N) * q.share(v, below)
		}
	}
	return sum
}

// shares of the known quantiles.
var shares = [...]float64{0, .1, .25, .5, .75, .9, 1}

// share is the share of the values at or below v; with below, of those below.
func (q *Quantiles) share(v float64, below bool) float64 {
	known := [...]float64{q.Min, q.P10, q.P25, q.P50, q.P75, q.P90, q.Max}
	switch i := slices.IndexFunc(known[:], func(q float64) bool { return v < q || below && v == q }); i {
	case 0:
		return 0
	case -1:
		return 1
	default:
		return between(known[i-1], known[i], shares[i-1], shares[i], v)
	}
}

// between is the share at v on the line from lo to hi.
func between(lo, hi, from, to, v float64) float64 {
	if f := (v - lo) / (hi - lo); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return from + (to-from)*f
	}
	return from
}
