package load

import (
	"tokscope/metrics/loadstat"
	"tokscope/themes"
)

// total is one slice of several lanes: how many are in each state, and their gaps.
type total struct {
	in   [loadstat.LaneLeaving + 1]int32
	gaps int32
	sum  float64 // of the longest gaps that lanes had in it, ms
}

// wait, first, decode, stalled and back are how many wait for the server, have no token
// yet, decode, decode and stall, and wait after a failure; here is how many there are.
func (t *total) wait() int {
	return int(t.in[loadstat.LaneWaiting] + t.in[loadstat.LaneConnecting])
}
func (t *total) first() int {
	return t.wait() + int(t.in[loadstat.LanePrefill]+t.in[loadstat.LaneNoToken])
}
func (t *total) decode() int {
	return t.stalled() + int(t.in[loadstat.LaneDecoding]+t.in[loadstat.LaneLeaving])
}
func (t *total) stalled() int { return int(t.in[loadstat.LaneStalled]) }
func (t *total) back() int    { return int(t.in[loadstat.LaneBackoff]) }
func (t *total) here() int    { return int(t.in[loadstat.LaneIdle]) + t.first() + t.decode() + t.back() }

// firstRole is the color of those without a token: of what most of them do.
func (t *total) firstRole() themes.Role {
	switch {
	case 2*t.wait() > t.first():
		return themes.Queue
	case 2*int(t.in[loadstat.LanePrefill]) >= t.first():
		return themes.Prefill
	}
	return themes.Dim
}

// sums are the totals of the w slices of lanes before end, the oldest first. They are
// valid until the next call.
func (s *lanes) sums(lanes []loadstat.Lane, end, w int) []total {
	s.totals = append(s.totals[:0], make([]total, max(w, 0))...)
	for i := range lanes {
		l := &lanes[i]
		from := l.Offset - (end - w) // the place of its first slice
		for j := max(-from, 0); j < len(l.Past) && from+j < w; j++ {
			sl, t := &l.Past[j], &s.totals[from+j]
			if t.in[sl.State%loadstat.LaneState(len(t.in))]++; sl.Gap > 0 {
				t.sum += float64(sl.Gap)
				t.gaps++
			}
		}
	}
	return s.totals
}
