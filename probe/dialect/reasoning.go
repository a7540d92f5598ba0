package dialect

import (
	"bytes"

	"tokscope/metrics"
)

// choiceState is the state of one choice.
type choiceState struct {
	phase  phase
	last   metrics.Kind
	close  string // the tag that ends the reasoning
	match  int    // how much of close the text ends with
	held   []byte // text that may be the start of a tag
	traced bool   // reasoning had a field of its own

	thinking, saying growing // the reasoning in its own field, and the content

	finished  bool // it had a finish reason
	end       ending
	predicted int // llama.cpp's count of its output tokens so far, 0 for none
}

// phase is the position of a choice's content relative to think tags.
type phase uint8

const (
	phaseStart  phase = iota // only blanks so far
	phaseInside              // between the opening and the closing tag
	phasePlain               // content; tags have no meaning any more
)

// thinkTags open reasoning inside content, or close it if the template has
// already opened it. They only count at the very start: an answer that
// discusses <think> is an answer.
var thinkTags = [...]struct{ tag, close string }{
	{"<think>", "</think>"},
	{"<thought>", "</thought>"},
	{"</think>", ""},
	{"</thought>", ""},
}

// content splits the text of a choice into reasoning and content by think
// tags. The tags stay in the reasoning's text, so the texts of all deltas
// joined are what the server sent.
//
// Text that may be the start of an opening tag is held back. Its delta is
// returned at once, empty, because the stamp belongs to its chunk.
func (st *choiceState) content(s *scanner, index uint8, text []byte, thought bool, out *Out) {
	from := 0 // start of the search for the closing tag
	if st.phase == phaseStart && st.traced && !thought {
		st.phase = phasePlain
	}
	if st.phase == phaseStart {
		if len(st.held) > 0 {
			begin := len(s.scratch)
			s.scratch = append(append(s.scratch, st.held...), text...)
			text = s.scratch[begin:len(s.scratch):len(s.scratch)]
			st.held = st.held[:0]
		}
		rest := bytes.TrimLeft(text, " \t\r\n")
		blanks := len(text) - len(rest)
		tag, partial := findTag(rest)
		switch {
		case len(rest) == 0 && !thought:
			out.add(metrics.Content, index, text)
			return
		case partial && len(rest) > 0:
			st.held = append(st.held[:0], text...)
			out.add(metrics.Reasoning, index, nil)
			return
		case tag >= 0 && thinkTags[tag].close == "":
			st.phase = phasePlain
			cut := blanks + len(thinkTags[tag].tag)
			out.add(metrics.Reasoning, index, text[:cut:cut])
			if text = text[cut:]; len(text) == 0 {
				return
			}
		case tag >= 0:
			st.phase, st.close, st.match = phaseInside, thinkTags[tag].close, 0
			from = blanks + len(thinkTags[tag].tag)
		case thought:
			out.add(metrics.Reasoning, index, text)
			return
		default:
			st.phase = phasePlain
		}
	}
	if st.phase == phaseInside {
		end := st.findClose(text, from)
		if end < 0 {
			out.add(metrics.Reasoning, index, text)
			return
		}
		st.phase = phasePlain
		out.add(metrics.Reasoning, index, text[:end:end])
		if text = text[end:]; len(text) == 0 {
			return
		}
	}
	if thought {
		out.add(metrics.Reasoning, index, text)
		return
	}
	out.add(metrics.Content, index, text)
}

// plainFrom ends the search for an opening tag. Held text is content.
func (st *choiceState) plainFrom(index uint8, out *Out) {
	st.traced = true
	if len(st.held) == 0 {
		return
	}
	st.phase = phasePlain
	out.add(metrics.Content, index, st.held)
	st.held = nil
}

// findTag returns the index of the tag at the start of t, or -1. It also
// reports whether t is the start of a tag.
func findTag(t []byte) (tag int, partial bool) {
	if len(t) == 0 || t[0] != '<' {
		return -1, false
	}
	for i := range thinkTags {
		want := thinkTags[i].tag
		if len(t) >= len(want) {
			if string(t[:len(want)]) == want {
				return i, false
			}
		} else if want[:len(t)] == string(t) {
			partial = true
		}
	}
	return -1, partial
}

// findClose returns the end of the closing tag in text[from:], or -1 if it is
// not complete. A '<' only starts a tag, so a mismatch never goes back
// further than that.
func (st *choiceState) findClose(text []byte, from int) int {
	for i := from; i < len(text); i++ {
		switch c := text[i]; {
		case c == st.close[st.match]:
			st.match++
			if st.match == len(st.close) {
				return i + 1
			}
		case c == '<':
			st.match = 1
		default:
			st.match = 0
		}
	}
	return -1
}

// reasoningFields returns the fields that have reasoning.
func (a *delta) reasoningFields() (in metrics.ReasoningFields) {
	if len(a.reasoning) > 0 {
		in |= metrics.InReasoning
	}
	if len(a.reasoningContent) > 0 {
		in |= metrics.InReasoningContent
	}
	if len(a.details) > 0 {
		in |= metrics.InReasoningDetails
	}
	return in
}

// reasoningText returns the reasoning from its own field. Servers with
// several fields send the same in each, so the first with text counts.
func (a *delta) reasoningText(s *scanner) []byte {
	if len(a.reasoningContent) > 0 {
		return a.reasoningContent
	}
	if len(a.reasoning) > 0 {
		return a.reasoning
	}
	if len(a.details) == 0 || a.details[0] != '[' {
		return nil
	}
	return listText(s, a.details)
}

// listText joins the text, summary or thinking of a list of objects. Strings
// are used unchanged.
func listText(s *scanner, raw []byte) []byte {
	s.sub(raw)
	if s.peek() == '"' {
		t, _ := s.text()
		return t
	}
	var joined []byte
	add := func(t []byte) {
		if joined == nil {
			joined = t // capped, so that a later append copies
		} else {
			joined = append(joined, t...)
		}
	}
	for more := s.firstElem(); more; more = s.nextElem() {
		if s.peek() != '{' {
			t, _ := s.text()
			add(t)
			continue
		}
		var text []byte
		for k, more := s.firstKey(); more; k, more = s.nextKey() {
			switch string(k) {
			case "text", "summary":
				if t, _ := s.text(); len(t) > 0 {
					text = t
				}
			}
		}
		add(text)
	}
	return joined
}

// contentParts decodes content that is an array (Mistral): parts of thinking
// and text in their order. Images and audio among them are added to a.
func (d *Decoder) contentParts(st *choiceState, index uint8, a *delta, out *Out) {
	s := &d.scan
	for more := s.elemsOf(a.parts); more; more = s.nextElem() {
		if s.peek() != '{' {
			if t, _ := s.text(); len(t) > 0 {
				st.content(s, index, t, a.thought, out)
			}
			continue
		}
		var text, thinking []byte
		for k, more := s.firstKey(); more; k, more = s.nextKey() {
			switch string(k) {
			case "text":
				text, _ = s.text()
			case "thinking":
				thinking = s.raw()
			case "image_url":
				a.images.add(address(s, false))
			case "audio", "input_audio", "output_audio":
				a.readAudio(s)
			}
		}
		if thinking != nil {
			at := *s
			t := listText(s, thinking)
			at.scratch = s.scratch
			*s = at
			if len(t) > 0 {
				st.plainFrom(index, out)
				out.add(metrics.Reasoning, index, t)
			}
		}
		if len(text) > 0 {
			st.content(s, index, text, a.thought, out)
		}
	}
}
