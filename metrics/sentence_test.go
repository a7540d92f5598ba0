package metrics

import (
	"strings"
	"testing"
)

// TestFirstSentence holds where the first sentence ends: the time is that of
// the chunk in place of the bar.
func TestFirstSentence(t *testing.T) {
	for _, text := range []string{
		"Hello there.| And on", "Hello there. |Not here", "Really?|\nYes", "No!| Yes", "He said \"stop.\"| Then",
		"(All of it.)| Then", "Wait…| then", "He left.”| Then",
		"A value of 3.14 is near.| And", "See e.g. this one.| And", "Dr. Smith and J. Doe left.| And", "So do I.| And",
		"At 5 p.m. it rains.| And", "**Bold.**| And",
		"1. First item.| And", "It was 2024.| And", "你好。|再见", "One\n\ntwo three.| Four", "Mr. and Mrs. Who?!| And",
		"Version 2.5.1 is out.| And",
	} {
		before, after, _ := strings.Cut(text, "|")
		s := newPlay()
		ms, want := 100.0, 0.0
		for _, r := range before {
			s.chunk(ms, string(r))
			ms += 10
		}
		if want = ms; strings.HasSuffix(before, " ") || strings.HasSuffix(before, "。") {
			want = ms - 10
		}
		for _, r := range after {
			s.chunk(ms, string(r))
			ms += 10
		}
		f := s.measure()
		near(t, text, f.FirstSentence, want)
		// The same text in one chunk has one time, and in bytes the same.
		one := newPlay()
		one.chunk(100, before+after)
		f = one.measure()
		near(t, text+" at once", f.FirstSentence, 100)
	}
}

// TestNoSentence holds the fallback, and the answers without a sentence.
func TestNoSentence(t *testing.T) {
	s := newPlay().every(100, 10, 20, "word ")
	f := s.measure()
	unknown(t, "while it runs", f.FirstSentence, WhyNoSentence)
	s.now(500).done().Marks.FinishReason = stamp(480)
	f = s.measure()
	near(t, "the finish", f.FirstSentence, 480)
	near(t, "a speaker who has it all", f.SpeakerDry[1], 0)

	tool := newPlay().kind(100, ToolCall, `{"a": "It is done. Now."}`).kind(120, Reasoning, "I think. So. ")
	tool.now(200).done().Marks.FinishReason = stamp(190)
	f = tool.measure()
	unknown(t, "a tool call", f.FirstSentence, WhyNoTextEnd)
	unknown(t, "its speaker", f.SpeakerDry[0], WhyNoTextEnd)

	cut := newPlay().every(100, 10, 20, "word ")
	cut.State = Truncated
	f = cut.measure()
	unknown(t, "truncated", f.FirstSentence, WhyNoSentence)
}

// TestSpeakerRunsDry computes by hand how long a speaker waits: it begins with
// the first sentence and needs 400 ms a word at 150 wpm, 333 ms at 180.
func TestSpeakerRunsDry(t *testing.T) {
	s := newPlay().chunk(100, "One two three four. ") // 1,600 and 1,333 ms of speech
	s.chunk(2100, "five ").chunk(2200, "six ")
	f := s.measure()
	near(t, "first sentence", f.FirstSentence, 100)
	near(t, "at 150 wpm", f.SpeakerDry[0], 400)
	near(t, "at 180 wpm", f.SpeakerDry[1], 2000-4*60_000/180.0)

	quick := newPlay().chunk(100, "One two. ").every(200, 50, 40, "word ")
	f = quick.measure()
	near(t, "a fast stream", f.SpeakerDry[1], 0)

	// A Meter that grows with the stream says the same.
	var m Meter
	for n := 1; n <= len(s.Chunks); n++ {
		part := s.Stream
		part.Chunks = s.Chunks[:n]
		part.Text = s.Text[:s.Chunks[n-1].TextEnd]
		f = m.Measure(&part, Options{})
	}
	near(t, "grown", f.SpeakerDry[0], 400)
}
