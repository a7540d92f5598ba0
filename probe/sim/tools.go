package sim

import (
	"encoding/json"
	"sort"

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

// chooseTool picks the tool of the answer. That is the one the request names,
// or the first one if a tool is required. It is also the first one if the
// model may choose and the last message is the user's. nil means that the
// answer is text.
func chooseTool(r *request, last string) *call {
	if len(r.tools) == 0 || r.word == "none" {
		return nil
	}
	if r.word != "required" && r.name == "" && r.messages[len(r.messages)-1].role != "user" {
		return nil // the call has its result: answer with text
	}
	pick := r.tools[0]
	for _, t := range r.tools {
		if t.name == r.name {
			pick = t
		}
	}
	args := arguments(pick.parameters, last)
	// Keywords that the endpoint cannot obey do not refuse a tool: real servers
	// promise fitting arguments of strict tools only.
	if is, err := schema.Compile(pick.parameters); err == nil && !is.Fits(args) {
		if doc, err := is.Generate(uint64(len(last))); err == nil {
			args = doc
		}
	}
	return &call{name: pick.name, rest: args, tokens: text.Count(args)}
}

// arguments fills a JSON schema's properties with plausible values. They fit
// if no property is more than a value of a type or of a list.
func arguments(parameters json.RawMessage, last string) string {
	var s struct {
		Properties map[string]struct {
			Type string            `json:"type"`
			Enum []json.RawMessage `json:"enum"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(parameters, &s) // no schema: no arguments
	var names []string
	for n := range s.Properties {
		names = append(names, n)
	}
	sort.Strings(names)
	out := []byte{'{'}
	for i, n := range names {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = appendJSON(out, n)
		out = append(out, ": "...)
		p := s.Properties[n]
		switch {
		case len(p.Enum) > 0:
			out = append(out, p.Enum[0]...)
		case p.Type == "integer", p.Type == "number":
			out = append(out, "3"...)
		case p.Type == "boolean":
			out = append(out, "true"...)
		case p.Type == "array":
			out = append(out, "[]"...)
		case p.Type == "object":
			out = append(out, "{}"...)
		default:
			out = appendJSON(out, clip(last))
		}
	}
	return string(append(out, '}'))
}
