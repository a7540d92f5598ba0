package loadgen

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// intake counts the streams' chunks: into the lane of the user, the timeline,
// the gaps of the window and the seconds of the chart.
//
// It has no lock and no goroutine: its owner is the load, under the load's
// mutex. The sampler calls it at every look, an ender of the engine once at the
// end of a request. It does not allocate for a chunk.
type intake struct {
	timeline *timeline
	window   *window
	series   series

	held       float64       // share of them that were held back and let go
	received   float64       // tokens
	chunks     int           // chunks that count
	stallAfter time.Duration // silence after which a lane is stalled
	queue      bool          // the server reports its queue
	epoch      int           // of the load, see steering
	lastLook   metrics.Stamp
	peek       metrics.Stream // the stream under examination: what Peek sets, and no more
	first      metrics.Stream // the same, whole: one whose first chunk has come
}

// stallFirst is stallAfter before the first gaps are known.
const stallFirst = time.Second

// newIntake returns an intake that counts from now on.
func newIntake(now metrics.Stamp, w *window) intake {
	return intake{timeline: w.timeline, window: w, series: series{at: now},
		stallAfter: stallFirst, lastLook: now}
}

// look counts the new chunks of every user as of now. backlog is the number of
// scheduled requests that wait for a user. It costs one glance and the new
// chunks of each running request, and a whole snapshot until its first chunk
// is counted.
func (in *intake) look(now metrics.Stamp, users []*user, backlog int) {
	slice := in.timeline.index(now - metrics.Stamp(settled))
	elapsed := float64(now-in.lastLook) / 1e6
	in.lastLook = now
	b := in.timeline.at(now)
	b.sampled += elapsed
	b.backlog += float64(backlog) * elapsed
	for _, u := range users {
		u.lane.advance(slice)
		s := u.running()
		if s == nil {
			u.lane.looked(u.state)
			continue
		}
		v := &in.peek
		need := max(min(u.lane.seen, u.lane.paced)-1, 0) // the text of a chunk begins at the end of the one before
		from := s.Peek(v, need)
		if len(v.Chunks) > 0 && !u.lane.first.Known() || from > need {
			v, from = &in.first, 0
			*v = s.Snapshot()
		}
		in.ingest(u, v, from)
		u.left = u.left || v.State == metrics.Waiting || v.State == metrics.Decoding
		if v.State.Ended() {
			continue // its end counts it
		}
		state := in.stateOf(u, v)
		u.enter(state, now)
		u.lane.looked(state)
		switch state {
		case loadstat.LaneDecoding, loadstat.LaneStalled:
			b.decoding += elapsed
		case loadstat.LaneWaiting:
			b.waiting += elapsed
		default:
			b.prefill += elapsed
		}
	}
}

// ingest counts the new chunks of v, and their gaps once the answer cannot have been
// held back and let go. v is without its first from chunks, which are counted.
func (in *intake) ingest(u *user, v *metrics.Stream, from int) {
	n := &u.lane
	for i := n.seen; i < from+len(v.Chunks); i++ {
		if !v.Counts(i - from) {
			continue
		}
		c := &v.Chunks[i-from]
		b, m := in.timeline.part(c, v.Now, n.last)
		if !n.first.Known() {
			n.first = m.at
			in.firstChunk(u, v, m.at)
			in.gap(n, c, &v.Marks)
			n.paced = i + 1
		}
		in.window.stamped(c, v.Stamps)
		b.tokens += m.tokens
		b.provisional += m.provisional
		b.laterTokens += m.later
		b.laterMs += m.ms
		n.last = m.at
		n.tokens += m.tokens
		in.received += m.tokens
		in.chunks++
	}
	n.seen = from + len(v.Chunks)
	if d, ok := n.last.Sub(n.first); ok && !metrics.LetGoWithin(float64(d)/1e6, n.ttft.V) {
		in.pace(n, v, from)
	}
}

// pace counts the gaps before the chunks of v, which is as for ingest, since the last call.
func (in *intake) pace(n *lane, v *metrics.Stream, from int) {
	for ; n.paced < n.seen; n.paced++ {
		if v.Counts(n.paced - from) {
			in.gap(n, &v.Chunks[n.paced-from], &v.Marks)
		}
	}
}

// gap counts the gap before a chunk, of the choice with the first chunk.
func (in *intake) gap(n *lane, c *metrics.Chunk, marks *metrics.Marks) {
	if n.choice < 0 {
		n.choice = int(c.Choice)
	}
	if int(c.Choice) != n.choice {
		return
	}
	now, was := n.gaps.Add(c, marks)
	if now.Gaps == 0 {
		return
	}
	in.window.gaps.track(now, was)
	if was.Gaps == 0 && now.Gap > 0 {
		n.gap = now.Gap
		n.now.Gap = max(n.now.Gap, float32(now.Gap))
	}
}

// firstChunk records the first chunk of a request.
func (in *intake) firstChunk(u *user, v *metrics.Stream, at metrics.Stamp) {
	u.warm = u.warm || u.epoch == in.epoch
	u.lane.show(waitState(v.Queue))
	if d, ok := at.Sub(v.Marks.Sent); ok && d >= 0 {
		ms := float64(d) / 1e6
		u.lane.ttft = metrics.Known(ms, 1)
		if u.epoch == in.epoch {
			in.series.answered(at, ms)
		}
	}
}

// finish counts the rest of an ended request and corrects its tokens by the
// best available count. An answer that was held back and let go has no pace: finish
// returns f, without what is no pace among the others.
func (in *intake) finish(u *user, v *metrics.Stream, f *metrics.Figures) *metrics.Figures {
	in.ingest(u, v, 0)
	in.held *= 0.8
	if f.AtOnce() {
		in.held += 0.2
	}
	f = f.Among(in.held)
	if !f.AtOnce() {
		in.pace(&u.lane, v, 0)
	}
	counted := f.DecodeTokens
	if f.Choices > 1 {
		counted = f.Tokens
	}
	in.correct(u, v, counted, f.Estimated(), f.AtOnce())
	if v.State == metrics.Done && f.TokenSource == metrics.TokensUsage && !f.Estimated() && f.TokensPerChunk.OK {
		in.timeline.perChunk += (f.TokensPerChunk.V - in.timeline.perChunk) * 0.2
	}
	return f
}

// correct replaces the tokens of an ended request by those counted. estimated
// means that the server did not count them, atOnce that they have no pace. What each
// chunk brought is computed again: what a thousand users would remember of long
// requests is megabytes.
func (in *intake) correct(u *user, v *metrics.Stream, counted metrics.Value, estimated, atOnce bool) {
	n := &u.lane
	factor := 1.0
	if counted.OK && n.tokens > 0 {
		factor = counted.V / n.tokens
	}
	all, last := *v, metrics.NoStamp
	all.Others = 0 // they counted when they came
	for i := range all.Chunks {
		if !all.Counts(i) {
			continue
		}
		b, m := in.timeline.part(&all.Chunks[i], v.Now, last)
		last = m.at
		b.tokens += m.tokens * (factor - 1)
		if atOnce {
			b.laterTokens, b.laterMs = b.laterTokens-m.later, b.laterMs-m.ms
		} else {
			b.laterTokens += m.later * (factor - 1)
		}
		b.provisional -= m.provisional
		if estimated {
			b.provisional += m.tokens * factor
		}
	}
	in.received += n.tokens * (factor - 1)
	n.tokens *= factor
}

// stateOf returns the state of u's request. v was just ingested.
func (in *intake) stateOf(u *user, v *metrics.Stream) loadstat.LaneState {
	in.queue = in.queue || v.Queue != metrics.QueueUntold && u.epoch == in.epoch
	switch v.State {
	case metrics.Decoding:
		if u.lane.last.Known() && v.Now-u.lane.last > metrics.Stamp(in.stallAfter) {
			return loadstat.LaneStalled
		}
		return loadstat.LaneDecoding
	case metrics.Waiting:
		return waitState(v.Queue)
	}
	return loadstat.LaneConnecting
}

// waitState is the state of a request that waits for its first token.
func waitState(q metrics.Queue) loadstat.LaneState {
	switch q {
	case metrics.QueueWaiting:
		return loadstat.LaneWaiting
	case metrics.QueueAdmitted:
		return loadstat.LanePrefill
	}
	return loadstat.LaneNoToken
}

// observe sets stallAfter, the silence of one lane that is a stall, by the gaps of
// all lanes:
//
//	max(5 · median, 50 ms, 2 · p99)
//
// The first two are those of a single stream. In a batch the prefill of one
// request stretches a gap of all others: at 256 users one gap in ten, far
// above five medians. A silence of twice the p99 exceeds these gaps. With too
// few gaps for a p99 the longest is used.
func (in *intake) observe(gaps *metrics.Dist) {
	if !gaps.P50.OK {
		return
	}
	usual := gaps.P99
	if !usual.OK {
		usual = gaps.Max
	}
	ms := max(metrics.StallFactor*gaps.P50.V, metrics.StallFloor, usualFactor*usual.V)
	in.stallAfter = time.Duration(ms * float64(time.Millisecond))
}
