package dialect

import (
	"cmp"
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
	longestAsk = 256 // bytes of a name
)

// Read returns what a client's request says, as a tap sees it pass: its head, and its body
// decompressed, or, with the name of an API that goes over a WebSocket, one text frame of the
// client with the head of the handshake. path has its query. With an empty name the path tells
// the API. A body that is not understood makes a request of turn.Other; nothing fails.
func Read(api, method, path string, h http.Header, body []byte) turn.Request {
	bare, query, _ := strings.Cut(path, "?")
	r := reading{Request: turn.Request{API: api, Method: method, Path: bare, Bytes: len(body)}, bound: -1}
	separator := "?"
	for field := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(field, "="); name != "" {
			r.Path += separator + name
			separator = "&"
		}
	}
	r.Session = turn.DigestOf([]byte(firstHeader(h, sessionHeaders)))
	a := r.of(api, bare)
	frame := a != nil && a.Ends != nil
	if frame {
		method = http.MethodPost // a frame is what POST would send
	}
	kind := askKind(method, bare, a)
	if method != http.MethodPost {
		r.Kind = kind
		return r.Request
	}
	if ok := r.body(body); !ok || frame && r.typ != "response.create" {
		return r.Request
	}
	streams := strings.HasSuffix(bare, ":streamGenerateContent")
	if a != nil && a.Form == sse.Lines {
		streams = frame || r.stream != "false"
	}
	switch r.Kind = kind; {
	case kind != turn.Asks:
	case r.bound == 0 || r.bound == 1 || r.idle:
		r.Kind = turn.WarmUp
	case !streams && r.stream != "true":
		r.Kind = turn.Whole
	}
	return r.Request
}

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
	ends := func(all ...string) bool {
		for _, end := range all {
			if strings.HasSuffix(path, end) {
				return true
			}
		}
		return false
	}
	switch {
	case method == http.MethodHead:
		return turn.Hello
	case method == http.MethodGet:
		switch {
		case ends("/models", "/api/tags", "/api/ps") || strings.Contains(path, "/models/"):
			return turn.Models
		case strings.Contains(path, "/responses/"):
			return turn.Resume
		}
	case method == http.MethodPost:
		switch {
		case ends("/count_tokens", "/input_tokens", ":countTokens"):
			return turn.CountTokens
		case a != nil:
			return turn.Asks
		}
	}
	return turn.Other
}

// reading is a request while its body is read.
type reading struct {
	turn.Request
	stream string // whether it asks for a stream, as JSON; "" where it does not say
	idle   bool   // it asks for no output
	bound  int    // of the output, -1 without one
	typ    string // of a frame
}

// body reads the fields of the body, which mean the same in all APIs that have them, and
// reports whether it is well-formed.
func (r *reading) body(body []byte) bool {
	var s scanner
	s.start(body)
	if s.peek() != '{' {
		return false
	}
	var tools, system, messages []byte
	var id turn.Digest
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		switch string(k) {
		case "model":
			r.Model = cmp.Or(name(&s), r.Model)
		case "service_tier":
			r.Service.Tier = name(&s)
		case "speed":
			r.Service.Speed = name(&s)
		case "type":
			r.typ = name(&s)
		case "stream":
			r.stream = string(s.raw())
		case "generate":
			r.idle = string(s.raw()) == "false"
		case "max_tokens", "max_completion_tokens", "max_output_tokens":
			r.bound = asCount(s.raw())
		case "previous_response_id":
			r.Previous = digestOf(&s)
		case "prompt_cache_key":
			id = digestOf(&s)
		case "metadata":
			for k, more := s.firstKey(); more; k, more = s.nextKey() {
				if string(k) == "user_id" {
					id = digestOf(&s)
				}
			}
		case "tools":
			tools = s.raw()
		case "system", "instructions", "systemInstruction", "system_instruction":
			system = s.raw()
		case "messages", "input", "contents", "prompt":
			messages = s.raw()
		}
	}
	if !s.end() {
		return false
	}
	r.Session = cmp.Or(r.Session, id)
	r.tools(tools)
	r.Tools = len(r.Blocks)
	r.content(turn.System, "", system)
	r.messages(messages)
	return len(r.Blocks) <= mostBlocks
}

// name reads the next value if that is a string, "" for others and for one that is too long.
func name(s *scanner) string {
	t, _ := s.text()
	if len(t) > longestAsk {
		return ""
	}
	return string(t)
}

func digestOf(s *scanner) turn.Digest {
	t, _ := s.text()
	return turn.DigestOf(t)
}

// tools adds a block for each tool. Gemini has lists of them within the list.
func (r *reading) tools(raw []byte) {
	r.each(raw, func(tool []byte) {
		var list []byte
		var s scanner
		for k, more := s.keysOf(tool); more; k, more = s.nextKey() {
			if string(k) == "functionDeclarations" || string(k) == "function_declarations" {
				list = s.raw()
			}
		}
		if list == nil {
			r.block(turn.Tools, "", tool)
		} else {
			r.each(list, func(tool []byte) { r.block(turn.Tools, "", tool) })
		}
	})
}

// each calls f with the elements of raw, an array, while there is room for blocks.
func (r *reading) each(raw []byte, f func(elem []byte)) {
	var s scanner
	for more := s.elemsOf(raw); more && len(r.Blocks) <= mostBlocks; more = s.nextElem() {
		f(s.raw())
	}
}

// content adds the blocks of a system prompt or of a message: a text, a list of blocks, or
// Gemini's object of parts.
func (r *reading) content(part turn.Part, role string, raw []byte) {
	if len(raw) == 0 {
		return
	}
	switch raw[0] {
	case '[':
		r.each(raw, func(block []byte) { r.block(part, role, block) })
	case '{':
		var s scanner
		for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
			if string(k) == "parts" {
				r.content(part, role, s.raw())
			}
		}
	default:
		r.block(part, role, raw)
	}
}

// messages adds the blocks of messages, or of a prompt, and says what the last one is.
func (r *reading) messages(raw []byte) {
	if len(raw) > 0 && raw[0] == '"' {
		r.Messages, r.Answers = 1, turn.Person
		r.block(turn.Messages, "user", raw)
	}
	part := turn.System // of what a system says at the beginning
	r.each(raw, func(message []byte) {
		var s scanner
		var role, typ string
		var content, rest []byte // rest: calls of tools, and whatever else it has
		for k, more := s.keysOf(message); more; k, more = s.nextKey() {
			switch string(k) {
			case "role":
				role = name(&s)
			case "type":
				typ = name(&s)
			case "content", "parts":
				content = s.raw()
			case "cache_control":
			default:
				rest = append(append(append(rest, k...), ':'), s.raw()...)
			}
		}
		if part == turn.System && role != "system" && role != "developer" {
			part = turn.Messages
		}
		r.Messages++
		r.content(part, role, content)
		if role == "" {
			rest = append(rest, typ...) // of an item
		}
		if r.add(part, role, rest); content == nil && rest == nil {
			r.block(part, role, message)
		}
		switch r.Answers = turn.Unknown; {
		case role == "tool" || strings.HasSuffix(typ, "_output") || r.results(content):
			r.Answers = turn.Tool
		case role == "user":
			r.Answers = turn.Person
		}
	})
}

// results reports whether a list of blocks has the result of a tool.
func (r *reading) results(raw []byte) (has bool) {
	r.each(raw, func(block []byte) {
		var s scanner
		for k, more := s.keysOf(block); more; k, more = s.nextKey() {
			switch string(k) {
			case "type":
				has = has || name(&s) == "tool_result"
			case "functionResponse", "function_response":
				has = true
			}
		}
	})
	return has
}

// block adds a block. Clients write a text as a string, or as a block of it where they mark
// it for the cache: both are the same prompt.
func (r *reading) block(part turn.Part, role string, raw []byte) {
	var s scanner
	var text, all []byte
	others := false
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		if string(k) == "cache_control" {
			continue
		}
		value := s.raw()
		switch string(k) {
		case "text":
			text = value
		case "type":
			others = others || !strings.HasSuffix(strings.Trim(string(value), `"`), "text")
		default:
			others = true
		}
		all = append(append(append(all, k...), ':'), value...)
	}
	switch {
	case text != nil && !others:
		all = text
	case len(raw) > 0 && raw[0] != '{':
		all = raw
	}
	r.add(part, role, all)
}

// add adds a block with those bytes, if it has any.
func (r *reading) add(part turn.Part, role string, b []byte) {
	if len(b) > 0 {
		r.Blocks = append(r.Blocks, turn.Block{Part: part, Role: role, Digest: turn.DigestOf(b), Bytes: len(b)})
	}
}

// ResponseID returns the digest of the id of the response that an event of the Responses API
// begins, zero for every other event. A later request names it as the one it goes on from.
func ResponseID(event []byte) (id turn.Digest) {
	var s scanner
	var created bool
	s.start(event)
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		switch string(k) {
		case "type":
			created = name(&s) == "response.created"
		case "response":
			for k, more := s.firstKey(); more; k, more = s.nextKey() {
				if string(k) == "id" {
					id = digestOf(&s)
				}
			}
		}
	}
	if !created || !s.end() {
		return 0
	}
	return id
}
