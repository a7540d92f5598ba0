package loadgen

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// lane is the state of one user's running request, and its recent past. An
// update costs only the new chunks. It belongs to its user, under the load's
// mutex.
type lane struct {
	seen   int           // counted chunks of the running request
	paced  int           // those of them whose gaps are counted
	first  metrics.Stamp // first chunk
	last   metrics.Stamp // last chunk
	ttft   metrics.Value // ms
	gap    float64       // the last known gap, ms
	gaps   metrics.GapTracker
	choice int     // of gaps: that of the first chunk, -1 before it
	tokens float64 // counted so far

	past   []loadstat.Slice   // only appended to: views share it
	offset int                // index of past[0]
	slice  int                // index of the unfinished slice
	now    loadstat.Slice     // that slice
	held   loadstat.LaneState // as of the last look
}

// reset prepares the lane for another request and keeps its past.
func (n *lane) reset() {
	n.seen, n.paced, n.tokens, n.gap = 0, 0, 0, 0
	n.gaps, n.choice = metrics.GapTracker{}, -1
	n.first, n.last = metrics.NoStamp, metrics.NoStamp
	n.ttft = metrics.Unknown(metrics.WhyNoChunk)
}

// severity ranks states by importance when a slice is drawn.
var severity = [...]int{
	loadstat.LaneDecoding: 1, loadstat.LaneConnecting: 2, loadstat.LaneBackoff: 3,
	loadstat.LaneWaiting: 4, loadstat.LaneNoToken: 4, loadstat.LanePrefill: 4,
	loadstat.LaneStalled: 5, loadstat.LaneIdle: 0, loadstat.LaneLeaving: 0,
}

// show adds a state to the unfinished slice.
func (n *lane) show(s loadstat.LaneState) {
	if severity[s] > severity[n.now.State] {
		n.now.State = s
	}
}

// advance finishes the slices before index. A slice without a look gets the
// state of the last look.
func (n *lane) advance(index int) {
	if index-n.slice > slicesKept {
		n.past, n.offset, n.slice = nil, index-slicesKept, index-slicesKept
	}
	for ; n.slice < index; n.slice++ {
		n.show(n.held)
		if over := len(n.past) - slicesKept; over >= slicesSpare { // views hold the old array
			n.offset, n.past = n.offset+over, append(make([]loadstat.Slice, 0, slicesKept+slicesSpare), n.past[over:]...)
		}
		n.past = append(n.past, n.now)
		n.now = loadstat.Slice{}
	}
}

// looked records the state of this look. A state between two looks has no
// slice.
func (n *lane) looked(s loadstat.LaneState) {
	n.held = s
	n.show(s)
}

// shown returns the finished slices for a view, at most slicesKept, and the
// index of the first.
func (n *lane) shown() ([]loadstat.Slice, int) {
	skip := max(len(n.past)-slicesKept, 0)
	return n.past[skip:len(n.past):len(n.past)], n.offset + skip
}
