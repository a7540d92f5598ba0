package dialect

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"tokscope/metrics"
)

// messages is Anthropic's Messages API.
var messages = API{
	Name: "messages", Title: messagesTitle, Version: "/v1", Path: "/messages",
	Owns: func(host, _, path string) bool {
		return host == "api.anthropic.com" || strings.HasSuffix(path, "/anthropic")
	},
	Auth: "x-api-key", Header: map[string]string{messagesVersion: "2026-10-21"},
	Sampled: map[string]string{messagesVersion: "2023-06-01"}, // later ones refuse a temperature
	Marker:  "message_stop", Bound: "max_tokens",
	Body: messagesBody, Notes: messagesNotes, Effort: messagesEffort, event: (*Decoder).messagesEvent,
}

const messagesTitle = "Anthropic Messages"

// messagesVersion is a header that every request has.
const messagesVersion = "Anthropic-Version"

// mostMessages bounds an answer for which nobody set a bound: the API refuses a request
// without one.
const mostMessages = 4096

func messagesNotes(w *metrics.Workload, extra map[string]any) (notes []metrics.Note) {
	if w.Seed != nil {
		notes = append(notes, metrics.Note{Code: "no_seed", Text: messagesTitle + " has no seed: it was not sent"})
	}
	if w.MaxTokens == 0 && extra["max_tokens"] == nil {
		notes = append(notes, metrics.Note{Code: "bound_set", Text: fmt.Sprintf(
			"nobody set a bound of output, which %s wants: max_tokens %d was sent", messagesTitle, mostMessages)})
	}
	return notes
}

func messagesEffort(level string) map[string]any {
	if tokens := asCount([]byte(level)); tokens >= 0 {
		return map[string]any{"thinking.type": "enabled", "thinking.budget_tokens": tokens}
	}
	if level == "none" {
		return map[string]any{"thinking.type": "disabled"}
	}
	return map[string]any{"thinking.type": "adaptive", "output_config.effort": level}
}

func messagesBody(p *Params, model string, w *metrics.Workload) (any, map[string]any) {
	fields := map[string]any{
		"model": model, "stream": true, "max_tokens": cmp.Or(w.MaxTokens, mostMessages),
		"messages": []map[string]string{{"role": "user", "content": w.Prompt}},
	}
	var system any = w.System
	if w.Messages != "" {
		fields["messages"], system = messagesOf(w.Messages)
	}
	if system != "" {
		fields["system"] = system
	}
	if w.Tools != "" {
		fields["tools"] = messagesTools(w.Tools)
	}
	sampled(fields, p, w, "", false)
	return nil, fields
}

// messagesOf returns a conversation in the form of chat completions in that of this API, and
// its system prompt, "" without one. What has that form already stays as it is.
func messagesOf(raw metrics.Raw) (messages, system any) {
	all, ok := listOf(raw)
	if !ok {
		return raw, ""
	}
	var out []map[string]any
	var said []any // of the system
	names := map[any]any{}
	for _, m := range all {
		blocks := messagesBlocks(m["content"])
		switch m["role"] {
		case "system", "developer":
			said = append(said, blocks...)
			continue
		case "tool":
			block := map[string]any{"type": "tool_result", "tool_use_id": m["tool_call_id"], "content": m["content"]}
			if list, ok := m["content"].([]any); ok {
				block["content"] = messagesBlocks(list)
			}
			if n := len(out); n > 0 && out[n-1]["role"] == "user" {
				if before, ok := out[n-1]["content"].([]any); ok && isResult(before) {
					out[n-1]["content"] = append(before, block)
					continue
				}
			}
			m = map[string]any{"role": "user", "content": []any{block}}
		default:
			if list, ok := m["content"].([]any); ok {
				m["content"] = messagesBlocks(list)
			}
			calls := callsOf(m, names)
			for _, call := range calls {
				f := call["function"].(map[string]any)
				blocks = append(blocks, map[string]any{"type": "tool_use", "id": call["id"], "name": f["name"],
					"input": f["arguments"]})
			}
			if delete(m, "tool_calls"); len(calls) > 0 {
				m["content"] = blocks
			}
		}
		out = append(out, m)
	}
	if len(said) == 1 {
		if block, ok := said[0].(map[string]any); ok && block["cache_control"] == nil {
			return out, block["text"]
		}
	}
	if len(said) == 0 {
		return out, ""
	}
	return out, said
}

// isResult reports whether the blocks are results of tools.
func isResult(blocks []any) bool {
	if len(blocks) == 0 {
		return false
	}
	last, _ := blocks[len(blocks)-1].(map[string]any)
	return last["type"] == "tool_result"
}

// messagesBlocks returns the content of a message as blocks. nil and "" are none.
func messagesBlocks(content any) (blocks []any) {
	switch c := content.(type) {
	case string:
		if c != "" {
			blocks = append(blocks, map[string]any{"type": "text", "text": c})
		}
	case []any:
		for _, part := range c {
			block, _ := part.(map[string]any)
			if image, ok := block["image_url"].(map[string]any); ok {
				part = imageBlock(image["url"])
			}
			blocks = append(blocks, part)
		}
	}
	return blocks
}

// imageBlock returns the block of an image with that address.
func imageBlock(address any) map[string]any {
	url, _ := address.(string)
	source := map[string]any{"type": "url", "url": url}
	if head, data, ok := strings.Cut(url, ";base64,"); ok && strings.HasPrefix(head, "data:") {
		source = map[string]any{"type": "base64", "media_type": strings.TrimPrefix(head, "data:"), "data": data}
	}
	return map[string]any{"type": "image", "source": source}
}

// messagesTools returns tools in the form of chat completions in that of this API.
func messagesTools(raw metrics.Raw) any {
	all, ok := listOf(raw)
	if !ok {
		return raw
	}
	for i, tool := range all {
		f, ok := tool["function"].(map[string]any)
		if !ok {
			continue
		}
		all[i] = map[string]any{"name": f["name"], "input_schema": map[string]any{"type": "object"}}
		for to, from := range map[string]string{"description": "description", "input_schema": "parameters"} {
			if f[from] != nil {
				all[i][to] = f[from]
			}
		}
	}
	return all
}

// messagesState is what a stream of the API has said so far.
type messagesState struct {
	usage        metrics.Usage // merged; Prompt is unused
	input        int           // prompt tokens beside the cache, -1 before a count
	written      int           // prompt tokens put into the cache, the same
	index        int           // of the open block of a server's tool
	toolID, tool string        // of it; "" without one
}

// messagesEvent decodes an event of Anthropic's API, which gateways pass
// through. It returns false for other types.
//
//	message_start        model, id, prompt tokens
//	content_block_start  the name of a called tool; the end of a server's tool
//	content_block_delta  text, thinking, arguments
//	content_block_stop   from then on a server's tool works
//	message_delta        stop reason, usage (cumulative; what is absent stays)
//	message_stop         the end of the stream
func (d *Decoder) messagesEvent(m *message, doc []byte, out *Out) bool {
	switch string(m.typ) {
	case "message_start":
		out.Choices, out.Role = true, true
		d.messageStart(m.message, out)
	case "content_block_start":
		d.blockStart(blockIndex(&d.scan, doc), m.contentBlock, out)
	case "content_block_delta":
		d.blockDelta(m.delta, out)
	case "message_delta":
		d.messageDelta(m, out)
	case "message_stop":
		d.done, out.Done = true, true
	case "ping":
		out.Comment = true
	case "content_block_stop":
		if b := &d.messages; b.tool != "" && blockIndex(&d.scan, doc) == b.index {
			d.wait(b.toolID, b.tool, out)
			b.tool = ""
		}
	default:
		return false
	}
	if len(out.Deltas) > 0 || out.Finish != "" {
		d.state(0).end.takes(out.Finish != "", len(out.Deltas) > 0)
	}
	return true
}

// blockIndex returns the index of the block of an event.
func blockIndex(s *scanner, doc []byte) int {
	s.sub(doc)
	return max(asCount(s.field("index")), 0)
}

func (d *Decoder) messageStart(raw []byte, out *Out) {
	s := &d.scan
	var usage []byte
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		switch string(k) {
		case "id":
			id, _ := s.text()
			d.answers(idChunk, id, out)
		case "model":
			model, _ := s.text()
			out.Model = d.reuse(&d.model, model)
		case "usage":
			usage = s.raw()
		}
	}
	d.messagesUsage(usage, false, out)
}

// messageDelta decodes the stop reason and the running usage.
func (d *Decoder) messageDelta(m *message, out *Out) {
	s := &d.scan
	var category []byte
	for k, more := s.keysOf(m.delta); more; k, more = s.nextKey() {
		switch string(k) {
		case "stop_reason":
			reason, _ := s.text()
			out.Finish = d.reuse(&d.lastFinish, reason)
		case "stop_details":
			category = s.fieldText("category")
		}
	}
	if len(category) > 0 {
		out.note("refusal", "the answer was refused: "+Excerpt(category, 60))
	}
	d.messagesUsage(m.usage, true, out)
}

// messagesUsage merges the parts of the usage: message_start counts the prompt, and each
// message_delta all output so far. What a part leaves out stays, and a 0 replaces no count.
// The output of message_start is that of no token. Iterations are parts of a turn, with
// what its counts leave out: they are not added.
func (d *Decoder) messagesUsage(raw []byte, output bool, out *Out) {
	if raw == nil {
		return
	}
	s, b := &d.scan, &d.messages
	some := false
	take := func(to *int, n int) {
		if some = some || n >= 0; n > 0 || n == 0 && *to < 0 {
			*to = n
		}
	}
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		switch string(k) {
		case "input_tokens":
			take(&b.input, s.tokens())
		case "cache_read_input_tokens":
			take(&b.usage.Cached, asCount(s.raw()))
		case "cache_creation_input_tokens":
			take(&b.written, asCount(s.raw()))
		case "output_tokens":
			if n := s.tokens(); output {
				take(&b.usage.Completion, n)
			}
		case "output_tokens_details":
			take(&b.usage.Reasoning, asCount(s.field("reasoning_tokens", "thinking_tokens")))
		case "service_tier":
			tier, _ := s.text()
			out.Served.Tier = d.reuse(&d.service.Tier, tier)
		case "speed":
			speed, _ := s.text()
			out.Served.Speed = d.reuse(&d.service.Speed, speed)
		case "inference_geo":
			region, _ := s.text()
			out.Served.Region = string(region)
		default:
			out.Server = takeTime(s, k, usageTimes, false, out.Server)
		}
	}
	if !some {
		return
	}
	u := b.usage
	u.CacheWritten = max(b.written, 0)
	if b.input >= 0 {
		u.Prompt = b.input + max(u.Cached, 0) + u.CacheWritten
	}
	if u.Prompt >= 0 && u.Completion >= 0 {
		u.Total = u.Prompt + u.Completion
	}
	u.Raw = raw
	d.used = u
	out.Usage = &d.used
	out.TokensFrom = metrics.TokensUsage
}

// blockStart decodes the start of a block. Of a tool it has the name, of the result of a
// server's tool all. A text or a thought may begin in it.
func (d *Decoder) blockStart(index int, raw []byte, out *Out) {
	s, b := &d.scan, &d.messages
	var typ, id, text, thinking, input []byte
	var name string
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		switch string(k) {
		case "type":
			typ, _ = s.text()
		case "id", "tool_use_id":
			id, _ = s.text()
		case "text":
			text, _ = s.text()
		case "thinking":
			thinking, _ = s.text()
		case "name":
			t, _ := s.text()
			name = string(t)
		case "input":
			input = s.raw()
		}
	}
	out.Thinks = string(typ) == "thinking"
	switch kind := string(typ); kind {
	case "text", "thinking":
		out.text(metrics.Content, text)
		out.text(metrics.Reasoning, thinking)
	case "redacted_thinking":
		out.note(kind, "a part of the thinking came encrypted: its tokens have no text and no time")
	case "compaction":
		out.note(kind, "the server shortened the conversation before it went on")
	case "fallback":
		out.note(kind, "the server went on with another model")
	case "tool_use", "server_tool_use", "mcp_tool_use":
		if kind != "tool_use" {
			b.index, b.toolID, b.tool = index, string(id), cmp.Or(name, kind)
		}
		if len(input) <= len("{}") || input[0] != '{' {
			input = nil
		}
		if name != "" || input != nil {
			out.Deltas = append(out.Deltas, Delta{Kind: metrics.ToolCall, Tokens: -1, Name: name,
				Text: bytes.ToValidUTF8(input, []byte("\uFFFD"))})
		}
	default:
		if strings.HasSuffix(kind, "_tool_result") {
			d.waited(string(id), out)
		}
	}
}

// blockDelta decodes an addition to a block.
func (d *Decoder) blockDelta(raw []byte, out *Out) {
	s := &d.scan
	var text, thinking, args []byte
	estimated := -1
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		switch string(k) {
		case "text":
			text, _ = s.text()
		case "thinking":
			thinking, _ = s.text()
		case "partial_json":
			args, _ = s.text()
		case "estimated_tokens":
			estimated = asCount(s.raw())
		}
	}
	out.text(metrics.Content, text)
	out.text(metrics.Reasoning, thinking)
	out.text(metrics.ToolCall, args)
	if estimated > 0 && len(thinking) == 0 {
		d.hidden(estimated, out)
	}
}
