package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/ui/uitest/golden"
)

// summaryOf is the text of a probe of these runs.
func summaryOf(t *testing.T, runs ...metrics.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := put(&b, Probe(runs, Form{By: testOrigin}).Text(0)); err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(b.String(), "\n") {
		if n := len([]rune(line)); n > lineWidth+2 {
			t.Errorf("a line of %d columns: %q", n, line)
		}
	}
	return b.String()
}

// TestProbeGolden shows a probe with all that it can say: a stall, a retry, a failure,
// a warm-up, objectives, the server's own times, histograms and a list.
func TestProbeGolden(t *testing.T) {
	good, failed := ranOnce(), failedRun()
	good.Stream.Retried, good.Stream.Notes = 1, []metrics.Note{{Code: "retried", Text: "sent again; the first may have been billed"}}
	good.Stream.Endpoint.Price = metrics.Price{In: 0.5, Out: 2, Currency: "USD"}
	good.Figures.PrefillSpeed, good.Figures.ServerSpeed = metrics.Known(3120, 1), metrics.Known(151, 1)
	good.Figures.GapsUnknown = 1
	ms := func(v float64) metrics.Value { return metrics.Known(v, 1) }
	good.Figures.Wait = []metrics.Share{{Name: metrics.ShareSend, Ms: ms(0.05)}, {Name: metrics.ShareQueue, Ms: ms(0), Server: true},
		{Name: metrics.SharePrefill, Ms: ms(600), Server: true}, {Name: metrics.ShareUnexplained, Ms: ms(25)}}
	slos, err := slo.Parse("ttft=500ms")
	if err != nil {
		t.Fatal(err)
	}
	list, err := request.ParseFilter("sort:-ttft")
	if err != nil {
		t.Fatal(err)
	}
	form := Form{By: testOrigin, SLOs: slos, Warmup: &loadstat.Warmup{Requests: 1}, Path: "/tmp/session.ndjson", Asked: 4,
		Interrupted: true, Histogram: true, List: &list}
	several, one := Probe([]metrics.Run{good, good, failed}, form), Probe([]metrics.Run{good}, Form{})
	golden.Text(t, "probe", "# 80 columns\n"+several.Text(80)+"# 40 columns\n"+several.Text(40)+"# one\n"+one.Text(0)+
		"# Markdown\n"+several.Markdown())
	for _, d := range []*Doc{several, one} {
		if of := strings.Contains(d.Text(0), "last request"); of != (d == several) {
			t.Errorf("of the last request: %v", of)
		}
	}
}

// TestADashHasItsReason checks that the text explains every dash of the
// table, and nothing else.
func TestADashHasItsReason(t *testing.T) {
	run := lensRun(640*time.Millisecond, metrics.Done)
	text := summaryOf(t, run)
	if !strings.Contains(text, "–  unknown: ") || !strings.Contains(text, "p95 needs n ≥ 20") || !strings.Contains(text, "p99 needs n ≥ 100") {
		t.Errorf("the dashes have no reason:\n%s", text)
	}
	runs := make([]metrics.Run, 120)
	run.Figures.Peak = metrics.Known(50, 1) // too short for a peak of its own
	for i := range runs {
		runs[i] = run
	}
	if text = summaryOf(t, runs...); strings.Contains(text, "unknown: ") {
		t.Errorf("120 requests, and something is unknown:\n%s", text)
	}
}

// TestARowOfDashesIsNamed checks that a figure which no request has is named with its
// reason, each reason once, beside the numbers that the columns need.
func TestARowOfDashesIsNamed(t *testing.T) {
	short := lensRun(640*time.Millisecond, metrics.Done) // 0.4 s of chunks have no peak
	one := short
	one.Stream.Chunks, one.Stream.Usage.Completion = one.Stream.Chunks[:1:1], 1
	one.Figures = metrics.Measure(&one.Stream, metrics.Options{})
	for _, c := range []struct {
		runs []metrics.Run
		want string
	}{
		{[]metrics.Run{short, short, short, short, short}, "unknown: the interval needs n ≥ 6, p95 needs n ≥ 20, p99 needs n ≥ 100; peak: shorter than 1 s"},
		{[]metrics.Run{one}, "unknown: the interval needs n ≥ 6, p95 needs n ≥ 20, p99 needs n ≥ 100; TPOT, speed, peak, longest gap: a single chunk has no gap; gap: no known gap"},
	} {
		text := summaryOf(t, c.runs...)
		if !strings.Contains(strings.Join(strings.Fields(text), " "), "– "+c.want+" ") {
			t.Errorf("%q is not in\n%s", c.want, text)
		}
	}
}

// TestRetriedIsShown checks that the texts count the requests that were sent
// again, and say what that means.
func TestRetriedIsShown(t *testing.T) {
	run := lensRun(640*time.Millisecond, metrics.Done)
	if text := summaryOf(t, run); strings.Contains(text, "retried") {
		t.Errorf("none was:\n%s", text)
	}
	again := run
	again.Stream.Retried = 1
	again.Stream.Notes = []metrics.Note{{Code: "retried", Text: "sent again; the first may have been billed"}}
	text := summaryOf(t, run, again, again)
	for _, want := range []string{" · 2 retried", "may have been billed"} {
		if !strings.Contains(flat(text), flat(want)) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	again.Stream.Marks.GotConn = again.Stream.Marks.Sent
	if text := connection(&again.Stream); !strings.Contains(text, "new, retried") {
		t.Errorf("the ticket says %q", text)
	}
}

// TestModelThatAnswered checks that the texts name the model that answered
// beside the one that was asked for.
func TestModelThatAnswered(t *testing.T) {
	run := lensRun(640*time.Millisecond, metrics.Done)
	if text := summaryOf(t, run); strings.Contains(text, "answered by") {
		t.Errorf("it is the one that was asked for:\n%s", text)
	}
	run.Stream.Endpoint.Model, run.Stream.Model = "no-such", "mid"
	if text := summaryOf(t, run); !strings.Contains(text, "no-such · answered by mid") {
		t.Errorf("the answering model is missing:\n%s", text)
	}
	if text := lines(run); !strings.Contains(text, "mid (asked for no-such)") {
		t.Errorf("the model that was asked for is missing:\n%s", text)
	}
	sweep := Sweep{Endpoint: run.Stream.Endpoint, Model: "mid"}
	if text := target(&sweep.Endpoint, sweep.Model); !strings.Contains(text, "no-such · answered by mid") {
		t.Errorf("a sweep says %q", text)
	}
}

// TestAnInterruptedProbeSaysSo checks that the text says how many of the requests
// were sent before a person ended the probe, also where none was.
func TestAnInterruptedProbeSaysSo(t *testing.T) {
	done, stopped := lensRun(640*time.Millisecond, metrics.Done), lensRun(640*time.Millisecond, metrics.Cancelled)
	stopped.Stream.Fault = &metrics.Fault{Kind: metrics.FaultCancelled, Message: "stopped"}
	for _, c := range []struct {
		runs []metrics.Run
		form Form
		want string // "": nothing of an interruption
	}{
		{[]metrics.Run{done, stopped}, Form{Asked: 20, Interrupted: true}, "\n            interrupted after 2 of 20 requests\n"},
		{nil, Form{Asked: 20, Interrupted: true}, "\nended       interrupted after 0 of 20 requests\n"},
		{[]metrics.Run{done, done}, Form{Asked: 2}, ""},
	} {
		var b bytes.Buffer
		if err := put(&b, Probe(c.runs, c.form).Text(0)); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); !strings.Contains(flat(text), flat(c.want)) || c.want == "" && strings.Contains(text, "interrupted") || strings.Contains(text, "failed: stopped") {
			t.Errorf("%q is not in\n%s", c.want, text)
		}
	}
}

// TestConnectionsAddUp checks that the line of the workload counts the connection
// of a request that failed, and says where a warm-up opened them.
func TestConnectionsAddUp(t *testing.T) {
	with := func(state metrics.State, reused bool) metrics.Run {
		r := lensRun(640*time.Millisecond, state)
		r.Stream.Conn.Reused, r.Stream.Marks.GotConn = reused, r.Stream.Marks.Sent
		return r
	}
	never := lensRun(640*time.Millisecond, metrics.Failed) // it got no connection
	failed, reused := with(metrics.Failed, false), with(metrics.Done, true)
	for _, c := range []struct {
		want string
		form Form
		runs []metrics.Run
	}{
		{" · 1 new connection, 2 reused\n", Form{}, []metrics.Run{failed, reused, reused, never}},
		{" · 1 new connection, 1 reused\n", Form{Warmup: &loadstat.Warmup{Requests: 1}}, []metrics.Run{with(metrics.Done, false), reused}},
		{" · 0 new connections, 2 reused from the warm-up\n", Form{Warmup: &loadstat.Warmup{Requests: 1}}, []metrics.Run{reused, reused}},
	} {
		var b bytes.Buffer
		if err := put(&b, Probe(c.runs, c.form).Text(0)); err != nil {
			t.Fatal(err)
		}
		if text := b.String(); !strings.Contains(flat(text), flat(c.want)) {
			t.Errorf("%q is not in\n%s", c.want, text)
		}
	}
}

// TestEstimatedTokensAreMarked checks that every figure of tokens says where tokens
// are estimated, and no other figure.
func TestEstimatedTokensAreMarked(t *testing.T) {
	run := lensRun(640*time.Millisecond, metrics.Done)
	run.Figures.Peak = metrics.Known(52, 1)
	if text := summaryOf(t, run); strings.Contains(text, "~") || strings.Contains(text, "about") {
		t.Errorf("the server counted all:\n%s", text)
	}
	run.Figures.TokenSource = metrics.TokensEstimated
	text := summaryOf(t, run)
	for _, want := range []string{" 21 out (estimated)", "~20.0 ms", "~50.0 tok/s", "~52.0 tok/s", "\nspeed       about 50.0 tok/s per user", "\nthroughput  about "} {
		if !strings.Contains(flat(text), flat(want)) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if name, _, _ := strings.Cut(line, " "); strings.Contains(line, "~") && !slices.Contains([]string{"TPOT", "speed", "peak"}, name) {
			t.Errorf("marked as estimated: %q", line)
		}
	}
}
