package client

import (
	"math"
	"net/http"

	"tokscope/metrics"
	"tokscope/probe/dialect"
	"tokscope/probe/secret"
	"tokscope/probe/sse"
)

// Rebuild makes the record of a request again from its events. It decodes and
// ingests them as the engine did when they arrived, so the chunks are the same.
// It starts no goroutine and reads no clock. The zero value is not ready. Only
// one goroutine at a time may use it.
type Rebuild struct {
	s   *Stream
	out dialect.Out
}

// NewRebuild returns a Rebuild of v, which has neither chunks nor text. It removes
// what looks like a key, as the engine does.
func NewRebuild(v metrics.Stream) *Rebuild {
	s := &Stream{id: v.ID, engine: &Engine{scrub: secret.NewScrubber()}, v: v, dec: dialect.New()}
	return &Rebuild{s: s}
}

// Refused returns the fault of a response that is no stream, and Presentable what may be shown of
// its head: without keys, cookies and credentials. left are the names of what is left out.
func Refused(status int, h http.Header, body []byte) *metrics.Fault {
	return scrubFault(dialect.HTTPFault(status, h, body), secret.NewScrubber())
}

// Presentable: see Refused.
func Presentable(h http.Header) (out http.Header, left []string) {
	return presentable(h, secret.NewScrubber())
}

// Head takes the head of the response, before the first event. status is of
// HTTP, proto as in "HTTP/1.1".
func (r *Rebuild) Head(status int, proto string, h http.Header) {
	r.s.v.Head = shownHead(status, proto, h, r.s.engine.scrub)
	r.s.dec.Header(h, &r.out)
	r.s.foldRest(metrics.NoStamp, &r.out)
}

// Event takes the next event. joined, if any, are its chunks with their texts as
// the engine had them where texts of several events were joined: see Folded. The
// stamps of joined are ignored.
func (r *Rebuild) Event(ev sse.Event, joined []metrics.Chunk, texts [][]byte) {
	s := r.s
	s.dec.Event(ev, &r.out)
	if len(joined) == 0 {
		s.ingest(&ev, &r.out)
		return
	}
	r.out.Deltas = r.out.Deltas[:0]
	index := s.v.Events
	s.ingest(&ev, &r.out)
	for i := range joined {
		c := joined[i]
		s.v.Text = append(s.v.Text, texts[i]...)
		c.At, c.User, c.Read, c.Bytes, c.Kernel = ev.At, ev.User, ev.Read, ev.Bytes, ev.Kernel
		c.Event, c.TextEnd = int32(index), int32(len(s.v.Text))
		s.v.Chunks = append(s.v.Chunks, c)
	}
	s.v.State = metrics.Decoding
}

// End takes the end of the response. It returns what the decoder says of it, nil
// for a good end; eof reports that the body was complete.
func (r *Rebuild) End(eof bool) *metrics.Fault {
	s := r.s
	s.foldEnd(eof, metrics.NoStamp, &r.out)
	if s.v.Fault == nil && eof {
		s.v.Fault = s.emptyFault()
	}
	return s.v.Fault
}

// View returns the record so far. Its slices grow only beyond their length.
func (r *Rebuild) View() metrics.Stream {
	v := r.s.v
	v.Chunks, v.Text, v.Server = v.Chunks[:len(v.Chunks):len(v.Chunks)],
		v.Text[:len(v.Text):len(v.Text)], v.Server[:len(v.Server):len(v.Server)]
	r.s.shown = true
	return v
}

// Full reports whether the text has reached what a Chunk can count.
func (r *Rebuild) Full() bool { return len(r.s.v.Text) > math.MaxInt32/2 }
