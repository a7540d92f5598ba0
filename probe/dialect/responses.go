package dialect

import (
	"encoding/json"
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
	if w.MaxTokens > 0 {
		fields["max_output_tokens"] = w.MaxTokens
	}
	if w.Temperature != nil && !p.NoTemperature {
		fields["temperature"] = *w.Temperature
	}
	if p.NoObfuscation {
		fields["stream_options"] = map[string]any{"include_obfuscation": false}
	}
	return nil, fields
}

// chatMessage is a message in the form of chat completions.
type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	CallID  string          `json:"tool_call_id"`
	Calls   []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// responsesInput returns a conversation in the form of chat completions as input items, and
// the system messages at its beginning as instructions. What is none stays as it is.
func responsesInput(raw metrics.Raw) (input any, system string) {
	var all []json.RawMessage
	if json.Unmarshal([]byte(raw), &all) != nil {
		return raw, ""
	}
	items := []any{}
	for i := range all {
		var m chatMessage
		if json.Unmarshal(all[i], &m) != nil || m.Role == "" {
			items = append(items, all[i])
			continue
		}
		var text string
		switch isText := json.Unmarshal(m.Content, &text) == nil; {
		case m.Role == "system" && isText && len(items) == 0:
			if system != "" {
				text = "\n\n" + text
			}
			system += text
			continue
		case m.Role == "tool":
			items = append(items, map[string]any{"type": "function_call_output", "call_id": m.CallID,
				"output": responsesContent(m.Content, "input_text")})
			continue
		case text != "" || !isText && m.Content != nil || len(m.Calls) == 0:
			kind := "input_text"
			if m.Role == "assistant" {
				kind = "output_text"
			}
			items = append(items, map[string]any{"role": m.Role, "content": responsesContent(m.Content, kind)})
		}
		for _, c := range m.Calls {
			items = append(items, map[string]any{"type": "function_call", "call_id": c.ID,
				"name": c.Function.Name, "arguments": c.Function.Arguments})
		}
	}
	return items, system
}

// responsesContent returns the content of a chat message with its parts named as in an input
// item. kind is the type of a text.
func responsesContent(content json.RawMessage, kind string) any {
	var parts []map[string]any
	if decode(string(content), &parts) != nil {
		return content
	}
	for _, part := range parts {
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
	return parts
}

// responsesTools returns tools in the form of chat completions without the object around
// each function.
func responsesTools(raw metrics.Raw) any {
	var tools []map[string]any
	if decode(string(raw), &tools) != nil {
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
