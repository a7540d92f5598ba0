package metrics

import (
	"testing"

	"tokscope/metrics/testkit"
)

// TestDefinitionsOnOneStream works one stream through all definitions: a role
// event at 120 ms, ten chunks of reasoning from 480 to 660, twenty of content
// from 700 to 1080, the usage says 50 tokens, the body ends at 1160.
func TestDefinitionsOnOneStream(t *testing.T) {
	s := newPlay()
	for i := range 10 {
		s.kind(480+20*float64(i), Reasoning, "hm ")
	}
	s.every(700, 20, 20, "two words ")
	s.Marks.FirstByte, s.Marks.FirstEvent, s.Marks.FirstRole = stamp(119), stamp(120), stamp(120)
	s.usage(50).done()
	s.Usage.Reasoning = 10
	s.Marks.End = stamp(1160)
	f := s.measure()

	near(t, "TTFB", f.TTFB, 119)
	near(t, "TTFE", f.TTFE, 120)
	near(t, "TTFT", f.TTFT, 480)
	near(t, "TTFC", f.TTFC, 700)
	near(t, "Total", f.Total, 1080)
	near(t, "Elapsed", f.Elapsed, 1080)
	near(t, "Trailer", f.Trailer, 80)

	near(t, "Tokens", f.Tokens, 50)
	near(t, "TokensPerChunk", f.TokensPerChunk, 50.0/30)
	near(t, "TPOT", f.TPOT, 600.0/49)
	near(t, "Speed", f.Speed, 1000*49/600.0)
	near(t, "ChunkSpeed", f.ChunkSpeed, 29/0.6)
	near(t, "Predicted", f.Predicted, 1080)
	near(t, "Residual", f.Residual, 0)

	near(t, "Reasoning.First", f.Reasoning.First, 480)
	near(t, "Reasoning.Last", f.Reasoning.Last, 660)
	near(t, "Reasoning.TPOT", f.Reasoning.TPOT, 180.0/9)
	near(t, "Answer.First", f.Answer.First, 700)
	near(t, "Answer.TPOT", f.Answer.TPOT, 380.0/39)

	testkit.That(t, f.Gaps.N == 29 && f.GapsUnknown == 0 && f.LongestChunk == 10,
		"gaps %d, unknown %d, longest before chunk %d; want 29, 0, 10", f.Gaps.N, f.GapsUnknown, f.LongestChunk)
	near(t, "gap p50", f.Gaps.P50, 20)
	near(t, "longest", f.Longest, 40)
	near(t, "ITL p50", f.ITL.P50, 20/(50.0/30))
	unknown(t, "gap p99", f.Gaps.P99, Needs(100))
	near(t, "stall cost", f.StallCost, 0) // 40 ms is no stall

	testkit.That(t, f.Words == 40 && f.WordsFrom == "words",
		"words = %d from %s, want 40 from words", f.Words, f.WordsFrom)
	near(t, "WPM", f.WPM, 38/(0.380/60))
	near(t, "TimesReading", f.TimesReading, 38/(0.380/60)/238)
	near(t, "BelowReading", f.BelowReading, 0)
	testkit.Same(t, suspects(&f), []SuspectCode{SuspectMultiToken}, "suspect, want only multi-token chunks")
}

func TestUnknownHasAReason(t *testing.T) {
	connecting := newPlay()
	connecting.State, connecting.Marks.Sent, connecting.Marks.GotConn = Connecting, NoStamp, NoStamp
	waiting := newPlay().now(250)
	waiting.State = Waiting
	failed := newPlay().now(250)
	failed.State, failed.Marks.End = Failed, stamp(90)
	thinking := newPlay().kind(100, Reasoning, "hm").kind(120, Reasoning, "hm")
	for _, c := range []struct {
		name string
		s    *Stream
		of   func(*Figures) Value
		why  Why
	}{
		{"nothing asked yet", &Stream{}, func(f *Figures) Value { return f.TTFT }, WhyIdle},
		{"nothing asked yet", &Stream{}, func(f *Figures) Value { return f.TTFB }, WhyIdle},
		{"nothing asked yet", &Stream{}, func(f *Figures) Value { return f.TCP }, WhyIdle},
		{"nothing asked yet", &Stream{}, func(f *Figures) Value { return f.PromptTokens }, WhyIdle},
		{"while connecting", &connecting.Stream, func(f *Figures) Value { return f.TTFT }, WhyNotSent},
		{"while waiting", &waiting.Stream, func(f *Figures) Value { return f.TTFT }, WhyNoChunk},
		{"while waiting", &waiting.Stream, func(f *Figures) Value { return f.TPOT }, WhyNoChunk},
		{"while waiting", &waiting.Stream, func(f *Figures) Value { return f.Tokens }, WhyNoChunk},
		{"failed before any chunk", &failed.Stream, func(f *Figures) Value { return f.TTFT }, WhyNoChunkEnd},
		{"only reasoning so far", &thinking.Stream, func(f *Figures) Value { return f.TTFC }, WhyNoText},
		{"only reasoning so far", &thinking.Stream, func(f *Figures) Value { return f.WPM }, WhyNoText},
		{"only reasoning so far", &thinking.Stream, func(f *Figures) Value { return f.Answer.First }, WhyNoContent},
		{"one chunk", &newPlay().chunk(50, "all of it").usage(9).done().Stream, func(f *Figures) Value { return f.TPOT },
			WhyOneChunk},
		{"one token in two chunks", &newPlay().chunk(50, "a").chunk(60, "b").usage(1).done().Stream,
			func(f *Figures) Value { return f.TPOT }, WhyOneToken},
		{"one read", &newPlay().chunk(50, "a").together("b").together("c").usage(3).done().Stream,
			func(f *Figures) Value { return f.Speed }, WhyOneRead},
		{"one stamp", &newPlay().chunk(50, "a").chunk(50, "b").usage(2).done().Stream,
			func(f *Figures) Value { return f.Speed }, WhyOneStamp},
		{"time runs backwards", &newPlay().chunk(50, "a").chunk(40, "b").usage(2).done().Stream,
			func(f *Figures) Value { return f.Speed }, WhyBackwards},
		{"eleven gaps", &newPlay().every(50, 10, 12, "a").done().Stream, func(f *Figures) Value { return f.Gaps.P99 },
			Needs(100)},
		{"short answer", &newPlay().every(50, 10, 12, "a").done().Stream, func(f *Figures) Value { return f.Trend },
			Needs(64)},
		{"no server times", &newPlay().every(50, 10, 12, "a").done().Stream, func(f *Figures) Value { return f.ServerTTFT },
			WhyUnreported},
		{"reused connection", &newPlay().every(50, 10, 12, "a").done().Stream, func(f *Figures) Value { return f.TCP },
			WhyReused},
	} {
		f := Measure(c.s, Options{})
		unknown(t, c.name, c.of(&f), c.why)
	}
}

func TestTheWaitIsVisibleWhileItLasts(t *testing.T) {
	s := newPlay().now(250)
	s.State = Waiting
	f := s.measure()
	near(t, "Elapsed", f.Elapsed, 250)
	if last := f.Wait[len(f.Wait)-1]; last.Name != ShareWait || last.Ms.V != 250 {
		t.Errorf("last part of the wait = %+v, want 250 ms of waiting", last)
	}
}

func TestTokenSources(t *testing.T) {
	base := func() *play { return newPlay().every(100, 10, 4, "three words here ") }
	hidden := base().usage(100).done()
	hidden.Usage.Reasoning = 96
	continuous := newPlay().counted(100, "a", 1).counted(110, "b c", 2)
	continuous.TokensFrom = TokensContinuous
	live := base()
	live.LiveTokens, live.TokensFrom = 8, TokensTimings
	zero := base().usage(0).done()
	tool := newPlay().kind(100, ToolCall, `{"city":"Paris","days":3}   `).kind(120, ToolCall, "")
	for _, c := range []struct {
		name          string
		s             *play
		tokens, speed float64 // speed's n
		source        TokenSource
	}{
		{"the server's usage", base().usage(8).done(), 8, 8, TokensUsage},
		{"hidden reasoning is counted, but not in the speed", hidden, 100, 4, TokensUsage},
		{"chunks that tell their tokens", continuous, 3, 3, TokensContinuous},
		{"a running count", live, 8, 8, TokensTimings},
		{"an estimate from the words", base(), 12, 12, TokensEstimated},
		{"an estimate of word salad: a token a chunk", newPlay().every(100, 10, 24, "quelym"), 24, 24, TokensEstimated},
		{"an estimate of single characters: not a token each", newPlay().every(100, 10, 24, "a"), 1, 1, TokensEstimated},
		{"a usage of 0 beside text is none", zero, 12, 12, TokensEstimated},
		{"Chinese: three tokens of four characters", newPlay().chunk(100, "你好").chunk(120, "世界"), 3, 3, TokensEstimated},
		{"tool calls: 4 characters a token", tool, 7, 7, TokensEstimated},
	} {
		f := c.s.measure()
		near(t, c.name, f.Tokens, c.tokens)
		near(t, c.name+": n of TPOT", f.DecodeTokens, c.speed)
		testkit.Is(t, f.TokenSource, c.source, c.name, "source")
	}
}

// Two choices interleave on one connection: 10 ms apart, each every 20 ms.
func TestSeveralChoices(t *testing.T) {
	s := newPlay()
	for i := range 10 {
		s.chunk(100+10*float64(i), "word ")
		s.Chunks[i].Choice = uint8(i % 2)
	}
	s.usage(10).done()
	f := s.measure()
	testkit.That(t, f.Choices == 2 && f.Chunks == 10 && f.Gaps.N == 4,
		"%d choices, %d chunks, %d gaps; want 2, 10 and the 4 gaps of one choice", f.Choices, f.Chunks, f.Gaps.N)
	near(t, "gap", f.Gaps.P50, 20)
	near(t, "Tokens", f.Tokens, 10)
	near(t, "n of TPOT", f.DecodeTokens, 5)
	near(t, "TPOT", f.TPOT, 20)
	near(t, "Total", f.Total, 190)
	near(t, "Residual: the other choice ended it", f.Residual, 10)
	testkit.Same(t, suspects(&f), []SuspectCode{SuspectChoices}, "suspect")
}

func TestReasoningInTwoPieces(t *testing.T) {
	s := newPlay()
	for _, ms := range []float64{100, 110, 120} {
		s.kind(ms, Reasoning, "hm ")
	}
	for _, ms := range []float64{500, 530} {
		s.kind(ms, Content, "so ")
	}
	for _, ms := range []float64{900, 910, 920} {
		s.kind(ms, Reasoning, "hm ")
	}
	s.usage(8).done()
	f := s.measure()
	near(t, "reasoning is not charged for the answer between its pieces", f.Reasoning.TPOT, 10)
	near(t, "answer", f.Answer.TPOT, 30)
}

// A mark before the request was sent is a contradiction, not a negative time.
func TestNoTimeIsNegative(t *testing.T) {
	s := newPlay().chunk(-5, "a").chunk(20, "b").done()
	f := s.measure()
	unknown(t, "TTFT", f.TTFT, WhyBackwards)
	unknown(t, "TTFB", f.TTFB, WhyBackwards)
	near(t, "Total", f.Total, 20)
}

// A Meter notices another pace, and another recording that begins the same.
func TestMeterBeginsAnew(t *testing.T) {
	var m Meter
	a := newPlay().every(100, 1000, 10, "word ").done()
	m.Measure(&a.Stream, Options{Pace: Pace{WPM: 60}})
	f := m.Measure(&a.Stream, Options{Pace: Pace{WPM: 120}})
	near(t, "another pace", f.ReaderWait, 4500)
	b := newPlay().chunk(100, "word ").every(1200, 2000, 9, "word ").done()
	f = m.Measure(&b.Stream, Options{Pace: Pace{WPM: 120}})
	near(t, "another stream", f.Longest, 2000)
}

// The first ink is the first visible text that is not only white space; white
// space is content all the same.
func TestFirstInk(t *testing.T) {
	f := Measure(&newPlay().kind(80, Reasoning, "hm").chunk(100, "\n \n").chunk(150, " word").chunk(170,
		"s").done().Stream, Options{})
	testkit.That(t, f.TTFT.V == 80 && f.TTFC.V == 100 && f.FirstInk.V == 150,
		"TTFT %v, TTFC %v, first ink %v; want 80, 100 and 150 ms", f.TTFT, f.TTFC, f.FirstInk)
	f = Measure(&newPlay().chunk(100, "  ").chunk(150, "\n").done().Stream, Options{})
	unknown(t, "only white space", f.FirstInk, WhyNoTextEnd)
}
