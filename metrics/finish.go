package metrics

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// FinishKind is what a finish reason means.
type FinishKind uint8

const (
	// FinishOther: a reason that only its server knows.
	FinishOther FinishKind = iota
	// FinishMissing: the server gave none, so the answer may be cut.
	FinishMissing
	// FinishStop: the model ended the answer.
	FinishStop
	// FinishCalls: the model waits for the result of a call.
	FinishCalls
	// FinishLimit: the limit of output tokens, or the context, was reached.
	FinishLimit
	// FinishFilter: a content filter ended the answer.
	FinishFilter
	// FinishPause: the server paused the turn, which a further request goes on with.
	FinishPause
	// FinishUntold: the file of another program does not say it.
	FinishUntold
)

// NoFinish stands for a missing finish reason, FinishNotRecorded for one that a file does not say.
const (
	NoFinish          = "none"
	FinishNotRecorded = "finish_not_recorded"
)

// finishKinds are the finish reasons of known servers, in lower case: OpenAI and
// those that copy it, Anthropic, Gemini, Bedrock, Cohere, Mistral, TGI, GLM.
var finishKinds = map[string]FinishKind{
	NoFinish: FinishMissing, FinishNotRecorded: FinishUntold,
	"stop": FinishStop, "end_turn": FinishStop, "stop_sequence": FinishStop, "eos_token": FinishStop,
	"eos": FinishStop, "complete": FinishStop, "completed": FinishStop,
	"tool_calls": FinishCalls, "function_call": FinishCalls, "tool_use": FinishCalls, "tool_call": FinishCalls,
	"custom_tool_call": FinishCalls, "local_shell_call": FinishCalls, "computer_call": FinishCalls,
	"apply_patch_call": FinishCalls, "length": FinishLimit, "max_messages": FinishLimit,
	"max_tokens": FinishLimit, "max_output_tokens": FinishLimit, "model_length": FinishLimit,
	"model_context_window_exceeded": FinishLimit,
	"content_filter":                FinishFilter, "content_filtered": FinishFilter, "refusal": FinishFilter,
	"safety": FinishFilter, "recitation": FinishFilter, "blocklist": FinishFilter, "prohibited_content": FinishFilter,
	"image_safety": FinishFilter, "image_prohibited_content": FinishFilter, "image_recitation": FinishFilter,
	"image_other": FinishFilter, "model_armor": FinishFilter,
	"pause_turn": FinishPause, "steered": FinishPause, "continuation": FinishPause,
	"spii": FinishFilter, "guardrail_intervened": FinishFilter, "sensitive": FinishFilter, "error_toxic": FinishFilter,
}

// mostFinish bounds a finish reason, in bytes.
const mostFinish = 40

// FinishOf returns a finish reason as it is counted. A known one has one spelling:
// "MAX_TOKENS" is "max_tokens". Others stay as the server sent them, at most 40
// bytes: sanitize them before a terminal. None at all is NoFinish.
func FinishOf(sent string) string {
	if finishKinds[sent] != FinishOther {
		return sent
	}
	reason := strings.TrimSpace(sent)
	if len(reason) > mostFinish {
		return strings.Clone(Head(reason, mostFinish))
	}
	known := strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(reason))
	if finishKinds[known] != FinishOther {
		return known
	}
	return cmp.Or(reason, NoFinish)
}

// FinishKindOf returns what a finish reason means, in any spelling.
func FinishKindOf(sent string) FinishKind { return finishKinds[FinishOf(sent)] }

// FinishReason is FinishOf of a stream that ended well, "" for others.
func (s *Stream) FinishReason() string {
	if s.State != Done {
		return ""
	}
	return FinishOf(s.Finish)
}

// mostFinishes bounds the finish reasons that are counted apart: a server can make up any.
const mostFinishes = 16

// AddFinish returns counts with one more of that reason, "other" where there are too
// many. It changes the map; nil is none yet.
func AddFinish(counts map[string]int, reason string) map[string]int {
	if counts == nil {
		counts = map[string]int{}
	}
	if counts[reason] == 0 && len(counts) >= mostFinishes {
		reason = "other"
	}
	counts[reason]++
	return counts
}

// Frequent returns the keys of counts, the most frequent first.
func Frequent(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
}

// Ran is how long a request ran that did not end well, ms from sent to its end. Unknown
// for others, where it was not sent, and where an answer with an error came.
func (s *Stream) Ran() Value {
	if !s.State.Ended() || s.State == Done || s.Fault != nil && s.Fault.Status != 0 {
		return Unknown(WhyNoWait)
	}
	return Since(s.Marks.Sent, s.Marks.End, WhyNotSent)
}

// Seen is what an answer has beside reasoning and white space, over all choices.
type Seen uint8

const (
	// SeenNothing: no chunk, or reasoning and white space alone.
	SeenNothing Seen = iota
	// SeenCall: calls of tools, and no text.
	SeenCall
	// SeenRefusal: the model's words for why it does not answer, and nothing else.
	SeenRefusal
	// SeenText: text, sound or pictures: something for a person.
	SeenText
)

// Unseen reports whether s, which has the figures f, ended well and shows nothing:
// its chunks are reasoning and white space.
func (f *Figures) Unseen(s *Stream) bool { return f.Textless(s) && f.Seen == SeenNothing }

// Textless is Unseen where calls are no text either.
func (f *Figures) Textless(s *Stream) bool {
	return s.State == Done && f.Chunks > 0 && f.Seen < SeenRefusal
}

// Refused reports whether s, which has the figures f, ended well with a refusal as its only text.
func (f *Figures) Refused(s *Stream) bool { return s.State == Done && f.Seen == SeenRefusal }

// Head returns the first bytes of text, at most so many, cut between two characters.
func Head(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// Shortened bounds text from outside before a message repeats it: to that many bytes,
// between two characters, and "…".
func Shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return Head(text, most) + "…"
}
