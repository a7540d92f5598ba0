package metrics

// gapAfter returns the gap in ms between prev and c, the chunk after it. It
// is unknown when both arrived in one read, when a stamp is missing, and when
// the stamps do not rise. Two chunks cannot arrive at the same moment. Equal
// stamps mean that clock and kernel could not tell them apart.
func (c *Chunk) gapAfter(prev *Chunk) (ms float64, ok bool) {
	if c.Read == prev.Read {
		return 0, false
	}
	ms, ok = stampMs(c.At, prev.At)
	if !ok || ms <= 0 {
		return 0, false
	}
	return ms, true
}

// Gap returns the gap in ms before chunk i: the time since the chunk before it
// of the same choice. ok is false where it is unknown: for the first chunk,
// inside a burst (both in one read), and where stamps are missing or do not
// rise. It is what Figures.Gaps describes, one by one.
func (s *Stream) Gap(i int) (ms float64, ok bool) {
	for j := i - 1; j >= 0; j-- {
		if s.Chunks[j].Choice == s.Chunks[i].Choice {
			return s.Chunks[i].gapAfter(&s.Chunks[j])
		}
	}
	return 0, false
}

// stampMs returns a − b in ms; ok is false when either is NoStamp. It cannot
// overflow.
func stampMs(a, b Stamp) (ms float64, ok bool) {
	if a == NoStamp || b == NoStamp {
		return 0, false
	}
	if d := a - b; (d > 0) == (a > b) {
		return float64(d) / 1e6, true
	}
	return (float64(a) - float64(b)) / 1e6, true
}
