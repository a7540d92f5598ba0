package say

import (
	"errors"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/serving"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/metrics/verdict"
	"tokscope/metrics/watchstat"
	"tokscope/ui/format"
)

// is holds that a text is the wanted one.
func is(t *testing.T, got, want string) {
	t.Helper()
	testkit.Is(t, got, want)
}

// codesIn returns the values of the constants of a type in a file of metrics.
func codesIn(t *testing.T, path, of string) []string {
	t.Helper()
	text := testkit.Must(os.ReadFile("../../metrics/" + path))(t)
	var codes []string
	for _, m := range regexp.MustCompile(`(?m)^\t\w+\s+`+of+` = "(\w+)"`).FindAllStringSubmatch(string(text), -1) {
		codes = append(codes, m[1])
	}
	return codes
}

func TestEveryReasonOfAnUnsteadyWindowHasWords(t *testing.T) {
	codes := codesIn(t, "loadstat/steady.go", "UnsteadyCode")
	testkit.That(t, len(codes) >= 10, "found %d codes: the search does not work", len(codes))
	for want, u := range map[string]loadstat.Unsteady{
		"":        {},
		"no user": {Code: loadstat.UnsteadyNoUser},
		"3 requests from before the change still running":               {Code: loadstat.UnsteadyBefore, N: 3},
		"1 user still leaving":                                          {Code: loadstat.UnsteadyLeaving, N: 1},
		"no request sent at this rate has ended yet":                    {Code: loadstat.UnsteadyNoneEnded},
		"2 users of 4 without a first chunk yet":                        {Code: loadstat.UnsteadyCold, N: 2, Of: 4},
		"measuring 1.0 of 3.0 s":                                        {Code: loadstat.UnsteadyShort, N: 1, Of: 3},
		"3 requests measured, 4 needed":                                 {Code: loadstat.UnsteadyFew, N: 3, Of: 4},
		"1 request measured, 3 needed":                                  {Code: loadstat.UnsteadyFew, N: 1, Of: 3},
		"no tokens in the window":                                       {Code: loadstat.UnsteadyNoTokens},
		"throughput still drifting: +26 % between halves of the window": {Code: loadstat.UnsteadyThroughput, N: 0.26},
		"throughput still drifting: −35 % between halves of the window": {Code: loadstat.UnsteadyThroughput, N: -0.35},
		"TTFT still drifting: +40 ms between halves of the window":      {Code: loadstat.UnsteadyTTFT, N: 40},
		"requests pile up: 9 under way, 4 before":                       {Code: loadstat.UnsteadyQueue, N: 9, Of: 4},
		"on hold":  {Code: loadstat.UnsteadyHold},
		"new_code": {Code: "new_code"},
	} {
		is(t, Unsteady(u), want)
	}
	for _, code := range codes {
		s := Unsteady(loadstat.Unsteady{Code: loadstat.UnsteadyCode(code), N: math.NaN(), Of: math.Inf(1)})
		testkit.That(t, s != "" && s != code, "%s: %q", code, s)
	}
}

func TestEveryBudgetHasAReasonAndASource(t *testing.T) {
	for _, l := range slo.Lenses() {
		testkit.That(t, LensAbout(l.Key) != "", "%s is about nothing", l.Key)
		for i := range l.Budgets {
			if why, source := LensBudget(&l.Budgets[i]); why == "" || source == "" {
				t.Errorf("%s %s: why %q, source %q", l.Key, l.Budgets[i].Metric, why, source)
			}
		}
	}
	if why, source := LensBudget(&slo.LensBudget{}); LensAbout("other")+why+source != "" {
		t.Error("words for what there is not")
	}
}

func TestLensBasis(t *testing.T) {
	for want, f := range map[string]slo.LensFigures{
		"":                    {Requests: 3},
		"not measured yet":    {Kind: slo.FiguresMeans},
		"one request":         {Kind: slo.FiguresMeans, Requests: 1},
		"mean of 14 requests": {Kind: slo.FiguresMeans, Requests: 14},
		"predicted":           {Kind: slo.FiguresPredicted, Requests: 1},
	} {
		is(t, LensBasis(&f), want)
	}
}

func TestQuestion(t *testing.T) {
	f := func(users int, tokens float64, d time.Duration) loadstat.Forecast {
		return loadstat.Forecast{Users: users, Prompt: tokens, For: d, Assumed: 100}
	}
	priced := f(64, 2_246_400, 0)
	priced.Cost, priced.Currency, priced.Basis = metrics.Known(5.184, 0), "EUR", loadstat.BasisCap
	count := f(1, 187_272.7, time.Minute)
	count.Basis, count.Count = loadstat.BasisCount, 12
	schedule := f(7, 90_000, time.Second)
	schedule.Basis = loadstat.BasisSchedule
	for want, q := range map[string]loadstat.Question{
		"": {},
		"5 users on it would use up to 9,375 tokens in 10s (if every user gets 100 tok/s). Go " +
			"on?": {Endpoint: "it", Forecast: f(5, 9375, 10*time.Second)},
		"64 users on it would use up to 2.25M tokens a minute, 5.184 EUR (up to the cap). Go " +
			"on?": {Endpoint: "it", Forecast: priced},
		"1 user on it would use up to 187,273 tokens in 1m0s (for all 12 requests). Go " +
			"on?": {Endpoint: "it", Forecast: count},
		"7 users on it would use up to 90,000 tokens in 1s (if every request of the schedule is answered). Go " +
			"on?": {Endpoint: "it", Forecast: schedule},
		"99,000 tokens are used, and more than 100,000 need your consent. Go " +
			"on?": {Endpoint: "it", Used: 99_000, Free: 100_000, Brief: true},
		"99,000 tokens are used, and more than 100,000 need your consent. 5 users on it would use up to 9,375 tokens in " +
			"10s (if every user gets 100 tok/s). Go on?": {Endpoint: "it", Used: 99_000, Free: 100_000,
			Forecast: f(5, 9375, 10*time.Second)},
	} {
		is(t, Question(q), want)
	}
}

func TestClientLimit(t *testing.T) {
	for want, c := range map[string]loadstat.ClientLimit{
		"": {},
		"requests leave 412 ms after their scheduled time (p99): the schedule is not kept, because all 2 users wait for " +
			"an answer": {Code: loadstat.LimitSchedule, Ms: 412, Users: 2},
		"requests leave 412 ms after their scheduled time (p99): the schedule is not kept, because tokscope " +
			"lags": {Code: loadstat.LimitSchedule, Ms: 412},
		"tokscope lags 5.10 ms (p99): its requests leave late, throughput up to 9 % too " +
			"low": {Code: loadstat.LimitSending, Ms: 5.1, Slower: 0.09},
		"tokscope reads 14.0 ms late (p99): kernel timestamps are unaffected, its next requests are late, throughput up " +
			"to 8 % too low": {Code: loadstat.LimitReading, Ms: 14, Slower: 0.08},
		"late": {Code: "late"},
	} {
		is(t, ClientLimit(c).String(), want)
	}
}

// explained are the figures that the definition of another one explains as well.
var explained = map[figure.ID][]figure.ID{
	figure.TPOT: {figure.DecodeTokens}, figure.PromptTokens: {figure.CachedTokens, figure.ReasoningTokens},
	figure.ChunkSpeed: {figure.Chunks}, figure.StallCost: {figure.StallShare},
	figure.FirstSentence: {figure.SpeakerSlow, figure.SpeakerFast},
	WaitParts: {figure.DNS, figure.TCP, figure.TLS, figure.Connect, figure.Sending, figure.Upload,
		figure.Queue, figure.Prefill},
}

// TestDefinitions holds that every figure has one definition, of its own or as a part of
// another.
func TestDefinitions(t *testing.T) {
	seen := map[figure.ID]int{}
	for _, d := range Definitions() {
		for _, id := range append(explained[d.ID], d.ID) {
			seen[id]++
		}
		testkit.That(t, d.Text != "" && d.Formula != "" && d.Unit != "" && d.Undefined != "" && d.Label != "",
			"the definition %+v lacks a part", d)
	}
	for id := range RateLimit + 1 {
		testkit.Is(t, seen[id], 1, "figure", id, "has … definitions")
	}
}

func TestVoice(t *testing.T) {
	ms := func(v float64) metrics.Value { return metrics.Known(v, 0) }
	for want, v := range map[string]slo.Voice{
		"": {},
		"first sentence after 640 ms; a speaker at 150–180 wpm never waits": {Sentence: ms(640),
			Dry: [2]metrics.Value{ms(0), ms(0)}},
		"first sentence after 640 ms; a speaker at 180 wpm waits 1.20 s, at 150 never": {Sentence: ms(640),
			Dry: [2]metrics.Value{ms(0), ms(1200)}},
		"first sentence after 1.64 s; a speaker at 150–180 wpm waits 400–667 ms": {Sentence: ms(1640),
			Dry: [2]metrics.Value{ms(400), ms(667)}},
		"first sentence: – (no sentence has " +
			"ended)": {Sentence: metrics.Unknown(metrics.WhyNoSentence)},
		"first sentence: – (no visible " +
			"text)": {Sentence: metrics.Unknown(metrics.WhyNoTextEnd)},
	} {
		is(t, Voice(&v), want)
	}
}

func TestUse(t *testing.T) {
	for _, c := range []struct {
		u    metrics.Use
		want string
		busy bool
	}{
		{metrics.Use{}, "", false},
		{metrics.Use{Cores: 2}, "", false},
		{metrics.Use{CPU: 0.31, Seconds: 5, Cores: 2}, "; used 0.310 of 2 cores", false},
		{metrics.Use{CPU: 1.6, Seconds: 1, Cores: 2}, "; used 1.60 of 2 cores", true},
		{metrics.Use{Descriptors: 118, DescriptorLimit: 1024}, "; used 118 of 1,024 descriptors", false},
		{metrics.Use{CPU: 0.9, Seconds: 1, Cores: 1, Descriptors: 900, DescriptorLimit: 1024},
			"; used 0.900 of 1 core, 900 of 1,024 descriptors", true},
		{metrics.Use{Descriptors: 118}, "", false},
	} {
		if got := Use(&c.u); got != c.want || c.u.Busy() != c.busy {
			t.Errorf("%+v: %q, busy %v", c.u, got, c.u.Busy())
		}
	}
}

// A lesson's text has its figures as every text has them.
func TestLesson(t *testing.T) {
	figure := func(unit string, v float64) string { return serving.LessonFigure(unit, metrics.Known(v, 1)) }
	for text, want := range map[string]string{
		"no figure": "no figure",
		"first token after " + figure(serving.LessonMs, 41.26) + ", then " + figure(serving.LessonRate,
			4114) + ".": "first token after 41.3 ms, then 4,110 tok/s.",
		figure(serving.LessonBytes, 15.04e9) + ", " + figure(serving.LessonShare, 0.004) + ", " + figure(serving.LessonTimes,
			28.3): "15.0 GB, <1 %, 28x",
		figure(serving.LessonCount, 12345) + " tokens, " + figure(serving.LessonNumber, 8.03) + " billion, " +
			figure(serving.LessonLimit, 200): "12,345 tokens, 8.03 billion, 200 ms",
		serving.LessonFigure(serving.LessonMs, metrics.Unknown(metrics.WhyNoCount)) +
			" a step": "– a step",
		"{name} stays, {ms many} too, { also": "{name} stays, {ms many} too, { also",
	} {
		if got := Lesson(text); got != want || string(AppendLesson([]byte("|"), text)) != "|"+want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestKnobs checks the words of the knobs, of their positions and of changes.
func TestKnobs(t *testing.T) {
	from := serving.Knobs{Model: "llama-3.1-8b", Precision: "bf16", Hardware: "h100", Users: 8, Prompt: 1000, Output: 200,
		Mode: "continuous", Accept: 0.8, Time: 0.2}
	to := from
	to.Precision, to.Users, to.DraftK, to.Time, to.TP = "q4", 64, 3, 1, 2
	is(t, KnobChanges(&from, &to),
		"quantization bf16 → q4, tensor parallel auto → 2, users 8 → 64, draft off → 3, time 0.2x → 1x")
	is(t, KnobChanges(&to, &to), "")
	other := from
	other.Accept = 0.5
	testkit.Is(t, KnobChanges(&from, &other), "", "acceptance changed without a draft model")
	for k := range serving.NumKnobs {
		if Knob(k) == "" || KnobPosition(k, &to) == "" {
			t.Errorf("knob %v is %q, at %q", k, Knob(k), KnobPosition(k, &to))
		}
	}
	testkit.That(t, Knob(serving.NumKnobs) == "" && KnobPosition(serving.KnobAccept, &from) == format.Unknown,
		"a knob that does not exist has a word, or acceptance without a draft model a position")
	for _, x := range []struct {
		knob serving.Knob
		c    serving.KnobChoice
		want string
	}{
		{serving.KnobModel, serving.KnobChoice{Name: "Llama 3.3 70B", Auto: 4, Knobs: from}, "Llama 3.3 70B (on 4)"},
		{serving.KnobModel, serving.KnobChoice{Name: "Llama 3.1 8B", Auto: 1, Knobs: from}, "Llama 3.1 8B"},
		{serving.KnobTP, serving.KnobChoice{Auto: 2, Knobs: from}, "auto (2)"},
		{serving.KnobTP, serving.KnobChoice{Knobs: to}, "2"},
		{serving.KnobBudget, serving.KnobChoice{Knobs: from}, "auto"},
		{serving.KnobAccept, serving.KnobChoice{Knobs: from}, "80 %"},
		{serving.KnobTime, serving.KnobChoice{Knobs: from}, "0.2x"},
		{serving.KnobPrompt, serving.KnobChoice{Knobs: serving.Knobs{Prompt: 32000}}, "32,000"},
	} {
		is(t, KnobChoice(x.knob, &x.c), x.want)
	}
}

// TestEveryEndingHasWords checks that each reason why a load or a sweep ends by
// itself has its sentence, with the numbers of the house.
func TestEveryEndingHasWords(t *testing.T) {
	last := &metrics.Fault{Kind: metrics.FaultHTTP, Message: "the server says no", Next: "check it"}
	eight := metrics.LoadStep{Users: 8}
	has := map[metrics.EndingCode]bool{}
	for want, e := range map[string]metrics.Ending{
		"": {},
		"the cap of 1,200,000 tokens is reached: 12,500 are used, 999 reserved for what runs, and the next request can " +
			"take 150": {Code: metrics.EndingCap,
			Tokens: metrics.CapUse{Max: 1.2e6, Used: 12_500, Reserved: 999, Next: 150}},
		"the load was stopped because the last 20 requests all failed: the server returned an error; the last one: the " +
			"server says no: check it": {
			Code: metrics.EndingFailures, Requests: 20, Most: 20, Kind: metrics.FaultHTTP, Last: last},
		"the load was stopped because the last 2,000 requests all failed: 1,999× connection broke; the last one: the " +
			"server says no: check it": {
			Code: metrics.EndingFailures, Requests: 2000, Most: 1999, Kind: metrics.FaultReset, Last: last},
		"stopped: the program was closing": {Code: metrics.EndingClosing},
		"interrupted":                      {Code: metrics.EndingInterrupted},
		"interrupted; the step of 8 users was under way and is left out": {Code: metrics.EndingInterrupted,
			Step: eight},
		"interrupted; the step of 1,000 prompt tokens was under way and is left out": {Code: metrics.EndingInterrupted,
			Step: metrics.LoadStep{Depth: 1000}},
		"ttft is missed at 1 request/s": {Code: metrics.EndingMissed,
			SLO: "ttft", Step: metrics.LoadStep{Rate: 1}},
		"the cap of 10 tokens is too low: the first request alone can take 1,200": {Code: metrics.EndingCap,
			Tokens: metrics.CapUse{Max: 10, Next: 1200}},
		"the cap of 10 tokens is too low: the first 2 requests alone can take 2,400": {Code: metrics.EndingCap,
			Tokens: metrics.CapUse{Max: 10, Next: 2400, Requests: 2}},
		"every request failed at 1 user": {Code: metrics.EndingStepFailed,
			Step: metrics.LoadStep{Users: 1}},
		"ttft is missed at 8 users": {Code: metrics.EndingMissed,
			SLO: "ttft", Step: eight},
		"ttft is missed at 0.5 requests/s": {Code: metrics.EndingMissed,
			SLO: "ttft", Step: metrics.LoadStep{Rate: 0.5}},
		"no port is free": metrics.NotBegun(errors.New("no port is free")),
		"–":               {Code: metrics.EndingError},
		"new_code":        {Code: "new_code"},
	} {
		has[e.Code] = true
		is(t, Ending(e), want)
	}
	codes := codesIn(t, "ending.go", "EndingCode")
	testkit.That(t, len(codes) >= 7, "found %d codes: the search does not work", len(codes))
	for _, code := range codes {
		testkit.That(t, has[metrics.EndingCode(code)], "%s has no sentence here", code)
	}
}

// TestNoCodeStandsForAWord: what failed has words wherever failures are counted.
func TestNoCodeStandsForAWord(t *testing.T) {
	for kind, words := range faults {
		for _, text := range []string{
			Ending(metrics.Ending{Code: metrics.EndingFailures, Requests: 9, Most: 9, Kind: kind}),
			Ending(metrics.Ending{Code: metrics.EndingFailures, Requests: 9, Most: 8, Kind: kind}),
			FaultKinds([]metrics.FaultCount{{Kind: kind, N: 2}}),
			Failures([]metrics.FaultCount{{Kind: kind, N: 2}}),
			watchFaults(&watchstat.Recent{Faults: []metrics.FaultCount{{Kind: kind, N: 2}}}),
		} {
			testkit.That(t, strings.Contains(text, strings.TrimPrefix(words, "the ")),
				"%s: %q does not say %q", kind, text, words)
		}
	}
}

// TestOneWordForAnOutcome: a request that a person stopped is called the same in every
// list.
func TestOneWordForAnOutcome(t *testing.T) {
	e := history.Entry{State: metrics.Cancelled, Fault: metrics.FaultCancelled}
	r := request.Row{State: e.State, Fault: e.Fault}
	is(t, Outcome(e.State)+HistoryEnded(&e)+RequestEnded(&r), "stoppedstoppedstopped")
}

// TestBriefDoubtsFit checks that every doubt has a brief form, and that it fits
// BriefMost columns with large numbers.
func TestBriefDoubtsFit(t *testing.T) {
	for _, name := range codesIn(t, "suspect.go", "SuspectCode") {
		code := metrics.SuspectCode(name)
		for _, s := range []metrics.Suspicion{
			{Code: code, N: 3, Of: 5, Ratio: 1.36, Ms: 12.3},
			{Code: code, N: 200_000, Of: 200_000, Ratio: 987.6, Ms: 987_654, Delay: metrics.Delay{P99: 98_765}},
		} {
			if text := SuspicionBrief(&s); text == "" || text == string(code) || utf8.RuneCountInString(text) > BriefMost {
				t.Errorf("%s is written as %q", code, text)
			}
		}
	}
	for code, text := range notes {
		got := NoteBrief(&metrics.Note{Code: code})
		testkit.That(t, got == text && utf8.RuneCountInString(got) <= BriefMost, "the note %s is written as %q", code, got)
	}
	is(t, NoteBrief(&metrics.Note{Code: "a_word\x1b_that_is_much_too_long_for_the_line"}),
		"a word  that is much too long ")
}

// TestEverySuspicionHasASentence checks the text of every code.
func TestEverySuspicionHasASentence(t *testing.T) {
	codes := codesIn(t, "suspect.go", "SuspectCode")
	if len(codes) != len(doubts)+3 || len(codes) < 19 { // suspicion writes three itself
		t.Errorf("%d codes, %d sentences", len(codes), len(doubts))
	}
	for _, code := range codes {
		s := Suspicion(&metrics.Suspicion{Code: metrics.SuspectCode(code), N: 2, Of: 3})
		testkit.That(t, len(strings.Fields(s)) >= 4 && !strings.Contains(s, "%!"), "%s: %q", code, s)
	}
	for want, s := range map[string]metrics.Suspicion{
		"30 of 40 chunks came in one read: gaps and speed are not the " +
			"model's": {Code: metrics.SuspectTerminalBurst, N: 30, Of: 40},
		"a proxy or the server buffers: 8.00 chunks at a time, 120 ms " +
			"apart": {Code: metrics.SuspectBuffered, Ratio: 8, Ms: 120},
		"chunks look held back: nothing for 900 ms, then 40 within 5.00 " +
			"ms": {Code: metrics.SuspectHeld, Ms: 900, N: 40, Limit: 5},
		"the server decoded for 200 ms, and its chunks came within 2.00 ms: they were held back on the " +
			"way": {Code: metrics.SuspectHeldDecode, Ms: 200, Limit: 2},
		"the whole answer, about 60 tokens, came in one chunk after 1.00 s: it was not " +
			"streamed": {Code: metrics.SuspectOneChunk, N: 60, Ms: 1000},
		"the first chunk carried 3 tokens: TPOT is 22 % too " +
			"small": {Code: metrics.SuspectFirstChunk, N: 3, Ratio: 2. / 9},
		"tokscope read 6.00 ms late (p99, worst 81.0 ms): 75 % of the gaps have only bounds; TTFT is not " +
			"affected": {Code: metrics.SuspectLate, Delay: metrics.Delay{Code: metrics.DelayReads, P99: 6, Max: 81,
			Shared: 0.75}},
		"tokscope read 6.00 ms late (p99, worst 81.0 ms): 75 % of the gaps have only bounds; TTFT may be " +
			"shorter": {Code: metrics.SuspectLate, Delay: metrics.Delay{Code: metrics.DelayReads, P99: 6, Max: 81, Shared: 0.75,
			First: true}},
		"tokscope lagged 6.00 ms (p99, worst 9.00 ms): TTFT and every gap may be late by as " +
			"much": {Code: metrics.SuspectLate, Delay: metrics.Delay{Code: metrics.DelayStamps, P99: 6, Max: 9}},
		"tokscope lagged 6.00 ms (p99, worst 9.00 ms): times without a kernel timestamp may be late by as " +
			"much": {Code: metrics.SuspectLate, Delay: metrics.Delay{Code: metrics.DelayMixed, P99: 6, Max: 9}},
		"tokscope was suspended for 4.20 s, or the machine was: a gap across this is not the " +
			"server's": {Code: metrics.SuspectStopped, Ms: 4200},
		"the server reports 150 ms before the first token; the client waited 100 " +
			"ms": {Code: metrics.SuspectServer, Ms: 150, Limit: 100},
		"the response came with Content-Encoding \"gzip\" although none was offered: the encoder may hold chunks " +
			"back": {Code: metrics.SuspectCompressed, Name: "gzip"},
		"reasoning was summarized: 460 counted, about 20 sent; TPOT and speed are the " +
			"answer's": {Code: metrics.SuspectSummarized, N: 460, Of: 20, Ms: 12.5},
		"reasoning was summarized: 400 counted, about 28 " +
			"sent": {Code: metrics.SuspectSummarized, N: 400, Of: 28},
		"[DONE] is missing and the connection was cut behind the whole answer: clients that wait for it " +
			"fail": {Code: metrics.SuspectCutOff, Name: "[DONE]"},
		"message_stop is missing and the connection stayed open: clients that wait for it " +
			"hang": {Code: metrics.SuspectLeftOpen, Name: "message_stop"},
		"new_code": {Code: "new_code"},
	} {
		is(t, Suspicion(&s), want)
	}
}

// TestNamesKeepTheirLetters: a name from a protocol that begins a sentence gets no capital.
func TestNamesKeepTheirLetters(t *testing.T) {
	for want, text := range map[string]string{
		"message_stop is missing": "message_stop is missing", "run_query came at once": "run_query came at once",
		"tokscope's lag": "tokscope's lag", "[DONE] is missing": "[DONE] is missing", "12 wait": "12 wait",
		"First token of run_query": "first token of run_query", "Émission": "émission",
	} {
		is(t, capital(text), want)
	}
	for _, marker := range []string{"message_stop", "response_done", "stream_end_v2"} {
		s := metrics.Suspicion{Code: metrics.SuspectLeftOpen, Name: marker}
		is(t, Conclusion([]verdict.Finding{{Code: verdict.Code(s.Code), Suspect: &s}}), Suspicion(&s)+".")
	}
}

// TestFit checks what a sentence loses where room is short: words first, then
// clauses by their rank, and a part of one last.
func TestFit(t *testing.T) {
	s := Sentence{{Text: "64 users"}, {Text: ": 65.2 tok/s", Brief: ": 65.2", Rank: 1}, {Text: ", 4,110 aggregate",
		Rank: 3},
		{Text: " (about)", Rank: 3}, {Text: "; alone 149 tok/s", Brief: "; alone 149", Rank: 2}}
	for w, want := range map[int]string{
		99: "64 users: 65.2 tok/s, 4,110 aggregate (about); alone 149 tok/s",
		53: "64 users: 65.2, 4,110 aggregate (about); alone 149",
		49: "64 users: 65.2 tok/s; alone 149 tok/s", 36: "64 users: 65.2 tok/s; alone 149", 26: "64 users: 65.2; alone 149",
		20: "64 users: 65.2 tok/s", 19: "64 users: 65.2", 9: "64 users", 5: "64 u…", 0: "",
	} {
		is(t, s.Fit(w), want)
	}
	is(t, s.FitRows(17, 2), "64 users: 65.2 tok/s; alone 149")
	is(t, (Sentence{{Text: "12 wait"}}).then("; ", Sentence{{Text: "13 run", Brief: "13"}}.after(1)).Fit(12),
		"12 wait; 13")
}

func TestRateLimitWords(t *testing.T) {
	known := func(v float64) metrics.Value { return metrics.Known(v, 2) }
	none := metrics.Unknown(metrics.WhyTwoAnswers)
	for _, c := range []struct {
		f    metrics.LimitForecast
		want string
	}{
		{metrics.LimitForecast{Limit: -1, Left: -1}, ""},
		{metrics.LimitForecast{Limit: 6000, Left: 4200, Age: known(0), Reset: known(60_000), Pace: known(105),
			UsedUp: known(40_000), Outcome: metrics.LimitUsedUp, Answers: 2},
			"4,200 of 6,000 tokens left, reset in 60 s; at this pace used up in 40 s"},
		{metrics.LimitForecast{Limit: -1, Left: 4200, Age: known(0), Reset: known(6000), Pace: known(105),
			UsedUp: known(40_000), Outcome: metrics.LimitLasts, Answers: 2},
			"4,200 tokens left, reset in 6 s; at this pace it lasts past the reset"},
		{metrics.LimitForecast{Limit: -1, Left: 4200, Age: known(0), Reset: none, Pace: known(-3),
			UsedUp: metrics.Unknown(metrics.WhyNotFalling), Outcome: metrics.LimitLasts, Answers: 2},
			"4,200 tokens left; at this pace it lasts"},
		{metrics.LimitForecast{Limit: -1, Left: 5, Age: known(0), Reset: known(400), Pace: none, UsedUp: none, Answers: 1},
			"5 tokens left, reset in <1 s; pace – (needs 2 answers in 60 s)"},
		{metrics.LimitForecast{Limit: 10, Left: 20, Age: known(0), Reset: known(6000), Pace: known(0), UsedUp: none,
			Outcome: metrics.LimitLasts, Answers: 2},
			"20 tokens left, limit 10, reset in 6 s; at this pace it lasts"},
		{metrics.LimitForecast{Limit: 10, Left: 20, Age: known(0), Reset: none,
			Pace: metrics.Unknown(metrics.WhyAnswersApart), UsedUp: none, Answers: 2},
			"20 tokens left, limit 10; pace – (needs 2 answers 1 s apart)"},
		{metrics.LimitForecast{Limit: 10, Left: 20, Age: known(90_000), Reset: known(0), Pace: none, UsedUp: none,
			Outcome: metrics.LimitReset, Answers: 4},
			"20 tokens left 90 s ago, limit 10; it has reset since"},
		{metrics.LimitForecast{Limit: 10, Left: 10, Age: known(0), Reset: none, Pace: known(0), UsedUp: none,
			Outcome: metrics.LimitLasts, Answers: 2},
			"10 of 10 tokens left; at this pace it lasts"},
		{metrics.LimitForecast{Limit: 6000, Left: 0, Age: known(0), Reset: known(45_000), Pace: known(105), UsedUp: known(0),
			Outcome: metrics.LimitUsedUp, Answers: 2},
			"0 of 6,000 tokens left: used up, resets in 45 s"},
		{metrics.LimitForecast{Limit: -1, Left: 0, Age: known(0), Reset: none, Pace: none, UsedUp: known(0),
			Outcome: metrics.LimitUsedUp, Answers: 1},
			"0 tokens left: used up"},
		{metrics.LimitForecast{Limit: 10, Left: 3, Age: known(90_000), Reset: known(0), Pace: none, UsedUp: none,
			Outcome: metrics.LimitReset, Answers: 4},
			"3 of 10 tokens left 90 s ago; it has reset since"},
	} {
		is(t, limitLeft(&c.f, "tokens"), c.want)
	}
	all := metrics.LimitForecasts{
		Requests: metrics.LimitForecast{Left: 9, Outcome: metrics.LimitUsedUp, UsedUp: known(50_000), Answers: 3},
		Tokens:   metrics.LimitForecast{Left: 4200, Outcome: metrics.LimitUsedUp, UsedUp: known(40_000), Answers: 3},
	}
	check := func(text, mark string) {
		t.Helper()
		if got, _, spent := RateLimitBrief(&all); got != text || spent != (mark != "") || RateLimitMark(&all) != mark {
			t.Errorf("%q, spent %v, mark %q; want %q and %q", got, spent, RateLimitMark(&all), text, mark)
		}
	}
	check("tokens used up in 40 s", "rate limit in 40 s")
	all.Tokens.Outcome = metrics.LimitLasts
	check("requests used up in 50 s", "rate limit in 50 s")
	all.Requests.Outcome = metrics.LimitLasts
	check("4,200 tokens left", "")
	all.Tokens = metrics.LimitForecast{Left: 0, Reset: known(45_000), UsedUp: known(0), Outcome: metrics.LimitUsedUp,
		Answers: 3}
	check("0 tokens left for 45 s", "rate limit used up")
	all = metrics.LimitForecasts{}
	check("", "")
}

// TestPartOfChange holds that a part never explains more than all: what is over is said as
// the rest that went the other way.
func TestPartOfChange(t *testing.T) {
	for _, c := range []struct {
		part, whole float64
		want        string
	}{
		{289, 290, "289 of the +290 ms"}, {-5.5, -10.7, "5.50 of the −10.7 ms"}, {112, 98, "+112 ms, rest −14.0 ms"},
		{-30, -10, "−30.0 ms, rest +20.0 ms"}, {280, 280, "280 of the +280 ms"}, {950, 1200, "950 ms of the +1.20 s"},
	} {
		is(t, PartOfChange(c.part, c.whole), c.want)
	}
}

// TestSettings holds that the API is no setting beside a workload: one of them is named "chat".
func TestSettings(t *testing.T) {
	for _, c := range []struct{ api, settings, want string }{
		{"", "", ""},
		{"", "X-Team: blue", "with X-Team: blue"},
		{"messages", "api=messages", "API messages"},
		{"messages", "api=messages, X-Team: blue, extra.top_k=40", "API messages, with X-Team: blue, extra.top_k=40"},
	} {
		is(t, Settings(&metrics.Endpoint{API: c.api, Settings: c.settings}), c.want)
	}
}

// TestWaitOf holds whose wait a refused request shows: Retry-After is named only where
// the server sent it, in any of its forms.
func TestWaitOf(t *testing.T) {
	const of, until, named = "of the server's Retry-After", "until its limit resets", "as the answer says"
	limits := func(requests, tokens time.Duration) *metrics.RateLimit {
		return &metrics.RateLimit{ResetRequests: requests, ResetTokens: tokens}
	}
	for _, c := range []struct {
		wait   time.Duration
		field  string
		limits *metrics.RateLimit
		want   string
	}{
		{7 * time.Second, "Retry-After", nil, of},
		{1500 * time.Millisecond, "retry-after-ms", limits(-1, -1), of},
		{40 * time.Second, "X-Ms-Retry-After-Ms", limits(time.Minute, time.Hour), of},
		{3 * time.Minute, "X-Ratelimit-Reset-Requests", limits(3*time.Minute, -1), until},
		{432 * time.Second, "X-Ratelimit-Reset", limits(time.Second, 432*time.Second), until},
		{30 * time.Second, "Ratelimit", limits(-1, 30*time.Second), until},
		{34 * time.Second, "Server", nil, named},
		{34 * time.Second, "", nil, named},
		{90 * time.Second, "X-Ratelimit-Reset-Tokens", limits(-1, 12*time.Second), named},
	} {
		s := metrics.Stream{Fault: &metrics.Fault{RetryAfter: c.wait}, RateLimit: c.limits}
		if c.field != "" {
			s.Head = &metrics.ResponseHead{Fields: []metrics.HeaderField{{Name: "Date"}, {Name: c.field}}}
		}
		got := WaitOf(&s)
		testkit.That(t, got == c.want, "%v with %q: %q", c.wait, c.field, got)
	}
}

func TestSpeedOfAReplay(t *testing.T) {
	for x, want := range map[float64]string{0.001: "0.001x", 0.0333: "0.0333x", 0.1: "0.1x", 1: "1x", 1000: "1,000x"} {
		is(t, ReplaySpeed(x), want)
	}
}
