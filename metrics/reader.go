package metrics

import "unicode/utf8"

// Reading is the position of a reader of constant speed in the visible text
// of a stream at one moment.
type Reading struct {
	// Begun: visible text has arrived, and the reader reads.
	Begun bool
	// Offset is the byte of Stream.Text at which the reader's current word
	// begins. It is the end of the visible text when all of it is read.
	Offset int
	// WordEnd is the end of that word: Text[Offset:WordEnd]. It is Offset when
	// the reader waits.
	WordEnd int
	// Words is the number of words read, Lead the number that have arrived
	// beyond them.
	Words, Lead float64
	// Waiting: all arrived text is read and the stream goes on.
	Waiting bool
	// Done: the stream has ended and all of it is read.
	Done bool
	// Waited is the time in ms the reader has waited for the stream since the
	// first visible chunk. It is also the head start that would have avoided
	// all waiting so far.
	Waited float64
}

// Reader simulates a person who reads the stream as it arrives. Follow passes
// it snapshots of a growing stream, at any rate, and it looks only at new
// chunks. It restarts when it receives another stream or pace, or an earlier
// moment. The zero Reader is ready. One goroutine at a time.
//
// The reader begins with the first visible chunk, takes 60/WPM seconds per
// word, and waits when no word is left. A word can be read as soon as its
// first character has arrived.
type Reader struct {
	id   int
	pace Pace
	now  Stamp
	head Chunk

	arrived wordCounter // over the arrived chunks
	next    int         // first chunk not looked at
	queue   []readerChunk
	at      int // queue index of the chunk that is being read
	choice  uint8

	// The chunk being read: from start to end on the reader's clock (ms since
	// the first visible chunk), holding words.
	begun      bool
	origin     Stamp
	start, end float64
	before     float64 // words before it
	waited     float64

	// The current position in the text.
	read   wordCounter
	cursor readerCursor
}

// readerChunk is a visible chunk: its arrival, the words up to its end, and
// the bounds of its text.
type readerChunk struct {
	t          float64
	words      float64
	begin, end int
}

// readerCursor is a byte within the text of a chunk of the queue.
type readerCursor struct{ chunk, offset int }

// Follow ingests the next snapshot and returns the reader's position at
// s.Now. A pace without a speed means Paces[0].
func (r *Reader) Follow(s *Stream, p Pace) Reading {
	p = p.orDefault()
	same := r.id == s.ID && r.pace == p && r.now <= s.Now && r.next > 0 && r.next <= len(s.Chunks) && r.head == s.Chunks[0]
	if !same {
		*r = Reader{id: s.ID, pace: p, queue: r.queue[:0], origin: NoStamp}
	}
	r.now = s.Now
	r.arrive(s)
	if !r.begun {
		return Reading{}
	}
	now, ok := stampMs(s.Now, r.origin)
	if !ok {
		now = r.start
	}
	for r.end <= now && r.at+1 < len(r.queue) {
		r.open(r.at + 1)
	}
	return r.reading(s, now)
}

// arrive queues the new visible chunks.
func (r *Reader) arrive(s *Stream) {
	if len(s.Chunks) == 0 {
		return
	}
	if r.next == 0 {
		r.head = s.Chunks[0]
		r.choice = firstChoice(s)
	}
	for ; r.next < len(s.Chunks); r.next++ {
		c := &s.Chunks[r.next]
		text := s.ChunkText(r.next)
		if c.Held && c.Kind.Visible() && c.Choice == r.choice && !r.origin.Known() {
			r.origin = c.At
		}
		if !c.Kind.Visible() || c.Choice != r.choice || len(text) == 0 {
			continue
		}
		r.arrived.add(text)
		if !r.origin.Known() {
			r.origin = c.At
		}
		t, ok := stampMs(c.At, r.origin)
		if n := len(r.queue); !ok && n > 0 {
			t = r.queue[n-1].t
		}
		begin := min(max(int(c.TextEnd), 0), len(s.Text)) - len(text)
		r.queue = append(r.queue, readerChunk{t, r.arrived.words(), max(begin, 0), max(begin, 0) + len(text)})
	}
	if !r.begun && len(r.queue) > 0 {
		r.begun = true
		r.open(0)
	}
}

// firstChoice returns the measured choice, the choice of the first chunk that
// counts.
func firstChoice(s *Stream) uint8 {
	for i := range s.Chunks {
		if s.Counts(i) {
			return s.Chunks[i].Choice
		}
	}
	return s.Chunks[0].Choice
}

// open starts reading chunk i of the queue.
func (r *Reader) open(i int) {
	c := &r.queue[i]
	if i > 0 {
		r.waited += max(0, c.t-r.end)
		r.before = r.queue[i-1].words
	}
	r.at = i
	r.start = max(c.t, r.end)
	r.end = r.start + (c.words-r.before)*60_000/r.pace.WPM
}

func (r *Reader) reading(s *Stream, now float64) Reading {
	out := Reading{Begun: true, Waited: r.waited}
	all := r.queue[len(r.queue)-1].words
	out.Words = r.queue[r.at].words
	if now < r.end {
		out.Words = r.before + max(0, now-r.start)*r.pace.WPM/60_000
	} else {
		out.Done = s.State.Ended()
		out.Waiting = !out.Done
		if out.Waiting {
			out.Waited += now - r.end
		}
	}
	out.Lead = max(0, all-out.Words)
	out.Offset, out.WordEnd = r.seek(s, out.Words, now >= r.end)
	return out
}

// seek moves the cursor to the word that follows the first words and returns
// its bounds. With all set, it moves to the end of the text.
func (r *Reader) seek(s *Stream, words float64, all bool) (begin, end int) {
	var step wordCounter
	for {
		step = r.read
		next, ok := r.cursor.next(s, r.queue, &step)
		if !ok {
			break
		}
		// The character that raises the count above words begins the reader's
		// current word.
		if !all && step.words() > words+1e-9 {
			return r.place(s, step, next)
		}
		r.read, r.cursor = step, next
	}
	at := r.queue[len(r.queue)-1].end
	return at, at
}

// place returns the bounds of the word whose first letter lies between the
// cursor and next.
func (r *Reader) place(s *Stream, step wordCounter, next readerCursor) (begin, end int) {
	begin = r.cursor.place(r.queue)
	end = next.place(r.queue)
	// The search ends with the chunk: the rest of a long word in another chunk
	// does not justify a search.
	c := &r.queue[next.chunk]
	for end < c.end && step.inRun {
		was := step
		n := advance(&step, s.Text[end:c.end])
		if !step.inRun || step.words() != was.words() {
			break
		}
		end += n
	}
	return begin, end
}

// next counts the next character and returns the cursor after it.
func (c readerCursor) next(s *Stream, queue []readerChunk, count *wordCounter) (readerCursor, bool) {
	for c.chunk < len(queue) {
		q := &queue[c.chunk]
		if q.begin+c.offset < q.end {
			c.offset += advance(count, s.Text[q.begin+c.offset:q.end])
			return c, true
		}
		if c.chunk+1 == len(queue) {
			return c, false
		}
		c = readerCursor{c.chunk + 1, 0}
	}
	return c, false
}

// place returns the byte of the text at which the next character begins.
func (c readerCursor) place(queue []readerChunk) int {
	q := &queue[c.chunk]
	if q.begin+c.offset == q.end && c.chunk+1 < len(queue) {
		return queue[c.chunk+1].begin
	}
	return q.begin + c.offset
}

// advance counts the first character of text and returns its length.
func advance(count *wordCounter, text []byte) int {
	n := 1
	if utf8.FullRune(text) {
		_, n = utf8.DecodeRune(text)
	} else {
		n = len(text)
	}
	count.add(text[:n])
	return n
}
