package replay

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// loadItem is one load. Its stamps are shifted to the player's clock.
type loadItem struct {
	*Load
	file     string
	newer    bool
	shift    metrics.Stamp // from the file's clock to the player's
	requests int           // of the file that belong to no load

	recorded int        // requests of the load in the file
	ended    []endedRow // those with an end, by its time
}

func (l *loadItem) begin() metrics.Stamp { return l.Begin() + l.shift }
func (l *loadItem) end() metrics.Stamp   { return l.Last() + l.shift }

// loadsOf returns the loads of rec with their requests. It leaves out those whose
// times are not those of a session.
func loadsOf(rec *Recording, items []item) (all []loadItem) {
	var requests []*Stream
	single := 0
	for i := range items {
		requests = append(requests, items[i].Stream)
		if items[i].Recorded.Load == 0 {
			single++
		}
	}
	for _, q := range rec.Loads {
		if !q.At.Known() || q.At < 0 || q.At > longest {
			continue
		}
		l := LoadOf(q, requests, rec.Say)
		if l.Last() > longest {
			continue
		}
		load := loadItem{Load: l, file: rec.Name, newer: rec.Newer != "", requests: single}
		load.list(items, rec.Say)
		all = append(all, load)
	}
	return all
}

// loadAt returns the load that runs at t, else the last one before, else the
// first; nil without loads: p.mu is held.
func (p *Player) loadAt(t metrics.Stamp) *loadItem {
	var at *loadItem
	for i := range p.loads {
		if l := &p.loads[i]; at == nil || l.begin() <= t {
			at = l
		}
	}
	return at
}

// Load returns the load of the player's moment as it was then. ok is false when
// the recordings hold no load, or one request is played.
func (p *Player) Load() (v loadstat.View, r loadstat.Replay, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.clock()
	l := p.loadAt(t)
	if l == nil {
		return v, r, false
	}
	v, r = l.At(t - l.shift)
	r.File, r.Newer, r.Requests, r.Recorded = l.file, l.newer, l.requests, l.recorded
	r.Index, r.Count = p.place(l)+1, len(p.loads)
	r.Speed, r.Paused, r.Ended = p.speed, p.paused, t >= p.last()
	return v, r, true
}

// withLoad calls f with the clock and the load of the moment, if there is one.
func (p *Player) withLoad(f func(t metrics.Stamp, l *loadItem)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.clock()
	if l := p.loadAt(t); l != nil {
		f(t, l)
	}
}

// move sets the clock to t, a moment of a load, and shows a request that runs then:
// p.mu is held.
func (p *Player) move(t metrics.Stamp) {
	p.seek(t)
	if it := &p.items[p.shown]; it.begin() <= t && t < it.end() {
		return
	}
	for i := range p.items {
		if it := &p.items[i]; it.begin() <= t && t < it.end() {
			p.shown = i
			return
		}
	}
	p.shown = 0
	for i := range p.items { // else the last that began
		if p.items[i].begin() <= t {
			p.shown = i
		}
	}
}

// LoadToggle pauses or goes on; at the end of all it plays the load again.
func (p *Player) LoadToggle() {
	p.withLoad(func(t metrics.Stamp, l *loadItem) {
		if p.paused && t >= p.last() {
			t = l.begin()
		}
		p.move(t)
		p.paused = !p.paused
	})
}

// LoadStep pauses at the next event of a request of the load, at the next point
// or at the next change, whatever comes first.
func (p *Player) LoadStep() {
	p.withLoad(func(t metrics.Stamp, l *loadItem) {
		to := l.next(t-l.shift, 1)
		for _, lane := range l.lanes {
			for _, s := range lane {
				if s.Last() <= t-l.shift || s.Begin() >= to {
					continue
				}
				if s.Begin() > t-l.shift {
					to = min(to, s.Begin())
				} else {
					to = min(to, s.next(t-l.shift))
				}
			}
		}
		p.move(max(to+l.shift, t))
		p.paused = true
	})
}

// LoadPoint pauses at the next point or change of the load, for by < 0 at the one
// before.
func (p *Player) LoadPoint(by int) {
	p.withLoad(func(t metrics.Stamp, l *loadItem) {
		to := l.next(t-l.shift, by) + l.shift
		if by > 0 {
			to = max(to, t)
		}
		p.move(to)
		p.paused = true
	})
}

// LoadEdge goes to the beginning of the load, for by > 0 it pauses at its end.
func (p *Player) LoadEdge(by int) {
	p.withLoad(func(_ metrics.Stamp, l *loadItem) {
		if by > 0 {
			p.move(l.end())
			p.paused = true
			return
		}
		p.move(l.begin())
	})
}

// LoadNext shows the load by further on, from its beginning. It reports whether
// there is one.
func (p *Player) LoadNext(by int) (ok bool) {
	p.withLoad(func(_ metrics.Stamp, l *loadItem) {
		to := p.place(l) + by
		if ok = to >= 0 && to < len(p.loads); ok {
			p.move(p.loads[to].begin())
		}
	})
	return ok
}

// place returns which of the loads l is, from 0: p.mu is held.
func (p *Player) place(l *loadItem) int {
	for i := range p.loads {
		if &p.loads[i] == l {
			return i
		}
	}
	return -1
}

// LoadShow shows the request of the load that has that number in its file. The
// clock stays. It reports whether there is one.
func (p *Player) LoadShow(id int) (ok bool) {
	p.withLoad(func(t metrics.Stamp, l *loadItem) {
		for i := range p.items {
			if it := &p.items[i]; it.Recorded.ID == id &&
				it.Recorded.Load == l.Recorded.ID && it.file == l.file && it.shift == l.shift {
				p.seek(t)
				p.shown, ok = i, true
			}
		}
	})
	return ok
}
