package metrics

// Trimmer bounds the memory of ended runs. The first runs keep their chunks
// and text, up to Room bytes. Later ones lose them, and their gaps go into a
// pool of at most 92 kB. Only one goroutine at a time may use a Trimmer.
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
		m := takeMeter()
		t.pool.add(m, r)
		putMeter(m)
	}
	s.Chunks, s.Text, f.Bursts = nil, nil, nil
}

// gapPool joins the gaps and the times per token of runs that ended well, but for
// answers that came at once.
type gapPool struct{ gaps, tokens Sketch }

// add takes those of r, whose chunks it follows with m.
func (p *gapPool) add(m *Meter, r *Run) {
	if r.Figures.AtOnce() {
		return
	}
	m.n = 0 // runs of different sessions may share an ID
	m.follow(&r.Stream, Paces[0])
	m.ingest.gaps.addTo(&p.gaps)
	x, scale, from := m.ingest.itl.sample(r.Figures.TokensPerChunk)
	m.ingest.itl.addTo(&p.tokens, x, scale, from)
}

func (p *gapPool) merge(o *gapPool) {
	p.gaps.Merge(&o.gaps)
	p.tokens.Merge(&o.tokens)
}

func (p *gapPool) reset() {
	p.gaps.Reset()
	p.tokens.Reset()
}
