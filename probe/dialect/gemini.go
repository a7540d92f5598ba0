package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// gemini is Google's API of Gemini, also as Vertex AI has it.
var gemini = API{
	Name: "gemini", Title: "Gemini", Version: "/v1beta", Path: "/models/{model}:streamGenerateContent?alt=sse",
	Pasted: []string{"/models/{model}:generateContent", "/models/{model}:countTokens"},
	Owns: func(host, _, path string) bool {
		return (host == "generativelanguage.googleapis.com" || strings.HasSuffix(host, "aiplatform.googleapis.com")) &&
			!strings.Contains(path, "/openai") && !strings.Contains(path, "/openapi")
	},
	Models: []string{"/models?pageSize=1000"}, Form: sse.Array, Auth: "x-goog-api-key",
	Body: geminiBody, Effort: geminiEffort, NoService: true, Step: geminiStep, event: (*Decoder).geminiChunk,
}

func geminiEffort(level string) map[string]any {
	const config = "generationConfig.thinkingConfig."
	if level == "none" {
		level = "0"
	}
	if tokens := asCount([]byte(level)); tokens >= 0 {
		return map[string]any{config + "thinkingBudget": tokens}
	}
	return map[string]any{config + "thinkingLevel": strings.ToUpper(level)}
}

func geminiStep(status int, body []byte, _ string) string {
	words := strings.ToLower(string(body))
	switch {
	case status == 404 && hold(words, "models/"):
		return "name another model with --model"
	case status == 400 && hold(words, "location is not supported"):
		return "Google does not offer the API where this machine is: ask from elsewhere, or use Vertex AI"
	}
	return ""
}

func geminiBody(p *Params, _ string, w *metrics.Workload) (any, map[string]any) {
	config := map[string]any{}
	sampled(config, p, w, "maxOutputTokens", true)
	system, contents := geminiContents(w)
	fields := map[string]any{"contents": contents, "generationConfig": config}
	if system != nil {
		fields["systemInstruction"] = map[string]any{"parts": system}
	}
	if w.Tools != "" {
		fields["tools"] = geminiTools(w.Tools)
	}
	return nil, fields
}

// geminiContents returns what is said to the model, and the parts of the system's texts.
// Turns of one role in a row are one, as results of several calls must be.
func geminiContents(w *metrics.Workload) (system, contents []any) {
	say := func(role string, parts ...any) {
		if last := len(contents) - 1; last >= 0 {
			if turn := contents[last].(map[string]any); turn["role"] == role {
				turn["parts"] = append(turn["parts"].([]any), parts...)
				return
			}
		}
		contents = append(contents, map[string]any{"role": role, "parts": parts})
	}
	text := func(s string) any { return map[string]any{"text": s} }
	if w.Messages == "" {
		if w.System != "" {
			system = []any{text(w.System)}
		}
		say("user", text(w.Prompt))
		return system, contents
	}
	names := map[any]any{}
	turns, _ := listOf(w.Messages)
	for _, turn := range turns {
		content, several := turn["content"].([]any)
		if !several {
			content = []any{map[string]any{"text": turn["content"]}}
		}
		said, parts := "", []any(nil)
		for _, part := range content { // in their order
			words, pictures, ok := contentOf([]any{part})
			switch {
			case !ok && several:
				parts = append(parts, part)
			case words != "":
				said, parts = said+words, append(parts, text(words))
			}
			for _, p := range pictures {
				parts = append(parts, map[string]any{"inlineData": map[string]any{"mimeType": p.mime, "data": p.data}})
			}
		}
		switch turn["role"] {
		case "system", "developer":
			system = append(system, parts...)
		case "tool":
			result := any(map[string]any{"output": said})
			if raw := []byte(said); json.Valid(raw) && bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
				result = json.RawMessage(raw)
			}
			say("user", map[string]any{"functionResponse": map[string]any{
				"name": names[turn["tool_call_id"]], "response": result}})
		case "assistant":
			for _, call := range callsOf(turn, names) {
				function := call["function"].(map[string]any)
				parts = append(parts, map[string]any{"functionCall": map[string]any{
					"name": function["name"], "args": function["arguments"]}})
			}
			say("model", parts...)
		default:
			say("user", parts...)
		}
	}
	return system, contents
}

// geminiTools returns the functions of chat's tools as one tool, and others as they stand.
func geminiTools(tools metrics.Raw) (out []any) {
	var functions []any
	list, _ := listOf(tools)
	for _, tool := range list {
		if function, ok := tool["function"].(map[string]any); ok {
			delete(function, "strict") // of OpenAI
			functions = append(functions, function)
		} else {
			out = append(out, tool)
		}
	}
	if functions != nil {
		out = append(out, map[string]any{"functionDeclarations": functions})
	}
	return out
}

// geminiChunk decodes a chunk of Gemini, whose names Google's own clients and gateways write
// in two ways:
//
//	candidates[].content.parts[]  text, thinking (thought), whole calls, code, media
//	candidates[].finishReason     why it ended; the end is that of the body
//	promptFeedback.blockReason    the same, before any candidate
//	usageMetadata                 the usage so far
func (d *Decoder) geminiChunk(m *message, doc []byte, out *Out) bool {
	s := &d.scan
	var candidates, usage, feedback, model, id []byte
	for k, more := s.keysOf(doc); more; k, more = s.nextKey() {
		switch string(k) {
		case "candidates":
			candidates = s.raw()
		case "usageMetadata", "usage_metadata":
			usage = s.raw()
		case "promptFeedback", "prompt_feedback":
			feedback = s.raw()
		case "modelVersion", "model_version":
			model, _ = s.text()
		case "responseId", "response_id":
			id, _ = s.text()
		}
	}
	if candidates == nil && usage == nil && feedback == nil || saysSomething(m.err) {
		return false
	}
	m.id = id
	out.Model = d.reuse(&d.model, model)
	var few [1][]byte
	list := few[:0]
	for more := s.elemsOf(candidates); more && len(list) < maxChoices; more = s.nextElem() {
		list = append(list, s.raw())
	}
	for _, raw := range list {
		d.candidate(raw, out)
	}
	s.sub(feedback)
	if reason := s.fieldText("blockReason", "block_reason"); len(reason) > 0 {
		out.Finish = cmp.Or(out.Finish, string(reason))
		d.broken(out, "the prompt was blocked as "+out.Finish, feedback)
	}
	used := -1
	if u, ok := d.geminiUsage(usage, out); ok {
		used = d.takes(u, usage, len(list) == 0, out)
	}
	d.countTokens(used, -1, out)
	d.requestID(m, out)
	return true
}

// candidate decodes what one candidate adds.
func (d *Decoder) candidate(raw []byte, out *Out) {
	s := &d.scan
	index := 0
	var content, finish, why []byte
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		switch string(k) {
		case "index":
			index = asCount(s.raw())
		case "content":
			content = s.raw()
		case "finishReason", "finish_reason":
			finish, _ = s.text()
		case "finishMessage", "finish_message":
			why, _ = s.text()
		}
	}
	s.sub(content)
	parts := s.field("parts")
	choice := uint8(min(max(index, 0), 255))
	d.manyChoices, out.Choices = d.manyChoices || choice > 0, true
	st, first := d.state(choice), len(out.Deltas)
	for more := s.elemsOf(parts); more; more = s.nextElem() {
		d.part(choice, out)
	}
	st.end.takes(len(finish) > 0, len(out.Deltas) > first)
	if len(finish) == 0 {
		return
	}
	out.Finish = cmp.Or(out.Finish, d.reuse(&d.lastFinish, finish))
	d.broken(out, cmp.Or(string(why), "the answer ended as "+string(finish)), raw)
}

// broken reports a fault where the finish reason of out is that of no answer.
func (d *Decoder) broken(out *Out, message string, raw []byte) {
	if out.Finish != "" && metrics.FinishKindOf(out.Finish) == metrics.FinishOther {
		d.fault(out, serverError{message: message, code: out.Finish}, raw)
	}
}

// part decodes the next value of the scan, a part of a content.
func (d *Decoder) part(choice uint8, out *Out) {
	s := &d.scan
	var text, name, args, mime []byte
	var inline media
	thought, works := false, false
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		switch string(k) {
		case "text":
			text, _ = s.text()
		case "thought":
			thought = s.peek() == 't'
		case "functionCall", "function_call":
			for k, more := s.firstKey(); more; k, more = s.nextKey() {
				switch string(k) {
				case "name":
					name, _ = s.text()
				case "args", "partialArgs", "partial_args":
					args = bytes.ToValidUTF8(s.raw(), []byte("\uFFFD"))
				}
			}
		case "executableCode", "executable_code":
			name = []byte("code_execution")
			args, works = s.fieldText("code"), true
		case "codeExecutionResult", "code_execution_result":
			d.waited("", out)
		case "inlineData", "inline_data":
			for k, more := s.firstKey(); more; k, more = s.nextKey() {
				switch string(k) {
				case "mimeType", "mime_type":
					mime, _ = s.text()
				case "data":
					data, _ := s.text()
					inline.add(data)
				}
			}
		}
	}
	if len(text) > 0 {
		kind := metrics.Content
		if thought {
			kind = metrics.Reasoning
		}
		out.add(kind, choice, text)
	}
	if len(name)+len(args) > 0 {
		out.Deltas = append(out.Deltas,
			Delta{Kind: metrics.ToolCall, Choice: choice, Text: args, Tokens: -1, Name: string(name)})
	}
	if works { // the server runs the code, until its result comes
		d.wait("", string(name), out)
	}
	added := delta{images: inline}
	if bytes.HasPrefix(mime, []byte("audio/")) {
		added = delta{audio: inline}
	}
	d.mediaDeltas(choice, &added, out)
}

// geminiUsage decodes the usage so far. Its output leaves out what was thought, which is
// output too.
func (d *Decoder) geminiUsage(raw []byte, out *Out) (u metrics.Usage, ok bool) {
	s := &d.scan
	u = metrics.NoUsage()
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		switch string(k) {
		case "promptTokenCount", "prompt_token_count":
			u.Prompt = asCount(s.raw())
		case "candidatesTokenCount", "candidates_token_count":
			u.Completion = asCount(s.raw())
		case "thoughtsTokenCount", "thoughts_token_count":
			u.Reasoning = asCount(s.raw())
		case "cachedContentTokenCount", "cached_content_token_count":
			u.Cached = asCount(s.raw())
		case "totalTokenCount", "total_token_count":
			u.Total = asCount(s.raw())
		case "trafficType", "traffic_type":
			tier, _ := s.text()
			out.Served.Tier = d.reuse(&d.service.Tier, tier)
		}
	}
	if u.Reasoning > 0 {
		u.Completion = max(u.Completion, 0) + u.Reasoning
	}
	return u, u.Prompt >= 0 || u.Completion >= 0 || u.Total >= 0
}
