package report

import (
	"io"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/ui/uitest"
	"tokscope/ui/uitest/golden"
)

// ranOnce returns the run of a script: 41 ms of wait, 200 chunks 7 ms apart
// with one stall.
func ranOnce() metrics.Run {
	b := uitest.New()
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
	b := uitest.New()
	b.Begin(metrics.Workload{Name: "chat"})
	b.Sent()
	b.Advance(80 * time.Millisecond)
	b.Fail(metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429, Code: "rate_limit_exceeded", Message: "the server refuses more requests",
		Next: "wait 20 s"})
	return b.Runs()[0]
}

// testOrigin is the program and the machine of the golden files.
var testOrigin = Origin{Version: "v0.0.0", System: "linux/amd64", CPUs: 2}

func shown(r *metrics.Run) []verdict.Finding {
	return verdict.Of(verdict.Input{Stream: &r.Stream, Figures: &r.Figures, Now: r.Stream.Marks.End})
}

func ticket(r metrics.Run) string { return Run(r, shown(&r), testOrigin).Markdown() }
func lines(r metrics.Run) string  { return Run(r, shown(&r), testOrigin).Text(0) }

// flat is a text whose words are one blank apart.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// put writes a text of a report, as the commands do.
func put(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

func TestReports(t *testing.T) {
	golden.File(t, "testdata/report-done.md", ticket(ranOnce()))
	golden.File(t, "testdata/report-done.txt", lines(ranOnce()))
	golden.File(t, "testdata/report-failed.md", ticket(failedRun()))
	golden.File(t, "testdata/report-failed.txt", lines(failedRun()))
}

// TestATicketHasTheCost holds that a run with a configured price says what it
// cost.
func TestATicketHasTheCost(t *testing.T) {
	r := ranOnce()
	if strings.Contains(lines(r), "\n  cost ") {
		t.Error("a cost without a price")
	}
	r.Stream.Endpoint.Price = metrics.Price{In: 0.5, Out: 2, Currency: "USD"}
	r.Figures.CachedTokens = metrics.Known(8, 0)
	if text := lines(r); !strings.Contains(text, "cost         0.000421 USD at the configured price, cached tokens in full") {
		t.Error(text)
	}
}

// TestATicketSaysWhatIsNotKnown checks a request that no server accepted: no
// model, no count of chunks, no source of stamps.
func TestATicketSaysWhatIsNotKnown(t *testing.T) {
	s := metrics.Stream{State: metrics.Failed, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), Endpoint: metrics.Endpoint{Name: "127.0.0.1:9"},
		Fault: &metrics.Fault{Kind: metrics.FaultConnect, Message: "refused"}}
	text := lines(metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})})
	for _, want := range []string{"model        – (none was named", "no output", "stamps       – (no data arrived)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}

	s = metrics.Stream{State: metrics.Done}
	f := metrics.Figures{Wait: []metrics.Share{{Name: metrics.ShareSend, Ms: metrics.Known(0.5, 1)}, {Name: metrics.SharePrefill, Ms: metrics.Known(200, 1), Server: true},
		{Name: metrics.ShareServer, Ms: metrics.Known(15, 1), Server: true}, {Name: metrics.ShareUnexplained, Ms: metrics.Known(3, 1)}}}
	if text = lines(metrics.Run{Stream: s, Figures: f}); !strings.Contains(text, "the wait     sent 500 µs · server says: prefill 200 ms, rest 15.0 ms · unexplained 3.00 ms") {
		t.Errorf("who was it:\n%s", text)
	}
}

func TestSummaryStaysShort(t *testing.T) {
	if s := Runs(nil, Form{Path: "/x"}).Text(0); s != "" {
		t.Errorf("of nothing: %q", s)
	}
	runs := []metrics.Run{ranOnce(), failedRun()}
	golden.File(t, "testdata/summary.txt", Runs(runs, Form{Path: "/home/me/.local/state/tokscope/session.jsonl", By: testOrigin}).Text(0))
	for range 30 {
		runs = append(runs, ranOnce())
	}
	if s := Runs(runs, Form{}).Text(0); strings.Count(s, "\n") != summaryRuns+8 || !strings.Contains(s, "32 runs, the last 12") {
		t.Errorf("32 runs:\n%s", s)
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
		md := ticket(r)
		for _, text := range []string{md, lines(r), Runs([]metrics.Run{r}, Form{Path: evil, By: Origin{Version: evil}}).Text(0)} {
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
