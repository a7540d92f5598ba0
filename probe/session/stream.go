package session

import (
	"slices"
	"sort"
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/result"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// Stream is one recorded request: what its record was at every moment. It never
// changes.
type Stream struct {
	Recorded *Recorded
	// Missing says what the recording lacks of the request.
	Missing metrics.ReplayMissing

	made *client.Rebuild // from the events so far
	head *client.Head    // that it has taken
	full bool            // it takes no more

	begin, final metrics.Stream
	moments      []moment // one for each event and comment, by rising time
	last         metrics.Stamp
}

// moment is the record right after one event or comment.
type moment struct {
	at     metrics.Stamp
	chunks int
	events int
	notes  int // comments
	live   int // running count of output tokens
	from   metrics.TokenSource
	usage  metrics.Usage // without Raw
	reads  int
	bytes  int64
	// Events by the source of their stamp, late ones, and those that shared a
	// read.
	kernel, user, late, shared int
	slow                       *metrics.Stream // what changes rarely; shared by many moments
}

// StreamOf returns the stream of q. It decodes all events anew.
func StreamOf(q *Recorded) *Stream {
	s := newStream(q)
	s.grow()
	s.made = nil // it grows no more
	return s
}

// newStream returns the stream of q before its first line.
func newStream(q *Recorded) *Stream {
	s := &Stream{Recorded: q, begin: q.Begin()}
	s.made = client.NewRebuild(s.begin)
	return s
}

// grow takes the events that q has got, and how it stands now.
func (s *Stream) grow() {
	q, r := s.Recorded, s.made
	attempt := Attempt{Sent: metrics.NoStamp}
	if n := len(q.Attempts); n > 0 {
		attempt = q.Attempts[n-1]
	}
	if h := attempt.Head; h != nil && h != s.head {
		s.head = h
		r.Head(h.Status, h.Proto, h.Headers)
	}
	at, before := q.Start, (*sse.Event)(nil)
	if n := len(s.moments); n > 0 {
		at, before = s.moments[n-1].at, &q.Events[n-1]
	}
	for i := len(s.moments); i < len(q.Events) && !s.full; i++ {
		ev := &q.Events[i]
		var chunks []metrics.Chunk
		var texts [][]byte
		for k := range q.Joined[i] {
			c := &q.Joined[i][k]
			chunks, texts = append(chunks, c.Chunk()), append(texts, []byte(c.Text))
		}
		r.Event(*ev, chunks, texts)
		at = max(at, ev.At) // a stamp before the last one must not turn time back
		s.keep(at, r, ev, before)
		before, s.full = ev, r.Full()
	}
	s.addReads(attempt.Reads)
	if q.End != nil {
		r.End(q.End.Fault == nil || endOfBody[metrics.FaultKind(q.End.Fault.Kind)])
	}
	s.Missing = metrics.ReplayWhole
	if s.full {
		s.Missing = metrics.ReplayIncomplete
	}
	s.final = r.View()
	s.finish(&attempt, at)
}

// endOfBody are the faults of responses whose body was complete.
var endOfBody = map[metrics.FaultKind]bool{metrics.FaultTruncated: true,
	metrics.FaultEmpty: true, metrics.FaultInStream: true}

// lateFrom is how far the program's own clock was behind the kernel's in an event
// that counts as late.
const lateFrom = metrics.Stamp(time.Millisecond)

// keep adds the moment after the event that r has taken last; before is the
// event before it.
func (s *Stream) keep(at metrics.Stamp, r *client.Rebuild, ev, before *sse.Event) {
	v := r.View()
	m := moment{at: at, chunks: len(v.Chunks), events: v.Events,
		notes: v.Comments, live: v.LiveTokens, from: v.TokensFrom, usage: v.Usage}
	var slow *metrics.Stream
	if n := len(s.moments); n > 0 {
		last := &s.moments[n-1]
		slow, m.kernel, m.user, m.late, m.shared = last.slow, last.kernel, last.user, last.late, last.shared
	}
	switch {
	case ev.Comment:
	case ev.Kernel:
		m.kernel++
	default:
		m.user++
	}
	if ev.Kernel && ev.User-ev.At > lateFrom {
		m.late++
	}
	if before != nil && before.Read == ev.Read {
		m.shared++
	}
	if slow == nil || differ(slow, &v) {
		c := v
		c.Chunks, c.Text, c.Usage = nil, nil, metrics.Usage{}
		slow = &c
	}
	m.slow = slow
	s.moments = append(s.moments, m)
}

// differ reports whether a and b differ in what only few events change.
func differ(a, b *metrics.Stream) bool {
	return a.Finish != b.Finish || a.Fault != b.Fault || len(a.Notes) != len(b.Notes) ||
		a.Thinking != b.Thinking || !slices.Equal(a.Waits, b.Waits) ||
		a.Progress != b.Progress || a.Others != b.Others || !slices.Equal(a.Server, b.Server) ||
		a.RequestID != b.RequestID || a.Model != b.Model ||
		a.Provider != b.Provider || a.Fingerprint != b.Fingerprint || a.Queue != b.Queue
}

// addReads adds to the moments how many reads had arrived, and their bytes.
func (s *Stream) addReads(reads []transport.Read) {
	n, bytes, numbers, last := 0, int64(0), 0, int32(-1)
	for i := range s.moments {
		for n < len(reads) && (reads[n].At <= s.moments[i].at || i == len(s.moments)-1) {
			if reads[n].Number != last {
				numbers, last = numbers+1, reads[n].Number
			}
			bytes += int64(max(reads[n].Bytes, 0))
			n++
		}
		s.moments[i].reads, s.moments[i].bytes = numbers, bytes
	}
}

// finish completes the final record after the last event, which came at.
func (s *Stream) finish(attempt *Attempt, at metrics.Stamp) {
	q, v := s.Recorded, &s.final
	if q.End != nil {
		q.End.Restore(v)
		if v.Marks.End.Known() {
			at = max(at, v.Marks.End)
		}
	} else {
		v.Marks.Sent = attempt.Sent
		if h := attempt.Head; h != nil {
			v.Marks.FirstByte, v.Marks.Headers, v.Conn.Proto = h.At, h.At, h.Proto
		}
		if len(attempt.Reads) > 0 {
			if first := attempt.Reads[0].At; !v.Marks.FirstByte.Known() || first < v.Marks.FirstByte {
				v.Marks.FirstByte = first
			}
			at = max(at, attempt.Reads[len(attempt.Reads)-1].At)
		}
		if n := len(s.moments); n > 0 {
			m := &s.moments[n-1]
			v.Reads, v.BodyBytes, v.Stamps = m.reads, m.bytes, metrics.SourceUser
			v.Observer.KernelStamps, v.Observer.UserStamps, v.Observer.LateEvents, v.Observer.SharedReads = m.kernel,
				m.user, m.late, m.shared
			switch {
			case m.user == 0:
				v.Stamps = metrics.SourceKernel
			case m.kernel > 0:
				v.Stamps = metrics.SourceMixed
			}
		}
		if v.State == metrics.Connecting && v.Marks.Sent.Known() {
			v.State = metrics.Waiting
		}
	}
	v.Load, s.last = q.Load, at
	v.Now = at
	if q.End != nil && v.Marks.End.Known() {
		v.Now = v.Marks.End
	}
	switch {
	case s.Missing != metrics.ReplayWhole:
	case !q.Detailed && len(q.Events) == 0:
		if s.Missing = metrics.ReplayNoEvents; q.Tool != nil && q.End != nil {
			s.final.Told = &q.End.Figures
		}
	case q.LeftOut.Events > 0:
		s.Missing = metrics.ReplayIncomplete
	case q.End == nil:
		s.Missing = metrics.ReplayNoEnd
	}
}

// Final returns the record as it was at the end, or at the end of the recording.
func (s *Stream) Final() metrics.Stream {
	v := s.final
	v.Chunks, v.Text = v.Chunks[:len(v.Chunks):len(v.Chunks)], v.Text[:len(v.Text):len(v.Text)]
	return v
}

// Run returns the record as it was at the end, with its figures.
func (s *Stream) Run() metrics.Run {
	v := s.Final()
	return metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{})}
}

// Begin returns when the request began, Last the last moment that is known of it.
func (s *Stream) Begin() metrics.Stamp { return s.begin.Marks.Start }

// Last returns the last moment that is known of the request.
func (s *Stream) Last() metrics.Stamp { return max(s.last, s.Begin()) }

// At returns the record as it was at now, a stamp of the recording. Figures in place of events
// say nothing of how the request went: its whole record stands from its begin on.
func (s *Stream) At(now metrics.Stamp) metrics.Stream {
	if now >= s.Last() || s.final.Told != nil && now >= s.Begin() {
		return s.Final()
	}
	f := &s.final
	v := s.begin
	n := sort.Search(len(s.moments), func(i int) bool { return s.moments[i].at > now })
	if n > 0 {
		m := &s.moments[n-1]
		v = *m.slow
		v.Usage, v.LiveTokens, v.TokensFrom, v.Events, v.Comments = m.usage, m.live, m.from, m.events, m.notes
		v.Reads, v.BodyBytes = m.reads, m.bytes
		v.Observer = metrics.Observer{KernelStamps: m.kernel, UserStamps: m.user, LateEvents: m.late, SharedReads: m.shared}
		v.LastData = m.at
		v.Chunks = f.Chunks[:m.chunks:m.chunks]
		end := 0
		if m.chunks > 0 {
			end = int(f.Chunks[m.chunks-1].TextEnd)
		}
		v.Text = f.Text[:end:end]
	}
	v.Now, v.Marks, v.Stamps, v.Path = now, marksAt(f.Marks, now), f.Stamps, s.pathAt(now)
	v.Fault = nil // it ends the stream
	if v.Marks.GotConn.Known() {
		v.Conn = f.Conn
	}
	if v.Marks.Headers.Known() {
		v.Head, v.Fronts, v.RateLimit = f.Head, f.Fronts, f.RateLimit
	}
	switch {
	case len(v.Chunks) > 0:
		v.State = metrics.Decoding
	case v.Marks.Sent.Known():
		v.State = metrics.Waiting
	default:
		v.State = metrics.Connecting
	}
	return v
}

// marksAt returns m without what had not happened at now.
func marksAt(m metrics.Marks, now metrics.Stamp) metrics.Marks {
	for _, s := range stampsOf(&m) {
		if *s > now {
			*s = metrics.NoStamp
		}
	}
	return m
}

// stampsOf returns the marks of m but for its start.
func stampsOf(m *metrics.Marks) []*metrics.Stamp {
	return []*metrics.Stamp{
		&m.DNSStart, &m.DNSDone, &m.ConnectStart, &m.ConnectDone,
		&m.TLSStart, &m.TLSDone, &m.GotConn, &m.Upgraded, &m.Sent, &m.FirstByte, &m.Headers,
		&m.FirstEvent, &m.FirstComment, &m.FirstRole, &m.FirstAudio, &m.FinishReason, &m.DoneMarker, &m.End,
	}
}

// pathAt returns what was known of the network at now, nil for nothing.
func (s *Stream) pathAt(now metrics.Stamp) *metrics.Path {
	if s.final.Path == nil {
		return nil
	}
	var counts *result.Path
	for _, l := range s.Recorded.Path {
		if l.At <= now {
			counts = l.Counts
		}
	}
	if counts == nil {
		return nil
	}
	p := counts.Restore(&s.final)
	p.Gaps, p.Connects = nil, nil
	for _, g := range s.final.Path.Gaps {
		if g.At.Known() && g.At <= now {
			p.Gaps = append(p.Gaps, g)
		}
	}
	for _, c := range s.final.Path.Connects {
		if c.At.Known() && c.At+metrics.Stamp(c.Elapsed) <= now {
			p.Connects = append(p.Connects, c)
		}
	}
	return p
}

// next returns the first moment after now, Last without one.
func (s *Stream) next(now metrics.Stamp) metrics.Stamp {
	if n := sort.Search(len(s.moments), func(i int) bool { return s.moments[i].at > now }); n < len(s.moments) {
		return s.moments[n].at
	}
	return s.Last()
}

// lastWithChunks returns the index of the last event that made a chunk, -1 without
// one.
func (s *Stream) lastWithChunks() int {
	for i := len(s.moments) - 1; i >= 0; i-- {
		if n := s.moments[i].chunks; n > 0 && (i == 0 || s.moments[i-1].chunks < n) {
			return i
		}
	}
	return -1
}

// isComment reports whether event i carries nothing: a comment, or a ping.
func (s *Stream) isComment(i int) bool {
	return s.Recorded.Events[i].Comment || s.moments[i].notes > 0 && (i == 0 || s.moments[i-1].notes < s.moments[i].notes)
}
