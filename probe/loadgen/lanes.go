package loadgen

import "tokscope/metrics/loadstat"

// draw fills the lanes and the user counts of v. It returns the number of
// requests in the server's queue.
func (p *pool) draw(v *loadstat.View) (waiting int) {
	v.Running, v.Holding, v.Target, v.Users, v.Stopped = !p.isIdle, p.holding, p.target, len(p.users), p.stopped
	if v.Ending = p.ending && !p.isIdle; v.Ending {
		v.Target = 0 // no users are requested any more
	}
	v.Lanes = make([]loadstat.Lane, len(p.users))
	for i, u := range p.users {
		u.draw(&v.Lanes[i])
		if !u.busy {
			continue
		}
		v.InFlight++
		switch u.state {
		case loadstat.LaneDecoding, loadstat.LaneStalled:
			v.Decoding++
		case loadstat.LaneWaiting:
			waiting++
		}
	}
	return waiting
}

// draw makes n show u as it is now.
func (u *user) draw(n *loadstat.Lane) {
	*n = loadstat.Lane{User: u.id, State: u.shownState(), Since: u.since, Stream: u.streamID,
		Gap: u.lane.gap, Done: u.done, Leaving: u.leaving}
	n.Past, n.Offset = u.lane.shown()
}

// shownState is the state that a lane shows.
func (u *user) shownState() loadstat.LaneState {
	if u.leaving {
		return loadstat.LaneLeaving
	}
	return u.state
}
