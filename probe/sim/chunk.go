package sim

import (
	"fmt"
	"strconv"
)

// chunks writes the stream of OpenAI's completions, and of chat.
type chunks struct {
	*streamer
	head []byte // start of every chunk: `data: {"id":…,"model":…`
}

func newChunks(s *streamer) eventWriter {
	object := "text_completion"
	if s.req.chat {
		object = "chat.completion.chunk"
	}
	return &chunks{s, s.header([]byte("data: "), object)}
}

// event starts a chunk for one choice, up to and including its index.
func (s *chunks) event(choice int) []byte {
	b := append(append(s.buf, s.head...), `,"choices":[{"index":`...)
	return strconv.AppendInt(b, int64(choice), 10)
}

// end closes a chunk whose choice object is already closed.
func (s *chunks) end(b []byte, usage bool) {
	b = append(b, ']')
	if usage {
		b = s.usage(append(b, `,"usage":`...))
	}
	s.buf = append(b, "}\n\n"...)
}

// every reports whether each chunk carries the usage so far.
func (s *chunks) every() bool {
	return s.sc.usage == "every" || s.sc.usage == "" && s.req.everyUsage
}

// opening writes the role chunk, the first of a chat stream.
func (s *chunks) opening(choice int) {
	if !s.req.chat {
		return
	}
	b := append(s.event(choice), `,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}`...)
	s.end(b, s.every() || s.sc.usage == "first")
	_ = s.flush() // the next flush reports the error again
	if c := s.plans[choice].call; c != nil && s.plans[choice].thought == 0 {
		s.toolHead(choice, c)
	}
}

func (s *chunks) toolHead(choice int, c *call) {
	s.end(fmt.Appendf(s.event(choice), `,"delta":{"tool_calls":[{"index":0,"id":%s,"type":"function",`+
		`"function":{"name":%s,"arguments":""}}]},"logprobs":null,"finish_reason":null}`,
		quoted(s.callID(choice)), quoted(c.name)), s.every())
}

func (s *chunks) part(choice int, k kind, text string) {
	c, sc := &s.said[choice], s.plans[choice]
	if k == toolArgs && sc.thought > 0 && s.sent[choice]-c.count == sc.thought {
		s.toolHead(choice, sc.call)
	}
	b := s.event(choice)
	switch {
	case !s.req.chat:
		b = appendJSON(append(b, `,"text":`...), text)
	case k == reasoning:
		b = append(appendJSON(append(b, `,"delta":{"reasoning_content":`...), text), '}')
	case k == toolArgs:
		b = append(appendJSON(append(b, `,"delta":{"tool_calls":[{"index":0,"function":{"arguments":`...), text), "}}]}"...)
	default:
		b = append(appendJSON(append(b, `,"delta":{"content":`...), text), '}')
	}
	b = s.logprobs(append(b, `,"logprobs":`...), &sc.log, c.tokens)
	if s.req.returnTokenID {
		b = s.tokenIDs(append(b, `,"token_ids":`...), c.tokens)
	}
	s.end(append(b, `,"finish_reason":null}`...), s.every())
}

// tagged adds the <think> tags to content: one before the first reasoning,
// one before the first answer after it.
func (c *choiceChunk) tagged(text string) string {
	switch {
	case c.kind == reasoning && c.tags == 0:
		c.tags = 1
		return "<think>\n" + text
	case c.kind == content && c.tags == 1:
		c.tags = 2
		return "\n</think>\n\n" + text
	}
	return text
}

// closing writes the chunk with the finish reason.
func (s *chunks) closing(choice int) {
	said := `"text":""`
	if s.req.chat {
		said = `"delta":{}`
	}
	b := fmt.Appendf(s.event(choice), `,%s,"logprobs":null,"finish_reason":%s,"stop_reason":null`,
		said, quoted(s.plans[choice].finish))
	if s.sc.usage == "choice" {
		b = s.usage(append(b, `,"usage":`...))
	}
	b = append(b, '}')
	if s.sc.usage == "x_groq" {
		b = s.usage(fmt.Appendf(b, `],"x_groq":{"id":"%s","usage":`, s.id))
		s.buf = append(b, "}}\n\n"...)
		return
	}
	s.end(b, s.every() || s.sc.usage == "finish")
}

// tail writes what follows the last choice: usage if requested, and the
// [DONE] marker.
func (s *chunks) tail() {
	if s.req.includeUsage && s.open == 0 && (s.sc.usage == "" || s.sc.usage == "every") {
		b := s.usage(append(append(s.buf, s.head...), `,"choices":[],"usage":`...))
		if len(s.plans) == 1 {
			b = s.metrics(append(b, `,"metrics":`...))
		}
		s.buf = append(b, "}\n\n"...)
	}
	if !s.sc.noDone {
		s.buf = append(s.buf, "data: [DONE]\n\n"...)
	}
}

func (s *chunks) fail(e *apiError) {
	_, body := e.openAI()
	s.buf = append(append(append(s.buf, "data: "...), body...), "\n\ndata: [DONE]\n\n"...)
}
