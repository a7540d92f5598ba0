package explain

import "tokscope/metrics"

// heard are the requests of the watched user that were watched before the
// present one, so that the timeline's row of chunks does not begin anew with
// each request, and the past can be looked at from the client's side too.
type heard struct {
	now  metrics.Watched
	past []metrics.Watched // oldest first, at most mostHeard
}

// mostHeard is how many requests are kept: as many short ones as a screen
// holds.
const mostHeard = 8

// see takes over w. Another user begins with nothing.
func (h *heard) see(w *metrics.Watched) {
	switch {
	case w.User != h.now.User:
		h.past = h.past[:0]
	case w.Stream.ID != h.now.Stream.ID && len(h.now.True) > 0:
		if len(h.past) == mostHeard {
			copy(h.past, h.past[1:])
			h.past = h.past[:mostHeard-1]
		}
		h.past = append(h.past, h.now)
	}
	h.now = *w
}

// at is the request that was under the eyes at the step that v looks at: the
// present one, unless its first token came later.
func (h *heard) at(v *View) *metrics.Watched {
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
