package loadgen

import (
	"math"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
)

// window measures a load at a constant number of users, or at a constant
// rate. It begins to count when the warm-up ends, and restarts with every
// change of the load.
//
// A window has no lock, no goroutine and no clock: it computes from its
// input. Its owner is the load, under the load's mutex.
type window struct {
	reach    reach
	timeline *timeline
	fits     bool            // prompts vary in length: points have a fit of TTFT
	plays    bool            // a session is played: points have the time of turns
	slos     []slo.Objective // objectives for the points
	path     path

	began       metrics.Stamp
	setup       int                   // of the load, as loadstat.Point.Setup
	users       int                   // number of requested users
	rate        float64               // requested rate, open loop; 0 in a closed one
	warm        bool                  // the warm-up is over
	from        int                   // first counted interval
	ended       int                   // requests sent and ended since began
	gaps        gapRing               // gaps that ended since the warm-up
	lag         *metrics.LagHistogram // of chunks with kernel stamps since then
	userStamped int                   // chunks since then with stamps of this program
	sources     string                // of the stamps since then, as loadstat.Point.Stamps
	records     []record              // ended requests that were sent since the warm-up, oldest first
	fails       []failure             // requests that failed since the warm-up, oldest first
	parted      bool                  // of a shard: it begins with a whole second
	rows        []record              // of a shard: as records, and all of them
	best        *judged               // the last steady point since began, nil without one
	frozen      *judged               // the point at which the load began to end; nil before
	origin      metrics.Stamp         // when interval from begins
	ramp        *slicing              // of a load that changes; nil at a constant one
	atLeast     metrics.AtLeast       // the last lower bounds of TTFT from the schedule since began
}

// reach is the time range of a window.
type reach struct {
	most    time.Duration // at most
	min     time.Duration // a shorter window is not steady
	adapts  bool          // follows the length of the answers, up to most
	request time.Duration // mean duration of the last requests; 0 before any
}

// newReach returns the reach for c.
func newReach(c *Config) reach {
	r := reach{most: c.Window, min: c.MinWindow}
	if r.most <= 0 {
		r.most, r.adapts = longWindow, true
	}
	if r.min <= 0 {
		r.min = min(DefaultMinWindow, r.most)
	}
	return r
}

// now returns the current time range of a point.
func (r *reach) now() time.Duration {
	if !r.adapts {
		return r.most
	}
	return min(max(DefaultWindow, longAnswers*r.request), r.most)
}

// observe counts the duration of a request that ended well.
func (r *reach) observe(d time.Duration) {
	if r.request == 0 {
		r.request = d
	}
	r.request += (d - r.request) / 32
}

// newWindow returns a window that waits for its first begin.
func newWindow(c *Config, t *timeline) window {
	r := newReach(c)
	return window{
		reach: r, timeline: t, fits: c.promptsVary(), parted: c.Shard.Parted(),
		plays: c.Script != nil, slos: slices.Clone(c.SLOs),
		gaps: gapRing{seconds: make([]metrics.Sketch, wholeSeconds(r.most)+2)}, lag: new(metrics.LagHistogram),
	}
}

// phase is the state of the users when a window computes a point.
type phase struct {
	now     metrics.Stamp
	cold    int  // users without a first chunk since they began; 0 in an open loop
	before  int  // running requests of the work before a change
	extra   int  // users that still have to leave, in an ending load also those with a request; 0 in an open loop
	leaving int  // users that still have to leave
	ending  bool // no new request begins
	idle    bool // the last request has ended
	holding bool
	queue   bool // the server reports its queue
	// unended is that of the load, for an open loop.
	unended  func(began, now metrics.Stamp) (running, lasting []float64)
	observer metrics.Observer // this program's own lag
}

// begin ends the current window and begins another at p.now, for that number
// of users or that rate. It returns the point added to the path, nil without
// one.
func (w *window) begin(p phase, users int, rate float64) *loadstat.Point {
	kept := w.keep(p)
	w.began, w.users, w.rate, w.warm, w.best, w.frozen = p.now, users, rate, false, nil, nil
	w.ended, w.ramp, w.atLeast = 0, nil, metrics.AtLeast{}
	w.restart(w.timeline.index(p.now) + 1)
	return kept
}

// restart makes the window count from interval from on.
func (w *window) restart(from int) {
	if w.parted {
		from = (from + perSecond - 1) / perSecond * perSecond
	}
	w.from = from
	w.origin = w.timeline.start(from)
	w.gaps.restart(w.origin)
	w.lag, w.userStamped, w.sources = new(metrics.LagHistogram), 0, ""
	w.records, w.fails = w.records[:0], w.fails[:0]
	w.rows = w.rows[:0]
}

// add counts a request that was sent at start and has ended. Requests sent
// during the warm-up do not count.
func (w *window) add(start metrics.Stamp, r record) {
	if w.ramp != nil && r.End >= w.origin || start >= w.origin && w.warm {
		r.Start = start
		w.records = append(w.records, r)
		if w.parted {
			w.rows = append(w.rows, r)
		}
	}
}

// fail counts a failure.
func (w *window) fail(at metrics.Stamp, fault metrics.FaultCount) {
	if at >= w.origin {
		w.fails = append(w.fails, failure{at, fault})
	}
}

// stamped counts a chunk, by who took its stamp. from is that of its stream.
func (w *window) stamped(c *metrics.Chunk, from metrics.Source) {
	if c.At < w.origin {
		return
	}
	w.sources = loadstat.JoinStamps(w.sources, sourceOf(c.Kernel, from))
	if !c.Kernel {
		w.userStamped++
		return
	}
	if late, ok := c.User.Sub(c.At); ok {
		w.lag.Add(max(late, 0))
	}
}

// delay returns what this program's lag, of which o knows the timer's, does to
// gaps.
func (w *window) delay(o metrics.Observer, gaps *metrics.Dist) metrics.Delay {
	o.KernelStamps, o.UserStamps = w.lag.N(), w.userStamped
	return metrics.DelayOf(&o, w.lag, gaps)
}

// forget drops requests that ended before at.
func (w *window) forget(at metrics.Stamp) {
	w.records = kept(w.records, recordEnd, at)
	w.fails = kept(w.fails, (*failure).ended, at)
}

// kept moves the last recordsKept of all, those from at on, to its front.
func kept[T any](all []T, ended func(*T) metrics.Stamp, at metrics.Stamp) []T {
	last := all[max(len(all)-recordsKept, 0):]
	return all[:copy(all, span(last, ended, at, math.MaxInt64))]
}

// within returns the requests and failures that ended from begin on and before end. A
// window ends a little before the stamp of its point.
func (w *window) within(begin, end metrics.Stamp) ([]record, []failure) {
	return span(w.records, recordEnd, begin, end), span(w.fails, (*failure).ended, begin, end)
}

// span returns the part of all from begin on and before end. all are in about the
// order of their ends.
func span[T any](all []T, ended func(*T) metrics.Stamp, begin, end metrics.Stamp) []T {
	for len(all) > 0 && ended(&all[0]) < begin {
		all = all[1:]
	}
	for len(all) > 0 && ended(&all[len(all)-1]) >= end {
		all = all[:len(all)-1]
	}
	return all
}

// fill fills in the figures of p, whose time and load are set. records, fails, gaps and
// sum are what happened in that time.
func (w *window) fill(p *loadstat.Point, at phase, records []record, fails []failure,
	gaps *metrics.Sketch, sum *interval) {
	w.throughput(p, sum, at.queue)
	for _, f := range fails {
		p.Faults = metrics.AddFaults(p.Faults, f.fault)
	}
	w.latencies(p, records, gaps, sum)
	p.Delay = w.delay(at.observer, &p.Gaps)
	p.Stamps = w.sources
	judge(p, records, w.slos)
}

// coldness returns the number of users without a first chunk, and the number
// that still have to leave. An open loop is cold until a request of its rate
// has ended.
func (w *window) coldness(p phase) (cold, extra int) {
	if w.rate <= 0 {
		return p.cold, p.extra
	}
	if !w.warm && w.ended == 0 {
		return 1, 0
	}
	return 0, 0
}

// setSLOs changes the objectives. Points of the path are judged again where
// their requests are still stored.
func (w *window) setSLOs(slos []slo.Objective) {
	w.slos = slices.Clone(slos)
	for i := range w.path {
		if t := &w.path[i]; t.records != nil {
			judge(&t.point, t.records, w.slos)
		}
	}
}

// steadiness returns the input of the steadiness test, over the intervals
// from..to (to excluded).
func (w *window) steadiness(from, to, cold, extra, before int, records []record) loadstat.Window {
	out := loadstat.Window{Users: w.users, MinLong: w.reach.min,
		Cold: cold, Extra: extra, Before: before, Open: w.rate > 0}
	if !w.warm && cold == 0 {
		out.Cold = 1
	}
	out.Long = time.Duration(to-from) * sliceLen
	half := (to - from) / 2
	split := w.timeline.start(from + half)
	var ttft [2][]float64
	for i := range records {
		if r := &records[i]; r.OK {
			out.Measured++
			if v := r.Figures[loadstat.RowTTFT]; !math.IsNaN(v) {
				h := 0
				if r.End >= split {
					h = 1
				}
				ttft[h] = append(ttft[h], v)
			}
		}
	}
	for i, sum := range [2]interval{w.timeline.sum(from, from+half), w.timeline.sum(to-half, to)} {
		out.Halves[i].Tokens = sum.tokens
		if d := metrics.Distribution(ttft[i]); d.N > 1 {
			out.Halves[i].Answered, out.Halves[i].TTFT, out.Halves[i].TTFTSpread = d.N, d.Mean.V, d.StdDev.V
		}
		if sum.sampled > 0 {
			out.Halves[i].InFlight = (sum.decoding + sum.prefill + sum.waiting + sum.backlog) / sum.sampled
		}
	}
	return out
}
