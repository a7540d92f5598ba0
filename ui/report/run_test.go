package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/ui/uitest"
)

// ranOnce returns the run of a script: 41 ms of wait, 200 chunks 7 ms apart
// with one stall.
func ranOnce() metrics.Run {
	b := uitest.New().Backend
	b.Begin(metrics.Workload{Name: "chat", Prompt: "Hi", MaxTokens: 200, Concurrency: 1})
	b.Advance(time.Millisecond)
	b.Sent()
	b.Advance(41 * time.Millisecond)
	for i := range 200 {
		b.Chunk("word ")
		b.Advance(7 * time.Millisecond)
		if i == 99 {
			b.Advance(300 * time.Millisecond)
		}
	}
	b.Finish()
	return b.Runs()[0]
}

func failedRun() metrics.Run {
	b := uitest.New().Backend
	b.Begin(metrics.Workload{Name: "chat"})
	b.Sent()
	b.Advance(80 * time.Millisecond)
	b.Fail(metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429, Code: "rate_limit_exceeded", Message: "the server refuses more requests",
		Next: "wait 20 s"})
	return b.Runs()[0]
}

// testOrigin is the program and the machine of the golden files.
var testOrigin = Origin{Version: "v0.0.0", System: "linux/amd64", CPUs: 2}

// pricedRun is ranOnce at a price.
func pricedRun() metrics.Run {
	r := ranOnce()
	r.Stream.Endpoint.Price = metrics.Price{In: 0.5, Out: 2, Currency: "USD"}
	return r
}

func reported(r metrics.Run) *Doc {
	return Probe([]metrics.Run{r}, Form{By: testOrigin, Asked: 1, Whole: true})
}

// TestRuns shows the report of a run.
func TestRuns(t *testing.T) {
	cached, retried := pricedRun(), lensRun(640*time.Millisecond, metrics.Done)
	cached.Figures.CachedTokens = metrics.Known(8, 0)
	retried.Stream.Retried, retried.Stream.Endpoint.Model, retried.Stream.Model = 1, "no-such", "mid"
	retried.Stream.Marks.GotConn = retried.Stream.Marks.Sent
	refused := metrics.Stream{State: metrics.Failed, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(),
		Endpoint: metrics.Endpoint{Name: "127.0.0.1:9"}, Fault: &metrics.Fault{Kind: metrics.FaultConnect, Message: "refused"}}
	stopped := metrics.Stream{State: metrics.Cancelled, Fault: &metrics.Fault{Kind: metrics.FaultCancelled, Message: "stopped"}}
	ms := func(v float64) metrics.Value { return metrics.Known(v, 1) }
	waits := metrics.Figures{Wait: []metrics.Share{{Name: metrics.ShareSend, Ms: ms(0.5)},
		{Name: metrics.SharePrefill, Ms: ms(200), Server: true}, {Name: metrics.ShareServer, Ms: ms(15), Server: true},
		{Name: metrics.ShareUnexplained, Ms: ms(3)}}}
	show(t, "run",
		scene{"a stall", reported(ranOnce())},
		scene{"a cost", reported(cached)},
		scene{"retried, and another model answered", reported(retried)},
		scene{"the server refused it", reported(failedRun())},
		scene{"no server accepted it", reported(metrics.Run{Stream: refused, Figures: metrics.Measure(&refused, metrics.Options{})})},
		scene{"a person stopped it", reported(metrics.Run{Stream: stopped})},
		scene{"the server's own times", reported(metrics.Run{Stream: metrics.Stream{State: metrics.Done, Finish: "stop"}, Figures: waits})},
		scene{"late reads, by the kernel", reported(lateRun(true))},
		scene{"late reads, by tokscope", reported(lateRun(false))})
}

// TestSummary shows the runs of a session, of many the last ones.
func TestSummary(t *testing.T) {
	if d := Runs(nil, Form{Path: "/x"}); !d.Empty() {
		t.Errorf("of nothing: %q", d.Text(0))
	}
	form := Form{Path: "/home/me/.local/state/tokscope/session.jsonl", By: testOrigin}
	runs := []metrics.Run{ranOnce(), failedRun(), lensRun(time.Second, metrics.Cancelled)}
	show(t, "summary", scene{"three runs", Runs(runs, form)},
		scene{"33 runs", Runs(slices.Concat(runs, slices.Repeat(runs[:1], 30)), form)})
}

// TestSummarySaysHowLongAStoppedRunWaited checks that a run without a token has its wait.
func TestSummarySaysHowLongAStoppedRunWaited(t *testing.T) {
	s := metrics.Stream{ID: 1, State: metrics.Cancelled, Marks: metrics.NewMarks()}
	s.Marks.Start, s.Marks.Sent, s.Marks.End = 0, 2e6, 8182e6
	text := Runs([]metrics.Run{{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}}, Form{}).Text(0)
	for _, want := range []string{"> 8.18 s", "stopped, no byte"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestAPeakOfOneReadIsABound holds that the fastest second is the largest that it can be
// where one read may have brought a part of it before, as on the screen.
func TestAPeakOfOneReadIsABound(t *testing.T) {
	r := ranOnce()
	r.Figures.PeakRead = 7
	if text := Probe([]metrics.Run{r}, Form{}).Text(0); !strings.Contains(text, "≤118 tok/s in its fastest second: one read brought 7") {
		t.Error(text)
	}
}

func TestReportsAreSafe(t *testing.T) {
	evil := "\x1b]0;x\x07 | <img src=x> `a` \u202e\nnext **b** [l](http://x) @all"
	run := ranOnce()
	s := &run.Stream
	s.Endpoint.Name, s.Endpoint.URL, s.Model, s.Provider, s.Finish, s.RequestID = evil, evil, evil, evil, evil, evil
	s.Conn.Proto, s.Conn.Proxy = evil, evil
	s.Work.Name = evil
	s.Notes = []metrics.Note{{Text: evil}}
	s.Server = []metrics.ServerTime{{Name: evil, From: evil}}
	failed := run
	failed.Stream.State = metrics.Failed
	failed.Stream.Fault = &metrics.Fault{Message: evil, Code: evil}
	for _, r := range []metrics.Run{run, failed} {
		d := reported(r)
		md := d.Markdown()
		summary := Runs([]metrics.Run{r}, Form{Path: evil, By: Origin{Version: evil}})
		for _, text := range []string{md, d.Text(0), summary.Text(0)} {
			for _, c := range text {
				if c != '\n' && (c < 0x20 || c == 0x202e) {
					t.Fatalf("%U in %q", c, text)
				}
			}
		}
		for _, bad := range []string{"<img", "](http", " @all", " `a`", " **b**"} {
			if strings.Contains(strings.ReplaceAll(md, "\\]", ""), bad) {
				t.Errorf("%q in\n%s", bad, md)
			}
		}
	}
}

// TestTailOfOpenBody checks what the tail of an answer is called whose body did not end.
func TestTailOfOpenBody(t *testing.T) {
	r := lensRun(640*time.Millisecond, metrics.Done)
	for open, want := range map[bool]string{
		false: "0 ms from the last chunk to the end of the body",
		true:  "0 ms from the last chunk to the last event; the body stayed open",
	} {
		r.Stream.Conn.LeftOpen = open
		if facts := details(&r.Stream, &r.Figures, ""); !slices.Contains(facts, Fact{Name: "tail", Text: want}) {
			t.Errorf("left open %v: %+v holds no %q", open, facts, want)
		}
	}
}
