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
type window struct {
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
	best   *judged // the last steady point of the stay
	frozen *judged // the point when the load was told to end, nil before and where best says more
	cold   int     // users without a first chunk, as of the last look
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
type judged struct {
	point   metrics.Point
	records []record
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
func (w *window) restart(t *timeline, from int) {
	w.from, w.second = from, 0
	w.origin = t.start(from)
	for i := range w.gaps {
		w.gaps[i].Reset()
	}
	w.recs, w.fails = w.recs[:0], w.fails[:0]
}

// gap counts a gap that ended at.
func (g *window) gap(at metrics.Stamp, ms float64) {
	if at < g.origin {
		return
	}
	i := int((at - g.origin) / metrics.Stamp(time.Second))
	if i <= g.second-len(g.gaps) {
		return
	}
	for g.second < i {
		if i-g.second > len(g.gaps) {
			g.second = i - len(g.gaps)
		}
		g.second++
		g.gaps[g.second%len(g.gaps)].Reset()
	}
	g.gaps[i%len(g.gaps)].Add(ms)
}

// merged adds up the gaps of a window of that length into s.all.
func (g *window) merged(window time.Duration) *metrics.Sketch {
	g.all.Reset()
	n := min(int((window+time.Second-1)/time.Second)+2, len(g.gaps), g.second+1)
	for i := range n {
		g.all.Merge(&g.gaps[(g.second-i)%len(g.gaps)])
	}
	return &g.all
}

// forget drops what ended before at.
func (w *window) forget(at metrics.Stamp) {
	drop := 0
	for drop < len(w.recs) && (w.recs[drop].end < at || len(w.recs)-drop > recordsKept) {
		drop++
	}
	w.recs = w.recs[:copy(w.recs, w.recs[drop:])]
	drop = 0
	for drop < len(w.fails) && (w.fails[drop].at < at || len(w.fails)-drop > recordsKept) {
		drop++
	}
	w.fails = w.fails[:copy(w.fails, w.fails[drop:])]
}

// until returns what ended before at: the window's end lies a little before now.
func (w *window) until(at metrics.Stamp) ([]record, []failure) {
	records, fails := w.recs, w.fails
	for len(records) > 0 && records[len(records)-1].end >= at {
		records = records[:len(records)-1]
	}
	for len(fails) > 0 && fails[len(fails)-1].at >= at {
		fails = fails[:len(fails)-1]
	}
	return records, fails
}

// take keeps p, which was just computed, with the requests behind it.
func (w *window) with(p metrics.Point) judged {
	return judged{point: p, records: slices.Clone(w.recs[:min(p.GoodShare.N, len(w.recs))])}
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
func column(records []record, of func(*record) float64) []float64 {
	out := make([]float64, 0, len(records))
	for i := range records {
		if v := of(&records[i]); records[i].ok && !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// judge fills what of p depends on the objectives. Without objectives every
// request that ended well is good.
func judge(p *metrics.Point, records []record, slos []metrics.Objective) {
	p.Misses = nil
	for _, o := range slos {
		p.Misses = append(p.Misses, metrics.Miss{SLO: o})
	}
	n, good := len(records), 0
	for i := range records {
		r := &records[i]
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
