package endpoint

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/files"
	"tokscope/probe/secret"
)

// Body is the body of a request as the API writes it, in its parts.
type Body struct {
	Work     metrics.Workload // its messages and tools without secrets, bound, temperature and seed
	Model    string
	MaxField string         // the field that has the bound
	Extra    map[string]any // all other fields, with numbers as they stand; nil for none
	Streams  bool           // it asks for a stream

	spoken map[metrics.Raw]secret.Secret // as in Target
	hidden []secret.Secret               // of them
}

// ParseBody reads the messages of a conversation, or the whole body of a request in any
// API, which may have a prompt in their place. What tokscope sets itself is left out, a
// stream whatever its value; a model is a text. What else has another type than the API's
// is among Extra, to be sent as it stands. The error is a *metrics.Fault with the place.
func ParseBody(data []byte) (Body, error) {
	b := Body{Work: metrics.Workload{Name: "custom"}}
	fields, err := objectOf(data, "messages")
	if err != nil {
		return b, err
	}
	settings(fields)
	inputMessages(fields)
	if fields["messages"] == nil {
		take(fields, "prompt", &b.Work.Prompt)
		take(fields, "system", &b.Work.System)
	}
	var messages []map[string]any
	if fields["contents"] != nil {
		return b, Refuse("its contents have a part that is neither a text nor an image in base64",
			"leave out files, calls and their results")
	}
	if b.Work.Prompt == "" && (json.Unmarshal(fields["messages"], &messages) != nil || len(messages) == 0) {
		return b, Refuse("it has no messages: a JSON array of objects, each with a role", "give one message at least")
	}
	w := &b.Work
	take(fields, "model", &b.Model)
	take(fields, "messages", &w.Messages)
	take(fields, "tools", &w.Tools)
	take(fields, "temperature", &w.Temperature)
	take(fields, "seed", &w.Seed)
	take(fields, "stream", &b.Streams)
	delete(fields, "stream")
	if _, other := fields["model"]; other {
		return b, Refuse("its model is no text", `write "model": "NAME", or leave it out and name the model with -m`)
	}
	for _, field := range []string{maxCompletionTokens, maxTokens, maxOutputTokens} {
		if n, err := strconv.Atoi(string(fields[field])); err == nil && n > 0 && w.MaxTokens == 0 {
			w.MaxTokens = n
			if field != maxOutputTokens { // which no other API has
				b.MaxField = field
			}
			delete(fields, field)
		}
	}
	var options metrics.Raw
	if _ = options.UnmarshalJSON(fields["stream_options"]); options == `{"include_usage":true}` {
		delete(fields, "stream_options")
	}
	b.Extra = decoded(fields)
	b.spoken, b.hidden = unspoken(w)
	return b, nil
}

// settings takes the bound and the sampling out of the objects in which Ollama and Gemini
// have them.
func settings(fields map[string]json.RawMessage) {
	for _, name := range []string{"options", "generationConfig"} {
		var inside map[string]json.RawMessage
		if json.Unmarshal(fields[name], &inside) != nil {
			continue
		}
		for from, to := range map[string]string{"num_predict": maxOutputTokens, "maxOutputTokens": maxOutputTokens,
			"temperature": "temperature", "seed": "seed"} {
			var n float64
			raw := inside[from]
			if raw != nil && json.Unmarshal(raw, &n) == nil && (to != maxOutputTokens || n > 0) && fields[to] == nil {
				fields[to] = raw
				delete(inside, from)
			}
		}
		if fields[name], _ = json.Marshal(inside); len(inside) == 0 {
			delete(fields, name)
		}
	}
}

// inputMessages makes the input of OpenAI's Responses API and the contents of Gemini the
// messages of fields, unless there are some, and the text that an API has for the system
// beside them the first. Items of the input need not have the form of chat completions: that
// API takes them as they stand. Contents that are no texts stay what they are.
func inputMessages(fields map[string]json.RawMessage) {
	said := func(role, text string) (message json.RawMessage) {
		message, _ = json.Marshal(map[string]string{"role": role, "content": text})
		return message
	}
	var items []json.RawMessage
	var system, prompt string
	var contents []content
	given := fields["messages"] != nil
	if !given {
		take(fields, "input", &items)
		take(fields, "input", &prompt)
		take(fields, "contents", &contents)
	}
	if prompt != "" {
		items = append(items, said("user", prompt))
	}
	for _, c := range contents {
		role := map[bool]string{true: "assistant", false: "user"}[c.role == "model"]
		message, _ := json.Marshal(map[string]any{"role": role, "content": c.said()})
		items = append(items, message)
	}
	if !given && len(items) == 0 {
		return
	}
	for _, name := range []string{"instructions", "system"} {
		take(fields, name, &system)
	}
	for _, name := range []string{"systemInstruction", "system_instruction"} {
		var c content
		take(fields, name, &c)
		text, _ := c.said().(string)
		system = cmp.Or(system, text)
	}
	if given && system == "" {
		return // as they stand
	}
	if take(fields, "messages", &items); system != "" {
		items = slices.Insert(items, 0, said("system", system))
	}
	fields["messages"], _ = json.Marshal(items) // they came from JSON
}

// content is what Gemini says: {"role":"user","parts":[{"text":"…"}]}. It has texts, and images
// in base64.
type content struct {
	role  string
	parts []map[string]any // in the form of chat completions
}

// said returns texts alone as one text, and else the parts.
func (c *content) said() any {
	all := ""
	for _, p := range c.parts {
		text, ok := p["text"].(string)
		if !ok {
			return c.parts
		}
		all += text
	}
	return all
}

// UnmarshalJSON implements json.Unmarshaler. It refuses a content that has something else.
func (c *content) UnmarshalJSON(data []byte) error {
	type image struct {
		Mime string `json:"mimeType"`
		Type string `json:"mime_type"`
		Data string
	}
	var all struct {
		Role  string
		Parts []struct {
			Text   *string
			Inline *image `json:"inlineData"`
			Data   *image `json:"inline_data"`
		}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		return err
	}
	c.role = all.Role
	for _, p := range all.Parts {
		switch image := cmp.Or(p.Inline, p.Data); {
		case p.Text != nil && image == nil:
			c.parts = append(c.parts, map[string]any{"type": "text", "text": *p.Text})
		case p.Text == nil && image != nil && strings.HasPrefix(cmp.Or(image.Mime, image.Type), "image/"):
			url := "data:" + cmp.Or(image.Mime, image.Type) + ";base64," + image.Data
			c.parts = append(c.parts, map[string]any{"type": "image_url", "image_url": map[string]string{"url": url}})
		default:
			return errors.New("no text and no image")
		}
	}
	return nil
}

// take moves a field into a value, if it is one of that type.
func take[T any](fields map[string]json.RawMessage, name string, into *T) {
	var value T
	if raw, ok := fields[name]; ok && json.Unmarshal(raw, &value) == nil {
		*into = value
		delete(fields, name)
	}
}

// objectOf returns the fields of a JSON object, or the one field of that name that an
// array stands for; "" takes no array. The error is a *metrics.Fault with the place.
func objectOf(data []byte, array string) (fields map[string]json.RawMessage, err error) {
	switch first := append(bytes.TrimLeft(data, " \t\r\n"), 0)[0]; {
	case first == '[' && array != "":
		var all json.RawMessage
		err = json.Unmarshal(data, &all)
		fields = map[string]json.RawMessage{array: all}
	case first == '{':
		err = json.Unmarshal(data, &fields)
	default:
		return nil, Refuse("line 1, column 1: it is no JSON object"+map[bool]string{true: " and no array"}[array != ""],
			"give what the API takes, as JSON")
	}
	if bad, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := string(data[:min(max(int(bad.Offset)-1, 0), len(data))])
		line := before[strings.LastIndexByte(before, '\n')+1:]
		return nil, Refuse(fmt.Sprintf("line %d, column %d: %s", strings.Count(before, "\n")+1, len([]rune(line))+1, bad),
			"look at what stands before it")
	}
	return fields, err
}

// decoded returns the values of fields, nil for none.
func decoded(fields map[string]json.RawMessage) (out map[string]any) {
	for name, raw := range fields {
		if out == nil {
			out = map[string]any{}
		}
		out[name] = jsonOrText(string(raw))
	}
	return out
}

// mostExtra bounds the file of --extra, in bytes.
const mostExtra = 1 << 20

// flagExtra sets what an --extra says: PATH=JSON, or @FILE with an object.
func (t *Target) flagExtra(text string) error {
	file, isFile := strings.CutPrefix(text, "@")
	path, value, ok := strings.Cut(text, "=")
	switch {
	case isFile && file == "-":
		return Refuse("--extra reads no standard input", "give the fields as PATH=JSON, or the name of a file")
	case isFile:
		return t.extraFile(file)
	case !ok:
		return Refuse("an --extra is malformed", "write --extra 'PATH=JSON', such as top_k=40, or --extra @FILE")
	}
	if err := ofFlag(path); err != nil {
		return err
	}
	return t.Set(extraPrefix+path, value)
}

// flagged are the fields of a body that a flag sets.
var flagged = map[string]string{
	maxTokens: "--max-tokens", maxCompletionTokens: "--max-tokens", maxOutputTokens: "--max-tokens",
	"temperature": "--temperature", "seed": "--seed",
}

// ofFlag refuses a field for which there is a flag: its value is a condition of the
// workload, and would be told otherwise than it was sent.
func ofFlag(path string) error {
	field, _, _ := strings.Cut(path, ".")
	if flag := flagged[field]; flag != "" {
		return Refuse("--extra does not set "+field+", which has a flag of its own", "give "+flag)
	}
	return nil
}

// extraFile sets the fields of the JSON object in a file.
func (t *Target) extraFile(name string) error {
	data, err := files.Read(name, mostExtra)
	if err != nil {
		return Refuse("--extra @"+name+" cannot be read: "+Reason(err), "name a file with a JSON object")
	}
	fields, err := objectOf(data, "")
	if err != nil {
		return within("--extra @"+name, err)
	}
	for name, value := range decoded(fields) {
		if err := cmp.Or(ofFlag(name), t.setExtra(v(name), value)); err != nil {
			return err
		}
	}
	return nil
}

// asked applies the request of the command line: a body, then headers and fields of
// their own.
func (r *Resolver) asked(t *Target) error {
	if b := r.Body; b != nil {
		if t.Kind != metrics.EndpointEmbedded { // its models have names of their own
			t.Model = cmp.Or(b.Model, t.Model)
		}
		t.MaxField = cmp.Or(b.MaxField, t.MaxField)
		t.spoken, t.hidden = b.spoken, append(slices.Clip(t.hidden), b.hidden...)
		if len(b.Extra) > 0 {
			t.Extra = cloned(t.Extra)
			maps.Copy(t.Extra, b.Extra)
		}
	}
	for _, line := range r.Flags.Headers {
		if err := r.flagHeader(t, line); err != nil {
			return err
		}
	}
	for _, text := range r.Flags.Extra {
		if err := t.flagExtra(text); err != nil {
			return err
		}
	}
	t.Settings = t.settings()
	return nil
}
