package metrics

// Missing describes the gaps that a distribution lacks because several chunks
// came in one read: only their sum is known. The zero value: none is missing.
//
// A read of k chunks, Ms after the one before, ends k gaps of 0 or more that
// sum to Ms, which gives each quantile of all gaps two bounds, see
// stats.Sketch.Hide. Where this program's own late stamps may be wrong (Delay),
// there are no bounds. The gaps inside the first read sum to at most the time since
// the request was sent, or since an earlier mark of the response.
type Missing struct {
	Share float64 `json:"known_share"`                 // of the values, 0..1
	N     int     `json:"n"`                           // gaps of unknown length
	First bool    `json:"first_read_shared,omitempty"` // some of them are inside the first read of a stream
	P50   Bound   `json:"p50,omitzero"`
	P90   Bound   `json:"p90,omitzero"`
	P95   Bound   `json:"p95,omitzero"`
	P99   Bound   `json:"p99,omitzero"`
	Max   Bound   `json:"max,omitzero"`
}

// IsZero reports whether none is missing: it is absent in JSON.
func (m *Missing) IsZero() bool { return m.N == 0 }

// Bound is the range in which a figure must lie. The zero Bound is none.
type Bound struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	OK   bool
}

// Restore makes b a bound that a file has.
func (b *Bound) Restore() { b.OK = true }

// IsZero reports whether there is no bound: it is absent in JSON.
func (b *Bound) IsZero() bool { return !b.OK }

// Wide reports whether the figure could be so different within b that one
// number would mislead.
func (b Bound) Wide() bool { return b.OK && b.High > wideBound*b.Low }

// lacks sets what is missing in d, whose N is set.
func (d *Dist) lacks(m Missing) {
	d.Missing = m
	d.Missing.Share = d.KnownShare()
}

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

// bounds lists the bounds in the order of boundLevels.
func (m *Missing) bounds() [len(boundLevels)]*Bound {
	return [...]*Bound{&m.P50, &m.P90, &m.P95, &m.P99, &m.Max}
}

// levels are the quantiles of a Dist, boundLevels those that have bounds.
var (
	levels      = [...]float64{0.50, 0.90, 0.95, 0.99}
	boundLevels = [...]float64{0.50, 0.90, 0.95, 0.99, 1}
)

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
