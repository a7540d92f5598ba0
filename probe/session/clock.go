package session

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
		if next < 0 {
			break
		}
		p.shown, p.version = next, p.version+1
	}
	if last := p.last(); t >= last {
		p.base, p.since, p.paused, t = last, now, true, last
		p.version++
	}
	return t
}

// skip returns when the next request begins, if nothing has run for pauseBetween at
// t; else t: p.mu is held.
func (p *Player) skip(t metrics.Stamp) metrics.Stamp {
	next, ended := longest, -longest
	for i := range p.items {
		switch begin, end := p.items[i].begin(), p.items[i].end(); {
		case begin > t:
			next = min(next, begin)
		case end > t:
			return t
		default:
			ended = max(ended, end)
		}
	}
	if next == longest || ended == -longest || t < ended+pauseBetween {
		return t
	}
	return next
}

// following returns the request to show after the shown one, which has ended: one that
// runs at t, else the last to end of those behind it that began and ended since the
// clock was last read; -1 without one.
func (p *Player) following(t metrics.Stamp) int {
	for i := range p.items {
		if i != p.shown && p.items[i].begin() <= t && p.items[i].end() > t {
			return i
		}
	}
	found := -1
	for i := p.shown + 1; i < len(p.items); i++ {
		if end := p.items[i].end(); end <= t && end > p.items[p.shown].end() && (found < 0 || end >= p.items[found].end()) {
			found = i
		}
	}
	return found
}

// last returns when the last request ends.
func (p *Player) last() metrics.Stamp {
	last := p.items[0].end()
	for i := range p.items {
		last = max(last, p.items[i].end())
	}
	return last
}
