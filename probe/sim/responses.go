package sim

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/sim/rawjson"
	"tokscope/probe/sim/schema"
)

// responsesAPI is OpenAI's Responses, as servers of open weights have it: thoughts come as
// they are, not as a summary.
var responsesAPI = api{prefix: "resp_", idHeader: "X-Request-Id", kind: eventStream, alive: keepAlive, comments: true,
	parse: (*request).parseResponses, events: newItems, whole: (*job).response,
	ends:    map[string]string{"length": "max_output_tokens"},
	failure: (*apiError).openAI}

func responsesRequest(*http.Request) *request { return &request{api: &responsesAPI, chat: true} }

func (r *request) parseResponses(f *fields) {
	r.model, r.stream = f.text("model"), f.boolean("stream") || r.earlier != nil
	if system := f.text("instructions"); system != "" {
		r.messages = append(r.messages, message{"system", system})
	}
	system := len(r.messages)
	if id := f.text("previous_response_id"); id != "" && f.err == nil {
		if r.earlier == nil || r.earlier.id != id {
			f.err = newError(http.StatusBadRequest, "previous_response_not_found",
				"no response %q here: only a socket keeps its last. Send the whole conversation in input", clip(id))
			return
		}
		r.messages = append(r.messages, r.earlier.said...)
	}
	r.parseInput(f)
	if r.earlier != nil {
		r.said = slices.Clone(r.messages[system:])
	}
	f.objects("tools", maxTools, func(t *fields) {
		if t.text("type") == "function" { // the others run at OpenAI or need no arguments of a schema
			r.addTool(t, "parameters")
		}
	})
	if v := f.raw("tool_choice"); rawjson.KindOf(v) == rawjson.String {
		r.word = rawjson.Text(v)
	} else if choice := f.object("tool_choice"); choice.text("type") == "function" {
		r.name = choice.text("name")
	} else {
		r.word = choice.text("mode") // of allowed_tools
	}
	r.checkChoice(f)
	r.bound(f, "max_output_tokens")
	r.parseSampling(f)
	r.parseEffort(f.object("reasoning"), "effort")
	format := f.object("text").object("format")
	switch format.text("type") {
	case "json_object":
		r.format = schema.Object()
	case "json_schema":
		r.fit(format, "schema")
	}
	for _, name := range []string{"background", "conversation", "prompt"} {
		if f.set(name) {
			f.fail(name, "%s is not supported by this endpoint", name)
		}
	}
}

// parseInput reads a prompt, or the items of a conversation.
func (r *request) parseInput(f *fields) {
	before := len(r.messages)
	if v := f.raw("input"); rawjson.KindOf(v) == rawjson.String {
		r.messages = append(r.messages, message{"user", rawjson.Text(v)})
	} else {
		f.objects("input", maxMessages, func(item *fields) {
			kind, role := item.text("type"), item.text("role")
			switch {
			case role != "":
				text, _ := item.content("content")
				r.messages = append(r.messages, message{role, text})
			case strings.HasSuffix(kind, "_output"):
				text, _ := item.content("output")
				r.messages = append(r.messages, message{"tool", text})
			}
		})
	}
	if len(r.messages) == before && !r.warmup {
		f.fail("input", "input must be a text or hold at least one message")
	}
}

// responseItems writes the stream of Responses: one item after the other.
type responseItems struct {
	*streamer
	sequence int
	now      part // the open item so far
	open     bool
	answer   string   // the text of a message
	done     []string // the items before it
}

func newItems(s *streamer) eventWriter { return &responseItems{streamer: s} }

// event writes an event. The fields behind its number begin with a comma.
func (s *responseItems) event(kind, format string, args ...any) {
	s.buf = fmt.Appendf(s.buf, "event: %s\ndata: {\"type\":\"%s\",\"sequence_number\":%d", kind, kind, s.sequence)
	s.buf = append(fmt.Appendf(s.buf, format, args...), "}\n\n"...)
	s.sequence++
}

func (s *responseItems) opening(int) {
	for _, state := range []string{"response.created", "response.in_progress"} {
		s.event(state, `,"response":%s`, s.responseObject("in_progress", nil))
	}
}

// streamed are the names of events by what they stream.
var streamed = [...]string{content: "response.output_text", reasoning: "response.reasoning_text",
	toolArgs: "response.function_call_arguments"}

func (s *responseItems) part(choice int, k kind, text string) {
	if !s.open || s.now.kind != k {
		s.stop("completed")
		s.now, s.open = part{kind: k}, true
		if k == toolArgs {
			s.now.name = s.plans[choice].call.name
		}
		s.event("response.output_item.added", `,"output_index":%d,"item":%s`,
			len(s.done), s.item(&s.now, len(s.done), "in_progress"))
		if k != toolArgs {
			s.event("response.content_part.added", `,%s,"part":%s`, s.place(), s.now.content())
		}
	}
	s.now.text = append(s.now.text, text...)
	s.event(streamed[k]+".delta", `,%s,"delta":%s`, s.place(), quoted(text))
}

// place is where the open item is.
func (s *responseItems) place() string {
	return fmt.Sprintf(`"item_id":"%s","output_index":%d,"content_index":0`,
		s.itemID(s.now.kind, len(s.done)), len(s.done))
}

// stop ends the open item.
func (s *responseItems) stop(status string) {
	if !s.open {
		return
	}
	k, text := s.now.kind, string(s.now.text)
	if k == toolArgs {
		s.event(streamed[k]+".done", `,%s,"name":%s,"arguments":%s`, s.place(), quoted(s.now.name), quoted(text))
	} else {
		s.event(streamed[k]+".done", `,%s,"text":%s`, s.place(), quoted(text))
		s.event("response.content_part.done", `,%s,"part":%s`, s.place(), s.now.content())
	}
	if k == content {
		s.answer = text
	}
	item := s.item(&s.now, len(s.done), status)
	s.event("response.output_item.done", `,"output_index":%d,"item":%s`, len(s.done), item)
	s.done, s.open = append(s.done, item), false
}

func (s *responseItems) closing(int) { s.stop(s.status()) }

func (s *responseItems) tail() {
	if !s.sc.noDone && !s.sc.noFinish { // one event is both
		s.req.remember(s.id, s.answer) // before the client can name it
		s.event("response."+s.status(), `,"response":%s`, s.responseObject(s.status(), s.done))
	}
}

func (s *responseItems) fail(e *apiError) {
	_, body := e.openAI()
	s.event("error", `,%s`, body[1:len(body)-1])
}

// response returns a whole answer.
func (j *job) response(said []whole) []byte {
	var list []string
	for i := range said[0].parts {
		list = append(list, j.item(&said[0].parts[i], i, "completed"))
	}
	return []byte(j.responseObject(j.status(), list))
}

// status is how the answer ends.
func (j *job) status() string {
	switch metrics.FinishKindOf(j.plans[0].finish) {
	case metrics.FinishStop, metrics.FinishCalls:
		return "completed"
	}
	return "incomplete"
}

func (j *job) itemID(k kind, number int) string {
	return fmt.Sprintf("%s_%s-%d", [...]string{"msg", reasoning: "rs", toolArgs: "fc", refusal: "msg", speech: "msg"}[k],
		j.id, number)
}

// item returns an item of the output, with no content before there is text.
func (j *job) item(p *part, number int, status string) string {
	head := fmt.Sprintf(`{"id":"%s","status":"%s"`, j.itemID(p.kind, number), status)
	parts := ""
	if len(p.text) > 0 {
		parts = p.content()
	}
	switch p.kind {
	case reasoning:
		return fmt.Sprintf(`%s,"type":"reasoning","summary":[],"content":[%s]}`, head, parts)
	case toolArgs:
		return fmt.Sprintf(`%s,"type":"function_call","call_id":"%s","name":%s,"arguments":%s}`,
			head, j.callID(number), quoted(p.name), quoted(string(p.text)))
	}
	return fmt.Sprintf(`%s,"type":"message","role":"assistant","content":[%s]}`, head, parts)
}

// content returns the content of an item that is no call.
func (p *part) content() string {
	switch text := quoted(string(p.text)); p.kind {
	case reasoning:
		return `{"type":"reasoning_text","text":` + text + `}`
	case refusal:
		return `{"type":"refusal","refusal":` + text + `}`
	default:
		return `{"type":"output_text","text":` + text + `,"annotations":[]}`
	}
}

// responseObject returns the response with these items. Before its end it has no usage.
func (j *job) responseObject(status string, items []string) string {
	details, usage := "null", "null"
	if status == "incomplete" && j.finish(0) != status { // a reason, not only the fact
		details = `{"reason":` + orNull(j.finish(0)) + `}`
	}
	if u := j.counts(); status != "in_progress" && j.sc.usage != "none" {
		usage = fmt.Sprintf(`{"input_tokens":%s,"input_tokens_details":{"cached_tokens":%s},"output_tokens":%s,`+
			`"output_tokens_details":{"reasoning_tokens":%s},"total_tokens":%s}`,
			known(u.Prompt), known(u.Cached), known(u.Completion), known(u.Reasoning), known(u.Total))
	}
	return fmt.Sprintf(`{"id":"%s","object":"response","created_at":%d,"status":"%s","error":null,`+
		`"incomplete_details":%s,"instructions":null,"metadata":{},"model":%s,"output":[%s],`+
		`"parallel_tool_calls":true,"previous_response_id":null,`+
		`"store":false,"temperature":null,"tool_choice":"auto","tools":[],"top_p":null,"usage":%s}`,
		j.id, j.created, status, details, quoted(j.model), strings.Join(items, ","), usage)
}
