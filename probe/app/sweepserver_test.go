package app

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/result"
	"tokscope/probe/session"
)

// scripted returns an App whose target is a scripted server with this page
// of metrics.
func scripted(t *testing.T, page func(requests int) (int, string)) *App {
	t.Helper()
	srv := testkit.Must(probetest.Listen(probetest.Options{Metrics: page}))(t)
	e := client.New(client.Options{})
	t.Cleanup(func() { e.Close(); srv.Close() })
	return &App{Options: Options{Engine: e, Version: "test", Target: endpoint.Target{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "h",
			URL: srv.URL("prefill 2ms; 20 tokens @ 1ms; finish; usage; done"), Model: "m"}, Auth: endpoint.AuthNone,
	}}}
}

// few is a sweep of two short steps.
func few() loadstat.SweepPlan {
	return loadstat.SweepPlan{Work: metrics.Workload{Prompt: "x", InputTokens: 40, MaxTokens: 20}, Users: []int{1, 2},
		Requests: 5, ServerMetrics: "auto"}
}

// measured runs a sweep and returns its document.
func measured(t *testing.T, a *App, p loadstat.SweepPlan) (result.Sweep, loadstat.SweepOutcome) {
	t.Helper()
	s := testkit.Must(a.Sweep(p))(t)
	out := testkit.Must(s.Run(t.Context()))(t)
	var b bytes.Buffer
	testkit.OK(t, s.Write(&b, loadstat.SweepVerdicts{Knee: -1, Largest: -1, BreaksStep: -1}, []string{"a warning"}, nil))
	testkit.OK(t, s.Close())
	var doc result.Sweep
	testkit.OK(t, result.Unmarshal(b.Bytes(), &doc))
	return doc, out
}

// The document says who took the stamps, and holds the server's own counts
// before and after each step: none of it was there.
func TestSweepDocumentHasStampsAndTheServersCounts(t *testing.T) {
	probetest.TakesTime(t, "it waits for a second and more")
	t.Parallel() // most of it is waiting
	a := scripted(t, func(n int) (int, string) {
		return 200, fmt.Sprintf("vllm:num_requests_running{engine=\"0\"} "+
			"1\nvllm:request_success_total{finished_reason=\"stop\"} %d\nvllm:generation_tokens_total "+
			"%d\nvllm:prompt_tokens_total %d\n", n, 21*n, 9*n)
	})
	doc, out := measured(t, a, few())
	if l := doc.Lag; doc.Stamps == "" || doc.Stamps == "none" || l.KernelStamps+l.UserStamps < 100 {
		t.Errorf("stamps %q, %d by the kernel, %d by tokscope", doc.Stamps, l.KernelStamps, l.UserStamps)
	}
	if !strings.HasSuffix(doc.ServerMetrics, "/metrics") || out.ServerMetrics != doc.ServerMetrics ||
		len(doc.Warnings) != 1 || len(doc.Points) != 2 {
		t.Fatalf("metrics from %q, warnings %q, %d points", doc.ServerMetrics, doc.Warnings, len(doc.Points))
	}
	for i, p := range doc.Points {
		s := p.Server
		if s == nil || s.Names != "vllm" || !s.Before.Requests.OK || !s.After.Requests.OK || s.After.Waiting.OK ||
			!s.After.Running.OK {
			t.Fatalf("step %d: %+v", i+1, s)
		}
		if grown := s.After.Requests.V - s.Before.Requests.V; grown < 5 || s.Requests < 5 {
			t.Errorf("step %d: the server counts %v requests, tokscope %d", i+1, grown, s.Requests)
		}
		if l := p.Lengths; l == nil || l.Answers < 5 || l.AnswerAsked.V != 20 || l.AnswerCounted.V != 21 ||
			l.PromptAsked.V != 40 {
			t.Errorf("step %d: lengths %+v", i+1, l)
		}
	}
}

// A server without the page is measured all the same. The reason is in the
// document, and with "off", or on another machine, nothing is asked for.
func TestSweepWithoutTheServersCounts(t *testing.T) {
	probetest.TakesTime(t, "it waits for a second and more")
	t.Parallel() // most of it is waiting
	asked := 0
	a := scripted(t, func(int) (int, string) { asked++; return 404, "" })
	doc, _ := measured(t, a, few())
	for i, p := range doc.Points {
		if p.Server == nil || p.Server.Why != "the server answers 404" || p.Server.Before.Requests.OK || p.Requests < 5 {
			t.Errorf("step %d: %+v, %d requests", i+1, p.Server, p.Requests)
		}
	}
	testkit.Is(t, asked, 1, "asked … times for a page that is not there")
	plan := few()
	plan.ServerMetrics = "off"
	if doc, _ = measured(t, a, plan); asked != 1 || doc.ServerMetrics != "" || doc.Points[0].Server != nil {
		t.Errorf("off: asked %d times, %+v", asked, doc.Points[0].Server)
	}
	for url, want := range map[string]string{"https://api.example.com/v1": "",
		"http://127.0.0.1:8000/v1": "http://127.0.0.1:8000/metrics"} {
		testkit.Is(t, serverMetrics("auto", endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL,
			URL: url}}), want, url)
	}
	testkit.Is(t, serverMetrics("http://h/m", a.Target), "http://h/m", "an address")
}

// Every request has a line, the first and the last line say what the file is,
// and a file that exists is not touched.
func TestSweepRequestLines(t *testing.T) {
	probetest.TakesTime(t, "it waits for a second and more")
	t.Parallel() // most of it is waiting
	a := scripted(t, nil)
	plan := few()
	dir := t.TempDir()
	plan.ServerMetrics, plan.RequestLines = "off", filepath.Join(dir, "requests.ndjson")
	plan.BenchmarkReport = filepath.Join(dir, "reports")
	doc, _ := measured(t, a, plan)
	reports := testkit.Must(os.ReadDir(plan.BenchmarkReport))(t)
	testkit.Is(t, len(reports), len(doc.Points), "Benchmark Reports")
	plan.BenchmarkReport += ".2"
	data := testkit.Must(os.ReadFile(plan.RequestLines))(t)
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	var head session.RequestsHead
	var end session.RequestsEnd
	if err := result.Unmarshal([]byte(lines[0]), &head); err != nil || head.Schema != session.RequestLinesSchema ||
		head.Endpoint.Model != "m" {
		t.Errorf("%v in %q", err, lines[0])
	}
	if err := result.Unmarshal([]byte(lines[len(lines)-1]), &end); err != nil || end.Type != "end" ||
		end.Requests != len(lines)-2 || end.LeftOut != 0 {
		t.Errorf("%v in %q, %d lines", err, lines[len(lines)-1], len(lines))
	}
	steps := map[int]int{}
	for _, text := range lines[1 : len(lines)-1] {
		var l session.RequestLine
		if err := result.Unmarshal([]byte(text), &l); err != nil || l.Type != "request" || l.Users != l.Step || l.User < 1 ||
			l.Stamps == "" || l.PromptAsked != 40 || l.Limit != 20 {
			t.Fatalf("%v in %q", err, text)
		}
		if l.State == metrics.Done {
			steps[l.Step]++
			if l.TTFT.V < 1 || l.Tokens.V != 21 || l.TokenSource != metrics.TokensUsage || l.Chunks != 20 || !l.Sent.Known() ||
				!l.End.Known() {
				t.Errorf("%q", text)
			}
		}
	}
	for i, p := range doc.Points {
		if steps[i+1] < p.Requests {
			t.Errorf("step %d: %d lines, %d requests in the figures", i+1, steps[i+1], p.Requests)
		}
	}
	if _, err := a.Sweep(plan); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a file that exists: %v", err)
	}
	plan.RequestLines += ".2"
	refused := testkit.Must(a.Sweep(plan))(t)
	testkit.Is(t, refused.Close(), nil)
	left := testkit.Must(os.ReadDir(dir))(t)
	testkit.Is(t, len(left), 2, "files and folders; a sweep that was not run leaves none:", left)
	plan.RequestLines = strings.TrimSuffix(plan.RequestLines, ".2")
	if again, err := os.ReadFile(plan.RequestLines); err != nil || !bytes.Equal(again, data) {
		t.Errorf("the file that exists was changed: %v", err)
	}
}
