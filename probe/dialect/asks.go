package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	"tokscope/metrics/turn"
	"tokscope/probe/sse"
)

// sessionHeaders hold a client's id of its session: Claude Code's and Codex's.
var sessionHeaders = []string{"X-Claude-Code-Session-Id", "Session-Id", "Session_id", "Thread-Id"}

// Bounds of what is read of a request. Real ones are far below.
const (
	mostBlocks = 1 << 16
	longestAsk = 1 << 10 // bytes of a name
)

// Read returns what a client's request says, as a tap sees it pass: its head, and its body
// decompressed, or, with the name of an API that goes over a WebSocket, one text frame of the
// client with the head of the handshake. path has its query. With an empty name the path tells
// the API. A body that is not understood makes a request of turn.Other; nothing fails.
func Read(api, method, path string, h http.Header, body []byte) turn.Request {
	bare, query, _ := strings.Cut(path, "?")
	r := reading{API: api, Method: method, Path: bare, Bytes: len(body)}
	separator := "?"
	for field := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(field, "="); name != "" {
			r.Path += separator + name
			separator = "&"
		}
	}
	r.Session = turn.DigestOf(firstHeader(h, sessionHeaders))
	a := r.of(api, bare)
	frame := a != nil && a.Ends != nil
	if frame {
		method = http.MethodPost // a frame is what POST would send
	}
	kind := askKind(method, bare, a)
	if method != http.MethodPost {
		r.Kind = kind
		return turn.Request(r)
	}
	var fields object
	if json.Unmarshal(body, &fields) != nil || fields == nil || !r.body(fields) ||
		frame && fields.name("type") != "response.create" {
		return turn.Request(r)
	}
	streams := strings.HasSuffix(bare, ":streamGenerateContent") || fields.is("stream", "true")
	if a != nil && a.Form == sse.Lines {
		streams = frame || !fields.is("stream", "false")
	}
	switch r.Kind = kind; {
	case kind != turn.Asks:
	case fields.least():
		r.Kind = turn.WarmUp
	case !streams:
		r.Kind = turn.Whole
	}
	return turn.Request(r)
}

// reading is a request while it is read.
type reading turn.Request

// of sets the API, and the model that a path names. It returns nil for a path of none.
func (r *reading) of(api, path string) *API {
	for _, a := range apis {
		if api != "" && !strings.EqualFold(api, a.Name) || api == "" && a.Ends != nil {
			continue
		}
		for _, end := range append([]string{a.Path}, a.Pasted...) {
			if model, _, ok := cutEnd(path, end); ok {
				r.API, r.Model = a.Name, model
				return a
			}
		}
	}
	return nil
}

// askKind returns what a request is by its head. a is the API whose address it has, nil for none.
func askKind(method, path string, a *API) turn.Kind {
	last := path[strings.LastIndexAny(path, "/:")+1:]
	get := method == http.MethodGet
	switch {
	case method == http.MethodHead:
		return turn.Hello
	case get && (last == "models" || last == "tags" || last == "ps" || strings.Contains(path, "/models/")):
		return turn.Models
	case get && strings.Contains(path, "/responses/"):
		return turn.Resume
	case method != http.MethodPost:
		return turn.Other
	case last == "count_tokens" || last == "input_tokens" || last == "countTokens":
		return turn.CountTokens
	case a != nil:
		return turn.Asks
	}
	return turn.Other
}

// object is a JSON object.
type object map[string]json.RawMessage

// first returns the first of some fields that is there and not null.
func (o object) first(names ...string) json.RawMessage {
	for _, n := range names {
		if v := o[n]; len(v) > 0 && string(v) != "null" {
			return v
		}
	}
	return nil
}

// is reports whether a field has that JSON.
func (o object) is(name, value string) bool { return string(o[name]) == value }

// name returns a field that is a string and no long text, else "".
func (o object) name(name string) (text string) {
	if len(o[name]) <= longestAsk {
		_ = json.Unmarshal(o[name], &text)
	}
	return text
}

// json returns o as JSON, its fields in order of their names.
func (o object) json() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(o) // nothing in it can fail
	return bytes.TrimSpace(b.Bytes())
}

// least reports whether a request asks for one token of output at most.
func (o object) least() bool {
	bound := asCount(o.first("max_tokens", "max_completion_tokens", "max_output_tokens"))
	return bound == 0 || bound == 1 || o.is("generate", "false")
}

// list returns the elements of an array, none of others.
func list(raw json.RawMessage) (all []json.RawMessage) {
	_ = json.Unmarshal(raw, &all)
	return all
}

// body reads the fields of a body, which mean the same in all APIs that have them. It reports
// whether it has no more blocks than a real one.
func (r *reading) body(o object) bool {
	r.Model = cmp.Or(o.name("model"), r.Model)
	r.Service.Tier, r.Service.Speed = o.name("service_tier"), o.name("speed")
	r.Previous = turn.DigestOf(o.name("previous_response_id"))
	var metadata object
	_ = json.Unmarshal(o["metadata"], &metadata)
	r.Session = cmp.Or(r.Session, turn.DigestOf(cmp.Or(o.name("prompt_cache_key"), metadata.name("user_id"))))
	for _, tool := range list(o["tools"]) {
		var t object // Gemini has lists of them within the list
		_ = json.Unmarshal(tool, &t)
		if inner := list(t.first("functionDeclarations", "function_declarations")); inner != nil {
			r.blocks(turn.Tools, "", inner...)
		} else {
			r.blocks(turn.Tools, "", tool)
		}
	}
	r.Tools = len(r.Blocks)
	r.content(turn.System, "", o.first("system", "instructions", "systemInstruction", "system_instruction"))
	r.messages(o.first("messages", "input", "contents", "prompt"))
	return len(r.Blocks) <= mostBlocks
}

// content adds the blocks of a system prompt or of a message: a text, a list of blocks, or
// Gemini's object of parts.
func (r *reading) content(part turn.Part, role string, raw json.RawMessage) {
	var o object
	if _ = json.Unmarshal(raw, &o); o != nil {
		raw = o["parts"]
	}
	if len(raw) > 0 && raw[0] == '[' {
		r.blocks(part, role, list(raw)...)
	} else if len(raw) > 0 {
		r.blocks(part, role, raw)
	}
}

// messages adds the blocks of messages, or of a prompt, and says what the last one is.
func (r *reading) messages(raw json.RawMessage) {
	if len(raw) > 0 && raw[0] == '"' {
		r.Messages, r.Answers = 1, turn.Person
		r.blocks(turn.Messages, "user", raw)
	}
	part := turn.System // of what a system says at the beginning
	for _, message := range list(raw) {
		var m object
		_ = json.Unmarshal(message, &m)
		role, content := m.name("role"), m.first("content", "parts")
		if part == turn.System && role != "system" && role != "developer" {
			part = turn.Messages
		}
		r.Messages++
		r.Answers = turn.Unknown
		switch {
		case role == "tool" || strings.HasSuffix(m.name("type"), "_output") || results(content):
			r.Answers = turn.Tool
		case role == "user":
			r.Answers = turn.Person
		}
		if content == nil {
			r.blocks(part, role, message)
			continue
		}
		r.content(part, role, content)
		for _, known := range []string{"role", "type", "content", "parts", "cache_control"} {
			delete(m, known)
		}
		if len(m) > 0 { // calls of tools, and whatever else it has
			r.blocks(part, role, m.json())
		}
	}
}

// results reports whether a list of blocks has the result of a tool.
func results(content json.RawMessage) bool {
	for _, block := range list(content) {
		var b object
		_ = json.Unmarshal(block, &b)
		if b.name("type") == "tool_result" || b.first("functionResponse", "function_response") != nil {
			return true
		}
	}
	return false
}

// blocks adds blocks. Clients write a text as a string, or as a block of it where they mark it
// for the cache: both are the same prompt.
func (r *reading) blocks(part turn.Part, role string, all ...json.RawMessage) {
	for _, raw := range all[:min(len(all), mostBlocks+1-len(r.Blocks))] {
		var o object
		if _ = json.Unmarshal(raw, &o); o != nil {
			delete(o, "cache_control")
			raw = o.json()
			alone := len(o) == 1 || len(o) == 2 && strings.HasSuffix(o.name("type"), "text")
			if text := o.first("text"); text != nil && alone {
				raw = text
			}
		}
		r.Blocks = append(r.Blocks, turn.Block{Part: part, Role: role, Bytes: len(raw),
			Digest: turn.DigestOf(part.String() + role + string(raw))})
	}
}
