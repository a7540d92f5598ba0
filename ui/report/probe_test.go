package report

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/ui/uitest/golden"
)

// lensRun is a request that ended in state: a first token after ttft, then 21
// tokens 20 ms apart.
func lensRun(ttft time.Duration, state metrics.State) metrics.Run {
	s := metrics.Stream{State: state, Finish: "stop", Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1, TokensFrom: metrics.TokensUsage}
	s.Marks.Start, s.Marks.Sent = 1e9, 1e9
	s.Usage.Completion = 21
	for i := range 21 {
		s.Text = append(s.Text, "word "...)
		at := s.Marks.Sent + metrics.Stamp(ttft) + metrics.Stamp(i)*20e6
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: int32(i), Event: int32(i), Tokens: 1, TextEnd: int32(len(s.Text))})
	}
	s.Marks.End = s.Chunks[20].At
	s.Now = s.Marks.End
	return metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
}

// lateRun is a request whose reads of four chunks each came 30 ms late, every 20
// ms.
func lateRun(kernel bool) metrics.Run {
	s := metrics.Stream{ID: 1, State: metrics.Done, Finish: "stop", Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1, Events: 400, Stamps: metrics.SourceUser}
	s.Marks.Start, s.Marks.Sent = 0, 0
	s.Observer = metrics.Observer{N: 100, LateP99: 30 * time.Millisecond, LateMax: 80 * time.Millisecond, UserStamps: 400}
	if kernel {
		s.Stamps = metrics.SourceKernel
		s.Observer = metrics.Observer{N: 100, KernelStamps: 400, LateEvents: 400, LagP99: 30 * time.Millisecond, LagMax: 80 * time.Millisecond}
	}
	for i := range 400 {
		at := metrics.Stamp(100e6 + i/4*20e6)
		s.Text = append(s.Text, "word "...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at + 30e6, Kernel: kernel, Read: int32(i / 4), Event: int32(i), TextEnd: int32(len(s.Text)), Tokens: 1})
	}
	s.Marks.End = s.Chunks[399].At
	return metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
}

// TestProbes shows what a probe says: a stall, a retry, a failure, a warm-up, objectives,
// the server's own times, histograms, lists, and why figures are unknown.
func TestProbes(t *testing.T) {
	const ms = time.Millisecond
	good, failed, plain := pricedRun(), failedRun(), lensRun(640*ms, metrics.Done)
	good.Stream.Retried = 1
	good.Stream.Notes = []metrics.Note{{Code: "retried", Text: "sent again; the first may have been billed"}}
	good.Figures.PrefillSpeed, good.Figures.ServerSpeed = metrics.Known(3120, 1), metrics.Known(151, 1)
	good.Figures.GapsUnknown = 1
	value := func(v float64) metrics.Value { return metrics.Known(v, 1) }
	good.Figures.Wait = []metrics.Share{{Name: metrics.ShareSend, Ms: value(0.05)},
		{Name: metrics.ShareQueue, Ms: value(0), Server: true}, {Name: metrics.SharePrefill, Ms: value(600), Server: true},
		{Name: metrics.ShareUnexplained, Ms: value(25)}}
	var scenes []scene
	add := func(shows string, form Form, runs ...metrics.Run) {
		form.By = testOrigin
		scenes = append(scenes, scene{shows, Probe(runs, form)})
	}
	list := func(line string) *request.Filter {
		f, err := request.ParseFilter(line)
		if err != nil {
			t.Fatal(err)
		}
		return &f
	}
	slos, err := slo.Parse("ttft=500ms")
	if err != nil {
		t.Fatal(err)
	}
	add("all that it can say", Form{SLOs: slos, Warmup: &loadstat.Warmup{Requests: 1}, Path: "/tmp/session.ndjson",
		Asked: 4, Interrupted: true, Histogram: true, List: list("sort:-ttft")}, good, good, failed)
	add("one request", Form{}, good)
	add("five: dashes and a row of them have their reason", Form{}, slices.Repeat([]metrics.Run{plain}, 5)...)
	many := slices.Repeat([]metrics.Run{plain}, 120)
	for i := range many {
		many[i].Figures.Peak = value(50)
	}
	add("120: nothing is unknown", Form{}, many...)
	single := plain
	single.Stream.Chunks, single.Stream.Usage.Completion = single.Stream.Chunks[:1:1], 1
	single.Figures = metrics.Measure(&single.Stream, metrics.Options{})
	add("one chunk", Form{Histogram: true}, single)
	answered := plain
	answered.Stream.Endpoint.Model, answered.Stream.Model = "no-such", "mid"
	add("another model answered", Form{}, answered)
	stopped := lensRun(640*ms, metrics.Cancelled)
	stopped.Stream.Fault = &metrics.Fault{Kind: metrics.FaultCancelled, Message: "stopped"}
	add("a person ended it", Form{Asked: 20, Interrupted: true}, plain, stopped)
	add("a person ended it before the first", Form{Asked: 20, Interrupted: true})
	estimated := plain
	estimated.Figures.Peak, estimated.Figures.TokenSource = value(52), metrics.TokensEstimated
	add("tokens are estimated", Form{}, estimated)
	add("late reads, by the kernel", Form{}, lateRun(true))
	add("late reads, by tokscope", Form{}, lateRun(false))

	with := func(state metrics.State, reused bool) metrics.Run {
		r := lensRun(640*ms, state)
		r.Stream.Conn.Reused, r.Stream.Marks.GotConn = reused, r.Stream.Marks.Sent
		return r
	}
	warm := Form{Warmup: &loadstat.Warmup{Requests: 1}}
	add("a connection that failed, two reused, one never", Form{}, with(metrics.Failed, false), with(metrics.Done, true),
		with(metrics.Done, true), lensRun(640*ms, metrics.Failed))
	add("a connection beside that of the warm-up", warm, with(metrics.Done, false), with(metrics.Done, true))
	add("the connection of the warm-up", warm, with(metrics.Done, true), with(metrics.Done, true))
	add("a warm-up with a failure", Form{Warmup: &loadstat.Warmup{Requests: 3, Failed: 1, Prompt: metrics.Known(60, 2),
		Faults: []metrics.FaultCount{{Kind: metrics.FaultReset, N: 1}}, Output: metrics.Known(400, 2),
		Cost: metrics.Known(0.0212345678, 2), Currency: "USD"}}, plain)
	cut := loadstat.WarmupOf([]metrics.Run{{Stream: metrics.Stream{State: metrics.Cancelled},
		Figures: metrics.Figures{Tokens: metrics.Unknown(metrics.WhyNoTokens)}}})
	add("a warm-up alone", Form{Warmup: &cut})
	cut.Output.Why = 0
	add("a warm-up whose tokens nobody counted", Form{Warmup: &cut})

	priced := failed
	priced.Stream.Endpoint.Price = good.Stream.Endpoint.Price
	add("a cost of two of three", Form{}, pricedRun(), pricedRun(), priced)
	add("no cost is known", Form{}, priced)
	busy := lensRun(time.Second, metrics.Failed)
	busy.Stream.Fault = &metrics.Fault{Kind: metrics.FaultHTTP, Status: 503, Message: "busy \x1b[2J\u202enow"}
	add("the slowest first", Form{List: list("sort:-ttft status:ok")}, lensRun(40*ms, metrics.Done), plain, busy)
	add("the failed one", Form{List: list("status:5xx")}, lensRun(40*ms, metrics.Done), plain, busy)
	add("none matches", Form{List: list("ttft>1h")}, plain)

	spread := []metrics.Run{lensRun(ms, metrics.Done), lensRun(9*time.Second, metrics.Done), lensRun(ms, metrics.Failed)}
	for i := range 200 {
		spread = append(spread, lensRun(time.Duration(100+i%20)*ms, metrics.Done))
	}
	add("a histogram whose tails have a row each", Form{Histogram: true}, spread...)
	burst := lensRun(100*ms, metrics.Done)
	burst.Stream.Chunks[20].Read = burst.Stream.Chunks[19].Read
	burst.Figures = metrics.Measure(&burst.Stream, metrics.Options{})
	add("a histogram without the gap inside a read, in ASCII", Form{Histogram: true, ASCII: true}, burst)
	show(t, "probe", scenes...)
}

// TestLens shows how runs meet the figures of a lens.
func TestLens(t *testing.T) {
	const ms = time.Millisecond
	runs := []metrics.Run{lensRun(640*ms, metrics.Done), lensRun(600*ms, metrics.Done), lensRun(620*ms, metrics.Done),
		lensRun(20*ms, metrics.Failed)}
	chat, task := slo.LensByKey("chat"), slo.AgentTask{Steps: 10, Tokens: 31}
	show(t, "lens", scene{"chat", Lens(runs, chat, slo.AgentTask{})},
		scene{"an agent's task", Lens(runs[:1], slo.LensByKey("agent"), task)},
		scene{"none ended well", Lens(runs[3:], chat, slo.AgentTask{})})
}

// TestSoundIsJudgedAsSound holds that a probe has the distribution of the first sound where
// answers have some, and that the voice lens names it in place of the first sentence.
func TestSoundIsJudgedAsSound(t *testing.T) {
	var runs []metrics.Run
	for _, ms := range []metrics.Stamp{700, 900, 0, 1100} {
		r := lensRun(200*time.Millisecond, metrics.Done)
		if ms > 0 {
			r.Stream.Marks.FirstAudio, r.Stream.AudioBytes = r.Stream.Marks.Sent+ms*1e6, 24_000
			r.Figures = metrics.Measure(&r.Stream, metrics.Options{})
		}
		runs = append(runs, r)
	}
	text := Probe(runs, Form{Lens: "voice"}).Text(200) + Lens(runs, slo.LensByKey("voice"), slo.AgentTask{}).Text(200)
	for _, want := range []string{`\nTTFA +900 ms +– +700 ms – 1.10 s +– +– +3\n`, "Misses the voice lens: TTFA 900 ms, budget 510 ms",
		`\nTTFA +900 ms +≤ 510 ms +misses +390 ms over`, `\nspeed +– .*unknown +tokens are sound`} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if text += Probe(runs[2:3], Form{}).Text(200); strings.Contains(text, "first sentence") || strings.Count(text, "\nTTFA") != 3 {
		t.Errorf("a first sentence beside sound, or sound in text:\n%s", text)
	}
}

// TestProbeCSV shows a line of the CSV of a probe as a column: of a run that is done, of
// one that failed, whose unknown figures are empty cells, and of one whose names come
// from outside, of which none runs as a formula.
func TestProbeCSV(t *testing.T) {
	r := pricedRun()
	r.Stream.Model, r.Stream.RequestID, r.Stream.Endpoint.Name = "=1+1", "@SUM(A1)", "\x1b[31m+1"
	var b, shown strings.Builder
	if err := ProbeCSV(&b, []metrics.Run{pricedRun(), failedRun(), r}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows[0] {
		for _, row := range rows {
			shown.WriteString(row[i] + "\t")
		}
		shown.WriteByte('\n')
	}
	golden.Text(t, "probe-csv", strings.ReplaceAll(shown.String(), "\t\n", "\n"))
}

// TestSeveralAreToldAsSeveral holds that what only some of the requests have is not said of
// all, whichever of them is the last.
func TestSeveralAreToldAsSeveral(t *testing.T) {
	for models, want := range map[string]struct{ has, not string }{
		"mmmmmm": {"6 requests", "answered"},
		"mmmsms": {"2 of 6 requests were answered by s: TTFT 900 ms, else 100 ms.", "· answered by s"},
		"smmmms": {"2 of 6 requests were answered by s: TTFT 900 ms, else 100 ms.", "· answered by s"},
		"msmmmm": {"1 of 6 requests was answered by s: TTFT 900 ms, else 100 ms.", "· answered by s"},
		"ssssss": {"Another model answered: s.", "of 6 requests"},
	} {
		var runs []metrics.Run
		for i, m := range models {
			r := lensRun(100*time.Millisecond, metrics.Done)
			if m == 's' && models != "ssssss" {
				r = lensRun(900*time.Millisecond, metrics.Done)
			}
			r.Stream.ID, r.Stream.Model, r.Stream.Endpoint.Model = i+1, string(m), "m"
			r.Stream.Marks.Sent += metrics.Stamp(i) * 1e9
			runs = append(runs, r)
		}
		if text := Probe(runs, Form{}).Text(200); !strings.Contains(text, want.has) || strings.Contains(text, want.not) {
			t.Errorf("%s: %s", models, text)
		}
	}
}

// TestDoubtsAreNotes holds that a doubt which a conclusion leaves out is a note, of several
// requests with the number of those that have it, and that a check-up says what its short
// streams have.
func TestDoubtsAreNotes(t *testing.T) {
	runs := make([]metrics.Run, 6)
	for i := range runs {
		runs[i] = lensRun(100*time.Millisecond, metrics.Done)
		runs[i].Stream.ID, runs[i].Figures.Suspect = i+1, nil
	}
	runs[2].Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectUsageZero, N: 21}}
	runs[3].Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectUsageZero, N: 23}}
	const zero = "the server counts 0 output tokens for 23 chunks: not used"
	if text := Probe(runs, Form{}).Text(200); !strings.Contains(text, "in 2 of 6 requests, "+zero) {
		t.Error(text)
	}
	if text := reported(runs[3]).Text(200); !strings.Contains(text, zero) {
		t.Error(text)
	}
	other := &runs[0]
	other.Stream.Model, other.Stream.Endpoint.Model = "s", "m"
	other.Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectCached, N: 16, Of: 20}}
	report := doctor.Report{Checks: []doctor.Check{{Code: doctor.HTTP1, Grade: doctor.OK, Run: other}}}
	text := strings.Join(strings.Fields(writeCheckUp(t, &report, 300, false)), " ")
	if want := "; another model answered: s; 16 of 20 prompt tokens came from the server's cache"; !strings.Contains(text, want) {
		t.Error(text)
	}
}
