package metrics

import "slices"

// ChunkGap is the gap before one chunk.
type ChunkGap struct {
	Ms    float64 // 0 when not Known
	Known bool    // false for the first chunk, inside bursts, and where stamps do not rise
	Stall bool
	Burst bool // the chunk arrived in one read with the previous chunk
}

// gaps computes the figures of the gaps between chunks, in ms.
//
//	gap_i = At_i − At_{i−1}
//
// for consecutive chunks of the measured choice that arrived in different
// reads. Gaps between chunks of one read are unknown. They are counted in
// GapsUnknown and enter no distribution. The gap before a burst is the one
// before its first chunk. So the known gaps sum to last − first.
//
//	Longest    the longest gap; LongestChunk is the chunk at its end
//	Stalls     gaps above StallFactor · median and above StallFloor, in order;
//	           empty below MinStallGaps gaps
//	StallCost  cost of uneven gaps, at least 0: (last − first) minus the
//	           same number of median gaps, ms
//	Trend      see trend.go
func (m *Meter) gaps(out *Figures, s *Stream) {
	f := &m.ingest
	out.Bursts = f.reads.bursts
	out.GapsUnknown = f.gaps.unknown
	why := noChunk(s)
	switch {
	case f.chunks == 1:
		why = WhyOneChunk
	case f.reads.n == 1:
		why = WhyOneRead
	case f.chunks > 1:
		why = WhyOneStamp
	}
	out.Gaps = sortedDist(f.gaps.sorted, 1, why)
	out.ITL, out.ITLFrom = f.itl.dist(out.TokensPerChunk)
	if out.ITL.N == 0 && out.Gaps.N == 0 {
		out.ITL = emptyDist(why)
	}
	out.Longest, out.StallCost = Unknown(why), Unknown(why)
	if len(f.gaps.sorted) > 0 {
		out.Longest, out.LongestChunk = Known(f.gaps.longest, len(f.gaps.sorted)), f.gaps.longestAt
		out.StallCost = Finite(max(0, (out.Gaps.Mean.V-out.Gaps.P50.V)*float64(len(f.gaps.sorted))), len(f.gaps.sorted))
	}
	out.Trend, out.TrendSure = f.trendOf(out.TokensPerChunk)
	m.stallsOf(out, s)
}

// stallsOf lists the stalls, judged by the median of Figures.Gaps.
func (m *Meter) stallsOf(out *Figures, s *Stream) {
	f := &m.ingest
	m.stalls = m.stalls[:0]
	if len(f.gaps.sorted) < MinStallGaps {
		return
	}
	median := out.Gaps.P50.V
	limit := max(median*StallFactor, StallFloor)
	if f.gaps.longest <= limit {
		return
	}
	for _, g := range f.gaps.series {
		if g.ms > limit {
			m.stalls = append(m.stalls, Stall{Chunk: g.chunk, At: s.Chunks[g.chunk].At, Ms: g.ms, Factor: g.ms / median})
		}
	}
	out.Stalls = m.stalls
}

// chunkGaps fills Figures.ChunkGaps.
func (m *Meter) chunkGaps(out *Figures, s *Stream) {
	f := &m.ingest
	m.perGap = slices.Grow(m.perGap[:0], len(s.Chunks))[:len(s.Chunks)]
	clear(m.perGap)
	for _, g := range f.gaps.series {
		m.perGap[g.chunk] = ChunkGap{Ms: g.ms, Known: true}
	}
	for _, b := range f.reads.bursts {
		for i := b.First + 1; i < b.First+b.Count; i++ {
			m.perGap[i].Burst = s.Chunks[i].Choice == f.choice
		}
	}
	for _, t := range out.Stalls {
		m.perGap[t.Chunk].Stall = true
	}
	out.ChunkGaps = m.perGap
}
