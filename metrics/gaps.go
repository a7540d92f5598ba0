package metrics

import "slices"

// ChunkGap is the gap before one chunk.
type ChunkGap struct {
	Ms    float64 // 0 when not Known
	Known bool    // false for the first chunk, inside bursts, and where stamps do not rise
	Stall bool
	Burst bool // the chunk arrived in one read with the previous chunk
}

// gaps computes what the gaps between chunks say, in ms.
//
//	gap_i = At_i − At_{i−1}
//
// for consecutive chunks of the measured choice that came in different reads.
// Chunks of one read came together as far as we can know: the gaps between them
// are unknown, counted in GapsUnknown and in no distribution; the gap before
// the burst is that of its first chunk. So the known gaps sum to last − first.
//
//	Longest    the longest gap; LongestChunk is the chunk it ends in
//	Stalls     gaps above StallFactor · median and above StallFloor, in order;
//	           none below MinStallGaps gaps
//	StallCost  what the gaps above the median cost: (last − first) minus the
//	           same number of median gaps, ms
//	Trend      see trend.go
func (m *Meter) gaps(out *Figures, s *Stream) {
	f := &m.ingest
	out.Bursts = f.bursts
	out.GapsUnknown = f.gapsUnknown
	why := noChunk(s)
	switch {
	case f.chunks == 1:
		why = whyOneChunk
	case f.reads == 1:
		why = whyOneRead
	case f.chunks > 1:
		why = whyOneStamp
	}
	out.Gaps = sortedDist(f.gaps, 1, why)
	out.ITL, out.ITLFrom = f.itl.dist(out.TokensPerChunk)
	if out.ITL.N == 0 && out.Gaps.N == 0 {
		out.ITL = emptyDist(why)
	}
	out.Longest, out.StallCost = Unknown(why), Unknown(why)
	if len(f.gaps) > 0 {
		out.Longest, out.LongestChunk = Known(f.longest, len(f.gaps)), f.longestAt
		out.StallCost = Finite(max(0, (out.Gaps.Mean.V-out.Gaps.P50.V)*float64(len(f.gaps))), len(f.gaps))
	}
	out.Trend, out.TrendSure = f.trendOf(out.TokensPerChunk)
	m.stallsOf(out, s)
}

// stallsOf lists the stalls: the gaps that Figures.Gaps' median makes them.
func (m *Meter) stallsOf(out *Figures, s *Stream) {
	f := &m.ingest
	m.stalls = m.stalls[:0]
	if len(f.gaps) < MinStallGaps {
		return
	}
	median := out.Gaps.P50.V
	limit := max(median*StallFactor, StallFloor)
	if f.longest <= limit {
		return
	}
	for _, g := range f.series {
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
	for _, g := range f.series {
		m.perGap[g.chunk] = ChunkGap{Ms: g.ms, Known: true}
	}
	for _, b := range f.bursts {
		for i := b.First + 1; i < b.First+b.Count; i++ {
			m.perGap[i].Burst = s.Chunks[i].Choice == f.choice
		}
	}
	for _, t := range out.Stalls {
		m.perGap[t.Chunk].Stall = true
	}
	out.ChunkGaps = m.perGap
}
