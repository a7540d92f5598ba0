package say

import (
	"cmp"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/metrics/verdict"
)

// TestConclusions holds the sentences of testdata/conclusions.txt.
func TestConclusions(t *testing.T) {
	text := testkit.Must(os.ReadFile("testdata/conclusions.txt"))(t)
	n := 0
	for block := range strings.SplitSeq(string(text), "\n\n") {
		lines := strings.Split(strings.TrimSpace(block), "\n")
		if !strings.HasPrefix(lines[0], "# ") {
			continue
		}
		n++
		long, short := "", ""
		for _, line := range lines[2:] {
			switch {
			case strings.HasPrefix(line, "= "):
				long, short = line[2:], line[2:]
			case strings.HasPrefix(line, "~ "):
				short = line[2:]
			default:
				t.Errorf("%s: %q is no sentence", lines[0], line)
			}
		}
		in := play(t, lines[1])
		found := verdict.Of(in)
		is(t, Conclusion(found), long)
		got, _ := ConclusionFit(found, ShortConclusion)
		testkit.That(t, got == short, "%s, short\n\t%s\nsays %s\nwant %s", lines[0], lines[1], got, short)
	}
	testkit.That(t, n >= 60, "%d streams, want at least 60", n)
}

// TestSomeFailed checks that failures are named by their kind, each with its number
// where there are several, and that stopped requests are counted beside them.
func TestSomeFailed(t *testing.T) {
	some := func(chunks int, how ...metrics.FaultCount) verdict.Finding {
		f := verdict.Finding{Code: verdict.SomeFailed, Grade: verdict.Bad, Of: 6, Failures: how, Chunk: chunks}
		for _, h := range how {
			f.N += h.N
		}
		return f
	}
	own := verdict.Finding{Code: verdict.Failed, Fault: &metrics.Fault{Kind: metrics.FaultHTTP, Status: 500}}
	stopped := func(n int) verdict.Finding { return verdict.Finding{Code: verdict.SomeStopped, N: n, Of: 6} }
	for want, found := range map[string][]verdict.Finding{
		"2 of 6 failed: no connection.": {some(0, metrics.FaultCount{Kind: "connect",
			N: 2})},
		"2 of 6 failed: 1× HTTP 500, 1× HTTP 429.": {some(0, metrics.FaultCount{Kind: "http",
			Status: 500, N: 1}, metrics.FaultCount{Kind: "rate_limit", Status: 429, N: 1})},
		"2 of 6 failed: HTTP 500. 1 of 6 requests was stopped.": {some(0, metrics.FaultCount{Kind: "http",
			Status: 500, N: 2}), stopped(1)},
		"2 of 6 failed: timed out after up to 31 chunks.": {some(31, metrics.FaultCount{Kind: "timeout",
			N: 2})},
		"3 of 6 failed: 2× timed out, 1× HTTP 502. First token after 264 ms.": {some(31, metrics.FaultCount{Kind: "timeout",
			N: 2}, metrics.FaultCount{Kind: "http", Status: 502, N: 1}), {Code: verdict.FirstToken, Ms: 264}},
		"2 of 6 requests were stopped.": {stopped(2)},
		// the kind of the one before them is said once
		"Failed: HTTP 500, the server failed. 2 of 6 failed.": {own,
			some(0, metrics.FaultCount{Kind: "http", Status: 500, N: 2})},
		"Failed: HTTP 500, the server failed. 2 of 6 failed: HTTP 429.": {own,
			some(0, metrics.FaultCount{Kind: "rate_limit", Status: 429, N: 2})},
	} {
		is(t, Conclusion(found), want)
	}
	// On a narrow screen the number stays.
	all := []verdict.Finding{some(0, metrics.FaultCount{Kind: "http", Status: 500, N: 2}),
		{Code: verdict.FirstToken, Ms: 264}, {Code: verdict.Speed, Rate: 49}}
	for w, want := range map[int]string{78: "2 of 6 failed: HTTP 500. First token after 264 ms. Then 49.0 tok/s.",
		20: "2 of 6 failed."} {
		text, _ := ConclusionFit(all, w)
		is(t, text, want)
	}
}

// TestUnusual holds how the sentence says what is unusual, its short form, and a check-up.
func TestUnusual(t *testing.T) {
	ttft, speed := &metrics.Band{N: 45, Median: 170, Low: 150, High: 200}, &metrics.Band{N: 45, Median: 150, Low: 140,
		High: 160}
	found := []verdict.Finding{{Code: verdict.FirstToken, Ms: 276, Usual: ttft, Above: true, More: metrics.SharePrefill,
		Grade: verdict.Notable},
		{Code: verdict.Speed, Rate: 75, Usual: speed, Grade: verdict.Notable}}
	is(t, Conclusion(found), "First token after 276 ms, 1.6x your usual 170 ms (45 runs), prefill. Then 75.0 tok/s, "+
		"2.0x slower than your usual 150 tok/s (45 runs).")
	text, _ := ConclusionFit(found, ShortConclusion)
	is(t, text, "First token after 276 ms, 1.6x usual. Then 75.0 tok/s, 2.0x slower than usual.")
	text, _ = ConclusionFit(found, 70)
	is(t, text, "276 ms to first token, 1.6x usual; 75.0 tok/s, 2.0x slower than usual.")
	s, f := metrics.Stream{State: metrics.Done, Usual: &metrics.Usual{TTFT: *ttft, Speed: *speed}}, metrics.Figures{}
	f.TTFT, f.Speed = metrics.Known(276, 1), metrics.Known(150, 1)
	is(t, AgainstUsual(&s, &f).String(),
		"TTFT 276 ms, 1.6x your usual 170 ms (45 runs); speed 150 tok/s, as usual: 140 tok/s to 160 tok/s in 45 runs")
	text, _ = Check(&doctor.Check{Code: doctor.Stream, Grade: doctor.OK, Run: &metrics.Run{Stream: s, Figures: f}})
	testkit.That(t, strings.HasPrefix(text, "First token after 276 ms, 1.6x your usual 170 ms (45 runs)"),
		"a check-up says %q", text)
	s.State = metrics.Decoding
	is(t, AgainstUsual(&s, &f).String(),
		"TTFT 276 ms, 1.6x your usual 170 ms (45 runs); usual speed: 140 tok/s to 160 tok/s in 45 runs")
	s.Usual = &metrics.Usual{TTFT: *ttft}
	is(t, AgainstUsual(&s, &metrics.Figures{}).String(), "usual TTFT: 150 ms to 200 ms in 45 runs")
	s.Usual = &metrics.Usual{Recent: 140}
	is(t, AgainstUsual(&s, &f).String(),
		"usual is not known: 140 earlier runs are of the last hour; it takes 10 good runs of this endpoint, model and "+
			"workload, an hour old")
	is(t, AgainstUsual(&s, &f).Fit(62), "usual is not known: 140 earlier runs are of the last hour")
	s.Usual = &metrics.Usual{TTFT: metrics.Band{N: 100, Median: 265, Low: 220, High: 1010}} // of two levels
	f.TTFT = metrics.Known(903, 1)
	is(t, AgainstUsual(&s, &f).String(), "TTFT 903 ms, within 220 ms to 1.01 s in 100 runs, but 3.4x their median 265 ms")
	s.Usual, s.Conn.Proto = nil, "HTTP/1.1"
	is(t, AgainstUsual(&s, &f).String(),
		"usual is not known: it takes 10 good runs of this endpoint, model and workload on a new connection, an hour old")
	s.Conn.Proto = ""
	is(t, AgainstUsual(&s, &f).String(),
		"usual is not known: it takes 10 good runs of this endpoint, model and workload, an hour old")
	is(t, Conclusion([]verdict.Finding{{Code: verdict.Waiting, Ms: 914, Usual: ttft, Above: true,
		Part: verdict.StageSent}}),
		"No token for 910 ms, 5.4x your usual 170 ms (45 runs); no byte yet.")
	is(t, Conclusion([]verdict.Finding{{Code: verdict.FirstToken, Ms: 85, Usual: ttft}, {Code: verdict.Speed, Rate: 300,
		Usual: speed, Above: true}}),
		"First token after 85.0 ms, 2.0x faster than your usual 170 ms (45 runs). Then 300 tok/s, 2.0x your usual 150 "+
			"tok/s (45 runs).")
}

// steps draws a plan: a connection, a wait, chunks with pauses, an end.
func steps(t *rapid.T) string {
	ms := func(name string, most int) string {
		n := rapid.IntRange(0, most).Draw(t, name)
		return strconv.Itoa(n) + "ms"
	}
	one := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	plan := []string{one("connection", "reused", "dns 2ms; tcp 10ms; tls 12ms", "dns "+ms("dns", 9000)+"; tcp "+ms("tcp",
		4000), "client "+ms("client", 800)+"; reused", "retried; tcp 4ms")}
	for _, extra := range []string{"user", "body", "proxy", "lens chat", "lens voice", "lens agent", "lens batch",
		"lag " + ms("lag", 90), "suspended " + ms("suspended", 9000),
		"prompt 500; cached 400", "asked llama-3.1-8b; answered " + one("model", "llama-3.1-8b-2024-08-06",
			strings.Repeat("x", 90), "\x1b[2Jgpt")} {
		if rapid.IntRange(0, 5).Draw(t, "extra") == 0 {
			plan = append(plan, extra)
		}
	}
	plan = append(plan, one("earlier", "", "", "earlier 200,210,230 40,50,60", "earlier 1,2"),
		one("wait", "prefill 1", "prefill 1", "wait ")+ms("wait", one2(t, 900, 30_000)))
	if rapid.IntRange(0, 3).Draw(t, "connect") == 0 {
		plan = append(plan, one("result", "connect 9ms", "connect timeout"))
	}
	for _, part := range []string{"queue", "prefill", "load", "processing", "ttft"} {
		if rapid.IntRange(0, 4).Draw(t, "server") == 0 {
			plan = append(plan, "server "+part+" "+ms("server time", 5000))
		}
	}
	for range rapid.IntRange(0, 6).Draw(t, "parts") {
		n := strconv.Itoa(rapid.IntRange(1, 60).Draw(t, "n"))
		if rapid.IntRange(0, 2).Draw(t, "counted") == 0 {
			plan = append(plan, "stall "+ms("stall", 1500),
				"counted "+strconv.Itoa(rapid.IntRange(0, 9).Draw(t, "holes"))+" "+n, "burst "+n)
		}
		plan = append(plan, one("part", n+" tokens @ "+ms("gap", one2(t, 40, 900)), "stall "+ms("stall", 6000), "burst "+n,
			n+" reads of 7 @ "+ms("read", 300)))
	}
	for _, fact := range []string{"rtt " + ms("rtt", 300), "upload acknowledged " + ms("acknowledged", 900), "holes 3",
		"connect " + one("connect", "12ms", "refused", "timeout", "failed")} {
		if rapid.IntRange(0, 4).Draw(t, "network") == 0 {
			plan = append(plan, fact)
		}
	}
	end := one("end", "", "silence "+ms("silence", 60_000), "done", "usage 40; done", "usage 0; done",
		"usage 90000; done", "cut", "stop", "fail reset", "fail http 500", "fail timeout; bound first byte 120 s",
		"fail rate_limit 429 7s", "fail "+strings.Repeat("y", 80))
	return strings.Join(append(plan, end), "; ")
}

func one2(t *rapid.T, a, b int) int { return rapid.SampledFrom([]int{a, b}).Draw(t, "most") }

// needs are the facts without which a finding may not be there.
var needs = map[verdict.Code]func(in *verdict.Input, f *verdict.Finding) bool{
	verdict.Failed: func(in *verdict.Input, f *verdict.Finding) bool {
		return in.Stream.State == metrics.Failed && f.Fault != nil
	},
	verdict.Truncated:  func(in *verdict.Input, f *verdict.Finding) bool { return in.Stream.State == metrics.Truncated },
	verdict.Stopped:    func(in *verdict.Input, f *verdict.Finding) bool { return in.Stream.State == metrics.Cancelled },
	verdict.Asking:     func(in *verdict.Input, f *verdict.Finding) bool { return in.Stream.Asking },
	verdict.Connecting: func(in *verdict.Input, f *verdict.Finding) bool { return in.Stream.State == metrics.Connecting },
	verdict.Waiting: func(in *verdict.Input, f *verdict.Finding) bool {
		return !in.Stream.State.Ended() && len(in.Stream.Chunks) == 0 && in.Stream.Marks.Sent.Known() &&
			hasConnect(in, f, in.Stream.Marks.Sent)
	},
	verdict.Silent: func(in *verdict.Input, f *verdict.Finding) bool {
		last := in.Stream.Chunks[len(in.Stream.Chunks)-1].At
		holes := f.Silence == nil && (f.Owner != verdict.OwnerNetwork) || f.Silence != nil &&
			in.Stream.Path.Silence == *f.Silence && f.Silence.OutOfOrder > 0 && f.Owner == verdict.OwnerNetwork
		return holes && hasConnect(in, f, last) && in.Stream.State == metrics.Decoding && float64(in.Now-last)/1e6 >= f.Ms &&
			(in.Figures.Gaps.N < 5 && f.Ms > in.Figures.Longest.V || f.Ms > 5*in.Figures.Gaps.P50.V)
	},
	verdict.Connect: func(in *verdict.Input, f *verdict.Finding) bool {
		return share(in, f.Part) == f.PartMs && f.PartMs > 0 && f.PartMs <= f.Ms
	},
	verdict.Retried: func(in *verdict.Input, f *verdict.Finding) bool { return in.Stream.Retried > 0 },
	verdict.FirstToken: func(in *verdict.Input, f *verdict.Finding) bool {
		switch f.Part {
		case "":
			return in.Figures.TTFT.V == f.Ms && hasConnect(in, f, in.Stream.Marks.Sent)
		case metrics.ShareUpload:
			return in.Stream.Path.Upload && share(in, f.Part) == f.PartMs && f.PartMs <= f.Ms && f.Owner == verdict.OwnerNetwork
		case verdict.PartHeaders:
			return in.Figures.TTFB.V == f.PartMs && len(in.Stream.Server) == 0
		}
		return in.Figures.TTFT.V == f.Ms && share(in, f.Part) == f.PartMs && f.PartMs <= f.Ms && len(in.Stream.Server) > 0
	},
	verdict.Speed: func(in *verdict.Input, f *verdict.Finding) bool {
		return f.Rate > 0 && (f.Rate == in.Figures.Speed.V || f.Chunks && f.Rate == in.Figures.ChunkSpeed.V) &&
			(f.Low == 0 || f.Low > f.Rate && len(in.Figures.Stalls) > 0)
	},
	verdict.Stalls: func(in *verdict.Input, f *verdict.Finding) bool {
		longest := slices.MaxFunc(in.Figures.Stalls, func(a, b metrics.Stall) int { return cmp.Compare(a.Ms, b.Ms) })
		return f.N == len(in.Figures.Stalls) && f.Ms == longest.Ms && f.Chunk == longest.Chunk+1 && counted(in, f)
	},
	verdict.Earlier: func(in *verdict.Input,
		f *verdict.Finding) bool {
		return f.N >= 3 && (f.Ms > f.High || f.Ms < f.Low)
	},
	verdict.EarlierTPS: func(in *verdict.Input, f *verdict.Finding) bool {
		return f.N >= 3 && (f.Rate > f.High || f.Rate < f.Low) && in.Figures.Speed.V == f.Rate
	},
	verdict.Lens: func(in *verdict.Input, f *verdict.Finding) bool {
		return in.Lens == f.Name && f.Verdict.Budget.Limit > 0
	},
	verdict.Code(metrics.SuspectBuffered): func(in *verdict.Input, f *verdict.Finding) bool {
		b := &f.Suspect.Buffering
		return f.Suspect.Ratio >= 4 && (b.Kind == metrics.BufferUndecided || b.Bursts >= 4 && b.MsLow <= b.Ms &&
			b.Ms <= b.MsHigh && b.BytesLow <= b.BytesHigh)
	},
	verdict.OtherModel: func(in *verdict.Input,
		f *verdict.Finding) bool {
		return in.Stream.Model != in.Stream.Endpoint.Model
	},
	verdict.SharedReads: func(in *verdict.Input, f *verdict.Finding) bool {
		return f.N == in.Figures.GapsUnknown && f.N > 0
	},
	verdict.Estimated: func(in *verdict.Input, f *verdict.Finding) bool {
		return in.Figures.TokenSource == metrics.TokensEstimated
	},
}

// hasConnect reports whether the stream has the connect that a finding names, and
// whether the far side is blamed only for one that was answered.
func hasConnect(in *verdict.Input, f *verdict.Finding, since metrics.Stamp) bool {
	if f.Connect == nil {
		return f.Owner != verdict.OwnerFarSide && f.Evidence&verdict.ByConnect == 0
	}
	there := f.Connect.Result == metrics.ConnectOK || f.Connect.Result == metrics.ConnectRefused
	return slices.Contains(in.Stream.Path.Connects, *f.Connect) && f.Connect.At >= since &&
		there == (f.Owner == verdict.OwnerFarSide)
}

// counted reports whether the socket counted what a finding about a stall says.
func counted(in *verdict.Input, f *verdict.Finding) bool {
	if f.Gap == nil {
		return f.Owner == verdict.OwnerUndecided && f.Evidence&verdict.ByPath == 0
	}
	g := in.Stream.Path.Gap(f.Chunk - 1)
	if g == nil || *g != *f.Gap || !g.Counted {
		return false
	}
	switch f.Owner {
	case verdict.OwnerNetwork:
		return g.OutOfOrder > 0
	case verdict.OwnerFarSide:
		return g.OutOfOrder == 0
	}
	cause, _ := g.Cause()
	return f.Owner == verdict.OwnerUndecided && cause == metrics.PathUndecided
}

// share is a part of the wait, -1 without one.
func share(in *verdict.Input, name string) float64 {
	for _, p := range in.Figures.Wait {
		if p.Name == name && p.Ms.OK {
			return p.Ms.V
		}
	}
	return -1
}

// A dash is an unknown figure, unless it stands within a range.
var (
	impossible = regexp.MustCompile(`NaN|Inf|–|(^| )0 (tok|chunks)/s|, 0 ms of|%!|\.\.|  `)
	ranges     = regexp.MustCompile(`\d(–| [µm]?s – )\d`)
)

// TestConclusionProperty checks random streams at random moments: no finding
// without its evidence, no clause twice, no impossible number, no sentence over
// 25 words, and a short form that fits.
func TestConclusionProperty(t *testing.T) {
	seen := map[verdict.Code]int{}
	evidence = map[string]int{}
	cases := 0
	rapid.Check(t, func(t *rapid.T) {
		for range 20 { // some findings are rare
			checkConclusion(t, seen)
			cases++
		}
	})
	if cases < 1000 {
		return // too few to show every finding
	}
	for code := range needs {
		testkit.That(t, seen[code] != 0 || code == verdict.Asking || code == verdict.Connecting,
			"no random stream shows %s", code)
	}
	for _, what := range []string{"stalls network", "stalls server_or_proxy", "stalls ", "silent network",
		"silent server_or_proxy", "silent ", "waiting server_or_proxy", "waiting ", "first_token server_or_proxy",
		"first_token network", "unusual waiting", "unusual first_token", "unusual speed"} {
		testkit.That(t, evidence[what] != 0, "no random stream shows %q by its network", what)
	}
}

// evidence counts the findings that rest on the network, by code and owner.
var evidence map[string]int

// fatal lets play stop a random case.
type fatal struct {
	testing.TB
	t *rapid.T
}

func (f fatal) Helper()                   {}
func (f fatal) Fatalf(s string, a ...any) { f.t.Fatalf(s, a...) }

// TestEveryFindingHasWords holds that no code of a finding is without a clause.
func TestEveryFindingHasWords(t *testing.T) {
	codes := codesIn(t, "verdict/finding.go", "Code")
	testkit.Given(t, len(codes) >= 20, "found the codes %q", codes)
	for _, code := range codes {
		f := verdict.Finding{Code: verdict.Code(code), Fault: &metrics.Fault{}, Verdict: &slo.LensVerdict{},
			Split: &metrics.Split{}}
		testkit.That(t, findingOfOne(&f).String() != "", "%s has no words", code)
	}
}

// checkConclusion checks one random stream and counts what it shows.
func checkConclusion(t *rapid.T, seen map[verdict.Code]int) {
	plan := steps(t)
	in := play(fatal{nil, t}, plan)
	if rapid.IntRange(0, 2).Draw(t, "history") == 0 {
		band := func(median float64) metrics.Band {
			return metrics.Band{N: 45, Median: median, Low: 0.9 * median, High: 1.2 * median}
		}
		in.Stream.Usual = &metrics.Usual{TTFT: band(rapid.Float64Range(1, 3000).Draw(t, "usual TTFT")),
			Speed: band(rapid.Float64Range(1, 300).Draw(t, "usual speed")), Prefill: metrics.Known(100, 45)}
	}
	found := verdict.Of(in)
	for i := range found {
		f := &found[i]
		seen[f.Code]++
		if f.Usual != nil {
			evidence["unusual "+string(f.Code)]++
			v := metrics.Known(f.Ms, 1)
			if f.Code == verdict.Speed { // its Ms is the time of pauses
				v.V = f.Rate
			}
			testkit.That(t, f.Above == f.Usual.Above(v) && f.Above != f.Usual.Below(v), "%s: as usual: %+v", plan, f)
		}
		if f.Gap != nil || f.Silence != nil || f.Connect != nil || f.Part == metrics.ShareUpload {
			evidence[string(f.Code)+" "+string(f.Owner)]++
		}
		holds := needs[f.Code]
		switch {
		case f.Evidence == 0:
			t.Errorf("%s: no evidence for %+v", plan, f)
		case f.Suspect != nil:
			testkit.That(t, slices.Contains(in.Figures.Suspect, *f.Suspect), "%s: the figures have no such doubt: %+v", plan, f)
		case holds == nil || !holds(&in, f):
			t.Errorf("%s: the stream does not show %+v", plan, f)
		}
		testkit.That(t, i <= 0 || f.Code != found[i-1].Code, "%s: %s twice", plan, f.Code)
	}
	long := Conclusion(found)
	short, _ := ConclusionFit(found, ShortConclusion)
	testkit.Is(t, Conclusion(verdict.Of(in)), long, plan, "… and then")
	if w := ansi.StringWidth(short); w > ShortConclusion {
		t.Errorf("%s: %d columns: %s", plan, w, short)
	}
	testkit.That(t, len(found) == 0 || short != "" && long != "", "%s: nothing is said of %+v", plan, found)
	for _, text := range []string{long, short} {
		testkit.Is(t, impossible.FindString(ranges.ReplaceAllString(text, "0")), "", plan, "in", text)
		parts := strings.Split(text, ". ")
		for i, s := range parts {
			n := len(strings.Fields(s))
			testkit.That(t, n <= 25, "%s: %d words: %s", plan, n, s)
			testkit.That(t, !slices.Contains(parts[:i], s), "%s: twice %q in %s", plan, s, text)
		}
	}
	for _, w := range []int{20, 40, 98, 118, 198} {
		if text, _ := ConclusionFit(found, w); ansi.StringWidth(text) > w {
			t.Errorf("%s: %d columns: %s", plan, w, text)
		}
	}
}

// TestSeveral holds the sentences on several requests: what divides TTFT, and doubts that
// only some of them have.
func TestSeveral(t *testing.T) {
	split := func(n int, ms float64, others int, othersMs float64, by ...metrics.Trait) verdict.Finding {
		s := metrics.Split{By: by, N: n, Ms: ms, Others: others, OthersMs: othersMs}
		return verdict.Finding{Code: verdict.SplitTTFT, Split: &s}
	}
	doubt := func(having, among int, s metrics.Suspicion) verdict.Finding {
		return verdict.Finding{Code: verdict.Code(s.Code), Having: having, Among: among, Suspect: &s}
	}
	other := verdict.Finding{Code: verdict.OtherModel, Name: "small", Having: 1, Among: 4}
	mixed, all := other, other
	mixed.Mixed, mixed.Having, all.Having = true, 2, 4
	trait := func(c metrics.TraitCode) metrics.Trait { return metrics.Trait{Code: c} }
	cached := metrics.Suspicion{Code: metrics.SuspectCached, N: 16, Of: 20}
	for want, f := range map[string]verdict.Finding{
		"9 of 12 prompts came from a cache: TTFT 201 ms, else 2.00 s.":    split(9, 201, 3, 2000, trait(metrics.TraitCached)),
		"The first of 10 requests took longer: TTFT 4.00 s, else 201 ms.": split(1, 4000, 9, 201, trait(metrics.TraitFirst)),
		"The first of 10 requests took less: TTFT 11.0 ms, else 42.0 ms.": split(1, 11, 9, 42, trait(metrics.TraitFirst)),
		"The first of 10 requests took a new connection: TTFT 11.0 ms, else 42.0 ms.": split(1, 11, 9, 42,
			trait(metrics.TraitFirst), trait(metrics.TraitNew)),
		"4 of 12 requests took a new connection and had no cached prompt: TTFT 640 ms, else 35.0 ms.": split(4, 640, 8, 35,
			trait(metrics.TraitNew), trait(metrics.TraitUncached)),
		"1 of 4 requests was answered by small: TTFT 80.0 ms, else 400 ms.": split(1, 80, 3, 400,
			metrics.Trait{Code: metrics.TraitModel, Name: "small"}),
		"3 of 12 requests had a cached prompt and were answered by small: TTFT 80.0 ms, else 400 ms.": split(3, 80, 9, 400,
			trait(metrics.TraitCached), metrics.Trait{Code: metrics.TraitModel, Name: "small"}),
		"3 of 12 prompts came from a cache: their TTFT is not that of a new prompt.":             doubt(3, 12, cached),
		"16 of 20 prompt tokens came from the server's cache: TTFT is not that of a new prompt.": doubt(4, 4, cached),
		"In 7 of 9 requests, the wall clock moved by 3.00 ms: kernel timestamps may be off by as much.": doubt(7, 9,
			metrics.Suspicion{Code: metrics.SuspectClock, Ms: 3}),
		"Another model answered 1 of 4 requests: small.":            other,
		"Another model answered 2 of 4 requests: small and others.": mixed,
		"Another model answered: small.":                            all,
	} {
		is(t, Conclusion([]verdict.Finding{f}), want)
	}
}

// TestFinishWords holds what is said of how answers ended, and that a server's own
// word cannot reach the terminal as it is.
func TestFinishWords(t *testing.T) {
	is(t, Finishes(map[string]int{"content_filter": 1, "stop": 2, metrics.NoFinish: 1}),
		"2 stop, 1 content filter, 1 no finish reason")
	is(t, Finishes(nil), "")
	is(t, FinishReason("a\x1b[31m_b"), "a␛[31m b")
	for want, f := range map[string]verdict.Finding{
		"No visible answer: all 100 tokens were reasoning, the limit was reached.": {Code: verdict.Unseen,
			Part: "length", N: 100},
		"No visible answer: about 31 tokens were reasoning or white space, the limit was reached.": {Code: verdict.Unseen,
			Part: "max_tokens", N: 31, About: true, Mixed: true},
		"No visible answer: all 7 chunks were reasoning.": {Code: verdict.Unseen,
			Part: "stop", N: 7, Chunks: true},
		"No visible answer: 1 token was reasoning, and no finish reason came: it may be cut.": {Code: verdict.Unseen,
			Part: "none", N: 1},
		"In 3 of 12 requests, no visible answer: reasoning or white space, the limit was reached.": {Code: verdict.Unseen,
			Part: "length", Having: 3, Among: 12, Mixed: true},
		"No visible answer: reasoning or white space.": {Code: verdict.Unseen,
			Part: "stop", Having: 4, Among: 4, Mixed: true},
		"Ended by a content filter after 12 tokens.": {Code: verdict.Finish,
			Part: "content_filter", N: 12},
		"In 1 of 4 requests, ended by a content filter.": {Code: verdict.Finish,
			Part: "safety", Having: 1, Among: 4},
		"No finish reason after 20 tokens: the answer may be cut.": {Code: verdict.Finish,
			Part: "none", N: 20},
		"In 2 of 4 requests, no finish reason: the answer may be cut.": {Code: verdict.Finish,
			Part: "none", Having: 2, Among: 4},
		"Finish reason insufficient system resource after about 20 tokens.": {Code: verdict.Finish,
			Part: "insufficient_system_resource", N: 20, About: true},
		"The model refused, in 12 tokens.": {Code: verdict.Refused,
			Part: "stop", N: 12},
		"The model refused, in 1 chunk.": {Code: verdict.Refused,
			Part: "none", N: 1, Chunks: true},
		"In 2 of 5 requests, the model refused.": {Code: verdict.Refused,
			Having: 2, Among: 5},
		"The model refused.": {Code: verdict.Refused,
			Having: 3, Among: 3},
		"Misses the chat lens: no visible text.": {Code: verdict.Lens,
			Name: "chat", Verdict: &slo.LensVerdict{Grade: slo.GradeMisses, Case: slo.CaseTextless, Requests: 1, Textless: 1}},
		"Barely meets the voice lens: no visible text in 1 of 4.": {Code: verdict.Lens,
			Name: "voice", Verdict: &slo.LensVerdict{Grade: slo.GradeClose, Case: slo.CaseTextless, Requests: 4, Textless: 1}},
	} {
		is(t, Conclusion([]verdict.Finding{f}), want)
	}
	is(t, RequestRemarks(&request.Row{State: metrics.Done, Refused: true}), "the model refused")
	v := slo.LensVerdict{Metric: slo.LensTTFT, Measured: metrics.Known(100, 1), Case: slo.CaseTextless, Requests: 1,
		Textless: 1, Lens: "chat"}
	is(t, Verdict(&v), "first token after 100 ms: no visible text, which chat needs")
}

// A first sound is judged in its own words.
func TestVerdictOnAFirstSound(t *testing.T) {
	f := slo.LensFigures{Requests: 2, TTFA: slo.LensFigure{Typical: metrics.Known(655, 2)},
		Speed: slo.LensFigure{Typical: metrics.Known(160, 2)}}
	v := slo.LensByKey("voice").Judge(f, slo.DefaultAgentTask)
	is(t, Verdict(&v[0]), "first audio after 655 ms (median of 2): 145 ms over what voice allows")
	is(t, Verdict(&v[1]), "speed is unknown: tokens are sound")
	_, source := LensBudget(&v[0].Budget)
	is(t, source, "800 ms from last word to first sound (twig.so), less 80 end of speech, 150 transcription, 60 "+
		"network (callingscout.ai)")
}

// What came beside text is said, and what came and is not read.
func TestConclusionsOfMedia(t *testing.T) {
	ms := func(n int) metrics.Stamp { return metrics.Stamp(n) * 1e6 }
	for _, tt := range []struct {
		name  string
		kinds []metrics.Kind // of chunks 40 ms apart, the first after 300 ms
		with  func(s *metrics.Stream)
		want  string
	}{
		{"speech", []metrics.Kind{metrics.Audio, metrics.Audio, metrics.Audio}, func(s *metrics.Stream) {
			s.Marks.FirstAudio, s.AudioBytes = ms(340), 48_000
		}, "First token after 300 ms. First audio after 340 ms, 48.0 kB."},
		{"speech that goes on", []metrics.Kind{metrics.Audio, metrics.Audio}, func(s *metrics.Stream) {
			s.State, s.Marks.FirstAudio, s.AudioBytes = metrics.Decoding, ms(340), 500
		}, "First token after 300 ms. First audio after 340 ms."},
		{"a transcript alone", []metrics.Kind{metrics.Audio}, func(*metrics.Stream) {}, "First token after 300 ms."},
		{"images", []metrics.Kind{metrics.Image}, func(s *metrics.Stream) {
			s.Images, s.ImageBytes = 2, 2_400_000
		}, "First token after 300 ms. 2 images of 2.40 MB."},
		{"a linked image", []metrics.Kind{metrics.Image}, func(s *metrics.Stream) { s.Images = 1 },
			"First token after 300 ms. 1 image."},
		{"nothing that is read", nil, func(s *metrics.Stream) {
			s.State, s.Events, s.Fault = metrics.Failed, 60, &metrics.Fault{Kind: metrics.FaultEmpty}
		}, "Failed 900 ms after sent: 60 events, none with text, reasoning or a call."},
		{"one event", nil, func(s *metrics.Stream) {
			s.State, s.Events, s.Fault = metrics.Failed, 1, &metrics.Fault{Kind: metrics.FaultEmpty, Code: "length"}
		}, "Failed 900 ms after sent: the limit was reached before the first token."},
		{"blocked", nil, func(s *metrics.Stream) {
			s.State, s.Events, s.Fault = metrics.Failed, 1, &metrics.Fault{Kind: metrics.FaultEmpty, Code: "PROHIBITED_CONTENT"}
		}, "Failed 900 ms after sent: a content filter ended it before the first token."},
		{"one event alone", nil, func(s *metrics.Stream) {
			s.State, s.Events, s.Fault = metrics.Failed, 1, &metrics.Fault{Kind: metrics.FaultEmpty}
		}, "Failed 900 ms after sent: one event, without text, reasoning or a call."},
		{"thinking that is not sent", nil, func(s *metrics.Stream) {
			s.State, s.Marks.End, s.Usage.Completion, s.Usage.Reasoning, s.LiveTokens = metrics.Waiting, metrics.NoStamp, 840,
				840, 840
			s.LastData = ms(900)
		}, "No token for 900 ms: the model thinks, 840 tokens so far."},
		{"cut, nothing that is read", nil, func(s *metrics.Stream) {
			s.State, s.Events, s.Fault = metrics.Truncated, 7, &metrics.Fault{Kind: metrics.FaultTruncated}
		}, "Truncated after 900 ms, 7 events, none with text, reasoning or a call: no finish reason."},
	} {
		s := metrics.NoStream(ms(900))
		s.ID, s.State, s.Marks.Start, s.Marks.Sent, s.Marks.End, s.Usage.Completion = 1, metrics.Done, 0, 0, ms(900), 20
		s.Finish = "stop"
		for i, k := range tt.kinds {
			at := ms(300 + 40*i)
			s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: int32(i), Event: int32(i), Bytes: 900, Tokens: -1,
				Kind: k})
			s.LastData = at
		}
		tt.with(&s)
		now := ms(900)
		if !s.State.Ended() {
			now = s.LastData
		}
		f := metrics.Measure(&s, metrics.Options{})
		got := Conclusion(verdict.Of(verdict.Input{Stream: &s, Figures: &f, Now: now}))
		testkit.That(t, got == tt.want, "%s\nsays %s\nwant %s", tt.name, got, tt.want)
	}
}

// TestHeldWords holds the words of silences that ended with what was made meanwhile,
// and of a large first chunk.
func TestHeldWords(t *testing.T) {
	for want, s := range map[string]metrics.Suspicion{
		"the arguments of write_file came at once, 5.00 s after its name: held back by the server's parser; the pace " +
			"stayed 76.0 tok/s": {
			Code: metrics.SuspectWithheld, N: 380, Ms: 5000, Name: "write_file", Ratio: 76},
		"about 300 tokens came at once after a silence of 1.87 s: held back on the way": {
			Code: metrics.SuspectWithheld, N: 300, Ms: 1870},
		"the arguments of run_query came at once, 3.00 s after its name, the longest of 2 such waits: held back by the " +
			"server's parser": {
			Code: metrics.SuspectWithheld, N: 300, Of: 2, Ms: 3000, Name: "run_query", Ratio: 102},
		"nothing for 2.50 s before chunk 2 of 3": {Code: metrics.SuspectSilence, N: 2, Of: 3, Ms: 2500},
		"TPOT is between 19.0 ms and 25.0 ms: the first chunk may carry 16.0 tokens": {
			Code: metrics.SuspectFirstMean, Ratio: 16, Ms: 19, Limit: 25},
	} {
		is(t, Suspicion(&s), want)
	}
}

// TestServedWords writes who served a request, and a difference from what was asked.
func TestServedWords(t *testing.T) {
	priority := metrics.Service{Tier: "priority"}
	for _, c := range []struct {
		s    metrics.Stream
		want string
	}{
		{metrics.Stream{}, ""},
		{metrics.Stream{Asked: priority}, ""},
		{metrics.Stream{Asked: priority, Served: metrics.Served{Service: metrics.Service{Tier: "default"}}},
			"tier default, asked priority"},
		{metrics.Stream{Asked: priority, Served: metrics.Served{Service: priority, Region: "eu"}, Provider: "Fire\x1b[2J"},
			"tier priority; provider Fire␛[2J; region eu"},
		{metrics.Stream{Served: metrics.Served{Deployment: "d-7", Fallbacks: 1, Retries: 2}},
			"deployment d-7; 1 fallback and 2 retries behind the gateway"},
		{metrics.Stream{Served: metrics.Served{Retries: 1}}, "1 retry behind the gateway"},
	} {
		is(t, Served(&c.s), c.want)
	}
	for status, want := range map[int]string{524: "HTTP 524, Cloudflare got no answer from the server",
		530: "HTTP 530, Cloudflare got no answer from the server", 529: "HTTP 529, the server is overloaded",
		502: "HTTP 502, the server failed"} {
		is(t, faultWords(&metrics.Fault{Kind: metrics.FaultHTTP, Status: status}), want)
	}
	for code, want := range map[string]string{"": "an error in the stream",
		"overloaded_error": "an error in the stream: overloaded_error"} {
		is(t, faultWords(&metrics.Fault{Kind: metrics.FaultInStream, Code: code}), want)
	}
	is(t, faultWords(&metrics.Fault{Kind: metrics.FaultInStream, Code: "429", Status: 429}),
		"HTTP 429, an error in the stream")
	for want, f := range map[string]verdict.Finding{
		"Tier default, asked priority.": {Code: verdict.OtherTier, Grade: verdict.Spoils,
			Name: "default", Part: "priority"},
		"1 fallback and 2 retries behind the gateway: part of the wait.": {Code: verdict.Attempts, Grade: verdict.Spoils,
			N: 1, Of: 2},
		"2 fallbacks behind the gateway: part of the wait.": {Code: verdict.Attempts, Grade: verdict.Spoils,
			N: 2},
	} {
		is(t, Conclusion([]verdict.Finding{f}), want)
	}
}

func TestClaimWords(t *testing.T) {
	run := func(users int, speed metrics.Value, source metrics.TokenSource) *metrics.Run {
		c := metrics.Claim{Model: "Llama 3.1 8B Q4_K_M", Machine: "RTX 4090", Bandwidth: 1008, Weights: 4.66, Cache: 131072,
			Step: 1}
		r := &metrics.Run{Stream: metrics.Stream{Endpoint: metrics.Endpoint{Claim: &c}}}
		r.Stream.Work.Concurrency = users
		r.Figures.Speed, r.Figures.TokenSource = speed, source
		r.Figures.PromptTokens = metrics.Known(1000, 0)
		return r
	}
	const on = "Llama 3.1 8B Q4_K_M on RTX 4090"
	for _, c := range []struct {
		r     *metrics.Run
		wants []string
	}{
		{run(1, metrics.Known(165, 0), metrics.TokensUsage), []string{
			"165 tok/s is 78 % of the memory's bound: plausible",
			on + ": at most 210 tok/s, 1,008 GB/s, 4.66 GB of weights and 0.131 GB of cache"}},
		{run(8, metrics.Known(40, 0), metrics.TokensUsage), []string{
			"40.0 tok/s is 19 % of the memory's bound: plausible; 8 requests at a time, each is slower than alone"}},
		{run(1, metrics.Known(420, 0), metrics.TokensUsage), []string{
			"420 tok/s is 2.0x the memory's bound, above it: another model, precision, a draft or another machine"}},
		{run(1, metrics.Known(420, 0), metrics.TokensEstimated), []string{
			"about 420 tok/s is 2.0x the memory's bound: undecided, the speed is in doubt"}},
		{run(1, metrics.Unknown(metrics.WhyAtOnce), metrics.TokensUsage), []string{"– (", "claimed: " + on}},
	} {
		got := strings.Join(Claim(metrics.JudgeClaim([]*metrics.Run{c.r})), "\n")
		testkit.Has(t, got, c.wants...)
	}
	held := run(1, metrics.Known(420, 0), metrics.TokensUsage)
	held.Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectHeld}}
	is(t, Claim(metrics.JudgeClaim([]*metrics.Run{held}))[0],
		"about 420 tok/s is 2.0x the memory's bound: undecided, the speed is in doubt")
	testkit.That(t, Claim(nil) == nil, "nobody claimed anything")
}
