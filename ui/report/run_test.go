package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/verdict"
	"tokscope/ui/uitest"
	"tokscope/ui/uitest/golden"
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
	b.Fail(metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429, Code: "rate_limit_exceeded",
		Message: "the server refuses more requests",
		Next:    "wait 20 s"})
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
	return Probe([]metrics.Run{r}, Form{By: testOrigin, Whole: true})
}

// TestRuns shows the report of a run.
func TestRuns(t *testing.T) {
	cached, retried := pricedRun(), lensRun(640*time.Millisecond, metrics.Done)
	cached.Figures.CachedTokens, cached.Figures.PeakRead = metrics.Known(8, 0), 7
	retried.Stream.Retried, retried.Stream.Endpoint.Model, retried.Stream.Model = 1, "no-such", "mid"
	retried.Stream.Marks.GotConn = retried.Stream.Marks.Sent
	refused := metrics.Stream{State: metrics.Failed, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(),
		Endpoint: metrics.Endpoint{Name: "127.0.0.1:9"}, Fault: &metrics.Fault{Kind: metrics.FaultConnect,
			Message: "refused"}}
	stopped := metrics.Stream{State: metrics.Cancelled, Fault: &metrics.Fault{Kind: metrics.FaultCancelled,
		Message: "stopped"}}
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
		scene{"no server accepted it",
			reported(metrics.Run{Stream: refused, Figures: metrics.Measure(&refused, metrics.Options{})})},
		scene{"a person stopped it", reported(metrics.Run{Stream: stopped})},
		scene{"the server's own times", reported(metrics.Run{Stream: metrics.Stream{State: metrics.Done, Finish: "stop"},
			Figures: waits})},
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

// hung is a request that failed after, with what change makes of it.
func hung(after time.Duration, change func(*metrics.Stream)) metrics.Run {
	s := metrics.NoStream(0)
	s.ID, s.State, s.Work, s.Endpoint = 1, metrics.Failed, metrics.Workload{Name: "chat"}, metrics.Endpoint{Name: "gw",
		Model: "m"}
	s.Fault = &metrics.Fault{Kind: metrics.FaultTimeout, Message: "no data came", Bound: "first byte 8 s"}
	s.Marks.Start, s.Marks.Sent, s.Marks.End = 0, 0, metrics.Stamp(after)
	change(&s)
	return metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
}

func ticketOf(r metrics.Run) string {
	found := verdict.Of(verdict.Input{Stream: &r.Stream, Figures: &r.Figures, Now: r.Stream.Marks.End})
	return Ticket(&r, found, testOrigin, "curl -sS -N 'http://gw/v1' \\\n  -H 'A: b' \\\n  --data-binary '{}'\n")
}

// TestTicket holds that a ticket is eight whole lines with their names, whatever came,
// and what it says of ends.
func TestTicket(t *testing.T) {
	evil := "\x1b]0;x\x07 \u202e\nrequest id: **b** " + strings.Repeat("long ", 100)
	hostile := ranOnce()
	s := &hostile.Stream
	s.Endpoint.Name, s.Endpoint.URL, s.Model, s.Provider, s.Finish, s.RequestID, s.Conn.Proto, s.Work.Name = evil, evil,
		evil, evil, evil, evil, evil, evil
	named := ranOnce()
	named.Stream.RequestID, named.Stream.Finish = "req_8f2", "length"
	named.Stream.Served.Tier, named.Stream.Asked.Tier, named.Stream.Provider = "default", "priority", "Azure"
	named.Stream.Endpoint.API, named.Stream.Endpoint.Settings = "messages", "api=messages"
	named.Stream.Wall = time.Date(2026, 11, 27, 15, 20, 37, 123e6, time.FixedZone("", 3600))
	var all strings.Builder
	for _, c := range []struct {
		name string
		run  metrics.Run
	}{
		{"a good end", named}, {"refused", failedRun()}, {"names from outside", hostile},
		{"no byte", hung(8180*time.Millisecond, func(s *metrics.Stream) {
			s.Path = &metrics.Path{Source: metrics.PathTCPInfo, RTT: 12 * time.Millisecond, Segments: 2}
		})},
		{"keep-alives", hung(30*time.Second, func(s *metrics.Stream) {
			s.Marks.FirstByte, s.Marks.Headers, s.Marks.FirstComment, s.RequestID = 1e9, 1e9, 2e9, "id-7"
		})},
		{"two chunks", hung(5*time.Second, func(s *metrics.Stream) {
			s.Marks.FirstByte, s.Marks.FirstEvent, s.Text = 1e8, 1e8, []byte("ab")
			s.Chunks = []metrics.Chunk{{At: 2e8, Tokens: -1, TextEnd: 1}, {At: 1e9, Read: 1, Tokens: -1, TextEnd: 2}}
		})},
	} {
		text := ticketOf(c.run)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		testkit.Given(t, len(lines) == 8, "%s: %d lines:\n%s", c.name, len(lines), text)
		for i, begins := range []string{"", "endpoint: ", "model: ", "time: ", "request id: ", "ended: ", "figures: ",
			"curl: "} {
			if !strings.HasPrefix(lines[i], begins) || strings.ContainsFunc(lines[i],
				func(r rune) bool { return r < ' ' || r == 0x202e }) {
				t.Errorf("%s: line %d is %q", c.name, i, lines[i])
			}
		}
		all.WriteString("# " + c.name + "\n" + text)
	}
	golden.Text(t, "ticket", all.String())
}
