package client

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"

	"tokscope/metrics"
	"tokscope/probe/secret"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// listener is one sink of a stream.
type listener struct {
	sink     Sink
	recorder Recorder // nil for a sink that is not a Recorder
	detail   Detail
}

// audience holds the sinks of one stream and the happenings not yet shown to
// them. Happenings are queued under the stream's lock and shown without it,
// so no sink can delay a snapshot. The zero value has no sinks.
type audience struct {
	id        int
	scrub     *secret.Scrubber
	listeners []listener // set once, before the request is sent
	detail    Detail     // the highest detail of all recorders
	events    bool       // at least one sink wants events

	showing // owned by the ingest goroutine

	mu     sync.Mutex // held while sinks are called
	sentOf *attempt
	body   []byte // of the response, from the end of the last shown line on
}

// showing holds what waits to be shown, and what showing it needs. The ingester
// has one and lends it to each stream in turn: a thousand would take megabytes.
type showing struct {
	pending []happening
	bytes   []byte // names and data of the pending events
	folded  Folded
	event   sse.Event // the event in folded
}

// borrow makes a use the memory of spare, unless something waits in its own.
func (a *audience) borrow(spare *showing) {
	if len(a.pending) == 0 {
		a.showing, *spare = *spare, showing{}
	}
}

// giveBack returns the borrowed memory to spare. What waits moves to memory of
// its own.
func (a *audience) giveBack(spare *showing) {
	if spare.pending != nil && len(a.pending) > 0 {
		return // it has waited before, and nothing was borrowed
	}
	var waiting showing
	if len(a.pending) > 0 { // a copy of nothing would hold on to the memory
		waiting = showing{pending: slices.Clone(a.pending), bytes: bytes.Clone(a.bytes)}
	}
	a.shown()
	*spare, a.showing = a.showing, waiting
}

// happening is an event or a read, queued until the stream's lock is
// released.
type happening struct {
	event      sse.Event // without its Name and Data
	read       transport.Read
	isRead     bool
	index      int    // of the event
	first, n   int    // its chunks
	data, name int    // where its data and name begin in audience.bytes
	end        int    // where its name ends
	masked     []byte // replaces the data of an event with a part of a key; nil: none
	joined     bool   // see Folded
}

// begin asks the sinks what they want of a request before it is sent.
func (a *audience) begin(sinks []Sink, v metrics.Stream, scrub *secret.Scrubber) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.id, a.scrub = v.ID, scrub
	for _, k := range sinks {
		l := listener{sink: k, detail: DetailEvents}
		k.Begin(v)
		if c, ok := k.(Chooser); ok {
			l.detail = c.Detail(v.ID)
		}
		if r, ok := k.(Recorder); ok {
			l.recorder, a.detail = r, max(a.detail, l.detail)
		}
		a.listeners = append(a.listeners, l)
		a.events = a.events || l.detail >= DetailEvents
	}
}

// records reports whether a recorder wants the transport's side.
func (a *audience) records() bool {
	return slices.ContainsFunc(a.listeners, func(l listener) bool { return l.recorder != nil })
}

// keepEvent queues an event with its n chunks from first on.
func (a *audience) keepEvent(ev *sse.Event, index, first, n int, joined bool) {
	h := happening{event: *ev, index: index, first: first, n: n, data: len(a.bytes), joined: joined && n > 0}
	a.bytes = append(a.bytes, ev.Data...)
	h.name = len(a.bytes)
	a.bytes = append(a.bytes, ev.Name...)
	h.end = len(a.bytes)
	h.event.Data, h.event.Name = nil, nil
	a.pending = append(a.pending, h)
}

// keepRead queues a read, whose Data is shown before the next is taken.
func (a *audience) keepRead(r *transport.Read) {
	a.pending = append(a.pending, happening{read: *r, isRead: true})
}

// Bounds of what waits for the rest of a key.
const waitEvents, waitBytes = 1000, 1 << 20

// wait keeps everything pending for a later show, unless it is too much.
func (a *audience) wait() bool {
	if len(a.pending) > waitEvents || len(a.bytes) > waitBytes {
		return false
	}
	for i := range a.pending { // the bytes of a read are valid until the next batch
		h := &a.pending[i]
		h.read.Data = bytes.Clone(h.read.Data)
	}
	return true
}

// maskEvent removes text, the text of a delta, from the data of pending event i.
// Where the data does not hold it as a plain JSON string, all data is removed.
func (a *audience) maskEvent(i int, text []byte) {
	if i >= len(a.pending) || a.pending[i].isRead {
		return
	}
	h := &a.pending[i]
	data := h.masked
	if data == nil {
		data = a.bytes[h.data:h.name]
	}
	quoted := slices.Concat([]byte{'"'}, text, []byte{'"'})
	if !bytes.Contains(data, quoted) {
		h.masked = []byte(secret.Redacted)
		return
	}
	h.masked = bytes.ReplaceAll(data, quoted, []byte(`"`+secret.Redacted+`"`))
}

// show calls the sinks for everything pending. sent is when the request was
// sent; v has the chunks, the text, the usage and the finish.
func (a *audience) show(sent metrics.Stamp, v *metrics.Stream) {
	if len(a.pending) == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	defer a.shown()
	for i := range a.pending {
		h := &a.pending[i]
		if h.isRead {
			a.showRead(&h.read)
			continue
		}
		a.event = h.event
		a.event.Data, a.event.Name = a.bytes[h.data:h.name:h.name], a.bytes[h.name:h.end:h.end]
		if h.masked != nil {
			a.event.Data = h.masked
		}
		f := &a.folded
		*f = Folded{ID: a.id, Index: h.index, Sent: sent, Event: &a.event, First: h.first,
			Chunks: v.Chunks[h.first : h.first+h.n], Texts: f.Texts[:0], Joined: h.joined,
			Usage: v.Usage, Finish: v.Finish}
		for k := range f.Chunks {
			f.Texts = append(f.Texts, v.ChunkText(h.first+k))
		}
		for _, l := range a.listeners {
			if l.detail >= DetailEvents {
				l.sink.Event(f)
			}
		}
	}
}

// shown clears the queue, also after a panic in show. Nothing of the stream stays
// in it.
func (a *audience) shown() {
	clear(a.pending)
	clear(a.folded.Texts)
	a.pending, a.bytes, a.folded, a.event = a.pending[:0], a.bytes[:0], Folded{Texts: a.folded.Texts[:0]}, sse.Event{}
}

// showRead shows a read, and the lines of the body that it completes.
func (a *audience) showRead(r *transport.Read) {
	a.body = append(a.body, r.Data...)
	for _, l := range a.listeners {
		if l.recorder != nil && l.detail >= DetailEvents {
			l.recorder.Read(a.id, r)
		}
	}
	if n := bytes.LastIndexAny(a.body, "\r\n") + 1; n > 0 {
		a.showBody(n)
	}
}

// showBody shows the next n bytes of the body, without keys.
func (a *audience) showBody(n int) {
	part := a.body[:n]
	for line := range bytes.Lines(part) {
		mask(line, a.scrub)
	}
	for _, l := range a.listeners {
		if l.detail >= DetailBytes {
			l.recorder.Body(a.id, part)
		}
	}
	a.body = a.body[:copy(a.body, a.body[n:])]
}

// mask overwrites every key in line with asterisks, in place. The body keeps
// its length, so its reads keep theirs.
func mask(line []byte, scrub *secret.Scrubber) {
	if !scrub.Hit(line) {
		return
	}
	clean := scrub.Bytes(line)
	from := 0
	for from < min(len(line), len(clean)) && line[from] == clean[from] {
		from++
	}
	after := 0
	for after < min(len(line), len(clean))-from && line[len(line)-1-after] == clean[len(clean)-1-after] {
		after++
	}
	for i := from; i < len(line)-after; i++ {
		line[i] = '*'
	}
	if scrub.Hit(line) {
		for i := range bytes.TrimRight(line, "\r\n") {
			line[i] = '*'
		}
	}
}

// showSent shows the time at which the request of try was sent, once, if that
// is final.
func (a *audience) showSent(try *attempt) (final bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at, final := try.state().SentAt(try.engine.clock.Now())
	if final && a.sentOf != try {
		a.sentOf = try
		for _, l := range a.listeners {
			if l.recorder != nil {
				l.recorder.Sent(a.id, at)
			}
		}
	}
	return final
}

// showHead shows the head of the response of try, if there is one.
func (a *audience) showHead(try *attempt) {
	if !a.records() {
		return
	}
	a.showSent(try)
	status, header := try.capture.Response()
	if header == nil {
		return
	}
	s := try.state()
	h := &Head{At: s.Marks.Headers, Status: status, Proto: s.Conn.Proto}
	h.Headers, h.Withheld = presentable(header, a.scrub)
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.listeners {
		if l.recorder != nil {
			l.recorder.Head(a.id, h)
		}
	}
}

// lost returns the notes of sinks that have dropped something.
func (a *audience) lost() (notes []metrics.Note) {
	for _, l := range a.listeners {
		if k, ok := l.sink.(Lossy); ok {
			if n, some := k.Lost(a.id); some {
				notes = append(notes, n)
			}
		}
	}
	return notes
}

// end shows the rest of the body, and the end. It returns the first panic of
// a sink, nil without one; the other sinks still receive the end. measured returns
// the figures of v.
func (a *audience) end(v metrics.Stream, measured func() *metrics.Figures) (p any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	guarded := func(call func()) {
		defer func() {
			if r := recover(); r != nil && p == nil {
				p = r
			}
		}()
		call()
	}
	if len(a.body) > 0 {
		guarded(func() { a.showBody(len(a.body)) })
	}
	for _, l := range a.listeners {
		guarded(func() { l.sink.End(v, measured()) })
	}
	a.showing, a.body, a.sentOf = showing{}, nil, nil
	return p
}

// withheld are the headers that identify or authorize the client.
var withheld = []string{
	"Api-Key", "Authentication-Info", "Authorization", "Cookie", "Proxy-Authenticate", "Proxy-Authentication-Info",
	"Proxy-Authorization", "Set-Cookie", "Set-Cookie2", "Www-Authenticate", "X-Api-Key", "X-Auth-Token", "X-Csrf-Token",
}

// presentable returns a copy of h without keys, cookies and credentials, and
// the names of the headers it removed.
func presentable(h http.Header, scrub *secret.Scrubber) (out http.Header, left []string) {
	out = http.Header{}
	for name, values := range h {
		if slices.Contains(withheld, http.CanonicalHeaderKey(name)) || strings.HasSuffix(strings.ToLower(name), "-cookie") {
			left = append(left, name)
			continue
		}
		for _, v := range values {
			out[scrub.String(name)] = append(out[scrub.String(name)], scrub.String(v))
		}
	}
	slices.Sort(left)
	return out, left
}
