package endpoint

import (
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"

	"tokscope/probe/dialect"
)

// extraPrefix begins the name of a field of the request's body.
const extraPrefix = "extra."

// shortFields are fields of the body that have a name of their own.
var shortFields = map[string]string{"tier": "service_tier", "speed": "speed"}

// otherNames are what people call fields beside the names that Set takes.
var otherNames = map[string]string{"thinking": "reasoning", "think": "reasoning", "effort": "reasoning",
	"reasoning_effort": "reasoning", "service_tier": "tier"}

// FieldNames returns what Set takes, the last one as the pattern extra.PATH.
func FieldNames() []string {
	return append(append(v("model", "api", "transport", "reasoning"), sortedKeys(shortFields)...), extraPrefix+"PATH")
}

// ownFields are the fields of a body that nobody sets as an extra one, with what to do
// in place of that.
var ownFields = map[string]string{
	"model":    "name the model with -m",
	"messages": "give a conversation with --messages FILE",
	"stream":   "leave it out: only a stream can be measured",
}

// Set sets a field of t's requests: model, api, transport, tier, speed, reasoning, or extra.PATH, where
// PATH leads with dots into objects of the body. The value of an extra field is JSON; what
// is no JSON is a text. The copies that t was made from stay as they are. The error is a
// *metrics.Fault with the next step.
func (t *Target) Set(field, value string) error {
	path, extra := strings.CutPrefix(field, extraPrefix)
	short, known := shortFields[field]
	switch {
	case field == "model" && value == "":
		return Refuse("no model is named", "write model=NAME")
	case field == "model":
		t.Model = value
		return nil
	case field == "api":
		err := t.speak(cmp.Or(value, "none"))
		t.Settings = t.settings()
		return err
	case field == "transport":
		api := transports[value]
		if api == "" {
			return Refuse(strconv.Quote(value)+" is no transport of Responses", "write transport=sse or transport=ws")
		}
		return t.Set("api", api)
	case field == "reasoning":
		return t.think(value)
	case known && dialect.Speaks(t.API).NoService:
		return Refuse(dialect.Speaks(t.API).Title+": no field of it asks for a "+field,
			"race another field, or write "+extraPrefix+short+"="+value+" for a server that reads it")
	case known:
		return t.setExtra(v(short), value)
	case extra:
		return t.setExtra(strings.Split(path, "."), jsonOrText(value))
	}
	next := "the fields are " + strings.Join(FieldNames(), ", ") + " for any other of the body"
	if near := cmp.Or(otherNames[field], Closest(field, FieldNames())); near != "" {
		next = "did you mean " + near + "? " + next
	}
	return Refuse(strconv.Quote(field)+" is no field of a request", next)
}

// think sets how much a model thinks, as the API of t has it.
func (t *Target) think(level string) error {
	a := dialect.Speaks(t.API)
	var fields map[string]any
	if a.Effort != nil {
		fields = a.Effort(level)
	}
	if fields == nil {
		return Refuse(a.Title+": no field of it asks for "+strconv.Quote(level)+" as the reasoning",
			"race levels that it has, such as low,high, or another --api; extra.PATH sets any field of a server")
	}
	for _, path := range sortedKeys(fields) {
		if err := t.setExtra(strings.Split(path, "."), fields[path]); err != nil {
			return err
		}
	}
	return nil
}

// transports are the APIs in which Responses come, by how.
var transports = map[string]string{"sse": "responses", "ws": "responses-ws"}

// jsonOrText returns the value of a JSON text, with its numbers as they stand, or the
// text itself.
func jsonOrText(text string) any {
	var out any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&out) != nil {
		return text
	}
	if _, err := d.Token(); err != io.EOF {
		return text
	}
	return out
}

// mostDepth bounds the path of an extra field, in names.
const mostDepth = 32

// setExtra sets the field of the body that path leads to.
func (t *Target) setExtra(path []string, value any) error {
	name := strconv.Quote(extraPrefix + strings.Join(path, "."))
	if slices.Contains(path, "") || len(path) > mostDepth {
		return Refuse(name+" names no field", "write extra.NAME, or extra.NAME.NAME for a field of an object")
	}
	if next, own := ownFields[path[0]]; own {
		return Refuse(path[0]+" is a field that tokscope sets itself", next)
	}
	extra, ok := with(t.Extra, path, value)
	if !ok {
		return Refuse(name+" is a field of something that is no object", "set the whole of it, as JSON")
	}
	t.Extra = extra
	t.Settings = t.settings()
	return nil
}

// with returns a copy of object, which may be nil, with value at path. It is false where
// path leads through something else than an object.
func with(object map[string]any, path []string, value any) (map[string]any, bool) {
	out := cloned(object)
	if len(path) > 1 {
		inner, isObject := out[path[0]].(map[string]any)
		if !isObject && out[path[0]] != nil {
			return nil, false
		}
		var ok bool
		if value, ok = with(inner, path[1:], value); !ok {
			return nil, false
		}
	}
	out[path[0]] = value
	return out, true
}
