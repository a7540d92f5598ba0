package sim

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// streamer writes a job's events. Every chunk is one event, one write and one
// flush; what falls into the same step of several choices goes out together.
type streamer struct {
	*job
	w    http.ResponseWriter
	rc   *http.ResponseController
	head []byte // `data: {"id":…,"choices":[{"index":`
	buf  []byte
	role []bool // sent, per choice
	open int    // choices that are not finished
	til  time.Time
}

// backlog is how many steps may wait for a slow client before they share a flush.
const backlog = 8

func (j *job) stream(w http.ResponseWriter, rc *http.ResponseController, ctx context.Context) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	s := &streamer{job: j, w: w, rc: rc, role: make([]bool, len(j.scripts)), open: len(j.scripts)}
	object := "text_completion"
	if j.req.chat {
		object = "chat.completion.chunk"
	}
	s.head = j.header(append([]byte(nil), "data: "...), object)
	w.WriteHeader(http.StatusOK)
	if s.flush() != nil {
		return
	}
	var buf []arrival
	for s.open > 0 {
		select {
		case <-ctx.Done():
			return
		case <-j.flight.sig:
		}
		got, failed := j.flight.take(buf)
		for i := range got {
			s.arrive(&got[i])
			if len(got)-i <= backlog && s.flush() != nil {
				return
			}
		}
		buf = got
		if failed != nil {
			s.buf = append(append(append(s.buf, "data: "...), refused(failed).body()...), "\n\n"...)
			break
		}
	}
	s.tail()
	_ = s.flush() // the last words: nobody is left to tell
}

// header opens an object of the answer: {"id":…,"object":…,"created":…,"model":…
func (j *job) header(dst []byte, object string) []byte {
	dst = append(dst, `{"id":`...)
	dst = appendJSON(dst, j.id)
	dst = append(dst, `,"object":`...)
	dst = appendJSON(dst, object)
	dst = append(dst, `,"created":`...)
	dst = strconv.AppendInt(dst, j.created, 10)
	dst = append(dst, `,"model":`...)
	return appendJSON(dst, j.model)
}

// flush hands everything written so far to the kernel, in one write.
func (s *streamer) flush() error {
	if now := time.Now(); now.After(s.til) {
		s.til = now.Add(writeTimeout / 4)
		_ = s.rc.SetWriteDeadline(now.Add(writeTimeout)) // not every writer has deadlines
	}
	if len(s.buf) > 0 {
		if _, err := s.w.Write(s.buf); err != nil {
			return err
		}
		s.buf = s.buf[:0]
	}
	return s.rc.Flush()
}

// arrive turns what one step yielded into events.
func (s *streamer) arrive(a *arrival) {
	s.last[a.choice] = a.req
	if s.truth {
		s.comment(a)
	}
	if !s.role[a.choice] {
		s.role[a.choice] = true
		s.opening(a.choice)
	}
	sc := s.scripts[a.choice]
	var text []byte
	was, count := content, 0
	for range a.n {
		k, tok, ok := sc.next()
		if !ok {
			break
		}
		s.sent[a.choice]++
		if count > 0 && k != was {
			s.delta(a.choice, was, string(text), count)
			text, count = text[:0], 0
		}
		was = k
		text = append(text, tok...)
		count++
	}
	if count > 0 {
		s.delta(a.choice, was, string(text), count)
	}
	if a.req.Finished {
		s.open--
		if s.open > 0 || s.flush() == nil {
			s.closing(a.choice)
		}
	}
}

// comment tells the truth about the step behind the chunk that follows.
//
//	: sim choice=0 step=12 end_ms=81.2 step_ms=6.7 decodes=3 prefill=0 waiting=0 due_ns=… write_ns=…
//
// Times in ms are the engine's; due_ns and write_ns are wall time, when the
// step ended and when this is written.
func (s *streamer) comment(a *arrival) {
	b := append(s.buf, ": sim choice="...)
	b = strconv.AppendInt(b, int64(a.choice), 10)
	b = strconv.AppendUint(append(b, " step="...), a.step.number, 10)
	b = strconv.AppendFloat(append(b, " end_ms="...), a.step.end*1e3, 'f', 3, 64)
	b = strconv.AppendFloat(append(b, " step_ms="...), a.step.ms, 'f', 3, 64)
	b = strconv.AppendInt(append(b, " decodes="...), int64(a.step.decodes), 10)
	b = strconv.AppendInt(append(b, " prefill="...), int64(a.step.prefill), 10)
	b = strconv.AppendInt(append(b, " waiting="...), int64(a.step.waiting), 10)
	b = strconv.AppendInt(append(b, " due_ns="...), a.due.UnixNano(), 10)
	b = strconv.AppendInt(append(b, " write_ns="...), time.Now().UnixNano(), 10)
	s.buf = append(b, "\n\n"...)
}

// event begins a chunk for one choice, up to and including its index.
func (s *streamer) event(choice int) []byte {
	b := append(s.buf, s.head...)
	b = append(b, `,"choices":[{"index":`...)
	return strconv.AppendInt(b, int64(choice), 10)
}

// end closes a chunk whose choice is closed already.
func (s *streamer) end(b []byte) {
	b = append(b, ']')
	if s.req.continuous() {
		b = append(b, `,"usage":`...)
		b = s.usage(b)
	}
	s.buf = append(b, "}\n\n"...)
}

// opening is the role chunk, which chat streams begin with.
func (s *streamer) opening(choice int) {
	if !s.req.chat {
		return
	}
	b := append(s.event(choice), `,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}`...)
	s.end(b)
	_ = s.flush() // an error shows again at the next flush
	if c := s.scripts[choice].call; c != nil && s.scripts[choice].thought == 0 {
		s.toolHead(choice, c)
	}
}

func (s *streamer) toolHead(choice int, c *call) {
	b := append(s.event(choice), `,"delta":{"tool_calls":[{"index":0,"id":`...)
	b = appendJSON(b, "call-"+s.id+"-"+strconv.Itoa(choice))
	b = append(b, `,"type":"function","function":{"name":`...)
	b = appendJSON(b, c.name)
	b = append(b, `,"arguments":""}}]},"logprobs":null,"finish_reason":null}`...)
	s.end(b)
}

// delta is one chunk of count tokens.
func (s *streamer) delta(choice int, k kind, text string, count int) {
	sc := s.scripts[choice]
	if k == toolArgs && sc.thought > 0 && s.sent[choice]-count == sc.thought {
		s.toolHead(choice, sc.call)
	}
	b := s.event(choice)
	switch {
	case !s.req.chat:
		b = appendJSON(append(b, `,"text":`...), text)
	case k == reasoning:
		b = append(appendJSON(append(b, `,"delta":{"reasoning_content":`...), text), '}')
	case k == toolArgs:
		b = append(appendJSON(append(b, `,"delta":{"tool_calls":[{"index":0,"function":{"arguments":`...), text), "}}]}"...)
	default:
		b = append(appendJSON(append(b, `,"delta":{"content":`...), text), '}')
	}
	b = append(b, `,"logprobs":`...)
	if s.req.logs {
		b = s.logprobs(b, text, count)
	} else {
		b = append(b, "null"...)
	}
	if s.req.ReturnTokenIDs {
		b = tokenIDs(append(b, `,"token_ids":`...), text, count)
	}
	s.end(append(b, `,"finish_reason":null}`...))
}

// closing is the chunk with the finish reason.
func (s *streamer) closing(choice int) {
	b := s.event(choice)
	if s.req.chat {
		b = append(b, `,"delta":{}`...)
	} else {
		b = append(b, `,"text":""`...)
	}
	b = append(b, `,"logprobs":null,"finish_reason":`...)
	b = appendJSON(b, s.scripts[choice].finish)
	s.end(append(b, `,"stop_reason":null}`...))
}

// tail is what follows the last choice: usage when asked for, and the marker.
func (s *streamer) tail() {
	if s.req.usage() && s.open == 0 {
		b := append(s.buf, s.head...)
		b = append(b, `,"choices":[],"usage":`...)
		b = s.usage(b)
		if len(s.scripts) == 1 {
			b = s.metrics(append(b, `,"metrics":`...))
		}
		s.buf = append(b, "}\n\n"...)
	}
	s.buf = append(s.buf, "data: [DONE]\n\n"...)
}
