package report

import (
	"slices"
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
	cached.Figures.CachedTokens, cached.Figures.PeakRead = metrics.Known(8, 0), 7
	retried.Stream.Retried, retried.Stream.Endpoint.Model, retried.Stream.Model = 1, "no-such", "mid"
	retried.Stream.Marks.GotConn = retried.Stream.Marks.Sent
	refused := metrics.Stream{State: metrics.Failed, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(),
		Endpoint: metrics.Endpoint{Name: "127.0.0.1:9"}, Fault: &metrics.Fault{Kind: metrics.FaultConnect, Message: "refused"}}
	stopped := metrics.Stream{State: metrics.Cancelled, Fault: &metrics.Fault{Kind: metrics.FaultCancelled, Message: "stopped"}}
	ms := func(v float64) metrics.Value { return metrics.Known(v, 1) }
	waits := metrics.Figures{Wait: []metrics.Share{{Name: metrics.ShareSend, Ms: ms(0.5)},
		{Name: metrics.SharePrefill, Ms: ms(200), Server: true}, {Name: metrics.ShareServer, Ms: ms(15), Server: true},
		{Name: metrics.ShareUnexplained, Ms: ms(3)}}}
	open := lensRun(640*time.Millisecond, metrics.Done)
	open.Stream.Conn.LeftOpen = true
	show(t, "run",
		scene{"a stall", reported(ranOnce())},
		scene{"a cost, and a peak that is a bound", reported(cached)},
		scene{"retried, and another model answered", reported(retried)},
		scene{"the server refused it", reported(failedRun())},
		scene{"no server accepted it", reported(metrics.Run{Stream: refused, Figures: metrics.Measure(&refused, metrics.Options{})})},
		scene{"a person stopped it", reported(metrics.Run{Stream: stopped})},
		scene{"the server's own times", reported(metrics.Run{Stream: metrics.Stream{State: metrics.Done, Finish: "stop"}, Figures: waits})},
		scene{"the body stayed open", reported(open)},
		scene{"names from outside", reported(named(hostile[:80]))},
		scene{"late reads, by the kernel", reported(lateRun(true))},
		scene{"late reads, by tokscope", reported(lateRun(false))})
}

// named is a run whose names and messages are text.
func named(text string) metrics.Run {
	r := ranOnce()
	s := &r.Stream
	s.Endpoint.Name, s.Endpoint.URL, s.Model, s.Provider, s.Finish, s.RequestID = text, text, text, text, text, text
	s.Conn.Proto, s.Conn.Proxy, s.Work.Name = text, text, text
	s.Notes, s.Server = []metrics.Note{{Text: text}}, []metrics.ServerTime{{Name: text, From: text}}
	s.State, s.Fault = metrics.Failed, &metrics.Fault{Message: text, Code: text}
	return r
}

// TestSummary shows the runs of a session, of many the last ones.
func TestSummary(t *testing.T) {
	if d := Runs(nil, Form{Path: "/x"}); !d.Empty() {
		t.Errorf("of nothing: %q", d.Text(0))
	}
	form := Form{Path: "/home/me/.local/state/tokscope/session.jsonl", By: testOrigin}
	runs := []metrics.Run{ranOnce(), failedRun(), lensRun(time.Second, metrics.Cancelled)}
	stopped := hung(8180*time.Millisecond, func(s *metrics.Stream) {
		s.State, s.Fault, s.Endpoint.API = metrics.Cancelled, nil, "messages"
	})
	show(t, "summary", scene{"three runs", Runs(runs, form)},
		scene{"a person stopped one that waited", Runs([]metrics.Run{stopped}, form)},
		scene{"names from outside", Runs([]metrics.Run{named(hostile[:80])},
			Form{Path: hostile[:80], By: Origin{Version: hostile[:80]}})},
		scene{"33 runs", Runs(slices.Concat(runs, slices.Repeat(runs[:1], 30)), form)})
}
