package dialect

import (
	"encoding/json"
	"strings"

	"tokscope/metrics"
)

// turnsOf returns messages in chat's form as they stand, for an API that writes them
// otherwise; nil where they are no list of objects.
func turnsOf(messages metrics.Raw) (turns []map[string]any) {
	d := json.NewDecoder(strings.NewReader(string(messages)))
	d.UseNumber()
	_ = d.Decode(&turns)
	return turns
}

// picture is an image in a message.
type picture struct{ mime, data string }

// contentOf takes apart what a message says. ok is false for a part that is neither text nor
// an image in base64: such a message is sent as it stands, and the server says what it thinks of it.
func contentOf(content any) (text string, pictures []picture, ok bool) {
	parts, several := content.([]any)
	if !several {
		text, ok = content.(string)
		return text, nil, ok || content == nil
	}
	for _, part := range parts {
		p, _ := part.(map[string]any)
		image, _ := p["image_url"].(map[string]any)
		said, isText := p["text"].(string)
		url, _ := image["url"].(string)
		head, data, isData := strings.Cut(url, ";base64,")
		switch mime, found := strings.CutPrefix(head, "data:"); {
		case isText:
			text += said
		case isData && found:
			pictures = append(pictures, picture{mime, data})
		default:
			return "", nil, false
		}
	}
	return text, pictures, true
}

// callsOf returns the calls of a message, each with its arguments as the object that chat
// writes as text, and adds their names to names, by their ids.
func callsOf(turn map[string]any, names map[any]any) (calls []map[string]any) {
	list, _ := turn["tool_calls"].([]any)
	for _, one := range list {
		call, _ := one.(map[string]any)
		function, _ := call["function"].(map[string]any)
		if function == nil {
			continue
		}
		names[call["id"]] = function["name"]
		if text, ok := function["arguments"].(string); ok {
			if json.Valid([]byte(text)) {
				function["arguments"] = json.RawMessage(text)
			} else if strings.TrimSpace(text) == "" {
				function["arguments"] = map[string]any{}
			}
		}
		calls = append(calls, call)
	}
	return calls
}
