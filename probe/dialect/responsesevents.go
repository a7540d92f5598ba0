package dialect

import (
	"bytes"
	"fmt"

	"tokscope/metrics"
)

// responseKinds is what the pieces of an answer are, by the type of their events between
// "response." and ".delta" or ".done".
var responseKinds = map[string]metrics.Kind{
	"output_text": metrics.Content, "refusal": metrics.Refusal,
	"reasoning_text": metrics.Reasoning, "reasoning_summary_text": metrics.Reasoning,
	"function_call_arguments": metrics.ToolCall, "mcp_call_arguments": metrics.ToolCall,
	"custom_tool_call_input": metrics.ToolCall, "code_interpreter_call_code": metrics.ToolCall,
	"shell_call_command": metrics.ToolCall, "apply_patch_call_operation_diff": metrics.ToolCall,
	"audio": metrics.Audio, "audio.transcript": metrics.Audio,
}

// responseCalls are the types of items that call a tool. true: the client runs it, so the
// answer ends for it.
var responseCalls = map[string]bool{"function_call": true, "custom_tool_call": true, "local_shell_call": true,
	"apply_patch_call": true, "computer_call": true, "shell_call": false, "mcp_call": false}

// said is what has come of an item: a bit for each metrics.Kind, one while a tool of the
// server works for it, and one for the name of a called tool.
type said uint8

const (
	saidWorks said = 1 << 6
	saidName  said = 1 << 7
)

func (s said) has(k metrics.Kind) bool { return s&(1<<k) != 0 }

// mostItems bounds the items of an answer that are told apart.
const mostItems = 1024

// responsesState is what the decoder keeps of a stream of the Responses API.
type responsesState struct {
	next  int             // the sequence_number to come, -1 before the first
	items map[string]said // by output_index, or by id where there is none
	calls string          // the type of an item that the client has to answer
}

// of returns what has come of an item. More items than are told apart have all: what repeats
// them is then not counted.
func (r *responsesState) of(key []byte) said {
	if s, ok := r.items[string(key)]; ok || len(r.items) < mostItems {
		return s
	}
	return ^said(0)
}

func (r *responsesState) add(key []byte, s said) {
	if have := r.of(key); have|s != have {
		r.items[string(key)] = have | s
	}
}

// responsesEvent decodes an event of OpenAI's Responses API. It returns false for other
// types.
//
//	response.created, .queued, .in_progress       id and model: not yet output
//	response.output_item.added                    the name of a called tool
//	response.PIECE.delta                          text, reasoning, a refusal, arguments (responseKinds)
//	response.PIECE.done, .output_item.done        the same again: counted only if no delta came
//	response.completed, .incomplete, .failed      usage, and the end
//	error                                         {"error":{…}}, or its fields at the top
//
// All others add nothing, also those of the servers of Codex, which have other names.
func (d *Decoder) responsesEvent(m *message, doc []byte, out *Out) bool {
	name, ok := bytes.CutPrefix(m.typ, []byte("response."))
	switch {
	case ok:
	case string(m.typ) == "error":
		d.done, out.Done = true, true
		d.fault(out, errorOf(doc), doc)
		return true
	case string(m.typ) == "keepalive":
		out.Comment = true
	case !bytes.HasPrefix(m.typ, []byte("codex.")):
		return false
	}
	if d.responses == nil {
		d.responses = &responsesState{next: -1, items: map[string]said{}}
	}
	var e responseEvent
	e.read(&d.scan, doc)
	d.responsesSequence(e.sequence, out)
	piece, verb := name, []byte(nil)
	if i := bytes.LastIndexByte(name, '.'); i >= 0 {
		piece, verb = name[:i], name[i+1:]
	}
	kind, isPiece := responseKinds[string(piece)]
	switch {
	case !ok: // adds nothing
	case verb == nil:
		d.responsesWhole(name, e.response, m, out)
	case isPiece:
		d.responsesPiece(&e, kind, string(piece) == "audio", string(verb) == "delta", out)
	case string(piece) == "output_item":
		d.responsesItem(e.item, e.key, string(verb) == "done", out)
	}
	if ok {
		d.responsesWait(piece, verb, e.key, out)
	}
	if len(out.Deltas) > 0 || out.Finish != "" || out.Usage != nil {
		d.countTokens(-1, -1, out)
		d.state(0).end.takes(out.Finish != "", len(out.Deltas) > 0)
	}
	return true
}

// responseEvent holds the keys of one event.
type responseEvent struct {
	sequence       int    // -1 without one
	logprobs       int    // their number, -1 without any
	key            []byte // the index of its item, as some gateways change the id from event to event, or the id
	response, item []byte // raw
	delta, name    []byte
	whole          []byte // text, arguments, …: what an event at the end of a piece repeats
}

func (e *responseEvent) read(s *scanner, doc []byte) {
	e.sequence, e.logprobs = -1, -1
	var id []byte
	for k, more := s.keysOf(doc); more; k, more = s.nextKey() {
		switch string(k) {
		case "sequence_number":
			e.sequence = asCount(s.raw())
		case "logprobs":
			e.logprobs = s.count()
		case "output_index":
			e.key = s.raw()
		case "item_id":
			id, _ = s.text()
		case "response":
			e.response = s.raw()
		case "item":
			e.item = s.raw()
		case "delta":
			e.delta, _ = s.text()
		case "name":
			e.name, _ = s.text()
		case "text", "arguments", "refusal", "input", "code", "command", "transcript", "diff":
			e.whole, _ = s.text()
		}
	}
	if e.key == nil {
		e.key = id
	}
}

// responsesSequence notes an event that does not follow the one before.
func (d *Decoder) responsesSequence(n int, out *Out) {
	want := d.responses.next
	if n < 0 {
		return
	}
	d.responses.next = n + 1
	switch {
	case want < 0 || n == want:
	case n > want:
		out.note("sequence_gap",
			fmt.Sprintf("events are missing, dropped on the way: sequence_number %d came where %d was due", n, want))
	default:
		out.note("sequence_repeated",
			fmt.Sprintf("sequence_number %d came where %d was due: events may have come twice", n, want))
	}
}

// responsesPiece decodes an addition to an item, or the end of one that repeats it whole.
func (d *Decoder) responsesPiece(e *responseEvent, kind metrics.Kind, sound, adds bool, out *Out) {
	before, t := d.responses.of(e.key), e.delta
	if !adds {
		if before.has(kind) {
			return
		}
		t = e.whole
	}
	switch {
	case sound:
		var a delta
		a.audio.add(t)
		d.mediaDeltas(0, &a, out)
	case len(t) > 0:
		d.responsesText(kind, t, out)
	}
	if len(out.Deltas) > 0 {
		if before == 0 {
			out.Deltas[0].Name = string(e.name)
		}
		d.responses.add(e.key, 1<<kind)
		if e.logprobs > 0 {
			spread(out.Deltas, e.logprobs)
			out.TokensFrom = metrics.TokensLogprobs
		}
	}
}

// responsesWait says when a tool that the server runs itself works: from the first of its
// events until one of its end. MCP and the interpreter begin when the model has written what
// they get.
func (d *Decoder) responsesWait(piece, verb, key []byte, out *Out) {
	tool, arguments := bytes.CutSuffix(piece, []byte("_arguments"))
	tool = bytes.TrimSuffix(tool, []byte("_call"))
	mcp := string(tool) == "mcp"
	begins, ends := false, false
	switch string(verb) {
	case "in_progress":
		begins = !mcp && string(tool) != "code_interpreter"
	case "searching", "interpreting", "generating", "compacting":
		begins = true
	case "completed", "failed":
		ends = true
	case "done":
		begins, ends = mcp && arguments, string(piece) == "output_item"
	}
	r := d.responses
	switch have := r.of(key); {
	case begins && have&saidWorks == 0:
		d.wait(string(key), string(tool), out)
		r.add(key, saidWorks)
	case ends && have&saidWorks != 0:
		d.waited(string(key), out)
		r.items[string(key)] = have &^ saidWorks
	}
}

// responsesText returns a delta with t.
func (d *Decoder) responsesText(kind metrics.Kind, t []byte, out *Out) {
	st := d.state(0)
	switch kind {
	case metrics.Content: // a server may leave think tags in it
		st.content(&d.scan, 0, t, false, out)
		return
	case metrics.Reasoning:
		st.plainFrom(0, out)
	}
	out.add(kind, 0, t)
}

// responsesItem decodes an item of the answer: the name of a called tool, and if whole all
// that has not come of it.
func (d *Decoder) responsesItem(raw, key []byte, whole bool, out *Out) {
	s, r := &d.scan, d.responses
	var typ, name, args, action, content, summary, result []byte
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		switch string(k) {
		case "id":
			if id, _ := s.text(); key == nil {
				key = id
			}
		case "type":
			typ, _ = s.text()
		case "name":
			name, _ = s.text()
		case "arguments", "input", "code":
			args, _ = s.text()
		case "action", "operation":
			action = s.raw()
		case "content":
			content = s.raw()
		case "summary":
			summary = s.raw()
		case "result":
			result, _ = s.text()
		}
	}
	out.Thinks = string(typ) == "reasoning"
	before, now := r.of(key), said(0)
	client, calls := responseCalls[string(typ)]
	if client {
		r.calls = string(typ)
	}
	switch {
	case !calls:
		name = nil
	case action != nil: // of a tool that is named by the type of the item alone
		name, args = bytes.TrimSuffix(typ, []byte("_call")), bytes.ToValidUTF8(action, []byte("\uFFFD"))
	}
	if before != 0 {
		name = nil
	}
	if before.has(metrics.ToolCall) {
		args = nil
	}
	if len(name) > 0 || len(args) > 0 {
		now |= saidName
		if len(args) > 0 {
			now |= 1 << metrics.ToolCall
		}
		out.Deltas = append(out.Deltas, Delta{Kind: metrics.ToolCall, Text: args, Tokens: -1, Name: string(name)})
	}
	if whole {
		now |= d.responsesParts(content, before, out)
		if !now.has(metrics.Reasoning) {
			now |= d.responsesParts(summary, before, out)
		}
		if string(typ) == "image_generation_call" {
			var a delta
			a.images.add(result)
			d.mediaDeltas(0, &a, out)
		}
	}
	r.add(key, now)
}

// responsesParts returns deltas of the parts of a whole item whose kinds have not come.
func (d *Decoder) responsesParts(list []byte, before said, out *Out) (now said) {
	s := &d.scan
	for more := s.elemsOf(list); more; more = s.nextElem() {
		var typ, text []byte
		for k, more := s.firstKey(); more; k, more = s.nextKey() {
			switch string(k) {
			case "type":
				typ, _ = s.text()
			case "text", "refusal":
				text, _ = s.text()
			}
		}
		kind := metrics.Reasoning // reasoning_text, summary_text
		switch string(typ) {
		case "output_text", "text":
			kind = metrics.Content
		case "refusal":
			kind = metrics.Refusal
		}
		if len(text) > 0 && !before.has(kind) {
			d.responsesText(kind, text, out)
			now |= 1 << kind
		}
	}
	return now
}

// responsesWhole decodes an event with the whole response: at the beginning who answers, at
// the end the rest. name is the event's type, which the status in the response replaces.
func (d *Decoder) responsesWhole(name, raw []byte, m *message, out *Out) {
	s := &d.scan
	var status, reason, tier, output, failure, usage []byte
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		switch string(k) {
		case "id":
			id, _ := s.text()
			d.answers(idChunk, id, out)
		case "model":
			model, _ := s.text()
			out.Model = d.reuse(&d.model, model)
		case "status":
			status, _ = s.text()
		case "service_tier":
			tier, _ = s.text()
		case "usage":
			usage = s.raw()
		case "error":
			failure = s.raw()
		case "output":
			output = s.raw()
		case "incomplete_details":
			reason = s.fieldText("reason")
		}
	}
	switch string(name) {
	case "created":
		out.Choices, out.Role = true, true
		return
	case "completed", "incomplete", "failed", "cancelled", "done":
	default:
		return
	}
	d.done, out.Done = true, true
	out.Served.Tier = d.reuse(&d.service.Tier, tier) // before the end it is that of the request
	if !d.texted {
		for more, i := s.elemsOf(output), 0; more; more, i = s.nextElem(), i+1 {
			item, at := s.raw(), *s
			d.responsesItem(item, fmt.Append(nil, i), true, out)
			at.scratch = s.scratch
			*s = at
		}
	}
	if m.usage = usage; usage != nil {
		d.takeUsage(m, nil, out)
	}
	d.responsesEnd(string(name), string(status), string(reason), failure, out)
}

// responsesEnd sets why the response ended.
func (d *Decoder) responsesEnd(name, status, reason string, failure []byte, out *Out) {
	switch status {
	case "completed", "incomplete", "failed", "cancelled":
		name = status
	}
	switch {
	case name == "failed" || saysSomething(failure):
		d.fault(out, readError(failure, 0), failure)
		return
	case name == "cancelled":
		d.fault(out, serverError{code: name, message: "the response was cancelled"}, nil)
		return
	case name == "incomplete" && reason != "":
		name = reason
	case name != "incomplete" && d.responses.calls != "":
		name = d.responses.calls
	}
	out.Finish = name
}

func (o *Out) note(code, text string) {
	o.Notes = append(o.Notes, metrics.Note{At: metrics.NoStamp, Code: code, Text: text})
}
