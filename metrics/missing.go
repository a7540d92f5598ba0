package metrics

import (
	"math"
	"slices"
)

// Missing describes the gaps that a distribution lacks because several chunks
// came in one read: only their sum is known. The zero value: none is missing.
//
// A read of k chunks, Ms after the one before, ends k gaps of 0 or more that
// sum to Ms. Then the i-th longest of them is at most Ms/i, and the longest is
// at least Ms/k. So each quantile of all gaps lies between that of
//
//	Ms/k and k − 1 times 0          and that of          Ms, Ms/2, … Ms/k
//
// over all reads. Where this program's own late stamps may be wrong (Delay),
// there are no bounds. The gaps inside the first read sum to at most the time since
// the request was sent, or since an earlier mark of the response.
type Missing struct {
	N     int   `json:"n"`                           // gaps of unknown length
	First bool  `json:"first_read_shared,omitempty"` // some of them are inside the first read of a stream
	P50   Bound `json:"p50,omitzero"`
	P90   Bound `json:"p90,omitzero"`
	P95   Bound `json:"p95,omitzero"`
	P99   Bound `json:"p99,omitzero"`
	Max   Bound `json:"max,omitzero"`
}

// IsZero reports whether none is missing: it is absent in JSON.
func (m *Missing) IsZero() bool { return m.N == 0 }

// Bound is the range in which a figure must lie. The zero Bound is none.
type Bound struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	OK   bool    `json:"ok,present"`
}

// IsZero reports whether there is no bound: it is absent in JSON.
func (b *Bound) IsZero() bool { return !b.OK }

// Wide reports whether the figure could be so different within b that one
// number would mislead.
func (b Bound) Wide() bool { return b.OK && b.High > wideBound*b.Low }

// KnownShare returns the share (0..1) of the values that are known. It is 1
// without any.
func (d *Dist) KnownShare() float64 {
	if d.Missing.N <= 0 {
		return 1
	}
	return float64(d.N) / (float64(d.N) + float64(d.Missing.N))
}

// Uncertain reports whether missing values could visibly move a percentile
// that d gives.
func (d *Dist) Uncertain() bool {
	m := &d.Missing
	return d.P50.OK && m.P50.Wide() || d.P90.OK && m.P90.Wide() || d.P95.OK && m.P95.Wide() || d.P99.OK && m.P99.Wide()
}

// scaled returns m with all figures times f.
func (m Missing) scaled(f float64) Missing {
	for _, b := range m.bounds() {
		b.Low, b.High = b.Low*f, b.High*f
		b.OK = b.OK && isFinite(b.Low) && isFinite(b.High)
		if !b.OK {
			*b = Bound{}
		}
	}
	return m
}

// bounds lists the bounds in the order of boundLevels.
func (m *Missing) bounds() [len(boundLevels)]*Bound {
	return [...]*Bound{&m.P50, &m.P90, &m.P95, &m.P99, &m.Max}
}

// boundLevels are the quantiles that have bounds.
var boundLevels = [...]float64{0.50, 0.90, 0.95, 0.99, 1}

func isFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// GapBlock is a time between two moments at which chunks came, and the number
// of gaps in it. One gap is known. Several share the time.
type GapBlock struct {
	At    Stamp   // its end
	Ms    float64 // the sum of its gaps; with First an upper bound of that sum
	Gaps  int
	Gap   float64 // its first gap as Stream.Gap has it, ms; 0 when it is unknown
	First bool    // the gaps inside the first read
}

// GapTracker groups the gaps of a stream into blocks, from its chunks in
// order. Pass it only chunks that count (Stream.Counts), of one choice. Chunks
// share a block when they came in one read, when their stamps do not rise, and
// when the stamp of one is missing. Without First, the blocks sum to last −
// first chunk. The zero value is ready.
type GapTracker struct {
	begun   bool
	read    int32
	at      Stamp // of the last chunk with a stamp
	pending int   // chunks without a stamp since
	block   GapBlock
}

// Add takes the next chunk. It returns its block as it is now, and as it was
// before: was.Gaps is 0 for a new one. A block without gaps says nothing.
func (t *GapTracker) Add(c *Chunk, m *Marks) (now, was GapBlock) {
	if !c.At.Known() {
		if t.begun {
			t.pending++
		}
		return GapBlock{}, GapBlock{}
	}
	if !t.begun {
		t.begun, t.at, t.read = true, c.At, c.Read
		t.block = GapBlock{At: c.At, Ms: sinceMark(c.At, m), First: true}
		return GapBlock{}, GapBlock{}
	}
	ms, _ := stampMs(c.At, t.at)
	if c.Read == t.read || ms <= 0 {
		was = t.block
		t.block.Gaps += 1 + t.pending
		t.block.Ms += ms
	} else {
		t.block = GapBlock{At: c.At, Ms: ms, Gaps: 1 + t.pending}
		if t.pending == 0 {
			t.block.Gap = ms
		}
	}
	t.at, t.read, t.pending = c.At, c.Read, 0
	return t.block, was
}

// sinceMark returns the time in ms from the latest mark before at, or from the
// origin of the run: no chunk can have come earlier.
func sinceMark(at Stamp, m *Marks) float64 {
	from := Stamp(0)
	for _, s := range [...]Stamp{m.Sent, m.FirstByte, m.Headers, m.FirstEvent} {
		if s.Known() && s < at && s > from {
			from = s
		}
	}
	ms, _ := stampMs(at, from)
	return max(ms, 0)
}

// gapSum is the time and the number of the gaps after the first read.
type gapSum struct {
	ms float64
	n  int
}

func (g *gapSum) add(b *GapBlock) {
	if !b.First && b.Gaps > 0 {
		g.ms += b.Ms
		g.n += b.Gaps
	}
}

// mean is the mean of all gaps after the first read, those of unknown length
// included.
func (g *gapSum) mean() Value {
	if g.n <= 0 || !(g.ms > 0) {
		return Unknown(WhyNoGap)
	}
	return Finite(g.ms/float64(g.n), g.n)
}

// merge adds the gaps of other blocks.
func (g *gapSum) merge(o gapSum) { g.ms, g.n = g.ms+o.ms, g.n+o.n }

// edge is a sample's difference to one of its two bounds: values to add, and
// with a negative weight values to leave out. Its zero value is empty.
type edge struct {
	list   []weighted
	sorted int        // so many of list ascend
	fresh  []weighted // scratch of sort
}

func (e *edge) empty() edge { return edge{list: e.list[:0], fresh: e.fresh[:0]} }

// add appends values in any order.
func (e *edge) add(w ...weighted) { e.list = append(e.list, w...) }

// sort sorts what was added since it was sorted last, and merges it.
func (e *edge) sort() {
	fresh := e.list[e.sorted:]
	if len(fresh) == 0 {
		return
	}
	slices.SortFunc(fresh, compareWeighted)
	if e.sorted > 0 {
		e.fresh = append(e.fresh[:0], fresh...)
		e.list = mergeSorted(e.list[:e.sorted], e.fresh, lessWeighted)
	}
	e.sorted = len(e.list)
}

// join appends what o has.
func (e *edge) join(o *edge) {
	if len(e.list) == 0 {
		e.sorted = o.sorted
	}
	e.list = append(e.list, o.list...)
}

// edges are the differences to the lower and the upper bound.
type edges struct{ low, high edge }

func (e *edges) empty() edges { return edges{e.low.empty(), e.high.empty()} }

func (e *edges) sort() {
	e.low.sort()
	e.high.sort()
}

func (e *edges) join(o *edges) {
	e.low.join(&o.low)
	e.high.join(&o.high)
}

// mostParts bounds the parts of one block. Further ones count as large as the
// last.
const mostParts = 4096

// add takes n values of unknown size that sum to ms; the sample has w times v
// in their place (w 0: nothing).
func (e *edges) add(ms float64, n int, v, w float64) {
	if n < 1 || !(ms >= 0) || math.IsInf(ms, 0) {
		return
	}
	most := min(n, mostParts)
	for i := 1; i <= most; i++ {
		e.high.add(weighted{ms / float64(i), 1})
	}
	if n > most {
		e.high.add(weighted{ms / float64(most), float64(n - most)})
	}
	e.low.add(weighted{0, float64(n - 1)}, weighted{ms / float64(n), 1})
	if w > 0 {
		e.high.add(weighted{v, -w})
		e.low.add(weighted{v, -w})
	}
}

// gaps takes a block of gaps whose first one is in the sample.
func (e *edges) gaps(b *GapBlock) {
	ms := max(b.Ms, 0)
	switch {
	case b.First && b.Gaps > 0: // the sum is at most Ms: all of them can be 0
		e.add(ms, b.Gaps, 0, 0)
		e.low.list[len(e.low.list)-1].v = 0
	case b.Gaps > 1 && b.Gap > 0:
		e.add(ms, b.Gaps, b.Gap, 1)
	case b.Gaps > 1:
		e.add(ms, b.Gaps, 0, 0)
	}
}

// shared takes an entry of an itlList that several chunks share. It returns how
// many gaps are not known by themselves.
func (e *edges) shared(s *sharedMs) int {
	if s.n < 2 {
		return 0
	}
	e.add(s.ms, s.n, s.v, s.w)
	return s.n - 1
}

// scaled appends o with values times f and weights divided by it.
func (e *edges) scaled(o *edges, f float64) {
	for _, x := range [...]struct{ to, from *edge }{{&e.low, &o.low}, {&e.high, &o.high}} {
		for _, w := range x.from.list {
			x.to.add(weighted{w.v * f, w.w / f})
		}
	}
}

// applied returns the ascending sample s with the difference, without negative
// weights, in buf, which grows. It sorts the difference.
func (e *edge) applied(s sample, buf *[]weighted) []weighted {
	e.sort()
	out := slices.Grow((*buf)[:0], s.len()+len(e.list))
	out = append(out, s.list...)
	for _, v := range s.values {
		out = append(out, weighted{v, 1})
	}
	out = mergeSorted(out, e.list, lessWeighted)
	*buf = out
	kept := out[:0]
	for i := 0; i < len(out); {
		sum := weighted{v: out[i].v}
		for ; i < len(out) && out[i].v == sum.v; i++ {
			sum.w += out[i].w
		}
		if sum.w > rankSlack {
			kept = append(kept, sum)
		}
	}
	return kept
}

// missing returns the bounds of the quantiles of s with these edges, of which
// unknown lack, with values times scale.
func (e *edges) missing(unknown int, s sample, scale float64) Missing {
	m := Missing{N: unknown}
	if unknown <= 0 || s.len() == 0 {
		return m
	}
	low, high := e.low.quantiles(s), e.high.quantiles(s)
	for i, b := range m.bounds() {
		*b = Bound{Low: low[i], High: max(high[i], low[i]), OK: true}
	}
	return m.scaled(scale)
}

// rankSlack absorbs the rounding of summed weights.
const rankSlack = 1e-6

// rankOf returns the rank of level k among total values, as QuantileMethod
// defines it.
func rankOf(total float64, k int) float64 { return max(total-1, 0) * boundLevels[k] }
