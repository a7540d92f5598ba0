package client

import (
	"cmp"
	"context"
	"mime"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/probe/dialect"
	"tokscope/probe/sse"
)

// Stream is the live record of one request, guarded by its own lock. Ingest
// writes it; any goroutine may take a Snapshot. Once Done is closed it never
// changes.
type Stream struct {
	id     int
	engine *Engine
	cancel context.CancelCauseFunc
	done   chan struct{}
	// release frees the engine's resources of the running request. It is called
	// once, after the end.
	release      func()
	unobserved   bool // no sink hears of it
	reportsQueue bool // the server was asked to tell of its queue, and is one that does

	mu         sync.Mutex
	v          metrics.Stream   // Chunks and Text only ever grow; a snapshot shares them
	packs      bool             // see pack
	packed     request.Chunks   // the chunks before v.Chunks
	current    *attempt         // the attempt that runs; nil before the first and after the end
	jitterFrom metrics.Stamp    // begin of the observer's watch
	onEnd      []func()         // see OnEnd
	ended      bool             // done is closed
	figures    *metrics.Figures // of the final record at the default pace; nil: not computed
	shown      bool             // a snapshot shares v.Server
	sent       *sending         // the last attempt's; nil before the first

	// Owned by the ingest goroutine.
	asm   sse.Assembler
	dec   *dialect.Decoder
	out   *dialect.Out // nil until it is needed or lent, see workspace
	usage []byte       // the server's last usage object
	joins joins        // keys split over chunks
	// unread is the start of the first event without a chunk, while none had one. It
	// is bare if it has a role, an end or a count only.
	unread string
	bare   bool

	contentType string    // of the response
	raw         [9]string // names in the server's spelling, see name
	emit        func(sse.Event)

	audience audience
}

// ID returns the stream's number within its engine, from 1.
func (s *Stream) ID() int { return s.id }

// Done returns a channel that is closed once the stream has ended and its
// figures are final.
func (s *Stream) Done() <-chan struct{} { return s.done }

// OnEnd calls f after the end, soon if that was before, on a goroutine that ends
// other streams too: f must not wait for one. It is for callers with so many streams
// that a stack waiting for each would count.
func (s *Stream) OnEnd(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		s.engine.enders.follow(f)
		return
	}
	s.onEnd = append(s.onEnd, f)
}

// announceEnd closes Done: the record is final.
func (s *Stream) announceEnd() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.done)
	for _, f := range s.onEnd {
		s.engine.enders.follow(f)
	}
	s.ended, s.onEnd = true, nil
}

// Cancel ends the request and keeps all arrived chunks. It returns at once.
func (s *Stream) Cancel() { s.cancel(errCancelled) }

// Snapshot returns an immutable view of the stream as it is now. It copies a
// struct and shares the chunks and the text, so its cost does not depend on
// their number, but for those that are packed.
func (s *Stream) Snapshot() metrics.Stream {
	s.mu.Lock()
	v, packed := s.v, s.packed
	a := s.current
	s.shown = true
	if s.packs {
		v.Chunks = slices.Clone(v.Chunks)
	}
	s.mu.Unlock()
	if packed.Len() > 0 {
		v.Chunks = packed.Before(v.Chunks)
	}
	// An append must not write into the memory that a snapshot shares.
	v.Chunks = v.Chunks[:len(v.Chunks):len(v.Chunks)]
	v.Text = v.Text[:len(v.Text):len(v.Text)]
	v.Server = v.Server[:len(v.Server):len(v.Server)]
	v.Now = s.engine.clock.Now()
	if a != nil {
		a.into(&v)
		v.State = a.reached(v.State)
		v.DataDeadline, v.DataBound = a.capture.Deadline()
	}
	return v
}

// SetUsual sets what later snapshots have as Usual.
func (s *Stream) SetUsual(u *metrics.Usual) {
	s.mu.Lock()
	s.v.Usual = u
	s.mu.Unlock()
}

// Peek sets in v what the stream has brought: ID, State, Now, Queue, Text and Chunks are
// those of a Snapshot, but for the first chunks: it returns how many are left out, need, or
// more where more are packed. Chunks are in the memory that v had for them. It leaves the
// rest of v as it is. It costs a fraction of a snapshot: for those who look at a thousand
// streams thirty times a second.
func (s *Stream) Peek(v *metrics.Stream, need int) (from int) {
	s.mu.Lock()
	packed := s.packed.Len()
	from = max(packed, min(need, packed+len(s.v.Chunks)))
	v.ID, v.State, v.Queue, v.Text = s.id, s.v.State, s.v.Queue, s.v.Text
	v.Chunks = append(v.Chunks[:0], s.v.Chunks[from-packed:]...)
	if s.current != nil {
		v.State = s.current.reached(v.State)
	}
	s.mu.Unlock()
	v.Text = v.Text[:len(v.Text):len(v.Text)]
	v.Now = s.engine.clock.Now()
	return from
}

// What a long stream of a load keeps as it is: at least packTail chunks, for those who look
// at what is new, and about packAt. packRoom has what a round brings.
const packTail, packAt, packRoom = 32, 64, 80

// pack keeps most chunks of a long stream in a quarter of the memory, or all of an ended
// one, if s.packs: a thousand users of a load hold their requests at once, and few of these
// are ever opened. Nobody else may hold the memory of s.v.Chunks then. s.mu is held.
func (s *Stream) pack(all bool) {
	n := len(s.v.Chunks)
	if !s.packs || n < packAt && (!all || s.packed.Len() == 0) {
		return
	}
	if all {
		s.packed.Add(s.v.Chunks)
		s.packed.Trim()
		s.v.Chunks = nil
		return
	}
	s.packed.Add(s.v.Chunks[:n-packTail])
	tail, room := s.v.Chunks[n-packTail:], s.v.Chunks[:0]
	if cap(room) > 4*packRoom { // much came at once
		room = make([]metrics.Chunk, 0, packRoom)
	}
	s.v.Chunks = append(room, tail...)
}

// begins makes a the current attempt.
func (s *Stream) begins(a *attempt, dec *dialect.Decoder) {
	s.mu.Lock()
	s.current = a
	s.v.State, s.v.Queue = metrics.Connecting, metrics.QueueUntold
	s.dec, s.asm, s.joins = dec, sse.Assembler{Bare: a.bare}, joins{}
	s.mu.Unlock()
	s.engine.changed()
}

// attempts reports whether a is the current attempt.
func (s *Stream) attempts(a *attempt) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current == a
}

// asking marks the start of discovery, before the request.
func (s *Stream) asking() {
	s.mu.Lock()
	s.v.Asking = true
	s.mu.Unlock()
	s.engine.changed()
}

// begin marks the start of the request, now; e is its endpoint if that was
// found.
func (s *Stream) begin(e metrics.Endpoint, found bool) {
	s.mu.Lock()
	if found {
		s.v.Endpoint = s.engine.shown(e)
	}
	if s.v.Asking {
		s.v.Asking, s.v.Marks.Start, s.v.Wall = false, s.engine.clock.Now(), time.Now()
	}
	s.mu.Unlock()
}

// note adds a sentence that qualifies the figures.
func (s *Stream) note(n metrics.Note) {
	s.mu.Lock()
	s.addNote(n)
	s.mu.Unlock()
	s.engine.changed()
}

// addNote keeps one note of each code: s.mu is held.
func (s *Stream) addNote(n metrics.Note) {
	if slices.ContainsFunc(s.v.Notes, func(have metrics.Note) bool { return have.Code == n.Code }) {
		return
	}
	n.Text = s.engine.scrub.String(n.Text)
	// Snapshots share the old slice, so it is copied, not appended to.
	s.v.Notes = append(append([]metrics.Note(nil), s.v.Notes...), n)
}

// ingest takes one decoded event into the record: s.mu is held. It allocates
// only when a slice must grow.
//
// It returns the number of chunks the event made.
func (s *Stream) ingest(ev *sse.Event, out *dialect.Out) int {
	v := &s.v
	if out.Comment {
		v.Comments++
		v.LastComment = ev.At
		if s.reportsQueue {
			s.ingestQueue(ev.Data)
		}
		if !v.Marks.FirstComment.Known() {
			v.Marks.FirstComment = ev.At
		}
		return 0
	}
	index := v.Events
	v.Events++
	v.LastData = ev.At
	if !v.Marks.FirstEvent.Known() {
		v.Marks.FirstEvent = ev.At
		s.noteType(ev.At)
	}
	if out.Choices && !v.Marks.FirstRole.Known() {
		v.Marks.FirstRole = ev.At
	}
	if v.AudioBytes == 0 && out.AudioBytes > 0 {
		v.Marks.FirstAudio = ev.At
	}
	v.AudioBytes += int64(out.AudioBytes)
	v.Images, v.ImageBytes = v.Images+out.Images, v.ImageBytes+int64(out.ImageBytes)
	if out.Blank && len(v.Blanks) < metrics.MostBlanks {
		v.Blanks = append(v.Blanks, metrics.Blank{At: ev.At, Event: int32(index)})
	}
	s.joins.joined = false
	if out.Begins {
		v.Others = s.packed.Len() + len(v.Chunks)
	}
	for i := range out.Deltas {
		d := &out.Deltas[i]
		name, held := s.addText(d)
		v.Chunks = append(v.Chunks, metrics.Chunk{
			At: ev.At, User: ev.User, Read: ev.Read, Event: int32(index), Bytes: ev.Bytes,
			TextEnd: int32(len(v.Text)), Tokens: d.Tokens, Choice: d.Choice,
			Kind: d.Kind, Kernel: ev.Kernel, Held: held || d.Held, Name: name,
		})
	}
	if len(out.Deltas) > 0 && v.State != metrics.Decoding {
		v.State, s.unread = metrics.Decoding, ""
	}
	if len(v.Chunks) == 0 {
		s.keepUnread(ev, out)
	}
	if out.Usage != nil { // a count that the decoder gives after the end is of no event
		v.Marks.LastUsage = ev.At
	}
	s.foldRest(ev.At, out)
	return len(out.Deltas)
}

// noteType adds a note where a stream of events has another content type than that
// of events: s.mu is held.
func (s *Stream) noteType(at metrics.Stamp) {
	const usual, longest = "text/event-stream", 60
	if s.current != nil && s.current.bare { // lines and arrays have types of their own
		return
	}
	if kind, _, _ := mime.ParseMediaType(s.contentType); kind != usual && s.contentType != "" {
		s.addNote(metrics.Note{At: at, Code: "content_type", Text: "the stream came as " +
			cmp.Or(kind[:min(len(kind), longest)], "another type") + ", not as " + usual + ": some clients refuse it"})
	}
}

// keepUnread keeps the start of an event without a chunk, the first that says
// something of its own: s.mu is held.
func (s *Stream) keepUnread(ev *sse.Event, out *dialect.Out) {
	bare := out.Role || out.Blank || out.Done || out.Finish != "" || out.Usage != nil
	if s.unread == "" || s.bare && !bare {
		s.unread, s.bare = dialect.BodyStart(ev.Data), bare
	}
}

// ingestQueue takes what the embedded endpoint says of its queue: s.mu is held.
func (s *Stream) ingestQueue(word []byte) {
	switch {
	case string(word) == "waiting" && s.v.Queue == metrics.QueueUntold:
		s.v.Queue = metrics.QueueWaiting
	case string(word) == "prefill":
		s.v.Queue = metrics.QueueAdmitted
	}
}

// foldRest adds everything but chunks: s.mu is held.
func (s *Stream) foldRest(at metrics.Stamp, out *dialect.Out) {
	v := &s.v
	v.Reasoned |= out.Reasoned
	if out.Choices {
		v.WithChoices++
	}
	if out.Usage != nil {
		v.Usage, v.Usage.Raw = *out.Usage, nil
		s.usage = append(s.usage[:0], out.Usage.Raw...)
	}
	if out.LiveTokens >= 0 {
		v.LiveTokens = out.LiveTokens
	}
	if out.TokensFrom != metrics.TokensUnknown {
		v.TokensFrom = out.TokensFrom
	}
	for _, t := range out.Server {
		s.putServer(t)
	}
	v.Thinking, v.Thinks = max(v.Thinking, out.Thinking), v.Thinks || out.Thinks
	if out.Waits != nil {
		v.Waits = slices.Clone(out.Waits)
		for i := range v.Waits {
			v.Waits[i].Name = s.engine.scrub.String(v.Waits[i].Name)
		}
	}
	if out.Progress != nil {
		v.Progress = *out.Progress
	}
	if out.Finish != "" && v.Finish == "" {
		v.Finish = s.engine.scrub.String(metrics.FinishOf(out.Finish))
		v.Marks.FinishReason = at
	}
	if out.Done && !v.Marks.DoneMarker.Known() {
		v.Marks.DoneMarker = at
	}
	if out.RateLimit != nil {
		v.RateLimit = out.RateLimit
	}
	if len(out.Fronts) > 0 {
		v.Fronts = out.Fronts
	}
	s.name(&v.RequestID, &s.raw[0], out.RequestID)
	s.name(&v.ResponseID, &s.raw[8], out.ResponseID)
	if s.name(&v.Model, &s.raw[1], out.Model) {
		s.noteModel(at)
	}
	s.name(&v.Provider, &s.raw[2], out.Provider)
	s.name(&v.Fingerprint, &s.raw[3], out.Fingerprint)
	s.name(&v.Served.Tier, &s.raw[4], out.Served.Tier)
	s.name(&v.Served.Speed, &s.raw[5], out.Served.Speed)
	s.name(&v.Served.Region, &s.raw[6], out.Served.Region)
	s.name(&v.Served.Deployment, &s.raw[7], out.Served.Deployment)
	v.Served.Fallbacks = max(v.Served.Fallbacks, out.Served.Fallbacks)
	v.Served.Retries = max(v.Served.Retries, out.Served.Retries)
	for _, n := range out.Notes {
		s.addNote(n)
	}
	if out.Fault != nil && v.Fault == nil {
		v.Fault = s.engine.ScrubFault(out.Fault)
	}
}

// name stores a name from the server, without keys: headers and bodies may
// echo one. It reports whether the name is a new one. raw keeps the last name, because every event may repeat it and
// scrubbing is expensive.
func (s *Stream) name(dst, raw *string, said string) (changed bool) {
	if said == "" || said == *raw {
		return false
	}
	*raw = said
	*dst = s.engine.scrub.String(said)
	return true
}

// noteModel adds a note if the answer names another model than the one that was
// asked for: s.mu is held.
func (s *Stream) noteModel(at metrics.Stamp) {
	asked, answered := s.v.Endpoint.Model, s.v.Model
	switch metrics.CompareModels(asked, answered) {
	case metrics.ModelAlias:
		s.addNote(metrics.Note{At: at, Code: metrics.NoteModelAlias,
			Text: "the server calls the model " + answered + "; " + asked + " was asked for"})
	case metrics.ModelOther:
		s.addNote(metrics.Note{At: at, Code: metrics.NoteOtherModel,
			Text: "another model answered: " + answered + ", not " + asked})
	}
}

// putServer replaces an earlier time of the same name and source by t:
// servers may repeat it on every event. s.mu is held.
func (s *Stream) putServer(t metrics.ServerTime) {
	for i := range s.v.Server {
		if have := s.v.Server[i]; dialect.SameTime(have, t) {
			if have == t || have.D == t.D {
				return
			}
			if s.shown {
				s.v.Server, s.shown = slices.Clone(s.v.Server), false
			}
			s.v.Server[i] = t
			return
		}
	}
	s.v.Server = append(s.v.Server, t)
}

// reserve makes room for the expected chunks, so that growing is rare, when the sinks
// have said what they want: chunks are packed where none wants the events of a request of
// a load.
func (s *Stream) reserve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.packs = (s.unobserved || s.v.Load > 0) && !s.audience.events
	if n := s.v.Work.MaxTokens; n > 0 && n <= 4096 {
		s.v.Text = make([]byte, 0, 6*n)
		room := n + 32
		if s.packs {
			room = min(room, packRoom)
		}
		s.v.Chunks = make([]metrics.Chunk, 0, room)
	}
}

// newStream returns the record of a request that begins now.
func newStream(e *Engine, id int, w metrics.Workload, ep metrics.Endpoint, cancel context.CancelCauseFunc) *Stream {
	s := &Stream{id: id, engine: e, cancel: cancel, done: make(chan struct{})}
	now := e.clock.Now()
	s.v = metrics.Stream{
		ID: id, State: metrics.Connecting, Now: now, Wall: time.Now(), Work: w, Endpoint: ep,
		Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1,
		LastData: metrics.NoStamp, DataDeadline: metrics.NoStamp,
		Progress: metrics.Progress{At: metrics.NoStamp},
	}
	s.v.Marks.Start = now
	s.jitterFrom = now
	s.emit = s.addEvent
	return s
}
