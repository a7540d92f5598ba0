package sim

import (
	"encoding/json"
	"slices"

	"tokscope/probe/sim/schema"
	"tokscope/probe/sim/text"
)

// call is the tool call of an answer.
type call struct {
	name   string
	rest   string // arguments not yet sent
	tokens int
}

func (c *call) next() string {
	t := text.Next(c.rest)
	c.rest = c.rest[len(t):]
	return t
}

// chooseTool picks the tool of the answer, nil for an answer of text. Only a request
// that names a tool, or requires one, gets a call. Its arguments are neutral values of the
// tool's schema: an agent may execute them, so nothing of the prompt is in them. The one
// call that a scenario gives has its arguments as they are. It also happens where the
// model may choose, if the last message is the user's and not the call's result.
func chooseTool(r *request, sc *Scenario) *call {
	if len(r.tools) == 0 || r.word == "none" {
		return nil
	}
	name := r.name
	if name == "" && sc.tool != "" && (r.word == "required" || r.messages[len(r.messages)-1].role == "user") {
		name = sc.tool
	}
	pick := slices.IndexFunc(r.tools, func(t tool) bool { return t.name == name })
	switch {
	case pick >= 0:
	case r.word == "required":
		pick = 0
	default:
		return nil
	}
	t := &r.tools[pick]
	args := sc.arguments
	if t.name != sc.tool {
		args = neutral(t.parameters)
	}
	return &call{name: t.name, rest: args, tokens: text.Count(args)}
}

// neutral returns arguments that fit a tool's schema and say nothing. Keywords that the
// endpoint cannot obey do not refuse a tool: real servers promise fitting arguments of
// strict tools only.
func neutral(parameters json.RawMessage) string {
	args := required(parameters)
	if is, err := schema.Compile(parameters); err == nil && !is.Fits(args) {
		if doc, err := is.Neutral(); err == nil {
			return doc
		}
	}
	return args
}

// required fills the properties that a JSON schema requires with the neutral values of
// their types. They fit if no property is more than a value of a type or of a list.
func required(parameters json.RawMessage) string {
	type property struct {
		Type string            `json:"type"`
		Enum []json.RawMessage `json:"enum"`
	}
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	_ = json.Unmarshal(parameters, &s) // no schema: no arguments
	out := []byte{'{'}
	for i, name := range s.Required {
		if slices.Contains(s.Required[:i], name) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ", "...)
		}
		out = append(appendJSON(out, name), ": "...)
		var p property
		_ = json.Unmarshal(s.Properties[name], &p) // another form: a string
		switch {
		case len(p.Enum) > 0:
			out = append(out, p.Enum[0]...)
		case p.Type == "integer", p.Type == "number":
			out = append(out, '0')
		case p.Type == "boolean":
			out = append(out, "false"...)
		case p.Type == "array":
			out = append(out, "[]"...)
		case p.Type == "object":
			out = append(out, "{}"...)
		case p.Type == "null":
			out = append(out, "null"...)
		default:
			out = append(out, `""`...)
		}
	}
	return string(append(out, '}'))
}
