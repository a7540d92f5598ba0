package metrics

import (
	"slices"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

func TestBurstsHaveNoGaps(t *testing.T) {
	// Reads of one, three, one and two chunks, 30 ms apart.
	s := newPlay().chunk(100, "a").chunk(130, "b").together("c").together("d").chunk(160, "e").chunk(190,
		"f").together("g").done()
	f := s.measure()
	testkit.That(t, f.GapsUnknown == 3 && f.Gaps.N == 3,
		"%d unknown and %d known gaps, want 3 and 3", f.GapsUnknown, f.Gaps.N)
	near(t, "no gap is 0", f.Gaps.Min, 30)
	testkit.Same(t, f.Bursts, []Burst{{1, 3}, {5, 2}})
	near(t, "shared reads", f.SharedShare, 0.5)

	for i, known := range []bool{false, true, false, false, true, true, false} {
		ms, ok := s.Gap(i)
		testkit.That(t, ok == known && (!ok || ms == 30), "the gap before chunk %d is %v, %v", i, ms, ok)
	}
}

// A read is one moment even if a recording says otherwise.
func TestOneReadIsOneMoment(t *testing.T) {
	s := newPlay().chunk(100, "a").chunk(130, "b").add(135, Content, "c", -1, 1).done()
	f := s.measure()
	testkit.That(t, f.Gaps.N == 1 && f.GapsUnknown == 1,
		"%d known and %d unknown gaps, want 1 and 1", f.Gaps.N, f.GapsUnknown)
}

// The convention of ITL: a gap is divided over the tokens that arrived at its
// end.
func TestGapPerToken(t *testing.T) {
	for _, c := range []struct {
		name     string
		s        *play
		n        int
		min, max float64
		mean     float64 // over tokens
		from     ITLSource
	}{
		{"chunks of 2 and 4 tokens, told", newPlay().counted(100, "a", 1).counted(120, "b", 2).counted(160, "c", 4).done(),
			2, 10, 10, 10, ITLCounted},
		{"a chunk of 3 tokens weighs three times", newPlay().counted(100, "a", 1).counted(120, "b", 1).counted(180, "c",
			3).done(), 2, 20, 20, 20, ITLCounted},
		{"unequal", newPlay().counted(100, "a", 1).counted(130, "b", 1).counted(170, "c", 4).done(), 2, 10, 30, 14,
			ITLCounted},
		{"half a character stands for no token: its gap is the next one's", newPlay().counted(100, "a", 1).counted(110, "b",
			0).counted(120, "c", 1).counted(140, "d", 1).done(), 2, 20, 20, 20, ITLCounted},
		{"a burst shares the gap before it", newPlay().chunk(100, "a").chunk(130,
			"b").together("c").together("d").usage(4).done(), 1, 10, 10, 10, ITLMean},
		{"2 tokens a chunk on average", newPlay().every(100, 30, 5, "a").usage(10).done(), 4, 15, 15, 15, ITLMean},
	} {
		f := c.s.measure()
		testkit.That(t, f.ITL.N == c.n && f.ITLFrom == c.from,
			"%s: n = %d from %d, want %d from %d", c.name, f.ITL.N, f.ITLFrom, c.n, c.from)
		near(t, c.name+" min", f.ITL.Min, c.min)
		near(t, c.name+" max", f.ITL.Max, c.max)
		near(t, c.name+" mean", f.ITL.Mean, c.mean)
	}
}

func TestStalls(t *testing.T) {
	s := newPlay().every(100, 10, 20, "a").chunk(790, "late").chunk(800, "a").chunk(841, "short of the floor").done()
	f := s.measure()
	testkit.Need(t, len(f.Stalls), 1, "stalls", f.Stalls, "want one")
	want := Stall{Chunk: 20, At: stamp(790), Ms: 500, Factor: 50}
	testkit.Same(t, f.Stalls[0], want)
	testkit.Is(t, f.LongestChunk, 20, "longest gap before chunk")
	near(t, "stall cost", f.StallCost, 490)
	near(t, "its share", f.StallShare, 490.0/(841-100))
	near(t, "long gaps", f.LongGaps, 0)
	// 1 s is not yet long, and a steady stream costs nothing.
	f = newPlay().every(0, 10, 20, "a").chunk(1190, "a").chunk(2190.1, "a").chunk(4190, "a").done().measure()
	near(t, "gaps over 1 s", f.LongGaps, 2)
	f = newPlay().every(100, 10, 20, "a").done().measure()
	near(t, "cost of a steady stream", f.StallCost, 0)
	near(t, "share of a steady stream", f.StallShare, 0)
	if f = newPlay().chunk(100, "a").done().measure(); f.StallShare.OK || f.LongGaps.OK {
		t.Errorf("a single chunk has no gap, but the figures are %v and %v", f.StallShare, f.LongGaps)
	}
	// A pause must exceed both: 8 medians do not suffice below the floor, and
	// 70 ms do not suffice at 3.5 medians.
	for _, c := range []struct{ gap, pause float64 }{{5, 41}, {20, 70}} {
		f = newPlay().every(100, c.gap, 20, "a").chunk(100+19*c.gap+c.pause, "a").done().measure()
		testkit.Is(t, len(f.Stalls), 0, c.pause, "ms after gaps of", c.gap, "is a stall", f.Stalls)
	}
	f = newPlay().every(100, 20, 20, "a").chunk(580.1, "a").done().measure()
	testkit.Is(t, len(f.Stalls), 1, "just above 5 medians: stalls")
	// Every gap 200 ms: nothing is far above the median.
	f = newPlay().every(100, 200, 20, "a").done().measure()
	testkit.Is(t, len(f.Stalls), 0, "a slow steady stream has stalls", f.Stalls)
}

func TestTrend(t *testing.T) {
	rising := newPlay()
	at := 100.0
	for i := range 400 {
		rising.chunk(at, "a")
		at += 10 + 0.01*float64(i) // 0.1 % of the first gap a chunk
		if i%37 == 0 {
			at += 300 // stalls must not bend the line
		}
	}
	rising.usage(400).done()
	f := rising.measure()
	// Slope 0.01 ms a token over a median of 12 ms.
	testkit.That(t, f.Trend.OK && f.Trend.V >= 75 && f.Trend.V <= 92 && f.TrendSure,
		"trend = %+v sure %v, want about 83 %% per 1000 tokens and sure", f.Trend, f.TrendSure)
	f = newPlay().every(100, 10, 400, "a").usage(400).done().measure()
	near(t, "a steady stream", f.Trend, 0)
	testkit.That(t, !f.TrendSure, "a steady stream has a sure trend")
	// Two tokens a chunk: the same slope over the chunks is half over the tokens.
	double := rising.measure().Trend.V
	rising.usage(800)
	f = rising.measure()
	near(t, "per token, not per chunk", f.Trend, double/2)
}

func TestLiveSpeed(t *testing.T) {
	steady := func() *play { return newPlay().every(100, 20, 200, "word ") }
	usage := func(s *play) *play { s.LiveTokens, s.TokensFrom = 400, TokensContinuous; return s }
	slow := newPlay().every(0, 1500, 6, "word ")
	for _, c := range []struct {
		name   string
		s      *play
		want   float64
		chunks bool
	}{
		{"right after a chunk", steady(), 50, true},
		{"between two chunks", steady().now(4080 + 19), 50, true},
		{"tokens where the server counts them", usage(steady()), 100, false},
		{"half a second without a chunk", steady().now(4080 + 500), 25 / 0.979, true},
		{"nothing for two seconds", steady().now(4080 + 2000), 0, true},
		{"a slow stream does not fall to 0 between two tokens", slow.now(7500 + 1400), 1000.0 / 1500, true},
		{"ended: the last second of it", steady().done(), 50, true},
	} {
		f := c.s.measure()
		if !f.LiveSpeed.OK || f.LiveSpeed.V < c.want*0.97 || f.LiveSpeed.V > c.want*1.03 || f.LiveIsChunks != c.chunks {
			t.Errorf("%s: %+v chunks %v, want %v, %v", c.name, f.LiveSpeed, f.LiveIsChunks, c.want, c.chunks)
		}
	}
	f := newPlay().chunk(100, "a").now(130).measure()
	unknown(t, "one chunk", f.LiveSpeed, WhyOneChunk)
}

func TestDoubts(t *testing.T) {
	buffered := newPlay()
	for i := range 10 {
		buffered.chunk(500+250*float64(i), "a")
		for range 7 {
			buffered.together("b")
		}
	}
	buffered.usage(80).done()
	end := newPlay().every(100, 20, 5, "a").chunk(900, "b")
	for range 20 {
		end.together("c")
	}
	end.usage(26).done()
	often := newPlay() // a proxy with a buffer of four kilobytes before a server of 150 tok/s
	for i := range 16 {
		often.chunk(100+87*float64(i), "a")
		for range 12 {
			often.together("b")
		}
	}
	often.usage(208).done()
	steps := newPlay() // five tokens a step by speculation, a chunk each: nobody buffers
	for i := range 20 {
		steps.chunk(100+25*float64(i), "a")
		for range 4 {
			steps.together("b")
		}
	}
	steps.usage(100).done()
	held := newPlay().every(100, 7, 200, "a") // the last at 1493
	for i := range 30 {
		held.chunk(3493+0.1*float64(i), "b")
		for range 9 {
			held.together("c")
		}
	}
	held.every(3510, 7, 150, "d").usage(650).done()
	paused := newPlay().every(100, 7, 200, "a").every(3493, 7, 200, "b").usage(400).done()
	stopped := newPlay().every(100, 7, 200, "a").chunk(2600, "b").every(2607, 7, 100, "c").usage(301).done()
	stopped.Observer = Observer{N: 200, LateP99: 3e6, LateMax: 1100e6}
	cached := newPlay().every(25, 7, 50, "a").usage(50).done()
	cached.Usage.Prompt, cached.Usage.Cached = 9950, 9904
	late := newPlay().every(100, 2, 50, "a").usage(50).done()
	late.Observer = Observer{N: 40, LateP99: 5e6}
	merged := newPlay()
	for i := range 10 {
		merged.chunk(500+20*float64(i), "a")
		for range 9 {
			merged.together("b")
		}
	}
	merged.usage(100).done()
	merged.Observer = Observer{N: 40, LateP99: 15e6}
	mergedAll := newPlay().chunk(100, "a")
	for range 9 {
		mergedAll.together("b")
	}
	mergedAll.usage(10).done()
	mergedAll.Observer = merged.Observer
	stamped := func(s *play) *play { // by the kernel, read 2 ms later
		c := *s
		c.Chunks = slices.Clone(s.Chunks)
		return c.late(2)
	}
	lagged := func(s *play, late time.Duration) *play {
		c := *stamped(s)
		c.Observer = Observer{N: 200, LateP99: time.Millisecond, LateMax: late}
		return &c
	}
	own := *end
	own.Observer = Observer{N: 200, LateP99: time.Millisecond, LateMax: 400 * time.Millisecond}
	first := newPlay().counted(100, "a b c", 3).counted(110, "d", 1).counted(120, "e", 1).counted(130, "f",
		1).counted(140, "g", 1)
	first.TokensFrom = TokensIDs
	gzip := newPlay().every(100, 20, 5, "a").usage(5).done()
	gzip.Conn.Encoding = "gzip"
	cut := newPlay().every(100, 20, 5, "a").usage(5)
	cut.State = Truncated
	server := newPlay().every(100, 20, 5, "a").usage(5).done()
	server.Server = []ServerTime{{Name: ServerPrefill, D: 150e6}}
	mixed := newPlay().every(100, 20, 5, "a").usage(5).done()
	mixed.Chunks[1].Kernel = true
	mixed.Stamps = SourceMixed
	few := newPlay().every(100, 20, 10, "a").usage(5).done()
	for _, c := range []struct {
		name string
		s    *play
		want SuspectCode
	}{
		{"a proxy that collects", buffered, SuspectBuffered},
		{"a proxy that collects little, often", often, SuspectBuffered},
		{"a network that held the stream", held, SuspectHeld},
		{"a whole response at once, in several reads", newPlay().every(600, 0.02, 200, "a").usage(200).done(), SuspectHeld},
		{"we were suspended", stopped, SuspectStopped},
		{"a prompt that the server knew", cached, SuspectCached},
		{"all in the last read", end, SuspectTerminalBurst},
		{"we were late", late, SuspectLate},
		{"late, so that chunks piled up in our reads: not a proxy's doing", merged, SuspectLate},
		{"late for all of it", mergedAll, SuspectLate},
		{"most of it in one read, as we stood still for half of the silence before", lagged(end, 400*time.Millisecond),
			SuspectLate},
		{"the same with our own stamps", &own, SuspectLate},
		{"all in one read, as we stood still for most of the wait", lagged(mergedAll, 90*time.Millisecond), SuspectLate},
		{"most of it in one read, and we stood still for less than that", lagged(end, 300*time.Millisecond),
			SuspectTerminalBurst},
		{"most of it in one read, in time", stamped(end), SuspectTerminalBurst},
		{"first chunk of three tokens", first, SuspectFirstChunk},
		{"compressed", gzip, SuspectCompressed},
		{"cut off", cut, SuspectTruncated},
		{"the server counts more than we waited", server, SuspectServer},
		{"kernel stamps partly missing", mixed, SuspectMixed},
		{"fewer tokens than chunks", few, SuspectFewTokens},
		{"a few chunks of somebody else", newPlay().every(100, 20, 69, "a").usage(60).done(), SuspectFewTokens},
		{"stamps that do not rise", newPlay().chunk(100, "a").chunk(120, "b").chunk(110, "c").usage(3).done(), SuspectOrder},
		{"usage of 0", newPlay().every(100, 20, 5, "a").usage(0).done(), SuspectUsageZero},
	} {
		f := c.s.measure()
		testkit.Same(t, suspects(&f), []SuspectCode{c.want}, c.name, "suspect, want only", c.want)
	}
	lost := *held
	silence := floods(held)
	lost.Path = &Path{Source: PathTCPInfo, Gaps: []PathGap{{Ms: silence, Usual: 20, RTT: 500, Counted: true,
		OutOfOrder: 12, Segments: 12, Together: 12}}}
	for name, s := range map[string]*play{"segments behind a lost one": &lost, "speculation": steps,
		"a server that pauses and goes on": paused} {
		if f := s.measure(); len(f.Suspect) != 0 {
			t.Errorf("%s: suspect = %v, want none", name, suspects(&f))
		}
	}
	plain := newPlay().every(100, 20, 50, "a").usage(50).done()
	plain.Observer = Observer{N: 40, LateP99: 5e6} // less than half a gap: without visible effect
	f := plain.measure()
	testkit.Is(t, len(f.Suspect), 0, "nothing is wrong with a plain stream, yet", f.Suspect)
}

// floods returns the silence before the chunks that were held back in p, ms.
func floods(p *play) float64 {
	f := p.measure()
	return f.Suspect[0].Ms
}

func TestThePhaseBar(t *testing.T) {
	cold := newPlay().every(141, 7, 3, "a").usage(3)
	cold.Conn.Reused = false
	cold.Marks.Start, cold.Marks.DNSStart, cold.Marks.DNSDone = stamp(-30), stamp(-28), stamp(-20)
	cold.Marks.ConnectStart, cold.Marks.ConnectDone = stamp(-20), stamp(-12)
	cold.Marks.TLSStart, cold.Marks.TLSDone = stamp(-12), stamp(-1)
	cold.Marks.GotConn = stamp(-1)
	cold.Server = []ServerTime{{Name: ServerQueue, D: 4e6}, {Name: ServerPrefill, D: 100e6}, {Name: ServerDecode, D: 20e6}}
	connecting := newPlay()
	connecting.State, connecting.Conn.Reused = Connecting, false
	connecting.Marks = NewMarks()
	connecting.Marks.Start, connecting.Marks.ConnectStart = stamp(0), stamp(0)
	connecting.now(300)
	ended := newPlay().every(100, 7, 3, "a").usage(3)
	ended.Server = []ServerTime{{Name: ServerTTFT, D: 120e6}}
	type part struct {
		name   string
		ms     float64
		known  bool
		server bool
	}
	for _, c := range []struct {
		name string
		s    *play
		want []part
	}{
		{"cold, with server times", cold, []part{{"client", 2, true, false}, {"dns", 8, true, false},
			{"tcp", 8, true, false}, {"tls", 11, true, false},
			{"send", 1, true, false}, {"queue", 4, true, true}, {"prefill", 100, true, true}, {"unexplained", 37, true, false}}},
		{"connect hangs", connecting, []part{{"dns", 0, false, false}, {"tcp", 300, true, false}, {"tls", 0, false, false},
			{"send", 0, false, false}, {"wait", 0, false, false}}},
		{"the server tells too much", ended, []part{{"dns", 0, false, false}, {"tcp", 0, false, false},
			{"tls", 0, false, false}, {"send", 0, true, false},
			{"server", 120, true, true}, {"unexplained", 0, false, false}}},
	} {
		f := c.s.measure()
		var got []part
		for _, p := range f.Wait {
			got = append(got, part{p.Name, p.Ms.V, p.Ms.OK, p.Server})
			testkit.That(t, p.Ms.OK || p.Ms.Why != 0, "%s: %s is unknown without a reason", c.name, p.Name)
		}
		testkit.That(t, slices.Equal(got, c.want), "%s:\n got %v\nwant %v", c.name, got, c.want)
	}
	f := cold.measure()
	near(t, "server TTFT", f.ServerTTFT, 104)
	near(t, "server speed", f.ServerSpeed, 150)
}
