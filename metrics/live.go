package metrics

// live computes LiveSpeed: the speed over about the last second before now
// (before the last chunk, once the stream has ended).
//
//	LiveSpeed = 1000 · tokens after a / max(b − a, now − a − (b − a)/k)
//
// b is the newest chunk. a is the last chunk before the window (the first
// chunk, early on). k is the number of chunks after a. The second term of the
// maximum lowers the needle during a silence, but not between two regular
// chunks. The window is liveWindow, or liveMedians median gaps where that is
// longer.
//
// Tokens are those of the chunks where all of them tell theirs, else chunks
// times TokensPerChunk while the server keeps count; else the figure is in
// chunks per second and LiveIsChunks is set. It is 0 when nothing came within
// the window, and unknown before the second chunk and when everything came in
// one read.
func (f *ingest) live(out *Figures, s *Stream) {
	out.LiveIsChunks = !f.counted.everyMeasured &&
		(out.TokenSource == TokensEstimated || f.textOnly || !out.TokensPerChunk.OK)
	if why := f.noPace(s); why != 0 {
		out.LiveSpeed = Unknown(why)
		return
	}
	newest := s.Chunks[f.prev].At
	now := newest
	if !s.State.Ended() {
		now = s.Now
	}
	window := max(liveWindow, liveMedians*out.Gaps.P50.V)
	tokens, k := 0.0, 0
	oldest := f.first
	for i := f.prev; i > f.first; i-- {
		c := &s.Chunks[i]
		if !f.measures(c) {
			continue
		}
		if age, ok := stampMs(now, c.At); ok && age >= window {
			oldest = i
			break
		}
		// Chunks of the first read arrived before the window began.
		if c.Read == s.Chunks[f.first].Read {
			break
		}
		k++
		tokens += float64(max(c.Tokens, 0))
	}
	if k == 0 {
		out.LiveSpeed = Known(0, 0)
		return
	}
	span, ok := stampMs(newest, s.Chunks[oldest].At)
	age, have := stampMs(now, s.Chunks[oldest].At)
	if have {
		span = max(span, age-span/float64(k))
	}
	if !ok || !(span > 0) {
		out.LiveSpeed = Unknown(WhyOneStamp)
		return
	}
	switch {
	case out.LiveIsChunks:
		tokens = float64(k)
	case !f.counted.everyMeasured:
		tokens = float64(k) * out.TokensPerChunk.V
	}
	out.LiveSpeed = Finite(tokens*1000/span, k)
}
