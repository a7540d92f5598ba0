package session

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
)

// Speeds are the steps of a replay's speed; 1 is as it happened.
var Speeds = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100}

// pauseBetween is the most time without any request that is played. A person
// thinks for minutes between two requests of a session.
const pauseBetween = metrics.Stamp(time.Second)

// Player plays recorded requests by a clock of its own. The clock is that of the
// file, so requests that ran at the same time run at the same time. Several
// files play one after the other. Its methods are those that the screens of a replay
// ask for; they do nothing while no recording is open. It is safe for concurrent use.
type Player struct {
	now    func() metrics.Stamp // the clock that the player's own follows
	number func() int           // gives a request its number in this program

	mu      sync.Mutex
	version uint64
	opened
}

// opened are the recordings that are played; zero without any.
type opened struct {
	items  []item // by their begin
	loads  []load // in the order of files and begins; none when one request is played
	load   int    // the chosen one of them
	shown  int
	base   metrics.Stamp // the player's clock at since
	since  metrics.Stamp // of now
	speed  float64
	paused bool
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
	return it.numbered(it.At(t - it.shift))
}

// numbered returns v with its number in this program, and that in its file.
func (it *item) numbered(v metrics.Stream) metrics.Stream {
	v.ID, v.Recorded = it.id, it.Recorded.ID
	return v
}

// longest is the longest file that is played, in ns. Stamps of a hostile file
// may be anywhere.
const longest = metrics.Stamp(1000 * time.Hour)

// NewPlayer returns a player without a recording. number gives each request a number
// of this program.
func NewPlayer(now func() metrics.Stamp, number func() int) *Player {
	return &Player{now: now, number: number}
}

// Play opens the requests with the id of plan of recs, all for 0, in place of what
// was open, and plays them at its speed, from its From after the first was sent.
func (p *Player) Play(plan metrics.ReplayPlan, recs ...*Recording) error {
	o, err := p.read(plan.ID, recs)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened = o
	p.setSpeed(plan.Speed)
	if plan.From > 0 {
		p.from(plan.From)
	}
	p.toggle(p.clock())
	return nil
}

// read returns recs at their beginning, paused.
func (p *Player) read(id int, recs []*Recording) (o opened, err error) {
	o = opened{speed: 1, paused: true}
	from := metrics.Stamp(0)
	for _, rec := range recs {
		all, err := rec.Find(id)
		if err != nil {
			return o, err
		}
		var items []item
		for _, q := range all {
			it := item{Stream: StreamOf(q), file: rec.Name, newer: rec.Newer != "", id: p.number()}
			if b := it.Begin(); !b.Known() || b < -longest || it.Last() > longest {
				return o, endpoint.Refuse(rec.Name+" cannot be replayed: its times are not those of a session",
					"give a file that tokscope has written")
			}
			it.run = it.Run()
			it.run.Stream = it.numbered(it.run.Stream)
			items = append(items, it)
		}
		first := slices.MinFunc(items, func(a, b item) int { return cmp.Compare(a.Begin(), b.Begin()) }).Begin()
		if id == 0 {
			o.loads = append(o.loads, loadsOf(rec, items)...)
		}
		last := from
		for i := range items {
			items[i].shift = from - first
			last = max(last, items[i].end())
		}
		o.items = append(o.items, items...)
		from = last + pauseBetween
	}
	slices.SortStableFunc(o.items, func(a, b item) int { return cmp.Compare(a.begin(), b.begin()) })
	o.since = p.now()
	return o, nil
}

// seek sets the clock: p.mu is held.
func (p *Player) seek(t metrics.Stamp) {
	p.base, p.since = t, p.now()
	p.version++
}

// on calls f with the player's moment and the request that is shown then. It reports
// whether a recording is open; else it does not call f.
func (p *Player) on(f func(t metrics.Stamp, it *item)) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.items) == 0 {
		return false
	}
	t := p.clock()
	f(t, &p.items[p.shown])
	return true
}

// CloseReplay closes the recordings.
func (p *Player) CloseReplay() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened = opened{}
	p.version++
}

// ReplayStream returns the shown request as it was at the player's moment, an idle
// stream when none is open.
func (p *Player) ReplayStream() metrics.Stream {
	v := metrics.NoStream(p.now())
	p.on(func(t metrics.Stamp, it *item) { v = it.at(t) })
	return v
}

// ReplayWhole returns the shown request to its end, whatever the player's moment is.
// ok is false when none is open.
func (p *Player) ReplayWhole() (run metrics.Run, ok bool) {
	ok = p.on(func(_ metrics.Stamp, it *item) { run = it.run })
	return run, ok
}

// ReplayRuns returns the requests that had ended at the player's moment, in the order
// of their ends.
func (p *Player) ReplayRuns() (runs []metrics.Run) {
	p.on(func(t metrics.Stamp, _ *item) {
		var ended []*item
		for i := range p.items {
			if p.items[i].end() <= t {
				ended = append(ended, &p.items[i])
			}
		}
		slices.SortStableFunc(ended, func(a, b *item) int { return cmp.Compare(a.end(), b.end()) })
		for _, it := range ended {
			runs = append(runs, it.run)
		}
	})
	return runs
}

// ReplayState returns where the replay stands; ok is false when none is open.
func (p *Player) ReplayState() (r metrics.Replay, ok bool) {
	ok = p.on(func(t metrics.Stamp, it *item) {
		zero := it.zero()
		r = metrics.Replay{
			File: it.file, ID: it.Recorded.ID, Index: p.shown + 1, Count: len(p.items),
			Loads: len(p.loads), Speed: p.speed, Paused: p.paused, Missing: it.Missing, Newer: it.newer,
			At: time.Duration(min(max(t, zero), it.end()) - zero), Length: time.Duration(it.end() - zero), Ended: t >= p.last(),
		}
	})
	return r, ok
}

// zero is when the request was sent, else when it began.
func (it *item) zero() metrics.Stamp {
	if sent := it.final.Marks.Sent; sent.Known() && sent >= it.Begin() && sent <= it.Last() {
		return sent + it.shift
	}
	return it.begin()
}

// ReplayVersion changes with every command and with every request that is shown.
// While the clock runs, ReplayStream also differs without it.
func (p *Player) ReplayVersion() (v uint64) {
	p.on(func(metrics.Stamp, *item) {})
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version
}

// ReplayToggle pauses or goes on; at the end it plays again from the beginning of the
// shown request.
func (p *Player) ReplayToggle() { p.on(func(t metrics.Stamp, _ *item) { p.toggle(t) }) }

// toggle is ReplayToggle at t: p.mu is held.
func (p *Player) toggle(t metrics.Stamp) {
	if p.paused && t >= p.last() {
		t = p.items[p.shown].begin()
	}
	p.seek(t)
	p.paused = !p.paused
}

// ReplayStep pauses at the next event of the shown request. Events of one read
// arrived together, and so they are shown.
func (p *Player) ReplayStep() {
	p.on(func(t metrics.Stamp, it *item) {
		p.seek(min(it.next(t-it.shift), it.Last()) + it.shift)
		p.paused = true
	})
}

// ReplayFaster changes the speed to the next of Speeds, or for by < 0 to the one
// before.
func (p *Player) ReplayFaster(by int) {
	p.on(func(t metrics.Stamp, _ *item) {
		p.seek(t)
		i, exact := slices.BinarySearch(Speeds, p.speed)
		if by > 0 && !exact {
			i--
		}
		p.speed = Speeds[min(max(i+by, 0), len(Speeds)-1)]
	})
}

// setSpeed sets the speed, 0.001 to 1000: p.mu is held.
func (p *Player) setSpeed(x float64) {
	p.seek(p.clock())
	p.speed = min(max(x, 0.001), 1000)
}

// ReplayStall pauses at the end of the next stall of the shown request, or for by < 0
// of the one before. It returns the stall's chunk; ok is false without one.
func (p *Player) ReplayStall(by int) (chunk int, ok bool) {
	p.on(func(t metrics.Stamp, it *item) {
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
	})
	return chunk, ok
}

// ReplayEdge goes to the beginning of the shown request, or for by > 0 pauses at its
// end.
func (p *Player) ReplayEdge(by int) {
	p.on(func(_ metrics.Stamp, it *item) {
		if by > 0 {
			p.seek(it.end())
			p.paused = true
			return
		}
		p.seek(it.begin())
	})
}

// from goes to d after the shown request was sent, at the latest to its end: p.mu is
// held.
func (p *Player) from(d time.Duration) {
	it := &p.items[p.shown]
	p.seek(min(it.zero()+metrics.Stamp(max(d, 0)), it.end()))
}

// ReplayNext shows the request by further on, from its beginning. It reports whether
// there is one.
func (p *Player) ReplayNext(by int) (ok bool) {
	p.on(func(metrics.Stamp, *item) {
		to := p.shown + by
		if ok = to >= 0 && to < len(p.items); ok {
			p.shown = to
			p.seek(p.items[to].begin())
		}
	})
	return ok
}
