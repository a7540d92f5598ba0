package loadgen

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tokscope/metrics"
)

// stay is the time at a constant number of users (or rate). Its window begins
// when the warm-up ends.
type stay struct {
	began  metrics.Stamp
	users  int     // asked for
	rate   float64 // asked for, open loop
	warm   bool    // the warm-up is over
	from   int     // bucket with which the window begins
	gaps   []metrics.Sketch
	second int // newest of gaps that is in use, counted from the window's begin
	all    metrics.Sketch
	recs   []record // ended requests that were sent within the window, oldest first
	fails  []failure
	best   *taken // the last steady point of the stay
	frozen *taken // the point when the load was told to end, nil before and where best says more
	cold   int    // users without a first chunk, as of the last look
	origin metrics.Stamp
}

// record is one ended request that was sent within the window.
type record struct {
	end      metrics.Stamp
	ok       bool // ended well
	ttft     float64
	tpot     float64
	speed    float64
	intended float64 // ms from the intended time to the first chunk
	prompt   float64
	slo      [sloCount]float32 // the figures that objectives are about, by sloNames
}

// failure is one request that failed within the window.
type failure struct {
	at   metrics.Stamp
	kind metrics.FaultKind
}

// taken is a point with the requests behind it, so that it can be judged by
// other objectives later.
type taken struct {
	point metrics.Point
	recs  []record
}

var sloNames = metrics.Names()

const sloCount = 8

var nan = math.NaN()

// number turns an unknown figure into NaN: inside this package only.
func number(v metrics.Value) float64 {
	if !v.OK {
		return nan
	}
	return v.V
}

func newRecord(end metrics.Stamp, ok bool, f *metrics.Figures) record {
	r := record{end: end, ok: ok, ttft: number(f.TTFT), tpot: number(f.TPOT), speed: number(f.Speed), prompt: number(f.PromptTokens), intended: nan}
	for i, name := range sloNames {
		if i < sloCount {
			r.slo[i] = float32(number(metrics.Objective{Name: name}.Of(f)))
		}
	}
	return r
}

// meets reports whether r meets o: as metrics.Met does, what is unknown is missed.
func (r *record) meets(o metrics.Objective) bool {
	i := slices.Index(sloNames, o.Name)
	if !r.ok || i < 0 || i >= sloCount {
		return false
	}
	v := float64(r.slo[i])
	if o.AtLeast {
		return v >= o.Limit
	}
	return v <= o.Limit
}

// restart makes the window begin with bucket from.
func (s *stay) restart(t *tape, from int) {
	s.from, s.second = from, 0
	s.origin = t.start(from)
	for i := range s.gaps {
		s.gaps[i].Reset()
	}
	s.recs, s.fails = s.recs[:0], s.fails[:0]
}

// gap counts a gap that ended at.
func (s *stay) gap(at metrics.Stamp, ms float64) {
	if at < s.origin {
		return
	}
	i := int((at - s.origin) / metrics.Stamp(time.Second))
	if i <= s.second-len(s.gaps) {
		return
	}
	for s.second < i {
		if i-s.second > len(s.gaps) {
			s.second = i - len(s.gaps)
		}
		s.second++
		s.gaps[s.second%len(s.gaps)].Reset()
	}
	s.gaps[i%len(s.gaps)].Add(ms)
}

// merged adds up the gaps of a window of that length into s.all.
func (s *stay) merged(window time.Duration) *metrics.Sketch {
	s.all.Reset()
	n := min(int((window+time.Second-1)/time.Second)+2, len(s.gaps), s.second+1)
	for i := range n {
		s.all.Merge(&s.gaps[(s.second-i)%len(s.gaps)])
	}
	return &s.all
}

// forget drops what ended before at.
func (s *stay) forget(at metrics.Stamp) {
	drop := 0
	for drop < len(s.recs) && (s.recs[drop].end < at || len(s.recs)-drop > recordsKept) {
		drop++
	}
	s.recs = s.recs[:copy(s.recs, s.recs[drop:])]
	drop = 0
	for drop < len(s.fails) && (s.fails[drop].at < at || len(s.fails)-drop > recordsKept) {
		drop++
	}
	s.fails = s.fails[:copy(s.fails, s.fails[drop:])]
}

// until returns what ended before at: the window's end lies a little before now.
func (s *stay) until(at metrics.Stamp) ([]record, []failure) {
	recs, fails := s.recs, s.fails
	for len(recs) > 0 && recs[len(recs)-1].end >= at {
		recs = recs[:len(recs)-1]
	}
	for len(fails) > 0 && fails[len(fails)-1].at >= at {
		fails = fails[:len(fails)-1]
	}
	return recs, fails
}

// take keeps p, which was just computed, with the requests behind it.
func (s *stay) take(p metrics.Point) taken {
	return taken{point: p, recs: slices.Clone(s.recs[:min(p.GoodShare.N, len(s.recs))])}
}

// faultsOf counts failures by kind, most frequent first.
func faultsOf(fails []failure) []metrics.FaultCount {
	var out []metrics.FaultCount
	for _, f := range fails {
		out = countFault(out, f.kind)
	}
	return out
}

// countFault returns counts with one more of kind, most frequent first. The
// slice is changed in place.
func countFault(counts []metrics.FaultCount, kind metrics.FaultKind) []metrics.FaultCount {
	at := slices.IndexFunc(counts, func(c metrics.FaultCount) bool { return c.Kind == kind })
	if at < 0 {
		at = len(counts)
		counts = append(counts, metrics.FaultCount{Kind: kind})
	}
	counts[at].N++
	slices.SortFunc(counts, func(a, b metrics.FaultCount) int { return cmp.Or(b.N-a.N, cmp.Compare(a.Kind, b.Kind)) })
	return counts
}

// column returns the known values of one figure of the requests that ended well.
func column(recs []record, of func(*record) float64) []float64 {
	out := make([]float64, 0, len(recs))
	for i := range recs {
		if v := of(&recs[i]); recs[i].ok && !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// judge fills what of p depends on the objectives. Without objectives every
// request that ended well is good.
func judge(p *metrics.Point, recs []record, slos []metrics.Objective) {
	p.Misses = nil
	for _, o := range slos {
		p.Misses = append(p.Misses, metrics.Miss{SLO: o})
	}
	n, good := len(recs), 0
	for i := range recs {
		r := &recs[i]
		all := r.ok
		for k, o := range slos {
			if !r.meets(o) {
				p.Misses[k].N++
				all = false
			}
		}
		if all {
			good++
		}
	}
	if n == 0 {
		p.GoodShare = metrics.Unknown("no request of this window has ended")
		p.GoodRate = p.GoodShare
		return
	}
	p.GoodShare = metrics.Known(float64(good)/float64(n), n)
	p.GoodRate = metrics.Unknown("the window has just begun")
	if seconds := float64(p.To-p.From) / 1e9; seconds > 0 {
		p.GoodRate = metrics.Known(p.GoodShare.V*float64(p.Requests+p.Failed)/seconds, n)
	}
}
