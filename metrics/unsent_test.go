package metrics

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// thinks adds n chunks of reasoning.
func (s *play) thinks(from, gap float64, n int, text string) *play {
	for i := range n {
		s.kind(from+float64(i)*gap, Reasoning, text)
	}
	return s
}

// reasoned lets the server count output tokens, and those of reasoning among them.
func (s *play) reasoned(completion, reasoning int) *play {
	s.usage(completion).done()
	s.Usage.Reasoning = reasoning
	return s
}

// What the text of a stream cannot carry was not sent: the answer keeps its own tokens
// over its own time, and nothing stalls between the parts of a summary.
func TestTokensThatWereNotSent(t *testing.T) {
	words := func(reasoning, answer int) *play {
		return newPlay().thinks(300, 11, reasoning, "maybe ").every(1500, 12, answer, "word ")
	}
	asked := words(0, 40).reasoned(500, -1)
	asked.Work.MaxTokens = 200
	between := newPlay().thinks(400, 10, 1, "**Reading the question**").every(900, 20, 30, "word ").
		thinks(3200, 10, 1, "**Checking the sum**").every(6000, 20, 30, "word ").reasoned(1260, 1200)
	code := newPlay().thinks(300, 30, 40, "for(i=0;i<n;i++){a[i]+=b[i];}").every(1600, 10, 40, "word ").reasoned(960, 920)
	tamil := newPlay().thinks(300, 30, 40, "தமிழ் மொழி ").every(1600, 30, 40, "தமிழ் மொழி ").reasoned(520, 260)
	for _, c := range []struct {
		name                 string
		s                    *play
		tokens, decode, tpot float64
		estimated            bool
		codes                []SuspectCode
	}{
		{"a summary of three sentences", newPlay().thinks(700, 700, 3, "Let me think about that for a while. ").
			every(2800, 12.5, 40, "word ").reasoned(500, 460), 500, 40, 12.5, false, []SuspectCode{SuspectSummarized}},
		{"a long one", words(97, 80).reasoned(5080, 5000), 5080, 80, 12, false, []SuspectCode{SuspectSummarized}},
		{"half of it", words(97, 80).reasoned(380, 300), 380, 80, 12, false, []SuspectCode{SuspectSummarized}},
		{"two chunks of it", words(2, 10).reasoned(350, 340), 350, 10, 12, false, []SuspectCode{SuspectSummarized}},
		{"and left out of the count", words(9, 64).reasoned(64, 790), 854, 64, 12, false,
			[]SuspectCode{SuspectExcluded, SuspectSummarized}},
		{"between two parts of the answer", between, 1260, 60, 20, false, []SuspectCode{SuspectSummarized}},

		{"all of it", words(97, 80).reasoned(210, 130), 210, 210, 2148.0 / 209, false, nil},
		{"code, several tokens a chunk", code, 960, 960, 1690.0 / 959, false, []SuspectCode{SuspectMultiToken}},
		{"words of many tokens, as in the answer", tamil, 520, 520, 2470.0 / 519, false, []SuspectCode{SuspectMultiToken}},

		{"hidden, and not counted apart", words(0, 40).reasoned(500, -1), 500, 40, 12, true, []SuspectCode{SuspectUnsent}},
		{"the same beyond what was asked for", asked, 500, 40, 12, true, []SuspectCode{SuspectUnsent}},
		{"less of it", words(0, 60).reasoned(310, 0), 310, 60, 12, true, []SuspectCode{SuspectUnsent}},
		{"beside reasoning that came", words(40, 40).reasoned(9000, 60), 9000, 80, 1668.0 / 79, true,
			[]SuspectCode{SuspectUnsent}},
		{"behind Chinese text", newPlay().every(900, 15, 30, "世界").reasoned(700, -1), 700, 45, 15 * 29.0 / 44, true,
			[]SuspectCode{SuspectUnsent}},
		{"more than any machine makes", words(0, 40).reasoned(2_000_000, -1), 40, 40, 12, true,
			[]SuspectCode{SuspectUsageOver}},

		{"a summary, and an answer that was not sent whole", words(97, 40).reasoned(7000, 5000), 7000, 40, 12, true,
			[]SuspectCode{SuspectUnsent, SuspectSummarized}},
		{"an answer of few words left out", newPlay().thinks(300, 11, 90, "maybe ").every(1500, 12, 64, "世界").reasoned(128,
			130), 258, 258,
			1956.0 / 257, false, []SuspectCode{SuspectExcluded, SuspectMultiToken}},
		{"left out of the count", words(79, 64).reasoned(64, 79), 143, 143, 1956.0 / 142, false,
			[]SuspectCode{SuspectExcluded}},
		{"left out, and the larger part", words(60, 80).reasoned(80, 60), 140, 140, 2148.0 / 139, false,
			[]SuspectCode{SuspectExcluded}},
		{"left out and hidden", words(0, 64).reasoned(64, 79), 143, 64, 12, false, []SuspectCode{SuspectExcluded,
			SuspectHidden}},
	} {
		f := c.s.measure()
		near(t, c.name+": tokens", f.Tokens, c.tokens)
		near(t, c.name+": tokens that came", f.DecodeTokens, c.decode)
		near(t, c.name+": TPOT", f.TPOT, c.tpot)
		rest := f.Total.V - f.TTFT.V - c.tpot*(c.decode-1)
		testkit.That(t, math.Abs(f.Residual.V-rest) <= 1e-6, "%s: residual %v, want %v", c.name, f.Residual, rest)
		if f.Estimated() != c.estimated || f.LiveIsChunks != c.estimated {
			t.Errorf("%s: estimated %v, the speed of now %v", c.name, f.Estimated(), f.LiveIsChunks)
		}
		run := Run{Stream: c.s.Stream, Figures: f}
		if s := Summarize([]Run{run}); s.About != c.estimated || s.Estimated != (f.TokenSource == TokensEstimated) {
			t.Errorf("%s: the summary is about %v, its count estimated %v", c.name, s.About, s.Estimated)
		} else if n := len(c.s.Chunks) - 1; s.Gaps.N+s.GapsUnknown > n || s.Gaps.Max.V > f.Longest.V {
			t.Errorf("%s: the summary has %d gaps up to %v", c.name, s.Gaps.N, s.Gaps.Max)
		}
		if got := suspects(&f); !slices.Equal(got, c.codes) && len(got)+len(c.codes) > 0 {
			t.Errorf("%s: doubts %v, want %v", c.name, got, c.codes)
		}
		if !slices.Contains(c.codes, SuspectSummarized) {
			if sum := f.Reasoning.Tokens.V + f.Answer.Tokens.V; math.Abs(sum-c.decode) > 1e-6 {
				t.Errorf("%s: %v tokens of reasoning, %v of the answer", c.name, f.Reasoning.Tokens, f.Answer.Tokens)
			}
			continue
		}
		testkit.That(t, len(f.Stalls) == 0 && f.Longest.V <= 21 && f.LongGaps.V == 0,
			"%s: stalls %v, longest gap %v", c.name, f.Stalls, f.Longest)
		for _, d := range f.Suspect {
			testkit.That(t, d.Code != SuspectSummarized || d.Ms == f.TPOT.V,
				"%s: the doubt names a TPOT of %v, not %v", c.name, d.Ms, f.TPOT)
		}
		unknown(t, c.name, f.Reasoning.TPOT, WhySummarized)
		near(t, c.name+": reasoning", f.Reasoning.Tokens, float64(c.s.Usage.Reasoning))
	}
}

// The figures of an answer that a summary interrupts are those of its chunks, and bursts
// of the summary are no buffer's.
func TestAnswerAroundASummary(t *testing.T) {
	s := newPlay().every(500, 40, 50, "word ").thinks(2700, 10, 60, "so ").every(3500, 10, 150, "word ").reasoned(5200,
		5000)
	f := s.measure()
	near(t, "peak", f.Peak, 100)
	near(t, "speed now", f.LiveSpeed, 100)
	if sum := Summarize([]Run{{Stream: s.Stream, Figures: f}}); sum.Gaps.N != 198 ||
		math.Abs(sum.Gaps.Mean.V-(49*40+149*10)/198.0) > 1e-6 {
		t.Errorf("%d gaps, mean %v", sum.Gaps.N, sum.Gaps.Mean)
	}
	bursts := newPlay()
	for i := range 8 {
		bursts.thinks(300+800*float64(i), 1, 10, "maybe ")
	}
	bursts.every(7500, 20, 60, "word ")
	whole := bursts.Stream
	summary := play{whole}
	summary.reasoned(5060, 5000)
	proxy := play{whole}
	proxy.Others = 80
	proxy.usage(60).done()
	for code, s := range map[SuspectCode]*play{SuspectSummarized: &summary, SuspectOthers: &proxy} {
		if f := s.measure(); !slices.Equal(suspects(&f), []SuspectCode{code}) {
			t.Errorf("doubts %v, want %s", suspects(&f), code)
		}
	}
}

// Counts that come with the chunks are judged as those at the end.
func TestRunningCountsThatWereNotSent(t *testing.T) {
	s := newPlay().every(300, 12, 40, "word ")
	s.LiveTokens, s.TokensFrom = 500, TokensContinuous
	f := s.measure()
	near(t, "tokens", f.Tokens, 500)
	near(t, "tokens that came", f.DecodeTokens, 40)
	if !slices.Equal(suspects(&f), []SuspectCode{SuspectUnsent}) {
		t.Errorf("doubts %v", suspects(&f))
	}
	s = newPlay()
	for i := range 3 {
		s.add(300+700*float64(i), Reasoning, "so it is ", 150, s.nextRead())
	}
	s.every(2500, 12, 40, "word ").reasoned(490, 450)
	if f := s.measure(); !slices.Equal(suspects(&f), []SuspectCode{SuspectSummarized}) {
		t.Errorf("doubts %v", suspects(&f))
	}
	s = newPlay().kind(300, Audio, "hi").kind(340, Audio, " there").usage(400).done()
	s.Chunks[0].Bytes, s.Chunks[1].Bytes = 900, 900
	if f := s.measure(); f.Estimated() || f.Tokens.V != 400 {
		t.Errorf("sound has %v tokens, doubts %v", f.Tokens, suspects(&f))
	}
}

// A summary without an answer has no figures of gaps.
func TestOnlyASummary(t *testing.T) {
	f := newPlay().thinks(700, 700, 4, "Still thinking. ").reasoned(200, 200).measure()
	near(t, "TTFT", f.TTFT, 700)
	near(t, "tokens", f.Tokens, 200)
	unknown(t, "TPOT", f.TPOT, WhyNoContent)
	unknown(t, "longest", f.Longest, WhyNoContent)
	testkit.That(t, len(f.Stalls) == 0 && f.Gaps.N <= 0, "stalls %v, %d gaps", f.Stalls, f.Gaps.N)
}

// The same figures come from a Meter that has followed the stream, when the count of its
// last event turns the reasoning into a summary.
func TestSummaryKnownAtTheEnd(t *testing.T) {
	s := newPlay().thinks(700, 700, 7, strings.Repeat("some words ", 3)).every(5600, 10, 50, "word ")
	var m Meter
	for n := range s.Chunks {
		part := s.Stream
		part.Chunks, part.Text = s.Chunks[:n+1], s.Text[:s.Chunks[n].TextEnd]
		m.Measure(&part, Options{})
	}
	s.reasoned(1050, 1000)
	followed := m.Measure(&s.Stream, Options{})
	whole := s.measure()
	near(t, "TPOT", followed.TPOT, whole.TPOT.V)
	near(t, "gap p95", followed.Gaps.P95, 10)
	testkit.That(t, followed.Gaps.N == 49 && len(followed.Stalls) == 0,
		"%d gaps, stalls %v", followed.Gaps.N, followed.Stalls)
}

// The messages of another sender are in no figure: neither in TTFT nor in counts.
func TestOtherSender(t *testing.T) {
	for _, c := range []struct {
		s    *play
		n    int
		ttft float64
	}{
		{newPlay().thinks(0.8, 250, 9, "loading model ").every(3000, 20, 60, "word "), 9, 3000},
		{newPlay().chunk(40, "Waiting for a worker\n").every(700, 15, 30, "word "), 1, 700},
		{newPlay().every(5, 1, 30, ".").every(1200, 9, 100, "word "), 30, 1200},
	} {
		whole := len(c.s.Chunks)
		c.s.usage(whole - c.n).done()
		var m Meter
		m.Measure(&c.s.Stream, Options{})
		c.s.Others = c.n
		f := m.Measure(&c.s.Stream, Options{})
		near(t, "TTFT", f.TTFT, c.ttft)
		near(t, "tokens a chunk", f.TokensPerChunk, 1)
		testkit.That(t, f.Chunks == whole-c.n && f.Gaps.N == f.Chunks-1 && len(f.Stalls) == 0 && f.Reasoning.Chunks <= 0,
			"%d chunks, %d gaps, stalls %v, %d of reasoning", f.Chunks, f.Gaps.N, f.Stalls, f.Reasoning.Chunks)
		testkit.That(t, len(f.Suspect) == 1 && f.Suspect[0].Code == SuspectOthers && f.Suspect[0].N == c.n,
			"doubts %+v", f.Suspect)
	}
}

func TestPrefillLeft(t *testing.T) {
	for _, c := range []struct {
		p    Progress
		now  float64 // ms
		want float64
	}{
		{Progress{At: stamp(6100), Total: 39_528, Processed: 24_112, Took: 6e9}, 6100, 15_416 * 6000.0 / 24_112},
		{Progress{At: stamp(6100), Total: 39_528, Processed: 24_112, Took: 6e9}, 8100, 15_416*6000.0/24_112 - 2000},
		{Progress{At: stamp(1000), Total: 4000, Cached: 2000, Processed: 3000, Took: 500e6}, 1000, 500},
		{Progress{At: stamp(800), Total: 1000, Processed: 400}, 800, 1200},
		{Progress{At: stamp(800), Total: 1000, Processed: 400}, 9000, 0},
	} {
		s := newPlay().now(c.now)
		s.Progress = c.p
		near(t, "left", s.PrefillLeft(s.Now), c.want)
	}
	for _, p := range []Progress{{At: NoStamp}, {At: 5, Total: 9}, {At: 5, Total: 9, Cached: 4, Processed: 4}} {
		s := newPlay().now(100)
		s.Progress = p
		unknown(t, "left", s.PrefillLeft(s.Now), WhyNotReported)
	}
}
