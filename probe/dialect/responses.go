package dialect

import (
	"maps"
	"strings"

	"tokscope/metrics"
)

// responses is OpenAI's Responses API, with the events of a server as its answer.
var responses = API{
	Name: "responses", Title: responsesTitle, Version: "/v1", Path: "/responses",
	Owns:   func(_, _, path string) bool { return strings.HasSuffix(path, "/backend-api/codex") },
	Marker: "response.completed",
	Bound:  "max_output_tokens", Body: responsesBody, Notes: responsesNotes, Effort: responsesEffort,
	event: (*Decoder).responsesEvent,
}

const responsesTitle = "OpenAI Responses"

func responsesEffort(level string) map[string]any { return map[string]any{"reasoning.effort": level} }

func responsesNotes(w *metrics.Workload, _ map[string]any) (notes []metrics.Note) {
	if w.Seed != nil {
		notes = append(notes, metrics.Note{Code: "no_seed", Text: responsesTitle + " has no seed: it was not sent"})
	}
	return notes
}

func responsesBody(p *Params, model string, w *metrics.Workload) (any, map[string]any) {
	// Without store, the server would keep each answer for a month.
	fields := map[string]any{"model": model, "stream": true, "store": false, "input": w.Prompt}
	system := w.System
	if w.Messages != "" {
		fields["input"], system = responsesInput(w.Messages)
	}
	if system != "" {
		fields["instructions"] = system
	}
	if w.Tools != "" {
		fields["tools"] = responsesTools(w.Tools)
	}
	sampled(fields, p, w, "max_output_tokens", false)
	if p.NoObfuscation {
		fields["stream_options"] = map[string]any{"include_obfuscation": false}
	}
	return nil, fields
}

// responsesInput returns a conversation in the form of chat completions as input items, and
// the system messages at its beginning as instructions. What is none stays as it is.
func responsesInput(raw metrics.Raw) (input any, system string) {
	all, ok := listOf(raw)
	if !ok {
		return raw, ""
	}
	items := []any{}
	for _, m := range all {
		content, role := m["content"], m["role"]
		text, isText := content.(string)
		calls, _ := m["tool_calls"].([]any)
		switch {
		case role == nil:
			items = append(items, m)
			continue
		case role == "system" && isText && len(items) == 0:
			if system != "" {
				text = "\n\n" + text
			}
			system += text
			continue
		case role == "tool":
			items = append(items, map[string]any{"type": "function_call_output", "call_id": m["tool_call_id"],
				"output": responsesContent(content, "input_text")})
			continue
		case text != "" || !isText && content != nil || len(calls) == 0:
			kind := "input_text"
			if role == "assistant" {
				kind = "output_text"
			}
			items = append(items, map[string]any{"role": role, "content": responsesContent(content, kind)})
		}
		for _, one := range calls {
			c, _ := one.(map[string]any)
			f, _ := c["function"].(map[string]any)
			items = append(items, map[string]any{"type": "function_call", "call_id": c["id"],
				"name": f["name"], "arguments": f["arguments"]})
		}
	}
	return items, system
}

// responsesContent returns the content of a chat message with its parts named as in an input
// item. kind is the type of a text.
func responsesContent(content any, kind string) any {
	parts, _ := content.([]any)
	for _, one := range parts {
		part, _ := one.(map[string]any)
		switch part["type"] {
		case "text":
			part["type"] = kind
		case "image_url":
			part["type"] = "input_image"
			unwrap(part, "image_url")
			if at, ok := part["url"]; ok {
				part["image_url"] = at
				delete(part, "url")
			}
		case "file":
			part["type"] = "input_file"
			unwrap(part, "file")
		}
	}
	return content
}

// responsesTools returns tools in the form of chat completions without the object around
// each function.
func responsesTools(raw metrics.Raw) any {
	tools, ok := listOf(raw)
	if !ok {
		return raw
	}
	for _, tool := range tools {
		unwrap(tool, "function")
	}
	return tools
}

// unwrap puts the fields of the object in m with that name into m in place of it.
func unwrap(m map[string]any, name string) {
	if inner, ok := m[name].(map[string]any); ok {
		delete(m, name)
		maps.Copy(m, inner)
	}
}
