package metrics

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// A reply is an answer as its server makes it: n chunks of size tokens, perMs tokens a
// ms, the first after wait ms. The path delays each by jitter ms on average.
type reply struct {
	wait, perMs, jitter float64
	n, size             int
}

// arrivals returns when its chunks arrive, ms, in order.
func (a reply) arrivals(r *rand.Rand) (at []float64) {
	last := 0.0
	for i := range a.n {
		last = max(last+0.001, a.wait+float64(i*a.size)/a.perMs+a.jitter*r.ExpFloat64())
		at = append(at, last)
	}
	return at
}

// letGoWithin returns when they arrive behind something that waits for the end and
// then needs that many ms to pass all of them on, with pauses.
func letGoWithin(r *rand.Rand, at []float64, ms float64) []float64 {
	steps, sum := make([]float64, len(at)), 0.0
	for i := range steps[1:] {
		steps[i+1] = 0.01 + math.Pow(r.ExpFloat64(), 3)
		sum += steps[i+1]
	}
	out, last := make([]float64, len(at)), at[len(at)-1]
	for i, step := range steps {
		last += step * ms / sum
		out[i] = last
	}
	return out
}

// stream is that reply, as it arrived at these times, counted by the server.
func (a reply) stream(at []float64) *play {
	s := newPlay()
	for _, ms := range at {
		s.chunk(ms, strings.Repeat("word ", a.size))
	}
	return s.usage(a.n * a.size).done()
}

func logUniform(r *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, r.Float64())
}

// anyReply draws a reply of up to that many tokens a ms.
func anyReply(r *rand.Rand, fastest float64) reply {
	return reply{wait: logUniform(r, 20, 24_000), perMs: logUniform(r, 0.01, fastest),
		jitter: logUniform(r, 0.01, 2), n: 20 + r.IntN(400), size: 1 + r.IntN(3)}
}

// TestLetGo counts which answers lose their figures: none of a plain endpoint of up
// to 2,500 tok/s, also after 24 s of prefill, and all that were held back for a
// second and let go at 6,000 chunks/s. TOKSCOPE_LONG prints what other limits do.
func TestLetGo(t *testing.T) {
	r, n := testkit.Rand(t, 26), 1000
	if testkit.Long() {
		n = 20_000
	}
	rates := []float64{1, 2, 3, letGoRate, 6, 10}
	lost, missed := make([]int, len(rates)), make([]int, len(rates))
	count := func(into []int, a reply, at []float64, held bool) {
		span := at[len(at)-1] - at[0]
		for i, rate := range rates {
			if at[0] >= letGoWait && letGo(float64((a.n-1)*a.size), span, at[0], rate) != held {
				into[i]++
			}
		}
	}
	for range n {
		a := anyReply(r, 2.5)
		at := a.arrivals(r)
		count(lost, a, at, false)
		if f := a.stream(at).measure(); f.AtOnce() || !f.Speed.OK {
			t.Errorf("%+v lost its speed: %v", a, f.TPOT.Why)
		}
		a = anyReply(r, 0.2)
		a.n = max(a.n, 40)
		at = letGoWithin(r, a.arrivals(r), float64(a.n)*logUniform(r, 0.01, 1./6))
		count(missed, a, at, true)
		if f := a.stream(at).measure(); at[0] >= letGoWait && !f.AtOnce() {
			t.Errorf("%+v held back, let go within %.1f ms after %.0f: %.0f tok/s", a, at[len(at)-1]-at[0], at[0], f.Speed.V)
		}
	}
	t.Logf("of %d plain ones and as many held back, by tokens a ms: %v, lost %d, missed %d", n, rates, lost, missed)
}

// TestAtOnce holds what becomes of the figures of answers that came at once, and of
// those that look like it.
func TestAtOnce(t *testing.T) {
	later := func(s *play, decode float64) *play {
		s.Server = append(s.Server, ServerTime{Name: ServerDecode, D: time.Duration(decode * 1e6)})
		return s
	}
	paused := newPlay().every(1000, 0.05, 20, "one ").every(1003, 0.05, 20, "two ").usage(40).done()
	reasoned := newPlay()
	for i := range 90 {
		reasoned.kind(2400+0.03*float64(i), []Kind{Reasoning, Content}[i/60], "some ")
	}
	few := newPlay().chunk(5000, strings.Repeat("a dozen words ", 20)).chunk(5001, strings.Repeat("more of them ",
		20)).chunk(5002, strings.Repeat("and more ", 20))
	inReads := newPlay().chunk(400, "a ")
	for range 24 {
		inReads.together("b ")
	}
	inReads.every(400.4, 0.3, 5, "c ")
	cut := newPlay().every(3000, 0.1, 60, "w ").usage(60)
	cut.State = Truncated
	open := newPlay().every(1500, 0.02, 64, "w ").usage(64)
	open.Marks.FinishReason = stamp(1502)
	hidden := newPlay().every(30_000, 10, 40, "w ").usage(9000).done() // 8,960 of them were not sent
	for _, c := range []struct {
		name string
		s    *play
		want SuspectCode // "": the figures stay
	}{
		{"40 chunks with a pause of 2 ms", paused, SuspectHeld},
		{"40 chunks with a pause of 8 ms", newPlay().every(1210, 0.01, 20, "one ").every(1218.2, 0.01, 20,
			"two ").usage(40).done(), SuspectHeld},
		{"100 within 19 ms", newPlay().every(1200, 0.192, 100, "word ").usage(200).done(), SuspectHeld},
		{"reasoning and answer, estimated", reasoned.done(), SuspectHeld},
		{"a minute of waiting, then 3,000 within 300 ms", newPlay().every(60_000, 0.1, 3000, "word ").usage(3000).done(),
			SuspectHeld},
		{"three large chunks", few.usage(160).done(), SuspectHeld},
		{"most of it in one read", inReads.usage(30).done(), SuspectTerminalBurst},
		{"cut off behind it", cut, SuspectHeld},
		{"the connection stays open", open, SuspectHeld},
		{"the server's decode of 200 ms", later(newPlay().every(300, 0.05, 40, "a ").usage(40).done(), 200),
			SuspectHeldDecode},
		{"the server's decode of 440 of 900 ms", later(newPlay().every(700, 2, 100, "a ").usage(100).done(), 440),
			SuspectHeldDecode},
		{"the server's decode, most of it hidden", later(newPlay().every(9000, 1, 50, "another word ").usage(500).done(),
			8000), SuspectHeldDecode},

		{"24 s of prefill", newPlay().every(24_000, 10, 40, "a ").usage(40).done(), ""},
		{"24 s of prefill, 2,500 tok/s", newPlay().every(24_000, 0.4, 40, "a ").usage(40).done(), ""},
		{"2,500 tok/s after 1 s", newPlay().every(1000, 0.4, 500, "a ").usage(500).done(), ""},
		{"3,000 tok/s, 4 a chunk", newPlay().every(1100, 4./3, 100, "four words a chunk ").usage(400).done(), ""},
		{"two tokens", newPlay().chunk(4000, "a ").chunk(4000.2, "b ").usage(2).done(), ""},
		{"the server's decode fits", later(newPlay().every(300, 5, 40, "a ").usage(40).done(), 200), ""},
		{"the server's decode, of what was not sent too",
			later(newPlay().every(9000, 40, 50, "another word ").usage(500).done(), 8000), ""},
		{"the server's decode cannot be", later(newPlay().every(300, 5, 40, "a ").usage(40).done(), 20_000), ""},
		{"a count of what was not sent", hidden, ""},
		{"it runs", newPlay().every(1500, 0.02, 64, "w ").usage(64), ""},
	} {
		f := c.s.measure()
		if f.AtOnce() != (c.want != "") || c.want != "" && !slices.Contains(suspects(&f), c.want) {
			t.Errorf("%s: TPOT %+v, suspect %v, want %q", c.name, f.TPOT, suspects(&f), c.want)
			continue
		}
		if c.want == "" {
			testkit.That(t, f.Speed.OK && f.WPM.OK && f.Longest.OK,
				"%s: speed %+v, words %+v, longest %+v", c.name, f.Speed, f.WPM, f.Longest)
			continue
		}
		for name, v := range map[string]Value{"speed": f.Speed, "chunks": f.ChunkSpeed, "now": f.LiveSpeed, "peak": f.Peak,
			"gap": f.Gaps.P50, "per token": f.ITL.P50, "longest": f.Longest, "stall cost": f.StallCost,
			"reading": f.TimesReading,
			"waits":   f.BelowReading, "words": f.WPM, "phase": f.Answer.TPOT} {
			unknown(t, c.name+": "+name, v, WhyAtOnce)
		}
		testkit.That(t, f.TTFT.OK && f.Total.OK && len(f.Stalls) == 0,
			"%s: TTFT %+v, total %+v, %d stalls", c.name, f.TTFT, f.Total, len(f.Stalls))
	}
}

// TestAtOnceOfSeveral holds that pooled gaps leave such answers out.
func TestAtOnceOfSeveral(t *testing.T) {
	run := func(s *play) Run { return Run{Stream: s.Stream, Figures: s.measure()} }
	held := run(newPlay().every(1000, 0.05, 40, "a ").usage(40).done())
	plain := run(newPlay().every(300, 20, 40, "a ").usage(40).done())
	both := Summarize([]Run{held, plain})
	near(t, "the pooled median", both.Gaps.P50, 20)
	near(t, "the median TPOT", both.TPOT.P50, 20)
	none := Summarize([]Run{held, held})
	unknown(t, "the gap", none.Gaps.P50, WhyAtOnce)
	unknown(t, "the speed", none.Speed.P50, WhyAtOnce)
	slower := run(newPlay().every(1100, 0.5, 60, "a ").usage(60).done()) // 2,000 tok/s, alone
	if f := Summarize([]Run{slower}); !f.Speed.P50.OK {
		t.Errorf("alone it has no speed: %v", f.Speed.P50.Why)
	}
	if f := Summarize([]Run{held, slower, held}); f.TPOT.N > 0 || f.Gaps.N > 0 || f.TTFT.N != 3 {
		t.Errorf("among held ones: %d TPOT, %d gaps, %d TTFT", f.TPOT.N, f.Gaps.N, f.TTFT.N)
	}
	testkit.Is(t, Summarize([]Run{slower, slower, slower, slower, slower, held}).TPOT.N, 5, "one of six held back: TPOT")
	h := NewHistogram(0.01, 100, 5)
	h.AddGaps([]Run{held, plain})
	testkit.Is(t, h.N, 39, "gaps in the histogram")
}

// TestOneChunk holds that a whole answer in one chunk is no stream, and that a word is
// no answer to stream.
func TestOneChunk(t *testing.T) {
	text := strings.Repeat("word ", 45)
	removed := newPlay().chunk(1000, "x").usage(60).done()
	removed.TextRemoved = true
	for _, c := range []struct {
		name string
		s    *play
		n    int // tokens, 0 for no doubt
	}{
		{"60 tokens", newPlay().chunk(1000, text).usage(60).done(), 60},
		{"a call", newPlay().kind(80, ToolCall, "write"+strings.Repeat("x", 475)).usage(120).done(), 120},
		{"not counted", newPlay().chunk(3000, text).done(), 45},
		{"without its text", removed, 60},
		{"a word", newPlay().chunk(1000, "Yes.").usage(2).done(), 0},
		{"a word after much reasoning", newPlay().chunk(1000, "Yes.").usage(900).done(), 0},
		{"it runs", newPlay().chunk(1000, text).usage(60), 0},
	} {
		f := c.s.measure()
		n := 0
		for _, d := range f.Suspect {
			if d.Code == SuspectOneChunk {
				n = d.N
			}
		}
		if n != c.n {
			t.Errorf("%s: %d tokens in one chunk, want %d (%v)", c.name, n, c.n, suspects(&f))
		}
	}
}

// TestMadeDuringASilence holds that tokens which come at the end of a silence, as many
// as the pace allows, are no stall, and that a silence of few chunks is told.
func TestMadeDuringASilence(t *testing.T) {
	arguments := func(n int) string { return strings.Repeat(`{"line": 12}`, n/12) }
	call := func(s *play, ms float64, name string, text string) *play {
		s.kind(ms, ToolCall, name+text)
		s.Chunks[len(s.Chunks)-1].Name = uint16(len(name))
		return s
	}
	spoken := func(n int) *play { return newPlay().every(300, 13, n, "word ") }
	file := call(spoken(60), 1080, "write_file", "").kind(6080, ToolCall, arguments(1500))
	whole := call(spoken(30), 3190, "search", arguments(1200)).every(3203, 13, 20, "word ")
	block := newPlay().every(500, 20, 40, "four words in it ").chunk(4300, strings.Repeat("four words in it ",
		160)).every(4320, 20, 10, "four words in it ")
	flood := newPlay().every(100, 25, 80, "word ")
	for i := range 6 {
		flood.chunk(5100+6*float64(i), strings.Repeat("word ", 20))
	}
	lost := spoken(40).chunk(2100, strings.Repeat("word ", 100)).every(2113, 13, 40, "word ")
	lost.Path = &Path{Source: PathTCPInfo, Gaps: []PathGap{{Ms: lost.measure().Longest.V, Usual: 13, RTT: 300,
		Counted: true, OutOfOrder: 90, Segments: 90, Together: 90}}}
	short := call(newPlay(), 700, "write_file", "").kind(5700, ToolCall, arguments(1500))
	twice := call(call(spoken(60), 1080, "write_file", "").kind(6080, ToolCall, arguments(1500)), 6093, "run", "").
		kind(12093, ToolCall, arguments(1800))
	two := newPlay().chunk(400, "one ").chunk(2900, "two ").chunk(2950, "three ")
	for _, c := range []struct {
		name   string
		s      *play
		code   SuspectCode
		called string
		stalls int
		stays  bool // the pace
	}{
		{"the arguments of a call", file.usage(440).done(), SuspectWithheld, "write_file", 0, true},
		{"the same, not counted", call(spoken(60), 1080, "f", "").kind(6080, ToolCall, arguments(1500)).done(),
			SuspectWithheld, "f", 0, true},
		{"a whole call", whole.usage(350).done(), SuspectWithheld, "", 0, true},
		{"two calls", twice.usage(900).done(), SuspectWithheld, "run", 0, true},
		{"a block of text", block.done(), SuspectWithheld, "", 0, true},
		{"several chunks behind it", flood.done(), SuspectWithheld, "", 0, true},
		{"more than the pace allows", spoken(40).chunk(1400, strings.Repeat("word ", 400)).done(), SuspectWithheld, "", 0,
			false},
		{"a stall", spoken(60).chunk(6080, "word ").every(6093, 13, 20, "word ").done(), "", "", 1, false},
		{"a stall before a long word", spoken(60).chunk(1167, "counterrevolutionaries").every(1180, 13, 20, "word ").done(),
			"", "", 1, false},
		{"a stall before a sentence", spoken(60).chunk(6080, strings.Repeat("word ", 12)).every(6093, 13, 20,
			"word ").done(), "", "", 1, false},
		{"a lost packet", lost.done(), "", "", 1, false},
		{"a call alone", short.usage(380).done(), SuspectWithheld, "write_file", 0, false},
		{"three chunks", two.usage(3).done(), SuspectSilence, "", 0, false},
		{"it runs", newPlay().chunk(400, "one ").chunk(2900, "two "), "", "", 0, false},
	} {
		f := c.s.measure()
		var d Suspicion
		for _, x := range f.Suspect {
			if x.Code == SuspectWithheld || x.Code == SuspectSilence {
				d = x
			}
		}
		if d.Code != c.code || d.Name != c.called || len(f.Stalls) != c.stalls || (d.Ratio > 0) != c.stays {
			t.Errorf("%s: %+v, %d stalls, all: %v", c.name, d, len(f.Stalls), suspects(&f))
		}
		if c.code == SuspectWithheld {
			testkit.Is(t, d.Of == 2, c.name == "two calls", c.name, "the longest of", d.Of)
			unknown(t, c.name+": peak", f.Peak, WhyAtOnce)
		}
		if cost := f.StallCost; (c.code == SuspectWithheld || c.name == "a lost packet") &&
			(cost.V > 0 || f.StallShare.V > 0.1 && f.Gaps.N >= MinStallGaps) {
			t.Errorf("%s: stalls cost %v, a share of %v", c.name, cost.V, f.StallShare.V)
		}
	}
}

// TestLargeFirstChunk holds the bound of TPOT where the first chunk may carry as
// many tokens as the others.
func TestLargeFirstChunk(t *testing.T) {
	for _, c := range []struct {
		name      string
		s         *play
		low, high float64 // 0: no doubt
	}{
		{"four chunks of 16", newPlay().every(500, 400, 4, strings.Repeat("word ", 16)).usage(64).done(), 1200. / 63,
			1200. / 48},
		{"ten of 3", newPlay().every(90, 33, 10, "three words each ").usage(30).done(), 297. / 29, 297. / 27},
		{"two of 50", newPlay().every(90, 1000, 2, strings.Repeat("word ", 50)).usage(100).done(), 1000. / 99, 1000. / 50},
		{"40, then four of 5", newPlay().chunk(900, strings.Repeat("word ", 40)).every(1400, 500, 4,
			strings.Repeat("word ", 5)).usage(60).done(), 2000. / 59, 2000. / 20},
		{"12, then nine of 2", newPlay().chunk(300, strings.Repeat("word ", 12)).every(350, 50, 9,
			"two words ").usage(30).done(), 450. / 29, 450. / 18},
		{"a long word first", newPlay().chunk(300, "Unquestionably ").every(320, 20, 9, "it ").usage(10).done(), 0, 0},
		{"many of 16", newPlay().every(500, 200, 60, strings.Repeat("word ", 16)).usage(960).done(), 0, 0},
		{"a name, then its arguments", newPlay().kind(90, ToolCall, "write_file").kind(5090, ToolCall,
			strings.Repeat("{1: 2}, ", 190)).usage(380).done(), 0, 0},
		{"an end that is counted", newPlay().every(500, 20, 8, "word ").usage(9).done(), 0, 0},
		{"counted by chunk", newPlay().counted(100, "a b c", 3).counted(200, "d e f", 3).counted(300, "g h i",
			3).usage(9).done(), 0, 0},
	} {
		f := c.s.measure()
		var d Suspicion
		for _, x := range f.Suspect {
			if x.Code == SuspectFirstMean {
				d = x
			}
		}
		testkit.That(t, math.Abs(d.Ms-c.low) <= 1e-6 && math.Abs(d.Limit-c.high) <= 1e-6 && (c.low <= 0 || d.Ms == f.TPOT.V),
			"%s: TPOT from %v to %v, want %v to %v (%v)", c.name, d.Ms, d.Limit, c.low, c.high, f.TPOT)
	}
}
