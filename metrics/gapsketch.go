package metrics

import "math"

// hiddenGrid has a quarter of the bins of sketchGrid, with every fourth edge.
var hiddenGrid = octaves{low: -10, high: 20, per: 16}

const (
	hiddenLen  = (20 + 10) * 16 // of hiddenGrid
	hiddenPart = sketchLen / hiddenLen
)

// GapSketch is a Sketch of the gaps of many streams, of which some are hidden
// inside reads. Its mean is that of all gaps, and its quantiles have bounds
// (Missing) within 5 %. It takes 8 kB, and 4 kB more once a gap is hidden. The
// zero value is empty and ready.
type GapSketch struct {
	Sketch
	sum     gapSum
	unknown int
	first   bool        // some of them are inside the first read of a stream
	hidden  *hiddenBins // nil until one is
}

// hiddenBins are the differences of the two bounds to the known gaps.
type hiddenBins struct {
	zeros     int // gaps of the lower bound
	low, high [hiddenLen]int32
	top       float64 // largest value of the upper bound, ms
}

// Track counts a block as GapTracker.Add returns it: as it is now, and as it
// was at the previous call.
func (g *GapSketch) Track(now, was GapBlock) {
	n := now.Gaps - was.Gaps
	if n <= 0 {
		return
	}
	if !now.First {
		g.sum.ms += now.Ms - was.Ms
		g.sum.n += n
	}
	if was.Gaps == 0 && now.Gap > 0 {
		g.Add(now.Gap)
		was = GapBlock{Ms: now.Gap, Gaps: 1}
		n--
	}
	if n == 0 {
		return
	}
	g.unknown += n
	g.first = g.first || now.First
	g.bins().track(now, was)
}

// track counts the gaps that now has beyond those of was.
func (h *hiddenBins) track(now, was GapBlock) {
	h.zeros += now.Gaps - was.Gaps
	if !now.First {
		if was.Gaps > 0 {
			h.low[hiddenGrid.bin(was.Ms/float64(was.Gaps))]--
		} else {
			h.zeros--
		}
		h.low[hiddenGrid.bin(now.Ms/float64(now.Gaps))]++
	}
	h.top = max(h.top, now.Ms/float64(was.Gaps+1))
	for i := was.Gaps + 1; i <= now.Gaps; i++ {
		if i > mostParts {
			h.high[hiddenGrid.bin(now.Ms/mostParts)] += int32(now.Gaps - i + 1)
			break
		}
		h.high[hiddenGrid.bin(now.Ms/float64(i))]++
	}
}

func (g *GapSketch) bins() *hiddenBins {
	if g.hidden == nil {
		g.hidden = new(hiddenBins)
	}
	return g.hidden
}

// Unknown returns the number of gaps of unknown length.
func (g *GapSketch) Unknown() int { return g.unknown }

// Merge adds the counts of o.
func (g *GapSketch) Merge(o *GapSketch) {
	g.Sketch.Merge(&o.Sketch)
	g.sum.merge(o.sum)
	if o.unknown == 0 {
		return
	}
	g.unknown += o.unknown
	g.first = g.first || o.first
	h := g.bins()
	h.zeros += o.hidden.zeros
	h.top = max(h.top, o.hidden.top)
	for i := range h.low {
		h.low[i] += o.hidden.low[i]
		h.high[i] += o.hidden.high[i]
	}
}

// Reset clears the sketch and keeps its memory.
func (g *GapSketch) Reset() {
	if g.hidden != nil && g.unknown > 0 {
		*g.hidden = hiddenBins{}
	}
	*g = GapSketch{hidden: g.hidden}
}

// Dist describes the gaps; why is the reason when none is known.
func (g *GapSketch) Dist(why Why) Dist {
	d := g.Sketch.Dist(why)
	if g.unknown == 0 || g.n == 0 {
		return d
	}
	d.withMean(&g.sum)
	d.Missing.N, d.Missing.First = g.unknown, g.first
	low := g.rank(g.hidden.zeros, &g.hidden.low, math.Floor)
	high := g.rank(0, &g.hidden.high, math.Ceil)
	top := max(g.max, g.hidden.top)
	for i, b := range d.Missing.bounds() {
		*b = Bound{High: top, OK: true}
		if low[i] >= 0 {
			b.Low = hiddenGrid.edge(low[i])
		}
		if high[i] >= 0 {
			b.High = min(hiddenGrid.edge(high[i]+1), top)
		}
		b.High = max(b.High, b.Low)
	}
	d.Missing.Max.High = top
	return d
}

// rank returns the bin of each of boundLevels among the known gaps with a
// difference, whose ranks round rounds; -1 for a 0.
func (g *GapSketch) rank(zeros int, diff *[hiddenLen]int32, round func(float64) float64) (bins [len(boundLevels)]int) {
	count := func(i int) (n int) {
		for _, c := range g.Sketch.bins[i*hiddenPart : (i+1)*hiddenPart] {
			n += int(c)
		}
		return n + int(diff[i])
	}
	total := zeros
	for i := range diff {
		total += count(i)
	}
	seen, bin := zeros, -1
	for k := range boundLevels {
		for h := round(rankOf(float64(total), k)); float64(seen) <= h && bin+1 < hiddenLen; {
			bin++
			seen += count(bin)
		}
		bins[k] = bin
	}
	return bins
}
