package report

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/ui/uitest/golden"
)

// lensRun is a request that ended in state: a first token after ttft, then 21
// tokens 20 ms apart.
func lensRun(ttft time.Duration, state metrics.State) metrics.Run {
	s := metrics.Stream{State: state, Finish: "stop", Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1,
		TokensFrom: metrics.TokensUsage}
	s.Marks.Start, s.Marks.Sent = 1e9, 1e9
	s.Usage.Completion = 21
	for i := range 21 {
		s.Text = append(s.Text, "word "...)
		at := s.Marks.Sent + metrics.Stamp(ttft) + metrics.Stamp(i)*20e6
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: int32(i), Event: int32(i), Tokens: 1,
			TextEnd: int32(len(s.Text))})
	}
	s.Marks.End = s.Chunks[20].At
	s.Now = s.Marks.End
	return metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
}

// lateRun is a request whose reads of four chunks each came 30 ms late, every 20
// ms.
func lateRun(kernel bool) metrics.Run {
	s := metrics.Stream{ID: 1, State: metrics.Done, Finish: "stop", Marks: metrics.NewMarks(), Usage: metrics.NoUsage(),
		LiveTokens: -1, Events: 400, Stamps: metrics.SourceUser}
	s.Marks.Start, s.Marks.Sent = 0, 0
	s.Observer = metrics.Observer{N: 100, LateP99: 30 * time.Millisecond, LateMax: 80 * time.Millisecond, UserStamps: 400}
	if kernel {
		s.Stamps = metrics.SourceKernel
		s.Observer = metrics.Observer{N: 100, KernelStamps: 400, LateEvents: 400, LagP99: 30 * time.Millisecond,
			LagMax: 80 * time.Millisecond}
	}
	for i := range 400 {
		at := metrics.Stamp(100e6 + i/4*20e6)
		s.Text = append(s.Text, "word "...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at + 30e6, Kernel: kernel, Read: int32(i / 4),
			Event: int32(i), TextEnd: int32(len(s.Text)), Tokens: 1})
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
		f := testkit.Must(request.ParseFilter(line))(t)
		return &f
	}
	slos := testkit.Must(slo.Parse("ttft=500ms"))(t)
	add("all that it can say", Form{ProbeForm: loadstat.ProbeForm{SLOs: slos, Warmup: &loadstat.Warmup{Requests: 1},
		Requests: 4, Interrupted: true}, Path: "/tmp/session.ndjson", Histogram: true, List: list("sort:-ttft")},
		good, good, failed)
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
	answered.Stream.Endpoint.API, answered.Stream.Endpoint.Settings = "messages", "api=messages"
	add("another model answered, of another API", Form{}, answered)
	asked := plain
	asked.Stream.Endpoint.Model, asked.Stream.Model = "no-such", "no-such"
	add("another model answered the first two of six", Form{}, answered, answered, asked, asked, asked, asked)
	asked.Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectUsageZero, N: 21}}
	add("a doubt of two of four", Form{}, plain, asked, plain, asked)
	stopped := lensRun(640*ms, metrics.Cancelled)
	stopped.Stream.Fault = &metrics.Fault{Kind: metrics.FaultCancelled, Message: "stopped"}
	add("a person ended it", Form{ProbeForm: loadstat.ProbeForm{Requests: 20, Interrupted: true}}, plain, stopped)
	add("a person ended it before the first", Form{ProbeForm: loadstat.ProbeForm{Requests: 20, Interrupted: true}})
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
	warmedUp := func(w *loadstat.Warmup) Form { return Form{ProbeForm: loadstat.ProbeForm{Warmup: w}} }
	warm := warmedUp(&loadstat.Warmup{Requests: 1})
	add("a connection that failed, two reused, one never", Form{}, with(metrics.Failed, false), with(metrics.Done, true),
		with(metrics.Done, true), lensRun(640*ms, metrics.Failed))
	add("a connection beside that of the warm-up", warm, with(metrics.Done, false), with(metrics.Done, true))
	add("the connection of the warm-up", warm, with(metrics.Done, true), with(metrics.Done, true))
	add("a warm-up with a failure", warmedUp(&loadstat.Warmup{Requests: 3, Failed: 1, Prompt: metrics.Known(60, 2),
		Faults: []metrics.FaultCount{{Kind: metrics.FaultReset, N: 1}}, Output: metrics.Known(400, 2),
		Cost: metrics.Known(0.0212345678, 2), Currency: "USD"}), plain)
	cut := loadstat.WarmupOf([]metrics.Run{{Stream: metrics.Stream{State: metrics.Cancelled},
		Figures: metrics.Figures{Tokens: metrics.Unknown(metrics.WhyNoTokens)}}})
	add("a warm-up alone", warmedUp(&cut))
	cut.Output.Why = 0
	add("a warm-up whose tokens nobody counted", warmedUp(&cut))

	priced := failed
	priced.Stream.Endpoint.Price = good.Stream.Endpoint.Price
	add("a cost of two of three", Form{}, pricedRun(), pricedRun(), priced)
	add("no cost is known", Form{}, priced)
	busy := lensRun(time.Second, metrics.Failed)
	busy.Stream.Fault = &metrics.Fault{Kind: metrics.FaultHTTP, Status: 503, Message: "busy \x1b[2J\u202enow"}
	add("the slowest first", Form{List: list("sort:-ttft status:ok")}, lensRun(40*ms, metrics.Done), plain, busy)
	add("the failed one", Form{List: list("status:5xx")}, lensRun(40*ms, metrics.Done), plain, busy)
	number, refused := list("sort:number"), metrics.Fault{Kind: metrics.FaultHTTP, Status: 503, Message: "busy"}
	filtered := plain
	filtered.Stream.Finish = "content_filter"
	headers := func(s *metrics.Stream) { s.RequestID, s.Marks.FirstByte, s.Marks.Headers = "req_7", 1e9, 1e9 }
	add("failed ones with what had come, and an end by a filter", Form{List: number}, plain, filtered,
		hung(8180*ms, func(*metrics.Stream) {}), hung(9*time.Second, headers),
		hung(10*time.Second, func(s *metrics.Stream) { s.RequestID, s.Fault = "req_3", &refused }))
	cutOff := func(after time.Duration, message string, set func(*metrics.Stream)) metrics.Run {
		return hung(after, func(s *metrics.Stream) {
			s.State, s.Fault = metrics.Truncated, &metrics.Fault{Kind: metrics.FaultTruncated, Message: message}
			set(s)
		})
	}
	add("truncated ones, which is said once", Form{List: number},
		cutOff(3*time.Second, "the stream ended before its first event", headers),
		cutOff(310*ms, "the server closed the connection in the middle of the body",
			func(s *metrics.Stream) { s.Marks.FirstByte = 1e8 }),
		cutOff(12*time.Second, "the stream ended without a finish reason and without [DONE]", func(s *metrics.Stream) {
			headers(s)
			s.Marks.FirstEvent = 2e9
		}))
	add("none matches", Form{List: list("ttft>1h")}, plain)

	add("sound, by the voice lens", Form{ProbeForm: loadstat.ProbeForm{Lens: "voice"}}, spoken()...)
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

// spoken are four answers of which one has no sound.
func spoken() (runs []metrics.Run) {
	for _, ms := range []metrics.Stamp{700, 900, 0, 1100} {
		r := lensRun(200*time.Millisecond, metrics.Done)
		if ms > 0 {
			r.Stream.Marks.FirstAudio, r.Stream.AudioBytes = r.Stream.Marks.Sent+ms*1e6, 24_000
			r.Figures = metrics.Measure(&r.Stream, metrics.Options{})
		}
		runs = append(runs, r)
	}
	return runs
}

// TestLens shows how runs meet the figures of a lens.
func TestLens(t *testing.T) {
	const ms = time.Millisecond
	runs := []metrics.Run{lensRun(640*ms, metrics.Done), lensRun(600*ms, metrics.Done), lensRun(620*ms, metrics.Done),
		lensRun(20*ms, metrics.Failed)}
	chat, task := slo.LensByKey("chat"), slo.AgentTask{Steps: 10, Tokens: 31}
	show(t, "lens", scene{"chat", Lens(runs, chat, slo.AgentTask{})},
		scene{"an agent's task", Lens(runs[:1], slo.LensByKey("agent"), task)},
		scene{"sound", Lens(spoken(), slo.LensByKey("voice"), slo.AgentTask{})},
		scene{"none ended well", Lens(runs[3:], chat, slo.AgentTask{})})
}

// TestProbeCSV shows a line of the CSV of a probe as a column: of a run that is done, of
// one that failed, whose unknown figures are empty cells, and of one whose names come
// from outside, of which none runs as a formula.
func TestProbeCSV(t *testing.T) {
	r := pricedRun()
	r.Stream.Model, r.Stream.RequestID, r.Stream.Endpoint.Name = "=1+1", "@SUM(A1)", "\x1b[31m+1"
	r.Stream.Endpoint.API = "messages"
	var b, shown strings.Builder
	testkit.OK(t, ProbeCSV(&b, []metrics.Run{pricedRun(), failedRun(), r}))
	rows := testkit.Must(csv.NewReader(strings.NewReader(b.String())).ReadAll())(t)
	for i := range rows[0] {
		for _, row := range rows {
			shown.WriteString(row[i] + "\t")
		}
		shown.WriteByte('\n')
	}
	golden.Text(t, "probe-csv", strings.ReplaceAll(shown.String(), "\t\n", "\n"))
}
