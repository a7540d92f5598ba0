package metrics

import "tokscope/metrics/stats"

// Sketch is the distribution of the gaps, or of the times per token, of many
// streams in fixed memory, see stats.Sketch: ms. Some may be hidden inside reads:
// the mean of gaps is that of all, and the quantiles have bounds (Missing), which
// hold and are at most 1.1 % too far out on each side. The zero value is empty and
// ready.
type Sketch struct {
	of      stats.Sketch
	sum     gapSum
	unknown int
	first   bool // some of them are inside the first read of a stream
}

// Add counts a time of ms > 0; it ignores other values.
func (s *Sketch) Add(ms float64) { s.of.Add(ms, 1) }

// Track counts a block as GapTracker.Add returns it: as it is now, and as it
// was at the previous call.
func (s *Sketch) Track(now, was GapBlock) {
	n := now.Gaps - was.Gaps
	if n <= 0 {
		return
	}
	if !now.First {
		s.sum.ms += now.Ms - was.Ms
		s.sum.n += n
	}
	before := was.part()
	if was.Gaps == 0 && now.Gap > 0 {
		s.Add(now.Gap)
		before = now.known()
		n--
	}
	if n == 0 {
		return
	}
	s.unknown += n
	s.first = s.first || now.First
	s.of.Hide(now.part(), before, 1)
}

// part returns the gaps of b, of which only the sum is known.
func (b *GapBlock) part() stats.Part {
	return stats.Part{Sum: max(b.Ms, 0), N: b.Gaps, AtMost: b.First}
}

// known returns the gap of b that is known; none of the first read is.
func (b *GapBlock) known() stats.Part {
	if b.First || !(b.Gap > 0) {
		return stats.Part{}
	}
	return stats.Part{Sum: b.Gap, N: 1}
}

// N returns the number of counted times.
func (s *Sketch) N() int { return s.of.N() }

// Unknown returns the number of gaps of unknown length.
func (s *Sketch) Unknown() int { return s.unknown }

// Merge adds the counts of o.
func (s *Sketch) Merge(o *Sketch) {
	s.of.Merge(&o.of)
	s.sum.merge(o.sum)
	s.unknown += o.unknown
	s.first = s.first || o.first
}

// Reset clears the sketch and keeps its memory.
func (s *Sketch) Reset() {
	s.of.Reset()
	s.sum, s.unknown, s.first = gapSum{}, 0, false
}

// Dist describes the times; why is the reason when none is known.
func (s *Sketch) Dist(why Why) Dist {
	d := shape{n: s.of.N(), method: stats.SketchMethod}
	if d.n > 0 {
		d.min, d.mean, d.deviation, d.max = s.of.Figures()
		s.of.Quantiles(levels[:], d.q[:])
	}
	out := d.dist(1, why)
	if s.unknown > 0 {
		out.withMean(&s.sum)
		out.lacks(s.missing())
	}
	return out
}

// missing says what the hidden times do to the distribution of all.
func (s *Sketch) missing() Missing {
	m := Missing{N: s.unknown, First: s.first}
	if s.unknown == 0 || s.of.N() == 0 {
		return m
	}
	var low, high [len(boundLevels)]float64
	s.of.Bounds(boundLevels[:], low[:], high[:])
	for i, b := range m.bounds() {
		*b = Bound{Low: low[i], High: high[i], OK: true}
	}
	return m
}

// Histogram resets h and fills it: every bin of the sketch counts at its
// middle.
func (s *Sketch) Histogram(h *Histogram) *Histogram {
	h.Reset()
	s.addTo(h)
	return h
}

// addTo counts the times in h, every bin at its middle.
func (s *Sketch) addTo(h *Histogram) {
	for v, n := range s.of.All() {
		h.add(v, int(n))
	}
}

// Export returns all that s knows: ms and number of the gaps whose sum is known, the number
// of unknown ones, 1 where some of them are in a first read, and what stats.Sketch exports.
func (s *Sketch) Export() []float64 {
	first := 0.0
	if s.first {
		first = 1
	}
	return append([]float64{s.sum.ms, float64(s.sum.n), float64(s.unknown), first}, s.of.Export()...)
}

// Import adds what Export has returned, as Merge does, or reports that no Sketch can be so.
func (s *Sketch) Import(v []float64) bool {
	if len(v) < 4 || min(v[1], v[2]) < 0 || !s.of.Import(v[4:]) {
		return false
	}
	s.sum.merge(gapSum{v[0], int(v[1])})
	s.unknown, s.first = s.unknown+int(v[2]), s.first || v[3] != 0
	return true
}
