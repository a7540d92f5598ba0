package replay

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
)

// Speeds are the steps of a replay's speed; 1 is as it happened.
var Speeds = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100}

// pauseBetween is the most time without any request that is played. A person
// thinks for minutes between two requests of a session.
const pauseBetween = metrics.Stamp(time.Second)

// Player plays recorded requests by a clock of its own. The clock is that of the
// file, so requests that ran at the same time run at the same time. Several
// files play one after the other. It is safe for concurrent use.
type Player struct {
	now func() metrics.Stamp // the clock that the player's own follows

	mu      sync.Mutex
	items   []item // by their begin
	loads   []load // in the order of files and begins; none when one request is played
	load    int    // the chosen one of them
	shown   int
	base    metrics.Stamp // the player's clock at since
	since   metrics.Stamp // of now
	speed   float64
	paused  bool
	version uint64
}

// item is one request. Its stamps are shifted to the player's clock.
type item struct {
	*Stream
	file  string
	newer bool
	shift metrics.Stamp // from the file's clock to the player's
	id    int           // its number in this program
	run   metrics.Run
}

func (it *item) begin() metrics.Stamp { return it.Begin() + it.shift }
func (it *item) end() metrics.Stamp   { return it.Last() + it.shift }

// at returns the request as it was at t of the player's clock.
func (it *item) at(t metrics.Stamp) metrics.Stream {
	v := it.At(t - it.shift)
	v.ID = it.id
	return v
}

// longest is the longest file that is played, in ns. Stamps of a hostile file
// may be anywhere.
const longest = metrics.Stamp(1000 * time.Hour)

// NewPlayer returns a player of the requests with that id of recs, of all for 0.
// It stands at the beginning and is paused. number gives each request a number of
// this program.
func NewPlayer(now func() metrics.Stamp, number func() int, id int, recs ...*Recording) (*Player, error) {
	p := &Player{now: now, speed: 1, paused: true}
	from := metrics.Stamp(0)
	for _, rec := range recs {
		all, err := rec.Find(id)
		if err != nil {
			return nil, err
		}
		var items []item
		for _, q := range all {
			it := item{Stream: StreamOf(q), file: rec.Name, newer: rec.Newer != "", id: number()}
			if b := it.Begin(); !b.Known() || b < -longest || it.Last() > longest {
				return nil, fault(rec.Name+" cannot be replayed: its times are not those of a session",
					"give a file that tokscope has written")
			}
			v := it.Final()
			v.ID = it.id
			it.run = metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{})}
			items = append(items, it)
		}
		first := slices.MinFunc(items, func(a, b item) int { return cmp.Compare(a.Begin(), b.Begin()) }).Begin()
		if id == 0 {
			p.loads = append(p.loads, loadsOf(rec, items)...)
		}
		last := from
		for i := range items {
			items[i].shift = from - first
			last = max(last, items[i].end())
		}
		p.items = append(p.items, items...)
		from = last + pauseBetween
	}
	slices.SortStableFunc(p.items, func(a, b item) int { return cmp.Compare(a.begin(), b.begin()) })
	p.since = now()
	return p, nil
}

// seek sets the clock: p.mu is held.
func (p *Player) seek(t metrics.Stamp) {
	p.base, p.since = t, p.now()
	p.version++
}

// Snapshot returns the shown request as it was at the player's moment.
func (p *Player) Snapshot() metrics.Stream {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.clock()
	return p.items[p.shown].at(t)
}

// Whole returns the shown request to its end, whatever the player's moment is.
func (p *Player) Whole() metrics.Run {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock()
	return p.items[p.shown].run
}

// Runs returns the requests that had ended at the player's moment, in the order
// of their ends.
func (p *Player) Runs() []metrics.Run {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.clock()
	var ended []*item
	for i := range p.items {
		if p.items[i].end() <= t {
			ended = append(ended, &p.items[i])
		}
	}
	slices.SortStableFunc(ended, func(a, b *item) int { return cmp.Compare(a.end(), b.end()) })
	runs := make([]metrics.Run, len(ended))
	for i, it := range ended {
		runs[i] = it.run
	}
	return runs
}

// All returns every request with the figures of its end, in the order of their
// begins.
func (p *Player) All() []metrics.Run {
	p.mu.Lock()
	defer p.mu.Unlock()
	runs := make([]metrics.Run, len(p.items))
	for i := range p.items {
		runs[i] = p.items[i].run
	}
	return runs
}

// State returns where the replay stands.
func (p *Player) State() metrics.Replay {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.clock()
	it := &p.items[p.shown]
	zero := it.zero()
	return metrics.Replay{
		File: it.file, ID: it.Recorded.ID, Index: p.shown + 1, Count: len(p.items),
		Loads: len(p.loads), Speed: p.speed, Paused: p.paused, Missing: it.Missing, Newer: it.newer,
		At: time.Duration(min(max(t, zero), it.end()) - zero), Length: time.Duration(it.end() - zero), Ended: t >= p.last(),
	}
}

// zero is when the request was sent, else when it began.
func (it *item) zero() metrics.Stamp {
	if sent := it.final.Marks.Sent; sent.Known() && sent >= it.Begin() && sent <= it.Last() {
		return sent + it.shift
	}
	return it.begin()
}

// Version changes with every command and with every request that is shown. While
// the clock runs, Snapshot also differs without it.
func (p *Player) Version() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock()
	return p.version
}

// Toggle pauses or goes on; at the end it plays again from the beginning of the
// shown request.
func (p *Player) Toggle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.clock()
	if p.paused && t >= p.last() {
		t = p.items[p.shown].begin()
	}
	p.seek(t)
	p.paused = !p.paused
}

// Step pauses at the next event of the shown request. Events of one read arrived
// together, and so they are shown.
func (p *Player) Step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, it := p.clock(), &p.items[p.shown]
	p.seek(min(it.next(t-it.shift), it.Last()) + it.shift)
	p.paused = true
}

// Faster changes the speed to the next of Speeds, Slower to the one before.
func (p *Player) Faster() { p.change(1) }

// Slower is the opposite of Faster.
func (p *Player) Slower() { p.change(-1) }

func (p *Player) change(by int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seek(p.clock())
	i, exact := slices.BinarySearch(Speeds, p.speed)
	if by > 0 && !exact {
		i--
	}
	p.speed = Speeds[min(max(i+by, 0), len(Speeds)-1)]
}

// SetSpeed sets the speed, 0.001 to 1000.
func (p *Player) SetSpeed(x float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seek(p.clock())
	p.speed = min(max(x, 0.001), 1000)
}

// Stall pauses at the end of the next stall of the shown request, or for by < 0
// of the one before. It returns the stall's chunk; ok is false without one.
func (p *Player) Stall(by int) (chunk int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, it := p.clock(), &p.items[p.shown]
	to := metrics.Stamp(0)
	for _, s := range it.run.Figures.Stalls {
		if s.Chunk < 0 || s.Chunk >= len(it.final.Chunks) {
			continue
		}
		at := it.final.Chunks[s.Chunk].At + it.shift
		if by > 0 && at > t && (!ok || at < to) || by < 0 && at < t && (!ok || at > to) {
			chunk, to, ok = s.Chunk, at, true
		}
	}
	if ok {
		p.seek(to)
		p.paused = true
	}
	return chunk, ok
}

// Stalls returns the number of stalls of the shown request.
func (p *Player) Stalls() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.items[p.shown].run.Figures.Stalls)
}

// Home goes to the beginning of the shown request.
func (p *Player) Home() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seek(p.items[p.shown].begin())
}

// End pauses at the end of the shown request.
func (p *Player) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seek(p.items[p.shown].end())
	p.paused = true
}

// From goes to d after the shown request was sent, at the latest to its end.
func (p *Player) From(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	it := &p.items[p.shown]
	p.seek(min(it.zero()+metrics.Stamp(max(d, 0)), it.end()))
}

// Next shows the request by further on, from its beginning. It reports whether
// there is one.
func (p *Player) Next(by int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock()
	to := p.shown + by
	if to < 0 || to >= len(p.items) {
		return false
	}
	p.shown = to
	p.seek(p.items[to].begin())
	return true
}
