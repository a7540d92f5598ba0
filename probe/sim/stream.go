package sim

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// streamer writes a job's events. A chunk is what one step yielded for one
// choice, unless the scenario changes that. A chunk is one event, one write
// and one flush.
type streamer struct {
	*job
	ctx     context.Context
	sink    *sink
	events  eventWriter // of the request's API
	buf     []byte      // not yet sent
	said    []choiceChunk
	open    int           // unfinished choices
	lag     time.Duration // total delay by stalls of the scenario
	actions []action      // of the scenario, not yet performed
	total   int           // tokens sent
	ended   bool          // ended by the scenario: nothing may follow
}

// choiceChunk is the chunk of one choice that is being gathered.
type choiceChunk struct {
	role   bool // sent
	kind   kind
	text   []byte
	count  int
	tokens []string // the same, if the request asks for details
	tags   uint8    // <think> tags: 1 opened, 2 closed
}

// backlog is the number of steps that may wait for a slow client before they
// share a flush.
const backlog = 8

func (j *job) stream(w http.ResponseWriter, rc *http.ResponseController, ctx context.Context) {
	h := w.Header()
	h.Set("Content-Type", j.req.api.kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	s := &streamer{job: j, ctx: ctx, sink: newSink(w, rc, j.sc, j.req.api.crlf),
		said: make([]choiceChunk, len(j.plans)), open: len(j.plans), actions: j.sc.actions}
	s.events = j.req.api.events(s)
	if !pause(ctx, j.sc.slowHeaders) {
		return
	}
	w.WriteHeader(http.StatusOK)
	if j.sc.earlyRole {
		for i := range s.said {
			s.opening(i)
		}
	}
	if s.flush() != nil || !s.body() || s.ended {
		return
	}
	s.events.tail()
	s.finish()
}

// comment writes a comment, where the API's clients bear one.
func (s *streamer) comment(text string) {
	if s.req.api.comments {
		s.buf = append(append(append(s.buf, ": "...), text...), "\n\n"...)
	}
}

// body writes until every choice has ended. It returns false if the client
// disconnects.
func (s *streamer) body() bool {
	var awake <-chan time.Time
	if s.sc.keepAlive > 0 {
		t := time.NewTicker(s.sc.keepAlive)
		defer t.Stop()
		awake = t.C
	}
	var buf []arrival
	for s.open > 0 && !s.ended {
		idle := time.Now()
		select {
		case <-s.ctx.Done():
			return false
		case <-awake:
			if s.total == 0 {
				s.buf = append(s.buf, s.req.api.alive...)
				if s.flush() != nil {
					return false
				}
			}
			continue
		case <-s.out.sig:
		}
		got, failed := s.out.swap(buf)
		if len(got) > 0 && got[0].word == "" {
			s.d.recordDelay(idle, got[0].due, time.Now())
		}
		for i := range got {
			if w := got[i].word; w != "" {
				s.comment(w)
				if s.flush() != nil {
					return false
				}
				continue
			}
			if s.lag > 0 && !pause(s.ctx, time.Until(got[i].due.Add(s.lag))) {
				return false
			}
			if !s.arrive(&got[i]) {
				return s.ended
			}
			// After a stall, every arrival is sent at its own delayed time.
			if (s.lag > 0 || len(got)-i <= backlog) && s.flush() != nil {
				return false
			}
		}
		buf = got
		if failed != nil {
			s.events.fail(refused(failed))
			s.finish()
			s.ended = true
		}
	}
	return true
}

// header starts an object of the answer:
// {"id":…,"object":…,"created":…,"model":…
func (j *job) header(dst []byte, object string) []byte {
	dst = fmt.Appendf(dst, `{"id":"%s","object":"%s","created":%d,"model":`, j.id, object, j.created)
	return appendJSON(dst, j.model)
}

// flush sends everything gathered so far.
func (s *streamer) flush() error {
	err := s.sink.send(s.buf)
	s.buf = s.buf[:0]
	return err
}

// arrive turns the tokens of one step into chunks. It returns false if the
// stream ends early.
func (s *streamer) arrive(a *arrival) bool {
	s.note(a)
	if s.truth {
		s.step(a)
	}
	c := &s.said[a.choice]
	if !c.role {
		s.opening(a.choice)
	}
	for range a.n {
		k, tok, ok := s.plans[a.choice].next()
		if !ok {
			break
		}
		if c.count > 0 && k != c.kind {
			s.delta(a.choice)
		}
		c.kind = k
		c.text = append(c.text, tok...)
		c.count++
		if tok != "" && s.req.details() {
			c.tokens = append(c.tokens, tok)
		}
		s.sent[a.choice]++
		s.total++
		if s.sc.split || s.sc.chunk > 0 && c.count >= s.sc.chunk {
			s.delta(a.choice)
		}
		for len(s.actions) > 0 && s.actions[0].after <= s.total {
			s.delta(a.choice)
			if s.flush() != nil {
				return false
			}
			t := s.actions[0]
			s.actions = s.actions[1:]
			if !s.act(&t) {
				return false
			}
		}
	}
	if s.sc.chunk == 0 || a.req.Finished {
		s.delta(a.choice)
	}
	if a.req.Finished {
		s.open--
		if s.flush() != nil {
			return false
		}
		if !s.sc.noFinish {
			s.events.closing(a.choice)
		}
	}
	return true
}

// opening begins a choice.
func (s *streamer) opening(choice int) {
	s.said[choice].role = true
	s.events.opening(choice)
}

// delta passes on what was gathered of a choice, if there is anything.
func (s *streamer) delta(choice int) {
	c := &s.said[choice]
	if c.count == 0 {
		return
	}
	k, text := c.kind, string(c.text)
	if k == content || k == reasoning && s.sc.thinkTags {
		k, text = content, c.tagged(text)
	}
	if s.sc.comment != "" {
		s.comment(s.sc.comment)
	}
	s.events.part(choice, k, text)
	c.text, c.count, c.tokens = c.text[:0], 0, c.tokens[:0]
}

// step writes the truth about the step that yielded the next chunk.
//
//	: sim choice=0 step=12 end_ms=81.2 step_ms=6.7 decodes=3 prefill=0 running=3 waiting=0 due_ns=… write_ns=…
//
// Times in ms are engine time. due_ns and write_ns are wall time: the step's
// end and the write of this comment.
func (s *streamer) step(a *arrival) {
	t := &a.step
	s.comment(fmt.Sprintf("sim choice=%d step=%d end_ms=%.3f step_ms=%.3f decodes=%d prefill=%d running=%d"+
		" waiting=%d due_ns=%d write_ns=%d", a.choice, t.number, t.end*1e3, t.ms, t.decodes, t.prefill, t.running,
		t.waiting, a.due.UnixNano(), time.Now().UnixNano()))
}
