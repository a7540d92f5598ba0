package replay

import (
	"math"

	"tokscope/metrics"
)

// clock returns the player's clock, and shows the request that runs then: p.mu is
// held.
func (p *Player) clock() metrics.Stamp {
	if p.paused {
		return p.base
	}
	now := p.now()
	t := p.base + metrics.Stamp(math.Min(float64(now-p.since)*p.speed, float64(longest)))
	if to := p.skip(t); to > t {
		t = to
		p.base, p.since = t, now
	}
	for t > p.items[p.shown].end() {
		next := p.following(t)
		if next < 0 || p.items[next].begin() > t {
			if next = p.passed(t); next < 0 {
				break
			}
		}
		p.shown, p.version = next, p.version+1
	}
	if last := p.last(); t >= last {
		p.base, p.since, p.paused, t = last, now, true, last
		p.version++
	}
	return t
}

// skip returns when the next request or load begins, if nothing has run for
// pauseBetween at t; else t: p.mu is held.
func (p *Player) skip(t metrics.Stamp) metrics.Stamp {
	next, ended := longest, -longest
	idle := func(begin, end metrics.Stamp) bool {
		switch {
		case begin > t:
			next = min(next, begin)
		case end > t:
			return false
		default:
			ended = max(ended, end)
		}
		return true
	}
	for i := range p.items {
		if !idle(p.items[i].begin(), p.items[i].end()) {
			return t
		}
	}
	for i := range p.loads {
		if !idle(p.loads[i].begin(), p.loads[i].end()) {
			return t
		}
	}
	if next == longest || ended == -longest || t < ended+pauseBetween {
		return t
	}
	return next
}

// following returns the request to show after the shown one: one that runs at t,
// else the next to begin; -1 without one.
func (p *Player) following(t metrics.Stamp) int {
	for i := range p.items {
		if i != p.shown && p.items[i].begin() <= t && p.items[i].end() > t {
			return i
		}
	}
	for i := p.shown + 1; i < len(p.items); i++ {
		if p.items[i].end() > t {
			return i
		}
	}
	return -1
}

// passed returns the last request to end of those after the shown one that began
// and ended since the clock was last read; -1 without one.
func (p *Player) passed(t metrics.Stamp) int {
	found := -1
	for i := p.shown + 1; i < len(p.items); i++ {
		if end := p.items[i].end(); end <= t && end > p.items[p.shown].end() && (found < 0 || end >= p.items[found].end()) {
			found = i
		}
	}
	return found
}

// last returns when the last request or load ends.
func (p *Player) last() metrics.Stamp {
	last := p.items[0].end()
	for i := range p.items {
		last = max(last, p.items[i].end())
	}
	for i := range p.loads {
		last = max(last, p.loads[i].end())
	}
	return last
}
