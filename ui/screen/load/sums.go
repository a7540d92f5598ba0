package load

import (
	"tokscope/metrics/loadstat"
	"tokscope/themes"
)

// slicesOf identifies the finished slices of some lanes: two frames with the same
// value show the same past, as far as both reach.
type slicesOf uint64

// identify returns the identity of the w latest slices of lanes before end. ok is
// false when a lane lacks some of them, and may get them later.
func identify(load *loadstat.View, lanes []loadstat.Lane, end, w int) (id slicesOf, ok bool) {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a, a number at a time
	add := func(n int) { id = (id ^ slicesOf(n)) * prime }
	id = offset
	add(int(load.Began))
	for i := range lanes {
		l := &lanes[i]
		if l.Offset+len(l.Past) != end {
			return 0, false
		}
		add(l.User)
		if l.Offset > end-w { // the user began within the w slices
			add(l.Offset)
		}
	}
	return id, true
}

// kept keeps a value for each of the latest slices. A slice that is finished
// never changes, so a frame computes those that are new.
type kept[T any] struct {
	id    slicesOf
	known []keptSlice[T] // by index modulo its length, a power of two
}

type keptSlice[T any] struct {
	at    int // index of the slice, plus 1; 0: none
	value T
}

// begin makes k hold values of id, for w slices.
func (k *kept[T]) begin(id slicesOf, w int) {
	n := 1
	for n < w {
		n *= 2
	}
	if len(k.known) < n {
		k.known = make([]keptSlice[T], n)
	} else if k.id != id {
		clear(k.known)
	}
	k.id = id
}

// of returns the value of slice at, and computes one that is not known.
func (k *kept[T]) of(at int, compute func(at int) T) T {
	s := &k.known[at&(len(k.known)-1)]
	if s.at != at+1 {
		*s = keptSlice[T]{at + 1, compute(at)}
	}
	return s.value
}

// pastCell is what one slice of several lanes shows.
type pastCell struct {
	glyph rune
	role  themes.Role
}

// total is one slice of all lanes.
type total struct {
	here, first, gaps, back int
	sum                     float64 // of the gaps, ms
	stalled                 bool
}
