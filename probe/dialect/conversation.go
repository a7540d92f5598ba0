package dialect

import (
	"encoding/json"
	"strings"

	"tokscope/metrics"
)

// listOf returns messages or tools in chat's form as they stand, for an API that writes
// them otherwise; ok is false where they are no list of objects.
func listOf(raw metrics.Raw) (list []map[string]any, ok bool) {
	return list, decode(string(raw), &list) == nil
}

// decode decodes JSON and leaves its numbers as they are.
func decode(text string, into any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
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
// writes as text, empty where the text is none, and adds their names to names, by their ids.
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
			if function["arguments"] = json.RawMessage(text); !json.Valid([]byte(text)) {
				function["arguments"] = map[string]any{}
			}
		}
		calls = append(calls, call)
	}
	return calls
}
