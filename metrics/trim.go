package metrics

// TrimMethod names the method of the pooled quantiles of a Summary when
// chunks of a run were dropped.
const TrimMethod = "log bins, 64 an octave, at their means (within 1.1 %)"

// Trimmer bounds the memory of ended runs. The first runs keep their chunks
// and text, up to Room bytes. Later ones lose them, and their gaps go into a
// pool of at most 64 kB for each distribution. Only one goroutine at a time
// may use a Trimmer.
type Trimmer struct {
	Room int // bytes of chunks and text
	used int
	pool *gapPool
}

// Trimmed describes what a run has lost. All its figures stay.
type Trimmed struct {
	Chunks int   // dropped
	Text   int   // dropped bytes of text
	Bursts int   // their number: Figures.Bursts is dropped
	Last   Stamp // arrival of the last chunk; NoStamp without one
	pool   *gapPool
}

// chunkBytes is the size of a Chunk.
const chunkBytes = 40

// Size returns the bytes of the run's chunks, text and bursts.
func (r *Run) Size() int {
	return cap(r.Stream.Chunks)*chunkBytes + cap(r.Stream.Text) + 16*cap(r.Figures.Bursts)
}

// Add takes an ended run and drops its chunks and its text when Room is used
// up. Summarize still knows its gaps.
func (t *Trimmer) Add(r *Run) {
	s, f := &r.Stream, &r.Figures
	size := r.Size()
	if t.used+size <= t.Room {
		t.used += size
		return
	}
	if t.pool == nil {
		t.pool = &gapPool{}
	}
	r.Trimmed = &Trimmed{Chunks: len(s.Chunks), Text: len(s.Text), Bursts: len(f.Bursts), Last: NoStamp, pool: t.pool}
	if n := len(s.Chunks); n > 0 {
		r.Trimmed.Last = s.Chunks[n-1].At
	}
	if s.State == Done {
		t.pool.add(r)
	}
	s.Chunks, s.Text, f.Bursts = nil, nil, nil
}

// gapPool holds the gaps of trimmed runs that ended well, ascending: one
// value for each bin, and the extremes.
type gapPool struct {
	gaps, tokens   []weighted
	nGaps, nTokens int // measurements
	unknown        int
	scratch        []weighted

	sum                   gapSum
	first                 bool // as of hiddenGaps
	unknownTokens         int
	bounded               bool       // the rest is in use: some run had unknown gaps
	gapsLow, gapsHigh     []weighted // the samples of their bounds
	tokensLow, tokensHigh []weighted
	joined                []weighted // scratch of bound
}

// add ingests the chunks of r.
func (p *gapPool) add(r *Run) {
	m := takeMeter()
	defer putMeter(m)
	m.n = 0
	m.follow(&r.Stream, Paces[0])
	p.unknown += m.ingest.gaps.unknown
	list, scale, from := m.ingest.itl.sample(r.Figures.TokensPerChunk)
	var hidden hiddenGaps
	hidden.add(&m.ingest, scale, from)
	p.sum.merge(hidden.sum)
	p.first = p.first || hidden.first
	p.unknownTokens += hidden.unknownTokens
	p.scratch = p.scratch[:0]
	for _, e := range list {
		p.scratch = append(p.scratch, weighted{e.v * scale, e.w / scale})
	}
	known := m.ingest.gaps.sorted
	if p.unknown > 0 {
		p.bound(&hidden, floats(known), sample{list: p.scratch})
	}
	p.nTokens += len(p.scratch)
	p.tokens = condense(mergeSorted(p.tokens, condense(p.scratch), lessWeighted))
	p.scratch = p.scratch[:0]
	for _, v := range known {
		p.scratch = append(p.scratch, weighted{v, 1})
	}
	p.nGaps += len(known)
	p.gaps = condense(mergeSorted(p.gaps, condense(p.scratch), lessWeighted))
	if cap(p.scratch) > keptScratch {
		p.scratch = nil
	}
	if cap(p.joined) > keptScratch {
		p.joined = nil
	}
}

// keptScratch is the largest scratch list that a gapPool reuses.
const keptScratch = 1 << 14

// condense joins, in place, the values of the ascending x that share a bin of
// sketchGrid, at their mean. Smallest and largest stay as they are.
func condense(x []weighted) []weighted {
	if len(x) < 3 {
		return x
	}
	last := x[len(x)-1]
	out, bin := x[:1], -1
	for _, e := range x[1 : len(x)-1] {
		b := sketchGrid.bin(e.v)
		if b != bin {
			out, bin = append(out, e), b
			continue
		}
		g := &out[len(out)-1]
		g.v += (e.v - g.v) * (e.w / (g.w + e.w))
		g.w += e.w
	}
	return append(out, last)
}

// poolTrimmed joins the gaps of all runs when some were trimmed, into pools. gaps
// and tokens are those of the other runs; total has their bounds.
func (s *Summary) poolTrimmed(pools []*gapPool, gaps, tokens *pooled, observations int, total *gapPool) {
	nGaps := gaps.len()
	var condensed, condensedTokens []weighted
	for _, p := range pools {
		s.GapsUnknown += p.unknown
	}
	for _, p := range pools {
		condensed, condensedTokens = mergeSorted(condensed, p.gaps,
			lessWeighted), mergeSorted(condensedTokens, p.tokens, lessWeighted)
		if s.GapsUnknown > 0 {
			total.merge(p)
		}
		nGaps, observations = nGaps+p.nGaps, observations+p.nTokens
	}
	gaps.sort()
	tokens.sort()
	s.Gaps = partsDist(gaps.parts(condensed), 1, nGaps, WhyNoGap)
	s.ITL = partsDist(tokens.parts(condensedTokens), 1, observations, WhyNoGap)
	s.Gaps.Method, s.ITL.Method = TrimMethod, TrimMethod
	if s.GapsUnknown > 0 {
		s.Gaps.withMean(&total.sum)
		s.Gaps.Missing = boundsOf(s.GapsUnknown, total.gapsLow, total.gapsHigh)
		s.Gaps.Missing.First = total.first
		s.ITL.Missing = boundsOf(total.unknownTokens, total.tokensLow, total.tokensHigh)
	}
}
