package loadgen

import "tokscope/metrics"

// lane is what is known of one user's running request, and its recent past.
// Looking at it again costs what is new since the last look.
type lane struct {
	seen   int           // chunks of the running request that are folded
	first  metrics.Stamp // first chunk
	last   metrics.Stamp // last chunk
	ttft   metrics.Value // ms
	gap    float64       // the last known gap, ms
	tokens float64       // counted so far
	shares []share       // where they were put

	past   []metrics.Slice   // only appended to: views share it
	offset int               // index of past[0]
	slice  int               // index of the slice that is being filled
	now    metrics.Slice     // that slice
	held   metrics.LaneState // as of the last look
}

// share is the part of the running request's tokens in one interval. It
// allows a correction after the server's count.
type share struct {
	interval    int
	tokens      float64
	provisional float64
	later       float64
}

// reset prepares the lane for another request and keeps its past.
func (n *lane) reset() {
	n.seen, n.tokens, n.gap = 0, 0, 0
	n.first, n.last = metrics.NoStamp, metrics.NoStamp
	n.ttft = metrics.Unknown("no chunk yet")
	n.shares = n.shares[:0]
}

// severity orders states by how much they matter when a slice is drawn.
func severity(s metrics.LaneState) int {
	switch s {
	case metrics.LaneStalled:
		return 6
	case metrics.LanePrefill, metrics.LaneWaiting:
		return 5
	case metrics.LaneBackoff:
		return 4
	case metrics.LaneConnecting:
		return 3
	case metrics.LaneDecoding:
		return 2
	}
	return 1
}

// show puts a state into the slice that is being filled.
func (n *lane) show(s metrics.LaneState) {
	if severity(s) > severity(n.now.State) {
		n.now.State = s
	}
}

// advance finishes the slices before index; those that nobody looked at have
// the state of the last look.
func (n *lane) advance(index int) {
	if index-n.slice > slicesKept {
		n.past, n.offset, n.slice = nil, index-slicesKept, index-slicesKept
	}
	for ; n.slice < index; n.slice++ {
		n.show(n.held)
		if len(n.past) == cap(n.past) && len(n.past) >= slicesKept {
			// A new array: views hold the old one.
			keep := make([]metrics.Slice, slicesKept, 2*slicesKept)
			n.offset += len(n.past) - slicesKept
			copy(keep, n.past[len(n.past)-slicesKept:])
			n.past = keep
		}
		n.past = append(n.past, n.now)
		n.now = metrics.Slice{}
	}
}

// looked notes the state of this look. What comes and goes between two looks,
// such as a connection that stood already, has no slice.
func (n *lane) looked(s metrics.LaneState) {
	n.held = s
	n.show(s)
}

// shown returns the finished slices for a view, at most slicesKept, and the
// index of the first.
func (n *lane) shown() ([]metrics.Slice, int) {
	skip := max(len(n.past)-slicesKept, 0)
	return n.past[skip:len(n.past):len(n.past)], n.offset + skip
}

// counts reports whether chunk i of v is a chunk: it carries text, tokens or a
// tool call.
func counts(v *metrics.Stream, i int) bool {
	c := &v.Chunks[i]
	return c.Tokens > 0 || c.Kind == metrics.ToolCall || len(v.ChunkText(i)) > 0
}

// fold takes the chunks of v that are new: l.mu is held.
func (in *Load) fold(u *user, v *metrics.Stream) {
	n := &u.lane
	for i := n.seen; i < len(v.Chunks); i++ {
		if !counts(v, i) {
			continue
		}
		c := &v.Chunks[i]
		at := c.At
		if !at.Known() {
			at = v.Now
		}
		tokens, provisional := float64(c.Tokens), 0.0
		if c.Tokens < 0 {
			tokens = in.perChunk
			provisional = tokens
		}
		k := in.tape.index(at)
		b := in.tape.interval(k)
		if b == nil {
			b = &interval{}
		}
		later := 0.0
		if !n.first.Known() {
			n.first = at
			in.firstChunk(u, v, at)
		} else {
			later = tokens
			b.laterMs += max(float64(at-n.last)/1e6, 0)
			if gap, ok := v.Gap(i); ok {
				n.gap = gap
				n.now.Gap = max(n.now.Gap, float32(gap))
				in.stay.gap(at, gap)
				in.second.gaps.Add(gap)
			}
		}
		b.tokens += tokens
		b.provisional += provisional
		b.laterTokens += later
		n.last = at
		n.tokens += tokens
		in.received += tokens
		in.chunks++
		if last := len(n.shares) - 1; last >= 0 && n.shares[last].interval == k {
			m := &n.shares[last]
			m.tokens, m.provisional, m.later = m.tokens+tokens, m.provisional+provisional, m.later+later
		} else {
			n.shares = append(n.shares, share{k, tokens, provisional, later})
		}
	}
	n.seen = len(v.Chunks)
}

// firstChunk notes the first chunk of a request: l.mu is held.
func (l *Load) firstChunk(u *user, v *metrics.Stream, at metrics.Stamp) {
	u.warm = true
	u.lane.show(metrics.LanePrefill)
	if d, ok := at.Sub(v.Marks.Sent); ok && d >= 0 {
		ms := float64(d) / 1e6
		u.lane.ttft = metrics.Known(ms, 1)
		if len(l.second.ttft) < recordsKept {
			l.second.ttft = append(l.second.ttft, ms)
		}
	}
}

// correct makes the tokens of the ended request true: counted is how many there
// were by the best source there is. l.mu is held.
func (in *Load) correct(u *user, counted metrics.Value, estimated bool) {
	n := &u.lane
	factor := 1.0
	if counted.OK && n.tokens > 0 {
		factor = counted.V / n.tokens
	}
	for _, m := range n.shares {
		b := in.tape.interval(m.interval)
		if b == nil {
			continue
		}
		b.tokens += m.tokens * (factor - 1)
		b.laterTokens += m.later * (factor - 1)
		b.provisional -= m.provisional
		if estimated {
			b.provisional += m.tokens * factor
		}
	}
	in.received += n.tokens * (factor - 1)
	n.tokens *= factor
	n.shares = n.shares[:0]
}

// stateOf is what u's request is doing: l.mu is held, v was just folded.
func (in *Load) stateOf(u *user, v *metrics.Stream) metrics.LaneState {
	in.tells = in.tells || v.Queue != metrics.QueueUntold
	switch v.State {
	case metrics.Decoding:
		if u.lane.last.Known() && v.Now-u.lane.last > metrics.Stamp(in.stallAfter) {
			return metrics.LaneStalled
		}
		return metrics.LaneDecoding
	case metrics.Waiting:
		if v.Queue == metrics.QueueWaiting {
			return metrics.LaneWaiting
		}
		return metrics.LanePrefill
	}
	return metrics.LaneConnecting
}
