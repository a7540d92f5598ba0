package sim

import (
	"encoding/json"
	"sort"

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

// chooseTool picks the tool that the request calls for: the named one, or the
// first when one is required or the model may choose and a person has asked.
// nil means that the answer is text.
func chooseTool(r *request, last string) *call {
	if !r.chat || len(r.Tools) == 0 {
		return nil
	}
	var named struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	word := ""
	if json.Unmarshal(r.ToolChoice, &word) != nil {
		_ = json.Unmarshal(r.ToolChoice, &named) // neither form: as if nothing was said
	}
	if word == "none" {
		return nil
	}
	if word != "required" && named.Function.Name == "" && r.Messages[len(r.Messages)-1].Role != "user" {
		return nil // the result of a call is there: now comes the answer
	}
	pick := r.Tools[0]
	for _, t := range r.Tools {
		if t.Function.Name == named.Function.Name {
			pick = t
		}
	}
	args := arguments(pick.Function.Parameters, last)
	return &call{name: pick.Function.Name, rest: args, tokens: text.Count(args)}
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
