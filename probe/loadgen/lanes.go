package loadgen

import "tokscope/metrics/loadstat"

// draw fills the lanes and the user counts of v. It returns the number of
// requests in the server's queue.
func (p *pool) draw(v *loadstat.View) (waiting int) {
	v.Running, v.Holding, v.Target, v.Users, v.Stopped = !p.isIdle, p.holding, p.target, len(p.users), p.stopped
	if v.Ending = p.ending && !p.isIdle; v.Ending {
		v.Target = 0 // no users are requested any more
	}
	v.Lanes = p.lanes()
	for _, u := range p.users {
		if !u.busy {
			continue
		}
		v.InFlight++
		switch u.state {
		case loadstat.LaneDecoding, loadstat.LaneStalled:
			v.Decoding++
		case loadstat.LanePrefill:
			v.Prefilling++
		case loadstat.LaneWaiting:
			waiting++
		}
	}
	return waiting
}

// lanes returns the lanes of a view. It returns those of the last view, where the
// lanes are many and nothing but their gaps has changed.
func (p *pool) lanes() []loadstat.Lane {
	if len(p.users) >= gapsTogether && p.asDrawn() {
		return p.drawn
	}
	p.drawn = make([]loadstat.Lane, len(p.users))
	for i, u := range p.users {
		u.draw(&p.drawn[i])
	}
	return p.drawn
}

// asDrawn reports whether the lanes drawn last show every user as it is now, apart
// from the gap.
func (p *pool) asDrawn() bool {
	if len(p.drawn) != len(p.users) {
		return false
	}
	for i, u := range p.users {
		if !u.drawnAs(&p.drawn[i]) {
			return false
		}
	}
	return true
}

// draw makes n show u as it is now.
func (u *user) draw(n *loadstat.Lane) {
	*n = loadstat.Lane{User: u.id, State: u.shownState(), Since: u.since, Stream: u.streamID,
		Gap: u.lane.gap, TTFT: u.lane.ttft, Done: u.done, Failed: u.failed, Leaving: u.leaving}
	n.Past, n.Offset = u.lane.shown()
}

// drawnAs reports whether draw would change nothing of n but the gap.
func (u *user) drawnAs(n *loadstat.Lane) bool {
	return n.State == u.shownState() && n.Since == u.since &&
		n.Stream == u.streamID && n.TTFT == u.lane.ttft && n.User == u.id &&
		n.Done == u.done && n.Failed == u.failed && n.Leaving == u.leaving && n.Offset+len(n.Past) == u.lane.slice
}

// shownState is the state that a lane shows.
func (u *user) shownState() loadstat.LaneState {
	if u.leaving {
		return loadstat.LaneLeaving
	}
	return u.state
}
