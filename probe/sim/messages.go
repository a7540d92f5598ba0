package sim

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// messagesAPI is Anthropic's Messages.
var messagesAPI = api{prefix: "msg_", idHeader: "Request-Id", kind: eventStream, comments: true,
	alive: "event: ping\ndata: {\"type\":\"ping\"}\n\n",
	parse: (*request).parseMessagesAPI, events: newMessageBlocks, whole: (*job).message,
	ends:    map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"},
	failure: (*apiError).anthropic, header: anthropicHeader}

// Since this version a request has no sampling parameters.
const unsampled = "2026-10-21"

func messagesRequest(r *http.Request) *request {
	return &request{api: &messagesAPI, chat: true, version: r.Header.Get("Anthropic-Version"),
		estimates: strings.Contains(strings.Join(r.Header.Values("Anthropic-Beta"), ","), "thinking-token-count-")}
}

func (r *request) parseMessagesAPI(f *fields) {
	r.model, r.stream = f.text("model"), f.boolean("stream")
	if system, _ := f.content("system"); system != "" {
		r.messages = append(r.messages, message{"system", system})
	}
	r.parseMessages(f)
	f.objects("tools", maxTools, func(t *fields) { r.addTool(t, "input_schema") })
	choice := f.object("tool_choice")
	if word := choice.text("type"); word == "tool" {
		r.name = choice.text("name")
	} else if r.word = word; word == "any" {
		r.word = "required"
	}
	r.checkChoice(f)
	if !r.bound(f, "max_tokens") && !r.counting {
		f.fail("max_tokens", "max_tokens is missing")
	}
	r.parseSampling(f)
	r.parseStops(f, "stop_sequences")
	t := f.object("thinking")
	r.noThinking, r.hidden = t.text("type") == "disabled", t.text("display") == "omitted"
	o := f.object("output_config")
	r.parseEffort(o, "effort")
	if format := o.object("format"); format.exists {
		r.fit(format, "schema")
	}
	if r.strict && r.version == "" {
		f.fail("", "anthropic-version: header is required")
	}
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		if r.strict && r.version >= unsampled && f.has(name) {
			f.fail(name, "%s: Extra inputs are not permitted", name)
		}
	}
}

// anthropicTypes are the types of errors by status.
var anthropicTypes = map[int]string{400: "invalid_request_error", 401: "authentication_error", 402: "billing_error",
	403: "permission_error", 404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error",
	500: "api_error", 504: "timeout_error", 529: "overloaded_error"}

// anthropic is an error as Anthropic writes it. Overload has a status of its own.
func (e *apiError) anthropic() (status int, body []byte) {
	if status = e.status; status == http.StatusServiceUnavailable {
		status = 529
	}
	kind, known := anthropicTypes[status], slices.Collect(maps.Values(anthropicTypes))
	switch {
	case e.status == http.StatusInternalServerError && slices.Contains(known, e.Type):
		kind = e.Type // of an error that a scenario puts into a stream
	case kind == "" && status < http.StatusInternalServerError:
		kind = anthropicTypes[http.StatusBadRequest]
	case kind == "":
		kind = anthropicTypes[http.StatusInternalServerError]
	}
	return status, fmt.Appendf(nil, `{"type":"error","error":{"type":"%s","message":%s},"request_id":null}`,
		kind, quoted(e.Message))
}

// anthropicHeader renames a header about limits, whose reset is a time.
func anthropicHeader(name, value string) (string, string) {
	what, limit := strings.CutPrefix(name, "X-Ratelimit-")
	figure, of, ok := strings.Cut(what, "-")
	if !limit || !ok {
		return name, value
	}
	if d, err := time.ParseDuration(value); err == nil && figure == "Reset" {
		value = time.Now().Add(d).UTC().Format(time.RFC3339)
	}
	return "Anthropic-Ratelimit-" + of + "-" + figure, value
}

// messageBlocks writes the stream of Messages: one block of content after the other.
type messageBlocks struct {
	*streamer
	index  int  // of the last block
	kind   kind // of it, while it is open
	open   bool
	silent int // tokens of hidden thinking that are not yet reported
}

// estimateEvery is how many tokens of hidden thinking are reported at once.
const estimateEvery = 50

func newMessageBlocks(s *streamer) eventWriter { return &messageBlocks{streamer: s, index: -1} }

// event writes an event. The fields behind its type begin with a comma.
func (s *messageBlocks) event(kind, format string, args ...any) {
	s.buf = fmt.Appendf(s.buf, "event: %s\ndata: {\"type\":\"%s\"", kind, kind)
	s.buf = append(fmt.Appendf(s.buf, format, args...), "}\n\n"...)
}

func (s *messageBlocks) opening(int) {
	s.event("message_start", `,"message":{%s,"content":[],"stop_reason":null,"stop_sequence":null,"usage":%s}`,
		s.messageHead(), s.messageUsage())
}

func (s *messageBlocks) part(choice int, k kind, text string) {
	if !s.open || s.kind != k {
		s.stop()
		s.index, s.kind, s.open = s.index+1, k, true
		block := s.block(k, "", "")
		if k == toolArgs {
			block = s.toolUse(choice, s.plans[choice].call.name, []byte("{}"))
		}
		s.event("content_block_start", `,"index":%d,"content_block":%s`, s.index, block)
	}
	switch {
	case k == toolArgs:
		s.delta("input_json_delta", "partial_json", text)
	case k == content:
		s.delta("text_delta", "text", text)
	case !s.req.hidden:
		s.delta("thinking_delta", "thinking", text)
	default:
		if s.silent += s.said[choice].count; s.silent >= estimateEvery {
			s.estimate()
		}
	}
}

func (s *messageBlocks) delta(kind, field, text string) {
	s.event("content_block_delta", `,"index":%d,"delta":{"type":"%s","%s":%s}`, s.index, kind, field, quoted(text))
}

// estimate reports hidden thinking, to those who asked for it.
func (s *messageBlocks) estimate() {
	if s.req.estimates && s.silent > 0 {
		s.event("content_block_delta", `,"index":%d,"delta":{"type":"thinking_delta","thinking":"","estimated_tokens":%d}`,
			s.index, s.silent)
	}
	s.silent = 0
}

// stop ends the open block.
func (s *messageBlocks) stop() {
	if !s.open {
		return
	}
	if s.kind == reasoning {
		s.estimate()
		s.delta("signature_delta", "signature", s.id)
	}
	s.event("content_block_stop", `,"index":%d`, s.index)
	s.open = false
}

func (s *messageBlocks) closing(choice int) {
	s.stop()
	usage := ""
	if s.sc.usage != "none" {
		usage = `,"usage":` + s.messageUsage()
	}
	s.event("message_delta", `,"delta":{%s}%s`, s.stopReason(choice), usage)
}

func (s *messageBlocks) tail() {
	if !s.sc.noDone {
		s.event("message_stop", "")
	}
}

func (s *messageBlocks) fail(e *apiError) {
	_, body := e.anthropic()
	s.buf = fmt.Appendf(s.buf, "event: error\ndata: %s\n\n", body)
}

// message returns a whole answer.
func (j *job) message(said []whole) []byte {
	var list []string
	for i, p := range said[0].parts {
		if p.kind != toolArgs {
			list = append(list, j.block(p.kind, string(p.text), j.id))
		} else if input, ok := p.document(); ok {
			list = append(list, j.toolUse(i, p.name, input))
		}
	}
	return fmt.Appendf(nil, `{%s,"content":[%s],%s,"usage":%s}`,
		j.messageHead(), strings.Join(list, ","), j.stopReason(0), j.messageUsage())
}

func (j *job) messageHead() string {
	return fmt.Sprintf(`"id":"%s","type":"message","role":"assistant","model":%s`, j.id, quoted(j.model))
}

// block returns a block of content that is no call. Thinking has the signature.
func (j *job) block(k kind, text, signature string) string {
	if k != reasoning {
		return `{"type":"text","text":` + quoted(text) + `}`
	}
	if j.req.hidden {
		text = ""
	}
	return fmt.Sprintf(`{"type":"thinking","thinking":%s,"signature":"%s"}`, quoted(text), signature)
}

func (j *job) toolUse(number int, name string, input []byte) string {
	return fmt.Sprintf(`{"type":"tool_use","id":"%s","name":%s,"input":%s}`, j.callID(number), quoted(name), input)
}

func (j *job) stopReason(choice int) string {
	if stop := j.plans[choice].stop; stop != "" {
		return `"stop_reason":"stop_sequence","stop_sequence":` + quoted(stop)
	}
	return `"stop_reason":` + orNull(j.finish(choice)) + `,"stop_sequence":null`
}

// messageUsage is the usage so far. What was cached is no part of the input.
func (j *job) messageUsage() string {
	u := j.counts()
	input := u.Prompt
	if input >= 0 {
		input -= max(u.Cached, 0) + u.CacheWritten
	}
	return fmt.Sprintf(`{"input_tokens":%s,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%s,`+
		`"output_tokens":%s,"output_tokens_details":{"thinking_tokens":%s}}`,
		known(input), u.CacheWritten, known(u.Cached), known(u.Completion), known(u.Reasoning))
}
