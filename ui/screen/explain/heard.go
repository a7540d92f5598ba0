package explain

import (
	"slices"

	"tokscope/metrics/serving"
)

// heard keeps the requests of the watched user from before the present one.
// The timeline's row of chunks then does not restart with each request, and
// the past shows the client's side too.
type heard struct {
	now  serving.Watched
	past []serving.Watched // oldest first, at most mostHeard
}

// mostHeard is how many requests are kept: as many short ones as a screen
// holds.
const mostHeard = 8

// see adds w. Another user begins without a past.
func (h *heard) see(w *serving.Watched) {
	switch {
	case w.User != h.now.User:
		h.past = h.past[:0]
	case w.Stream.ID != h.now.Stream.ID && len(h.now.True) > 0:
		h.past = append(h.past, h.now)
		h.past = slices.Delete(h.past, 0, max(len(h.past)-mostHeard, 0))
	}
	h.now = *w
}

// at is the watched request at the step that v shows: the present one, unless
// its first token came later.
func (h *heard) at(v *View) *serving.Watched {
	w := &v.Explain.Watched
	if v.Cursor == 0 || v.back() == 0 || v.lastChunk(w) >= 0 {
		return w
	}
	for i := len(h.past) - 1; i >= 0; i-- {
		if v.lastChunk(&h.past[i]) >= 0 {
			return &h.past[i]
		}
	}
	return w
}
