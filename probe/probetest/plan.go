package probetest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Plan is a rendered script. It is immutable and can be played concurrently.
type Plan struct {
	Writes []Write
	Events []Event // data lines, in order
	// Ending is "" (keep the connection), "close", "cut", "rst" or "hang".
	Ending string
	// Lockstep is the number of requests that start together; 0 starts each by
	// itself. Spread is the time over which they start.
	Lockstep int
	Spread   time.Duration
	// BodyBytes is the length of the body, without the framing of HTTP and without
	// an answer that is not a stream.
	BodyBytes int
	echo      bool // the answer holds the request's key
	numbered  bool // every event holds the request's number
}

// Write is one write(2).
type Write struct {
	After time.Duration // since the previous write, or since the request
	Bytes []byte
}

// Event is one data line of the stream.
type Event struct {
	Kind  string // "token", "reasoning", "thinking", "say", "role", "empty", "finish", "usage", "error", "done"
	Write int    // the write that holds its last byte
}

// Tokens returns the events that carry text.
func (p *Plan) Tokens() []Event {
	var out []Event
	for _, e := range p.Events {
		switch e.Kind {
		case "token", "reasoning", "thinking", "say":
			out = append(out, e)
		}
	}
	return out
}

// unit is one part with its bytes.
type unit struct {
	part
	sse []byte // before chunk framing
}

func render(p *parser) *Plan {
	s := &p.shape
	plan := &Plan{Ending: p.ending, Lockstep: s.lockstep, Spread: s.spread, numbered: s.flags["numbered"]}
	if plan.Ending == "end" {
		plan.Ending = ""
	}
	if s.answer != "" {
		renderAnswer(plan, s)
		return plan
	}
	units := make([]unit, len(p.parts))
	for i, pt := range p.parts {
		units[i] = unit{part: pt, sse: s.event(pt, i)}
		plan.BodyBytes += len(units[i].sse)
	}
	head := s.head(plan.BodyBytes)
	if s.flags["headers"] || s.flags["hints"] || len(units) == 0 {
		plan.Writes = append(plan.Writes, Write{Bytes: head})
		head = nil
	}
	s.lay(plan, units, head)
	if last := s.last(); len(last) > 0 && plan.Ending == "" {
		if n := len(plan.Writes); n > 0 {
			plan.Writes[n-1].Bytes = append(plan.Writes[n-1].Bytes, last...)
		}
	}
	if s.flags["unchunked"] && plan.Ending == "" {
		plan.Ending = "close"
	}
	return plan
}

// lay assigns the units to writes.
func (s *shape) lay(plan *Plan, units []unit, head []byte) {
	carry := head // bytes that precede the next unit's
	inGroup := 0
	ended := make([]int, len(units)) // index of the write in which each unit ends
	framed := make([][]byte, len(units))
	for i := range units {
		framed[i] = s.frame(units[i].sse)
	}
	for i, u := range units {
		f := framed[i]
		if s.flags["straddle"] && i > 0 {
			f = f[len(f)/2:]
		}
		switch {
		case (u.glued || inGroup > 0 && inGroup < s.group && u.kind == "token") && len(plan.Writes) > 0:
			w := &plan.Writes[len(plan.Writes)-1]
			w.Bytes = append(w.Bytes, f...)
			inGroup++
		case s.halves > 0 && len(carry) == 0:
			after := max(u.after-s.halves, 0)
			plan.Writes = append(plan.Writes, Write{after, bytes.Clone(f[:len(f)/2])},
				Write{u.after - after, bytes.Clone(f[len(f)/2:])})
		default:
			plan.Writes = append(plan.Writes, Write{u.after, append(bytes.Clone(carry), f...)})
			carry, inGroup = nil, 1
		}
		ended[i] = len(plan.Writes) - 1
		if s.flags["straddle"] && i+1 < len(units) {
			w := &plan.Writes[len(plan.Writes)-1]
			w.Bytes = append(w.Bytes, framed[i+1][:len(framed[i+1])/2]...)
		}
	}
	for i, u := range units {
		if u.kind != "comment" && u.kind != "flood" && u.kind != "raw" {
			plan.Events = append(plan.Events, Event{u.kind, ended[i]})
		}
	}
}

// frame wraps bytes of the body as one chunk.
func (s *shape) frame(b []byte) []byte {
	if s.flags["unchunked"] || s.flags["length"] {
		return b
	}
	ext := ""
	if s.flags["extensions"] {
		ext = `;name="a;b"`
	}
	return fmt.Appendf(nil, "%x%s\r\n%s\r\n", len(b), ext, b)
}

// last returns the end of a chunked body.
func (s *shape) last() []byte {
	switch {
	case s.flags["unchunked"] || s.flags["length"]:
		return nil
	case s.flags["trailers"]:
		return []byte("0\r\nX-After: 1\r\n\r\n")
	}
	return []byte("0\r\n\r\n")
}

func (s *shape) head(body int) []byte {
	var b strings.Builder
	if s.flags["hints"] {
		b.WriteString("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
	}
	b.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + idHeader + ": " + idMark + "\r\n")
	switch {
	case s.flags["length"]:
		b.WriteString("Content-Length: " + strconv.Itoa(body) + "\r\n")
	case s.flags["unchunked"]:
		b.WriteString("Connection: close\r\n")
	default:
		b.WriteString("Transfer-Encoding: chunked\r\n")
		if s.flags["trailers"] {
			b.WriteString("Trailer: X-After\r\n")
		}
	}
	b.WriteString("\r\n")
	return []byte(b.String())
}

// event returns the bytes of a part.
func (s *shape) event(p part, i int) []byte {
	eol := "\n"
	switch {
	case s.flags["crlf"]:
		eol = "\r\n"
	case s.flags["cr"]:
		eol = "\r"
	}
	data := "data: "
	if s.flags["nospace"] {
		data = "data:"
	}
	switch p.kind {
	case "comment":
		return []byte(": ping" + eol + eol)
	case "raw", "flood":
		return []byte(p.text)
	case "done":
		return []byte(data + "[DONE]" + eol + eol)
	}
	json := s.json(p, i)
	if s.flags["blanks"] {
		json += " "
	}
	return []byte(data + json + eol + eol)
}

func (s *shape) json(p part, i int) string {
	const before = `{"id":"chatcmpl-script","object":"chat.completion.chunk","created":1790000000,` +
		`"model":"scripted","choices":[`
	text := strings.Repeat("tok"+strconv.Itoa(i%10)+" ", s.per)
	if s.flags["numbered"] {
		text = idMark + "." + strconv.Itoa(i) + " "
	}
	delta, finish, extra := "", "null", ""
	switch p.kind {
	case "token":
		delta = `"content":` + strconv.Quote(text)
	case "say":
		said, _ := json.Marshal(p.text) // a string can always be written
		delta = `"content":` + string(said)
	case "reasoning":
		delta = `"reasoning_content":` + strconv.Quote(text)
	case "thinking":
		delta = `"reasoning":` + strconv.Quote(text)
	case "empty":
		delta = `"content":""`
	case "role":
		delta = `"role":"assistant","content":""`
	case "finish":
		finish = `"stop"`
	case "usage":
		return before + `],` + usage(i) + `}`
	case "error":
		return `{"error":{"message":"the engine died","type":"server_error","code":500}}`
	}
	if p.kind == "token" && i == 0 && s.flags["role-first"] {
		delta = `"role":"assistant",` + delta
	}
	if s.per > 1 || s.flags["usage-each"] {
		extra = `,` + usage((i+1)*s.per)
	}
	out := before + `{"index":0,"delta":{` + delta + `},"finish_reason":` + finish + `}]` + extra
	if pad := s.size - len(out); pad > 0 {
		out += `,"padding":"` + strings.Repeat("p", pad) + `"`
	}
	return out + "}"
}

// usage is the field of a chunk that counts n tokens of the answer.
func usage(n int) string {
	return fmt.Sprintf(`"usage":{"prompt_tokens":9,"completion_tokens":%d,"total_tokens":%d}`, n, 9+n)
}

// renderAnswer renders an answer that is not a stream.
func renderAnswer(plan *Plan, s *shape) {
	status, head, body := "200 OK", "", ""
	switch s.answer {
	case "unauthorized":
		status, head = "401 Unauthorized", "Content-Type: application/json\r\n"
		body = `{"error":{"message":"Incorrect API key provided: ` +
			keyMark + `","type":"invalid_request_error","code":"invalid_api_key"}}`
		plan.echo = true
	case "ratelimited":
		status, head = "429 Too Many Requests", "Content-Type: application/json\r\nRetry-After: 7\r\n"
		body = `{"error":{"message":"slow down","type":"rate_limit"}}`
	case "redirect":
		status, head = "307 Temporary Redirect", "Location: "+s.target+"\r\n"
	case "html":
		head, body = "Content-Type: text/html; charset=utf-8\r\n", "<!doctype html><title>Welcome</title>"
	case "json":
		head, body = "Content-Type: application/json\r\n", `{"object":"chat.completion","choices":[]}`
	case "gzip":
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte("data: [DONE]\n\n"))
		_ = z.Close()
		head, body = "Content-Type: text/event-stream\r\nContent-Encoding: gzip\r\n", b.String()
	case "broken":
		plan.Writes = []Write{
			{Bytes: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
				"9\r\ndata: 1\n\n\r\nzz\r\n")}}
		plan.Events = []Event{{"token", 0}}
		plan.Ending = "close"
		return
	}
	length := fmt.Sprintf("Content-Length: %d\r\n", len(body))
	if plan.echo {
		length, plan.Ending = "Connection: close\r\n", "close" // the key's length is not yet known
	}
	plan.Writes = []Write{{Bytes: []byte("HTTP/1.1 " + status + "\r\n" + head + length + "\r\n" + body)}}
}
