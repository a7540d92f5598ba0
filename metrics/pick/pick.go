// Package pick counts and finds the elements of a slice for which something is so, and
// makes one of them all. It copies none: those of this program are large.
package pick

import (
	"iter"
	"slices"
)

// All yields the index and the address of each element, in their order.
func All[E any](all []E) iter.Seq2[int, *E] {
	return func(yield func(int, *E) bool) {
		for i := range all {
			if !yield(i, &all[i]) {
				return
			}
		}
	}
}

// Each returns what of makes of each element, in their order; never nil.
func Each[E, T any](all []E, of func(*E) T) []T {
	out := make([]T, len(all))
	for i := range all {
		out[i] = of(&all[i])
	}
	return out
}

// Count returns how many elements are so.
func Count[E any](all []E, so func(*E) bool) (n int) {
	for i := range all {
		if so(&all[i]) {
			n++
		}
	}
	return n
}

// First returns the first element that is so, nil without one.
func First[E any](all []E, so func(*E) bool) *E {
	for i := range all {
		if so(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// Value returns the first element that is so; ok is false without one.
func Value[E any](all []E, so func(*E) bool) (e E, ok bool) {
	if found := First(all, so); found != nil {
		return *found, true
	}
	return e, false
}

// Once returns all with e behind them, unless e is zero or among them.
func Once[E comparable](all []E, e E) []E {
	var zero E
	if e == zero || slices.Contains(all, e) {
		return all
	}
	return append(all, e)
}
