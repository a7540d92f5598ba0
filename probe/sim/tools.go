package sim

import (
	"encoding/json"
	"slices"

	"tokscope/probe/sim/schema"
	"tokscope/probe/sim/text"
)

// call is the tool call of an answer.
type call struct {
	*text.Writer // of its arguments
	name         string
	tokens       int
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
	return &call{text.NewWriterOf(args), t.name, text.Count(args)}
}

// neutral returns arguments that fit a tool's schema and say nothing. What the endpoint
// cannot obey does not refuse a tool: real servers promise fitting arguments of strict
// tools only.
func neutral(parameters json.RawMessage) string {
	doc, err := schema.Loosely(parameters).Neutral()
	if err != nil {
		return "{}"
	}
	return doc
}
