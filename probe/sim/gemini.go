package sim

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"tokscope/probe/sim/rawjson"
	"tokscope/probe/sim/schema"
)

// geminiAPI is Google's generateContent. Its clients bear no comments.
var geminiAPI = api{prefix: "gem-", idHeader: "X-Request-Id", kind: eventStream, crlf: true,
	parse: (*request).parseGemini, events: newGemini, whole: (*job).geminiAnswer,
	ends:    map[string]string{"length": "MAX_TOKENS", "tool_calls": "STOP"},
	failure: (*apiError).google}

// geminiArrayAPI is its stream without alt=sse: the items of one array.
var geminiArrayAPI = func() api {
	a := geminiAPI
	a.kind, a.array = "application/json", true
	return a
}()

// geminiCall answers POST …/models/MODEL:METHOD. A model's id may have colons.
func (s *Server) geminiCall(w http.ResponseWriter, r *http.Request) *apiError {
	id := r.PathValue("id")
	i := strings.LastIndexByte(id, ':')
	method := id[i+1:]
	q := &request{api: &geminiAPI, chat: true, model: id[:max(i, 0)], stream: method == "streamGenerateContent"}
	read := func(*http.Request) *request { return q }
	switch method {
	case "streamGenerateContent", "generateContent":
		if q.stream && r.URL.Query().Get("alt") != "sse" {
			q.api = &geminiArrayAPI
		}
		return s.complete(w, r, q)
	case "countTokens":
		return s.counting(read, func(n int) any { return map[string]int{"totalTokens": n} })(w, r)
	}
	return newError(http.StatusNotFound, "route_not_found",
		"no method %q of a model. There are generateContent, streamGenerateContent and countTokens", clip(method))
}

// camel gives fields that a client wrote in snake_case their names.
func (f *fields) camel() *fields {
	for i := range f.list {
		name, up := "", false
		for _, c := range f.list[i].name {
			if up {
				c = unicode.ToUpper(c)
			}
			if up = c == '_'; !up {
				name += string(c)
			}
		}
		f.list[i].name = name
	}
	return f
}

func (r *request) parseGemini(f *fields) {
	f.camel()
	if inner := f.object("generateContentRequest"); r.counting && inner.exists {
		f.list = inner.camel().list
	}
	if system := f.object("systemInstruction").camel(); system.exists {
		r.addParts(system, "system")
	}
	f.objects("contents", maxMessages, func(m *fields) {
		role := m.camel().text("role")
		if role == "" || role == "model" {
			role = map[string]string{"": "user", "model": "assistant"}[role]
		}
		r.addParts(m, role)
	})
	if len(r.messages) == 0 {
		f.fail("contents", "contents must hold at least one message")
	}
	f.objects("tools", maxTools, func(t *fields) {
		t.camel().objects("functionDeclarations", maxTools, func(fn *fields) {
			in := "parameters"
			if fn.camel().has("parametersJsonSchema") {
				in = "parametersJsonSchema"
			}
			lowerTypes(fn.raw(in))
			r.addTool(fn, in)
		})
	})
	choice := f.object("toolConfig").camel().object("functionCallingConfig").camel()
	if r.word = strings.ToLower(choice.text("mode")); r.word == "any" {
		r.word = "required"
		rawjson.Items(choice.of("allowedFunctionNames", rawjson.Array), func(_ int, v []byte) bool {
			r.name = rawjson.Text(v)
			return false
		})
	}
	r.checkChoice(f)
	g := f.object("generationConfig").camel()
	r.bound(g, "maxOutputTokens")
	r.parseSampling(g)
	r.parseStops(g, "stopSequences")
	t := g.object("thinkingConfig").camel() // the text of thoughts comes only if it is asked for
	r.hidden, r.effort = !t.boolean("includeThoughts"), strings.ToLower(t.text("thinkingLevel"))
	budget := t.integer("thinkingBudget", -1, 1<<31-1)
	r.noThinking = budget != nil && *budget == 0
	for _, name := range []string{"responseSchema", "responseJsonSchema"} {
		if g.has(name) {
			lowerTypes(g.raw(name))
			r.fit(g, name)
		}
	}
	if g.text("responseMimeType") == "application/json" {
		r.format = cmp.Or(r.format, schema.Object())
	}
	if n := g.integer("candidateCount", 1, maxChoices); n != nil && *n > 1 {
		g.fail("candidateCount", "candidateCount must be 1 here, got %d", *n)
	}
}

// addParts reads a message. The result of a tool is its JSON.
func (r *request) addParts(f *fields, role string) {
	var b strings.Builder
	f.objects("parts", maxMessages, func(part *fields) {
		part.camel()
		result := part.object("functionResponse").camel()
		if result.exists {
			role = "tool"
			b.Write(result.raw("response"))
		}
		for _, name := range []string{"inlineData", "fileData"} {
			if part.has(name) {
				part.fail(name, "%s%s: this endpoint reads only text", part.path, name)
			}
		}
		if !part.boolean("thought") {
			b.WriteString(part.text("text"))
		}
	})
	r.messages = append(r.messages, message{role, b.String()})
}

var upperType = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"type"\s*:\s*"([A-Z]+)"`) })

// lowerTypes writes the types of Google's schemas as those of JSON Schema, in place.
func lowerTypes(schema []byte) {
	for _, at := range upperType().FindAllSubmatchIndex(schema, -1) {
		copy(schema[at[2]:], bytes.ToLower(schema[at[2]:at[3]]))
	}
}

// googleStatus are the words for errors by HTTP status.
var googleStatus = map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED",
	404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}

// google is an error as Google writes it.
func (e *apiError) google() (status int, body []byte) {
	word := cmp.Or(googleStatus[e.status], "UNKNOWN")
	return e.status, fmt.Appendf(nil, `{"error":{"code":%d,"message":%s,"status":"%s"}}`,
		e.status, quoted(e.Message), word)
}

// geminiChunks writes the stream of Gemini. A call's arguments come as a whole.
type geminiChunks struct {
	*streamer
	arguments []byte
	some      bool // a chunk was written
}

func newGemini(s *streamer) eventWriter { return &geminiChunks{streamer: s} }

func (s *geminiChunks) opening(int) {}

// chunk writes a document.
func (s *geminiChunks) chunk(doc string) {
	before, behind := "data: ", "\n\n"
	if s.req.api.array {
		before, behind = ",\n", "\n"
		if !s.some {
			before = "["
		}
	}
	s.some = true
	s.buf = append(append(append(s.buf, before...), doc...), behind...)
}

func (s *geminiChunks) part(_ int, k kind, text string) {
	switch {
	case k == toolArgs:
		s.arguments = append(s.arguments, text...)
	case k == content || !s.req.hidden:
		s.chunk(s.geminiDocument(geminiPart(k, text), ""))
	}
}

func (s *geminiChunks) closing(choice int) {
	if json.Valid(s.arguments) {
		s.chunk(s.geminiDocument(s.geminiFunction(0, s.plans[choice].call.name, s.arguments), ""))
	}
	s.chunk(s.geminiDocument(geminiPart(content, ""), s.geminiReason(choice)))
}

func (s *geminiChunks) tail() {
	if s.req.api.array && !s.sc.noDone {
		s.buf = append(s.buf, "]\n"...)
	}
}

func (s *geminiChunks) fail(e *apiError) {
	_, body := e.google()
	s.chunk(string(body))
	s.tail()
}

// geminiAnswer returns a whole answer.
func (j *job) geminiAnswer(said []whole) []byte {
	var parts []string
	for i, p := range said[0].parts {
		if p.kind == toolArgs {
			if args, ok := p.document(); ok {
				parts = append(parts, j.geminiFunction(i, p.name, args))
			}
		} else if p.kind != reasoning || !j.req.hidden {
			parts = append(parts, geminiPart(p.kind, string(p.text)))
		}
	}
	return []byte(j.geminiDocument(strings.Join(parts, ","), j.geminiReason(0)))
}

func geminiPart(k kind, text string) string {
	if k == reasoning {
		return `{"text":` + quoted(text) + `,"thought":true}`
	}
	return `{"text":` + quoted(text) + `}`
}

func (j *job) geminiFunction(number int, name string, arguments []byte) string {
	return fmt.Sprintf(`{"functionCall":{"id":"%s","name":%s,"args":%s}}`, j.callID(number), quoted(name), arguments)
}

// geminiReason is the field with the reason of the end, from its comma on.
func (j *job) geminiReason(choice int) string {
	return `,"finishReason":` + orNull(strings.ToUpper(j.finish(choice)))
}

// geminiDocument returns a chunk, or the whole answer. The usage counts what came so far;
// thoughts are no part of a candidate.
func (j *job) geminiDocument(parts, reason string) string {
	usage := ""
	if j.sc.usage != "none" {
		u := j.counts()
		usage = fmt.Sprintf(`"usageMetadata":{"promptTokenCount":%s,"cachedContentTokenCount":%s,`+
			`"candidatesTokenCount":%s,"thoughtsTokenCount":%s,"totalTokenCount":%s},`,
			known(u.Prompt), known(u.Cached), known(u.Completion-max(u.Reasoning, 0)), known(u.Reasoning), known(u.Total))
	}
	return fmt.Sprintf(`{"candidates":[{"content":{"parts":[%s],"role":"model"}%s,"index":0}],%s`+
		`"modelVersion":%s,"responseId":"%s"}`, parts, reason, usage, quoted(j.model), j.id)
}
