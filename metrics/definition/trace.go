package definition

import (
	"bytes"

	"tokscope/metrics"
)

// Chunk is one chunk of the first choice, which is the one that tools read, or an
// event with an empty content, which is Empty alone.
type Chunk struct {
	At    float64 // ms after the request was sent
	Index int     // in the stream's Chunks; -1 for an empty one
	Kinds Pick    // all that its event is
	// Tokens are those of the chunk by the server's count; 0 where it gave none.
	Tokens int
}

// Trace is what tools see of a stream. Moments are ms after the request was
// sent.
type Trace struct {
	Chunks                            []Chunk
	Choices, Finish, Usage, Done, End metrics.Value
	Lines                             int           // data lines with choices
	Tokens                            metrics.Value // output tokens by the server's usage
	Decode                            metrics.Value // the n of tokscope's own TPOT
	Asked                             int           // most output tokens asked for, 0 for none
	API                               string        // that the stream is in, "" for chat completions
}

// Of returns the trace of an ended stream. A stream that was not sent, or that
// brought nothing, has no trace: then it returns the reason. f are its figures.
func Of(s *metrics.Stream, f *metrics.Figures) (Trace, metrics.Why) {
	t := Trace{Tokens: metrics.Unknown(metrics.WhyNoServerTokens), Decode: f.DecodeTokens, Asked: s.Work.MaxTokens,
		API: s.Endpoint.API}
	switch {
	case !s.Marks.Sent.Known():
		return t, metrics.WhyNotSent
	case len(s.Chunks) == 0:
		return t, metrics.WhyNoChunkEnd
	}
	moment := func(at metrics.Stamp) metrics.Value {
		return metrics.Since(s.Marks.Sent, at, metrics.WhyNoStamp)
	}
	t.Choices, t.Finish, t.Usage = moment(s.Marks.FirstRole), moment(s.Marks.FinishReason), moment(s.Marks.LastUsage)
	t.Done, t.End = moment(s.Marks.DoneMarker), moment(s.Marks.End)
	if s.Conn.LeftOpen { // a tool that waits for the end of the body hangs
		t.End = metrics.Unknown(metrics.WhyNoStamp)
	}
	if f.TokenSource == metrics.TokensUsage || f.TokenSource == metrics.TokensContinuous {
		t.Tokens = f.Tokens
	}
	t.Lines = s.WithChoices
	blanks := s.Blanks
	empty := func(b *metrics.Blank) {
		if at := moment(b.At); at.OK {
			t.Chunks = append(t.Chunks, Chunk{At: at.V, Index: -1, Kinds: Empty})
		}
	}
	for i := range s.Chunks {
		c := &s.Chunks[i]
		if c.Choice != 0 {
			continue
		}
		for ; len(blanks) > 0 && blanks[0].Event < c.Event; blanks = blanks[1:] {
			empty(&blanks[0])
		}
		at := moment(c.At)
		if !at.OK {
			continue
		}
		p := kinds(s, f, c.Kind)
		if c.Kind == metrics.ToolCall && len(s.ChunkText(i)) > 0 {
			p |= Arguments
		}
		if len(bytes.TrimSpace(s.ChunkText(i))) > 0 {
			p |= NotBlank
		}
		if len(blanks) > 0 && blanks[0].Event == c.Event {
			p, blanks = p|Empty, blanks[1:]
		}
		t.Chunks = append(t.Chunks, Chunk{At: at.V, Index: i, Kinds: p, Tokens: max(0, int(c.Tokens))})
	}
	if len(t.Chunks) == 0 {
		return t, metrics.WhyNoChunkEnd
	}
	for i := range blanks {
		empty(&blanks[i])
	}
	return t, 0
}

// kinds returns the fields in which chunks of that kind came.
func kinds(s *metrics.Stream, f *metrics.Figures, k metrics.Kind) Pick {
	switch k {
	case metrics.ToolCall:
		return Tools
	case metrics.Refusal:
		return Refusals
	case metrics.Audio, metrics.Image:
		return Media
	case metrics.Reasoning:
		switch s.Endpoint.API {
		case "", "completions": // by the names of the fields, or between tags
		default:
			if f.Suspects(metrics.SuspectSummarized) {
				return Summarized
			}
			return BothReasonings
		}
		p := Pick(0)
		for field, is := range map[metrics.ReasoningFields]Pick{
			metrics.InReasoning: FieldReasoning, metrics.InReasoningContent: FieldReasoningContent,
			metrics.InReasoningDetails: FieldDetails,
		} {
			if s.Reasoned&field != 0 {
				p |= is
			}
		}
		if p != 0 {
			return p
		}
	}
	return Content
}
