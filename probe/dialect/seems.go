package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"tokscope/probe/sse"
)

// Seems returns the API whose answer, or whose refusal, body is by its form, nil where that
// tells none. body may be the start of it.
func Seems(body []byte) *API {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))))
	at, err := d.Token()
	if at == json.Delim('[') {
		at, err = d.Token()
	}
	fields := map[string]json.RawMessage{}
	for err == nil && at == json.Delim('{') && d.More() {
		var name json.Token
		var value json.RawMessage
		if name, err = d.Token(); err == nil {
			err = d.Decode(&value)
			fields[name.(string)] = value // keys are texts
		}
	}
	text := func(name string) (s string) {
		_ = json.Unmarshal(fields[name], &s)
		return s
	}
	has := func(name string) bool { return fields[name] != nil }
	var refusal struct {
		Code    int
		Status  string
		Message string
	}
	_ = json.Unmarshal(fields["error"], &refusal)
	switch object := text("object"); {
	case has("done") && has("response"):
		return &ollamaGenerate
	case has("done") && has("message"):
		return &ollama
	case has("candidates"), refusal.Code > 0 && refusal.Status != "" && refusal.Status == strings.ToUpper(refusal.Status):
		return &gemini
	case text("type") == "message", text("type") == "error" && has("error"),
		strings.Contains(refusal.Message, messages.Auth) && strings.Contains(refusal.Message, "required"):
		return &messages
	case object == "response":
		return Speaks("responses")
	case object == "text_completion":
		return &completions
	case strings.HasPrefix(object, "chat.completion"):
		return &chat
	}
	return nil
}

// Spoken returns the API of the events of an answer by their content, nil where it tells none.
func Spoken(events []sse.Event) *API {
	d, out := New(), Out{}
	for i := range events {
		if a := Seems(events[i].Data); a != nil {
			return a
		}
		if d.Event(events[i], &out); d.recognized {
			return cmp.Or(d.told, &chat)
		}
	}
	return nil
}

// Hint is the next step where a server seems to speak a, and was asked in another API.
func (a *API) Hint() string {
	hint := "this looks like " + a.Title + ": ask with --api " + a.Name
	if a == &ollama || a == &ollamaGenerate {
		hint += ", or use the address of its OpenAI-compatible API: it ends in /v1"
	}
	return hint
}
