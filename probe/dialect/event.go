package dialect

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// idRank orders where a request id came from: a better source replaces a worse.
type idRank uint8

const (
	idNone     idRank = iota
	idEdge            // cf-ray: names the request at the edge only
	idEvent           // id of an event without text that is no keep-alive
	idChunk           // id of the first chunk with text
	idUpstream        // x_groq.id
	idHeader          // a request-id header
)

func (d *Decoder) event(ev sse.Event, out *Out) {
	if ev.Comment || string(ev.Name) == "ping" {
		out.Comment = true
		return
	}
	data := bytes.TrimSpace(ev.Data)
	if len(data) == 0 {
		return
	}
	d.events++
	if ev.Field == "error" {
		d.fault(out, errorOf(data), data)
		return
	}
	if sse.IsEnd(data) {
		d.done, out.Done = true, true
		return
	}
	if data[0] == '[' { // Gemini puts an error into a list
		if e := errorOf(data); e.found {
			d.fault(out, e, data)
			return
		}
	}
	d.scan.start(data)
	if !d.msg.read(&d.scan) {
		d.undecodable(ev, data, out)
		return
	}
	d.decoded++
	m := &d.msg
	d.identity(m, out)
	if !m.isChunk {
		is := func(a *API) bool { return a.event != nil && a.event(d, m, data, out) }
		if i := slices.IndexFunc(apis, is); i >= 0 {
			d.recognized, d.told = true, apis[i]
			return
		}
	}
	d.chunk(ev, data, m, out)
	d.requestID(m, out)
	if out.Fault == nil && string(ev.Name) == "error" {
		d.fault(out, errorOf(data), data)
	}
}

// chunk decodes an event of OpenAI's shape.
func (d *Decoder) chunk(ev sse.Event, doc []byte, m *message, out *Out) {
	groqUsage, groqErr := d.readGroq(m, out)
	if m.isChunk || m.usage != nil || len(m.response) > 0 {
		d.recognized = true
	}
	out.Choices = len(m.choices) > 0
	failed := d.chunkFault(m, doc, groqErr, out)
	for i := range m.choices {
		d.choice(&m.choices[i], failed, out)
	}
	if !m.isChunk && len(m.response) > 0 {
		out.add(metrics.Content, 0, m.response)
	}
	d.sender(m, out)
	predicted := -1
	for i := range timeBlocks {
		if raw := m.blocks[i]; raw != nil {
			predicted = max(predicted, d.block(&timeBlocks[i], raw, out))
		}
	}
	if len(m.choices) == 1 && predicted > 0 {
		d.choices[min(max(m.choices[0].index, 0), 255)].predicted = predicted
	}
	if m.promptEvalCount != nil { // Ollama's own format, which gateways pass through
		d.rest.prompt = asCount(m.promptEvalCount)
	}
	if m.evalCount != nil {
		d.rest.output = asCount(m.evalCount)
	}
	used := d.takeUsage(m, groqUsage, out)
	d.countTokens(used, predicted, out)
	if m.progress != nil {
		out.Progress = readProgress(&d.scan, m.progress, ev.At)
	}
}

// choice decodes what one choice adds.
func (d *Decoder) choice(c *choice, failed bool, out *Out) {
	index := uint8(min(max(c.index, 0), 255))
	d.manyChoices = d.manyChoices || index > 0
	st := d.state(index)
	if len(c.finish) > 0 && !st.finished {
		st.finished = true
		d.finishes++
	}
	if out.Finish == "" && len(c.finish) > 0 {
		out.Finish = d.reuse(&d.lastFinish, c.finish)
	}
	add := &c.delta
	if !add.present && c.message.present && !d.texted {
		// A server that ignored stream:true and sent its whole answer as one event.
		add = &c.message
	}
	out.Role = out.Role || add.role
	out.Blank = out.Blank || index == 0 && c.delta.blank && !c.delta.named
	first := len(out.Deltas)
	if r := add.reasoningText(&d.scan); len(r) > 0 {
		out.Reasoned |= add.reasoningFields()
		st.plainFrom(index, out)
		if r = st.thinking.fresh(metrics.Reasoning, index, r, out); len(r) > 0 {
			out.add(metrics.Reasoning, index, r)
		}
	}
	said := add.content
	if !add.present {
		said = c.text // legacy completions; Together sends both
	}
	switch {
	case add.parts != nil:
		d.contentParts(st, index, add, out)
	case len(said) > 0:
		if said = st.saying.fresh(metrics.Content, index, said, out); len(said) > 0 {
			st.content(&d.scan, index, said, add.thought, out)
		}
	}
	if len(add.refusal) > 0 {
		out.add(metrics.Refusal, index, add.refusal)
	}
	d.mediaDeltas(index, add, out)
	if add.tools != nil || add.function != nil {
		d.toolCalls(index, add, out)
	}
	if !failed {
		d.countChoice(c, index, st, first, out)
	}
	st.end.takes(len(c.finish) > 0, len(out.Deltas) > first)
	if len(out.Deltas) > first {
		st.last = out.Deltas[len(out.Deltas)-1].Kind
	}
}

// state returns the state of a choice.
func (d *Decoder) state(index uint8) *choiceState {
	for len(d.choices) <= int(index) {
		d.choices = append(d.choices, choiceState{})
	}
	return &d.choices[index]
}

// sender notices the first chunk with id and model after some with neither.
func (d *Decoder) sender(m *message, out *Out) {
	if len(out.Deltas) == 0 || d.named {
		return
	}
	d.named = len(m.id) > 0 && len(m.model) > 0
	out.Begins = d.named && d.nameless
	d.nameless = len(m.id)+len(m.model) == 0
}

// identity tells who answered, without new memory for what stays the same.
func (d *Decoder) identity(m *message, out *Out) {
	out.Model = d.reuse(&d.model, m.model)
	out.Provider = d.reuse(&d.provider, m.provider)
	out.Fingerprint = d.reuse(&d.fingerprint, m.fingerprint)
	out.Served.Tier = d.reuse(&d.service.Tier, m.tier)
	if len(m.requestID) > 0 && m.err != nil && d.idRank < idHeader {
		d.idRank, out.RequestID = idHeader, string(m.requestID)
	}
}

// requestID takes the id of the first chunk with text. One of another event stands in
// for it until then, if the event belongs to the answer: a gateway's keep-alive has an
// id of its own.
func (d *Decoder) requestID(m *message, out *Out) {
	rank := idNone
	switch {
	case len(m.id) == 0:
	case len(out.Deltas) > 0:
		rank = idChunk
	case out.Role || out.Finish != "" || out.Usage != nil || out.Fault != nil:
		rank = idEvent
	}
	d.answers(rank, m.id, out)
}

// answers takes an id of the answer that is worth so much. It stands for that of the request
// where no better one is known.
func (d *Decoder) answers(rank idRank, id []byte, out *Out) {
	if rank <= d.answerRank || len(id) == 0 {
		return
	}
	d.answerRank = rank
	changed := d.id != string(id)
	if changed {
		d.id = string(id)
		out.ResponseID = d.id
	}
	if rank > d.idRank {
		d.idRank = rank
		if changed {
			out.RequestID = d.id
		}
	}
}

// reuse returns b as a string, the last one again if it is equal.
func (d *Decoder) reuse(last *string, b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if *last != string(b) {
		*last = string(b)
	}
	return *last
}

// undecodable counts an event that is no JSON object. Events with a name of
// their own (annotations of gateways) may carry anything.
func (d *Decoder) undecodable(ev sse.Event, data []byte, out *Out) {
	switch string(ev.Name) {
	case "error":
		d.fault(out, errorOf(data), data)
		return
	case "", "message":
	default:
		if c := data[0]; c != '{' {
			return
		}
	}
	d.malformed++
	if d.malformed == 1 {
		out.Notes = append(out.Notes, metrics.Note{At: ev.At, Code: "malformed_event",
			Text: "an event is not a JSON object and was left out: " + Excerpt(data, 120)})
	}
}

// Finish must be called once, after the last event. It resets *out, returns
// held-back text, and reports why the stream did not end well. That is a
// truncated stream (sawEOF, but neither finish reason nor [DONE]), nothing
// decodable, or finish reason "error" without an error event. With sawEOF
// false the caller already knows the reason, and Finish returns only held
// text and notes.
func (d *Decoder) Finish(sawEOF bool, out *Out) {
	out.reset()
	d.need()
	repeats := false
	for i := range d.choices {
		repeats = d.endGrowing(&d.choices[i], uint8(i), out) || repeats
		d.choices[i].plainFrom(uint8(i), out)
	}
	if repeats {
		out.note("repeated_text", "every chunk repeats all text before it: only what is new is shown and counted")
	}
	if d.malformed > 1 {
		out.note("malformed_events",
			fmt.Sprintf("%d of %d events were not JSON objects and were left out", d.malformed, d.events))
	}
	d.finalCounts(out)
	if !sawEOF || d.faulted {
		return
	}
	const look = "look at the server's log, or record the stream and report it"
	switch {
	case d.malformed > 0 && d.decoded == 0:
		out.Fault = &metrics.Fault{Kind: metrics.FaultProtocol,
			Message: fmt.Sprintf("not one of the %d events of the stream is a JSON object", d.malformed), Next: look}
	case d.decoded > 0 && !d.recognized:
		out.Fault = &metrics.Fault{Kind: metrics.FaultProtocol,
			Message: "the events of the stream are not chat completion chunks",
			Next:    "check the path of the URL: it should end in /v1, before /chat/completions"}
	case d.finishReason == "error":
		out.Fault = &metrics.Fault{Kind: metrics.FaultInStream, Code: "error",
			Message: `the server ended the response with finish reason "error" and gave no message`, Next: look}
	case d.finishReason == "" && !d.done && d.events == 0:
		out.Fault = &metrics.Fault{Kind: metrics.FaultTruncated,
			Message: "the stream ended before its first event", Next: "try again; " + look}
	case d.finishReason == "" && !d.done:
		message := "the stream ended without a finish reason"
		if marker := cmp.Or(d.told, &chat).Marker; marker != "" {
			message += " and without " + marker
		}
		out.Fault = &metrics.Fault{Kind: metrics.FaultTruncated, Message: message,
			Next: "try again; some servers end like this after an error: look at the server's log"}
	}
}

// Excerpt returns the beginning of b as one valid line of at most n bytes,
// without a full stop at its end.
func Excerpt(b []byte, n int) string {
	s := strings.Join(strings.Fields(strings.ToValidUTF8(string(b[:min(len(b), 4*n)]), "\uFFFD")), " ")
	return strings.TrimSuffix(metrics.Shortened(s, n), ".")
}

// readGroq decodes Groq's own block: its id, and a usage and an error, nil without one.
func (d *Decoder) readGroq(m *message, out *Out) (usage, fault []byte) {
	if m.xGroq == nil {
		return nil, nil
	}
	s := &d.scan
	for k, more := s.keysOf(m.xGroq); more; k, more = s.nextKey() {
		switch string(k) {
		case "usage":
			usage = s.raw()
		case "error":
			fault = s.raw()
		case "id":
			if id, ok := s.text(); ok && len(id) > 0 && d.idRank < idUpstream {
				d.idRank, out.RequestID = idUpstream, string(id)
			}
		}
	}
	return usage, fault
}

// readProgress reads llama.cpp's prompt_progress.
func readProgress(s *scanner, raw []byte, at metrics.Stamp) *metrics.Progress {
	s.sub(raw)
	if s.peek() != '{' {
		return nil
	}
	p := metrics.Progress{At: at}
	for k, more := s.firstKey(); more; k, more = s.nextKey() {
		switch string(k) {
		case "total":
			p.Total = max(asCount(s.raw()), 0)
		case "cache":
			p.Cached = max(asCount(s.raw()), 0)
		case "processed":
			p.Processed = max(asCount(s.raw()), 0)
		case "time_ms":
			if v, ok := asFloat(s.raw()); ok {
				p.Took, _ = duration(v, time.Millisecond)
			}
		}
	}
	return &p
}
