package load

import (
	"tokscope/metrics/loadstat"
	"tokscope/ui/draw"
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

// kept keeps the total of each of the latest slices. A slice that is finished
// never changes, so a frame sums up those that are new.
type kept struct {
	id    slicesOf
	known []keptSlice // by index modulo its length, a power of two
}

type keptSlice struct {
	at    int // index of the slice, plus 1; 0: none
	value total
}

// begin makes k hold totals of id, for w slices.
func (k *kept) begin(id slicesOf, w int) {
	n := 1
	for n < w {
		n *= 2
	}
	if len(k.known) < n {
		k.known = make([]keptSlice, n)
	} else if k.id != id {
		clear(k.known)
	}
	k.id = id
}

// of returns the total of slice at.
func (k *kept) of(lanes []loadstat.Lane, at int) total {
	s := &k.known[at&(len(k.known)-1)]
	if s.at != at+1 {
		*s = keptSlice{at + 1, sumUp(lanes, at)}
	}
	return s.value
}

// total is one slice of several lanes: how many there are, and in which state.
type total struct {
	here, wait, prefill, decode, stalled, back int
	gaps                                       int
	sum                                        float64 // of the longest gaps that lanes had in it, ms
}

// first is how many have no chunk yet.
func (t *total) first() int { return t.wait + t.prefill }

// sumUp sums up one slice of lanes.
func sumUp(lanes []loadstat.Lane, at int) (t total) {
	for i := range lanes {
		j := at - lanes[i].Offset
		if j < 0 || j >= len(lanes[i].Past) {
			continue
		}
		sl := &lanes[i].Past[j]
		switch sl.State {
		case loadstat.LaneWaiting, loadstat.LaneConnecting:
			t.wait++
		case loadstat.LanePrefill:
			t.prefill++
		case loadstat.LaneDecoding, loadstat.LaneLeaving:
			t.decode++
		case loadstat.LaneStalled:
			t.decode++
			t.stalled++
		case loadstat.LaneBackoff:
			t.back++
		}
		if t.here++; sl.Gap > 0 {
			t.sum += float64(sl.Gap)
			t.gaps++
		}
	}
	return t
}

// each calls draw for the slices before end that the columns of r show, the newest
// first, from k where they are known.
func (k *kept) each(load *loadstat.View, lanes []loadstat.Lane, end int, r draw.Rect, draw func(x int, t total)) {
	id, ok := identify(load, lanes, end, r.W)
	if ok {
		k.begin(id, r.W)
	}
	for x := r.Right() - 1; x >= r.X; x-- {
		at := end - (r.Right() - x)
		if at < 0 {
			return
		}
		if ok {
			draw(x, k.of(lanes, at))
		} else {
			draw(x, sumUp(lanes, at))
		}
	}
}
