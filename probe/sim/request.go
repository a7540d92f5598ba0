package sim

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"tokscope/probe/sim/rawjson"
	"tokscope/probe/sim/schema"
)

// Bounds of a request.
const (
	maxBody     = 8 << 20
	maxMessages = 16384
	maxTools    = 128
	maxChoices  = 16 // per prompt
	maxStops    = 4
)

// request is what the body of a completion route asks for. Unknown fields are
// ignored, as in vLLM.
type request struct {
	api           *api
	version       string // of the API, as a header names it
	strict        bool   // what that version refuses is refused
	counting      bool   // only its tokens are counted
	generate      bool   // Ollama's prompt, not its chat
	warmup        bool   // there is nothing to answer
	model         string
	chat          bool
	messages      []message     // chat
	earlier       *conversation // of a socket; nil for none
	said          []message     // the one that this request goes on with
	prompts       []prompt      // completions, at least one
	tools         []tool
	word          string // of tool_choice: none, auto or required
	name          string // … or that of a tool
	stream        bool
	includeUsage  bool
	everyUsage    bool // usage in every chunk
	maxTokens     int  // 0 for no limit
	capped        bool // the limit is no wish: the answer ends by itself
	minTokens     int
	n             int // choices per prompt
	stops         []string
	ignoreEOS     bool
	greedy        bool // temperature 0
	seed          int64
	effort        string // of reasoning
	noThinking    bool
	hidden        bool // the text of thinking is not sent
	estimates     bool // … but how many tokens it has by now
	logs          bool // logprobs
	topLogs       int  // alternatives per token
	returnTokenID bool
	format        *schema.Schema // of the answer; nil for free text
}

type message struct {
	role string
	text string
}

type tool struct {
	name       string
	parameters json.RawMessage
}

// roles are the known roles of a message.
var roles = []string{"system", "developer", "user", "assistant", "tool", "function"}

// efforts are the known values of reasoning_effort.
var efforts = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// refusedFields change an answer in ways that this endpoint does not have.
// Ignoring them would be a wrong answer.
var refusedFields = []string{"echo", "suffix", "use_beam_search",
	"prompt_logprobs", "prompt_embeds", "functions", "audio",
	"structured_outputs", "guided_json", "guided_regex", "guided_choice", "guided_grammar",
	"grammar", "json_schema", "regex", "ebnf"} // llama.cpp's, SGLang's

// parse decodes and checks a body. The error is ready to be sent. The request
// keeps nothing of the body alive.
func (r *request) parse(body []byte) *apiError {
	f, apiErr := bodyFields(body)
	if apiErr != nil {
		return apiErr
	}
	r.n = 1
	r.api.parse(r, f)
	return f.err
}

// parseCompletion reads the fields of OpenAI's completions, and of chat.
func (r *request) parseCompletion(f *fields) {
	r.model, r.stream = f.text("model"), f.boolean("stream")
	r.ignoreEOS, r.returnTokenID = f.boolean("ignore_eos"), f.boolean("return_token_ids")
	if r.chat {
		r.parseMessages(f)
		r.parseTools(f)
	} else {
		r.parsePrompts(f)
	}
	r.parseLengths(f)
	r.parseSampling(f)
	r.parseStops(f, "stop")
	r.parseStreaming(f)
	r.parseEffort(f, "reasoning_effort")
	t := f.object("chat_template_kwargs")
	r.noThinking = t.has("enable_thinking") && !t.boolean("enable_thinking")
	r.parseLogprobs(f)
	r.parseFormat(f)
	if all := len(r.prompts) * r.n; all > maxPlans {
		f.fail("n", "%d prompts with n %d are %d answers, at most %d are taken", len(r.prompts), r.n, all, maxPlans)
	}
	for _, name := range refusedFields {
		if f.set(name) {
			f.fail(name, "%s is not supported by this endpoint", name)
		}
	}
}

// bodyFields returns the fields of a body.
func bodyFields(body []byte) (*fields, *apiError) {
	if err := rawjson.Check(body); err != nil {
		return nil, badRequest("", "the body is not valid JSON: %v", err)
	}
	if kind := rawjson.KindOf(body); kind != rawjson.Object {
		return nil, badRequest("", "the body must be a JSON object, got %s", kind)
	}
	f := new(reading).fieldsOf("", body)
	return f, f.err
}

func (r *request) parseMessages(f *fields) {
	if v := f.of("messages", rawjson.Array); f.err == nil && rawjson.Count(v) == 0 {
		f.fail("messages", "messages must hold at least one message")
	}
	f.objects("messages", maxMessages, func(m *fields) {
		role := m.text("role")
		switch {
		case m.err != nil:
		case role == "":
			m.fail("role", "%s has no role", strings.TrimSuffix(m.path, "."))
		case !slices.Contains(roles, role):
			m.fail("role", "%srole must be one of %s, got %q", m.path, strings.Join(roles, ", "), clip(role))
		}
		text, result := m.content("content")
		if result {
			role = "tool"
		}
		r.messages = append(r.messages, message{role: role, text: text})
	})
}

// content returns a text, or that of a list of parts, and whether a result of a tool is in
// it. An image, audio or a file is refused: its tokens would be missing in the count of
// the prompt. Calls and thoughts of earlier answers are no text, as in chat.
func (f *fields) content(name string) (text string, result bool) {
	v := f.raw(name)
	switch rawjson.KindOf(v) {
	case rawjson.None:
		return "", false
	case rawjson.String:
		return rawjson.Text(v), false
	case rawjson.Array:
		var b strings.Builder
		f.objects(name, maxMessages, func(part *fields) {
			switch kind := part.text("type"); kind {
			case "", "text", "refusal", "input_text", "output_text":
				b.WriteString(part.text("text"))
			case "tool_result":
				inner, _ := part.content("content")
				b.WriteString(inner)
				result = true
			case "thinking", "redacted_thinking", "tool_use":
			default:
				part.fail("type", "%stype is %q: this endpoint reads only text", part.path, clip(kind))
			}
		})
		return b.String(), result
	}
	f.wrongType(name, "a string or an array of parts", v)
	return "", false
}

func (r *request) parseTools(f *fields) {
	f.objects("tools", maxTools, func(t *fields) {
		if kind := t.text("type"); kind != "" && kind != "function" {
			t.fail("type", `%stype must be "function", got %q`, t.path, clip(kind))
		}
		r.addTool(t.object("function"), "parameters")
	})
	choice := f.raw("tool_choice")
	switch rawjson.KindOf(choice) {
	case rawjson.None:
	case rawjson.String:
		r.word = rawjson.Text(choice)
		if !slices.Contains([]string{"none", "auto", "required"}, r.word) {
			f.fail("tool_choice", "tool_choice must be none, auto, required or a tool, got %q", clip(r.word))
		}
	case rawjson.Object:
		r.name = f.object("tool_choice").object("function").text("name")
	default:
		f.wrongType("tool_choice", "a string or an object", choice)
	}
	r.checkChoice(f)
}

// addTool reads a tool, whose parameters have a schema in that field.
func (r *request) addTool(f *fields, schemaIn string) {
	name := f.text("name")
	if name == "" && f.err == nil {
		f.fail("name", "%sname is missing", f.path)
	}
	parameters := f.of(schemaIn, rawjson.Object)
	if len(parameters) > schema.MaxSize {
		f.fail(schemaIn, "%s%s has %d bytes, at most %d are taken", f.path, schemaIn, len(parameters), schema.MaxSize)
	}
	r.tools = append(r.tools, tool{name, bytes.Clone(parameters)}) // the body is not kept alive
}

// checkChoice holds the choice against the tools.
func (r *request) checkChoice(f *fields) {
	known := slices.ContainsFunc(r.tools, func(t tool) bool { return t.name == r.name })
	if r.name != "" && !known {
		f.fail("tool_choice", "tool_choice names %q, which is not in tools", clip(r.name))
	}
	if r.word == "required" && len(r.tools) == 0 {
		f.fail("tool_choice", "tool_choice is required, but tools is empty")
	}
}

func (r *request) parseLengths(f *fields) {
	limit := f.integer("max_tokens", 1, math.MaxInt32)
	if newer := f.integer("max_completion_tokens", 1, math.MaxInt32); newer != nil {
		limit = newer
	}
	switch {
	case limit != nil:
		r.maxTokens = int(*limit)
	case !r.chat:
		r.maxTokens = 16 // the default of the completions route
	}
	if least := f.integer("min_tokens", 0, math.MaxInt32); least != nil {
		r.minTokens = int(*least)
	}
	if r.maxTokens > 0 && r.minTokens > r.maxTokens {
		f.fail("min_tokens", "min_tokens must be at most max_tokens, %d, got %d", r.maxTokens, r.minTokens)
	}
	if n := f.integer("n", 1, maxChoices); n != nil {
		r.n = int(*n)
	}
	if best := f.integer("best_of", 1, maxChoices); best != nil && int(*best) != r.n {
		f.fail("best_of", "best_of must be n, %d: this endpoint does not rank answers", r.n)
	}
}

// longAnswer is the longest answer that a limit asks for where it is often the most that
// an agent bears: agents send 32,000 in every request.
const longAnswer = 4096

// bound reads the limit of an API other than OpenAI's first two. It reports whether there is one.
func (r *request) bound(f *fields, name string) bool {
	n := f.integer(name, 1, math.MaxInt32)
	if n != nil {
		r.maxTokens, r.capped = int(*n), *n > longAnswer
	}
	return n != nil
}

// parseSampling checks the sampling parameters. Only temperature 0, the
// greedy choice, and the seed change the answer.
func (r *request) parseSampling(f *fields) {
	f.number("temperature", 0, 2)
	f.number("top_p", 0, 1)
	f.number("min_p", 0, 1)
	f.number("presence_penalty", -2, 2)
	f.number("frequency_penalty", -2, 2)
	f.number("repetition_penalty", 0, 2)
	f.integer("top_k", -1, math.MaxInt32)
	r.greedy = isZero(f.raw("temperature"))
	if isZero(f.raw("top_p")) {
		f.fail("top_p", "top_p must be above 0, got 0")
	}
	if isZero(f.raw("repetition_penalty")) {
		f.fail("repetition_penalty", "repetition_penalty must be above 0, got 0")
	}
	if seed := f.integer("seed", math.MinInt64, math.MaxInt64); seed != nil {
		r.seed = *seed
	}
	bias := f.object("logit_bias")
	for _, x := range bias.list {
		bias.number(x.name, -100, 100)
	}
}

// isZero reports whether a value is the number 0.
func isZero(v []byte) bool {
	var x float64
	return v != nil && json.Unmarshal(v, &x) == nil && x == 0
}

func (r *request) parseStops(f *fields, name string) {
	v := f.raw(name)
	switch rawjson.KindOf(v) {
	case rawjson.None:
	case rawjson.String:
		r.stops = []string{rawjson.Text(v)}
	case rawjson.Array:
		if n := rawjson.Count(v); n > maxStops {
			f.fail(name, "%s%s holds %d sequences, at most %d are taken", f.path, name, n, maxStops)
			return
		}
		rawjson.Items(v, func(_ int, s []byte) bool {
			if rawjson.KindOf(s) != rawjson.String {
				f.fail(name, "%s%s must be a string or an array of strings, got %s in it", f.path, name, rawjson.KindOf(s))
			}
			r.stops = append(r.stops, rawjson.Text(s))
			return f.err == nil
		})
	default:
		f.wrongType(name, "a string or an array of strings", v)
	}
	if slices.Contains(r.stops, "") {
		f.fail(name, "a stop sequence must not be empty")
	}
}

func (r *request) parseStreaming(f *fields) {
	o := f.object("stream_options")
	if o.exists && !r.stream {
		f.fail("stream_options", "stream_options is only allowed when stream is true")
	}
	r.includeUsage = o.boolean("include_usage")
	r.everyUsage = o.boolean("continuous_usage_stats") && r.includeUsage
}

func (r *request) parseEffort(f *fields, name string) {
	if r.effort = f.text(name); r.effort != "" && !slices.Contains(efforts, r.effort) {
		f.fail(name, "%s%s must be one of %s, got %q", f.path, name, strings.Join(efforts, ", "), clip(r.effort))
	}
}

// thinks reports whether the request allows a reasoning model to reason.
func (r *request) thinks() bool {
	return r.chat && !r.noThinking && r.effort != "none" && r.effort != "minimal"
}

// chatText returns the whole text that the model reads, laid out as by a chat
// template. last is the text of the last user message.
func (r *request) chatText(generate bool) (all, last string) {
	var b strings.Builder
	for i := range r.messages {
		m := &r.messages[i]
		b.WriteString("<|")
		b.WriteString(m.role)
		b.WriteString("|>\n")
		b.WriteString(m.text)
		b.WriteString("\n")
		if m.role == "user" {
			last = m.text
		}
	}
	for _, t := range r.tools {
		b.WriteString(t.name)
		b.Write(t.parameters)
		b.WriteString("\n")
	}
	if generate {
		b.WriteString("<|assistant|>\n")
	}
	return b.String(), last
}

// parseFormat reads response_format. Text that must fit a schema is written
// by package schema.
func (r *request) parseFormat(f *fields) {
	o := f.object("response_format")
	if !o.exists {
		return
	}
	switch kind := o.text("type"); {
	case o.err != nil:
	case kind == "text":
	case kind == "json_object":
		r.format = schema.Object()
	case kind == "json_schema":
		r.parseSchema(o)
	default:
		o.fail("type", "response_format.type must be text, json_object or json_schema, got %q", clip(kind))
	}
}

func (r *request) parseSchema(f *fields) {
	o := f.object("json_schema")
	if !o.exists {
		f.fail("json_schema", "response_format.json_schema is missing")
	}
	if o.text("name") == "" && o.err == nil {
		o.fail("name", "response_format.json_schema.name is missing")
	}
	o.boolean("strict")
	r.fit(o, "schema")
}

// fit makes the answer a document: one that fits the schema in a field, if there is one.
func (r *request) fit(f *fields, name string) {
	r.format = schema.Object()
	v := f.raw(name)
	if v == nil {
		return
	}
	s, err := schema.Compile(v)
	if err != nil {
		f.fail(name, "%s%s: %v", f.path, name, err)
	}
	r.format = s
}
