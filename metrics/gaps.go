package metrics

import (
	"cmp"
	"math"
	"slices"
)

// gaps computes the figures of the gaps between chunks, in ms.
//
//	gap_i = At_i − At_{i−1}
//
// for consecutive chunks of the measured choice that arrived in different
// reads. Gaps between chunks of one read are unknown. They are counted in
// GapsUnknown and enter no distribution. The gap before a burst is the one
// before its first chunk. So the known gaps sum to last − first, and
//
//	mean = (last − first) / gaps, those inside reads included
//
// after the first read. It is the mean of all gaps, and can be smaller than the
// shortest known one. Quantiles are those of the known gaps; Dist.Missing says
// how far the others could move them.
//
//	Longest    the longest gap; LongestChunk is the chunk at its end
//	Stalls     gaps above StallFactor · median and above StallFloor, in order;
//	           empty below MinStallGaps gaps
//	StallCost  how much longer the stalls that are not Made took than as many
//	           median gaps, ms; 0 without one, unknown below MinStallGaps gaps
//	StallShare StallCost / (last − first)
//	LongGaps   known gaps longer than LongGap
//	Trend      see trend.go
func (m *Meter) gaps(out *Figures, s *Stream) {
	f := &m.ingest
	out.Bursts = f.reads.bursts
	out.GapsUnknown = f.gaps.unknown
	why := cmp.Or(f.noPace(s), WhyOneStamp)
	out.Gaps = sortedDist(f.gaps.sorted, 1, why)
	out.ITL, out.ITLFrom = f.itl.dist(out.TokensPerChunk)
	if out.ITL.N == 0 && out.Gaps.N == 0 {
		out.ITL = emptyDist(why)
	}
	out.Longest, out.StallCost, out.StallShare, out.LongGaps = Unknown(why), Unknown(why), Unknown(why), Unknown(why)
	if n := len(f.gaps.sorted); n > 0 {
		out.Longest, out.LongestChunk = Known(f.gaps.longest, n), f.gaps.longestAt
		out.StallCost, out.StallShare = Unknown(Needs(MinStallGaps)), Unknown(Needs(MinStallGaps))
		if n >= MinStallGaps {
			out.StallCost, out.StallShare = Known(0, n), Known(0, n)
		}
		at, _ := slices.BinarySearch(f.gaps.sorted, math.Nextafter(LongGap, math.Inf(1)))
		out.LongGaps = Known(float64(n-at), n)
	}
	m.missing(out)
	k := &f.stamps
	out.Delay = delayOf(&s.Observer, k.kernel > 0, k.user > 0, latenessOf(&k.lag), &out.Gaps)
	if out.Delay.Code == "" {
		out.Delay = f.joined(&s.Observer, &out.Gaps)
	}
	out.Delay.trust(&out.Gaps, &out.ITL)
	out.Trend, out.TrendSure = f.trendOf(out.TokensPerChunk)
	out.TrendSure = out.TrendSure && out.Delay.Code == "" // late reads lengthen the known gaps
	m.stallsOf(out, s)
}

// joined is the delay of a stream most of which came in one read, where this program may
// have been the reason: it stood still for LagShare of the time before. The kernel's stamp
// of such a read is that of its last bytes, so it hides how late the others were read.
func (f *ingest) joined(o *Observer, gaps *Dist) (d Delay) {
	k := &f.stamps
	late := max(ms(o.LateMax), latenessOf(&k.lag).max)
	if !f.reads.mostly(f.chunks) || f.reads.mostAfter <= 0 || late < max(lateFloor, LagShare*f.reads.mostAfter) {
		return d
	}
	d = Delay{Code: DelayReads, P99: late, Max: late, Shared: float64(f.reads.shared) / float64(f.chunks-1)}
	switch {
	case k.kernel == 0:
		d.Code = DelayStamps
	case k.user > 0:
		d.Code = DelayMixed
	default:
		d.First = f.reads.n == 1 || gaps.Missing.First
	}
	return d
}

// noPace says why the measured chunks have no gap and no pace, 0 where they may.
func (f *ingest) noPace(s *Stream) Why {
	switch {
	case f.chunks == 0:
		return f.noChunk(s)
	case f.chunks == 1:
		return WhyOneChunk
	case s.Tool != nil && !(f.moments.first.Known() && f.moments.last.Known()):
		return WhyNotRecorded
	case f.reads.n == 1:
		return WhyOneRead
	}
	return 0
}

// missing says what the gaps inside reads do to the distributions. Call it
// after what is computed from the known gaps alone.
func (m *Meter) missing(out *Figures) {
	f := &m.ingest
	if f.gaps.unknown == 0 || out.Gaps.N == 0 {
		return
	}
	if m.hidden == nil {
		m.hidden = new(gapPool)
	}
	m.hidden.reset()
	f.gaps.addTo(&m.hidden.gaps)
	out.Gaps.withMean(&m.hidden.gaps.sum)
	out.Gaps.lacks(m.hidden.gaps.missing())
	if x, scale, from := f.itl.sample(out.TokensPerChunk); out.ITL.N > 0 {
		f.itl.addTo(&m.hidden.tokens, x, 1, from) // weights of the sample, as those of ITL
		out.ITL.lacks(m.hidden.tokens.missing())
		for _, b := range out.ITL.Missing.bounds() {
			b.Low, b.High = b.Low*scale, b.High*scale
		}
	}
}

// withMean replaces the mean of the known gaps by that of all.
func (d *Dist) withMean(sum *gapSum) {
	if mean := sum.mean(); mean.OK && d.N > 0 {
		d.Mean = mean
	}
}

// stallsOf lists the stalls, judged by the median of Figures.Gaps. While reads
// are late (DelayReads), a gap before a burst counts as its share of the read. A
// silence whose end brought an image or what was made meanwhile is none, see made. It
// stays one where the network is known to have caused it, and costs nothing.
func (m *Meter) stallsOf(out *Figures, s *Stream) {
	f := &m.ingest
	m.stalls, m.withheld = m.stalls[:0], Suspicion{}
	if len(f.gaps.sorted) < MinStallGaps {
		m.withheld = f.silence(out, s)
		return
	}
	median, decode := out.Gaps.P50.V, 0.0
	limit := max(median*StallFactor, StallFloor)
	if f.gaps.longest <= limit {
		return
	}
	bursts, cost, held := f.reads.bursts, 0.0, 0
	for _, g := range f.gaps.series {
		decode += g.ms
		if g.ms <= limit || s.Chunks[g.chunk].Kind == Image {
			continue
		}
		for len(bursts) > 0 && bursts[0].First < g.chunk {
			bursts = bursts[1:]
		}
		// A late read joins gaps: only the mean of them was surely waited for.
		if out.Delay.Code == DelayReads && len(bursts) > 0 && bursts[0].First == g.chunk &&
			g.ms/float64(bursts[0].Count) <= limit {
			continue
		}
		brought, allowed := f.made(out, s, g)
		made := brought > 0
		if made && !s.Path.heldByLoss(g.ms) {
			held++
			if g.ms > m.withheld.Ms {
				m.withheld = f.withheld(out, s, g.chunk, brought, g.ms)
				if brought > paceMost*allowed {
					m.withheld.Ratio = 0
				}
			}
			continue
		}
		m.stalls = append(m.stalls,
			Stall{Chunk: g.chunk, At: s.Chunks[g.chunk].At, Ms: g.ms, Factor: g.ms / median, Made: made})
		if !made {
			cost += g.ms - median
		}
	}
	if m.withheld.Of = held; held == 1 { // no longest of several
		m.withheld.Of = 0
	}
	if n := out.StallCost.N; cost > 0 {
		out.StallCost, out.StallShare = Finite(cost, n), Finite(cost/decode, n)
	}
	out.Stalls = m.stalls
}
