package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
)

// exporting opens an App on a scripted server that exports, without a recording
// unless one is asked for.
func exporting(t *testing.T, record string, x Export, env ...string) *App {
	t.Helper()
	srv, err := probetest.Listen(probetest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(context.Background(), CommandLine{
		ConfigPath: "", Changed: map[string]string{"record": record, "state-dir": t.TempDir()}, Target: srv.URL("prefill 2ms; 8 tokens @ 1ms; finish; usage; done"), Export: x, Version: "v1", Flags: endpoint.Flags{Model: "m"},
		Env: func(name string) string {
			for _, kv := range env {
				if k, v, _ := strings.Cut(kv, "="); k == name {
					return v
				}
			}
			return ""
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close(); srv.Close() })
	return a
}

// scraped returns the page of a, in OpenMetrics.
func scraped(t *testing.T, a *App) string {
	t.Helper()
	q, _ := http.NewRequest(http.MethodGet, a.MetricsURL(), nil)
	q.Header.Set("Accept", "application/openmetrics-text")
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer func() { _ = resp.Body.Close() }()
	page, _ := io.ReadAll(resp.Body)
	return string(page)
}

// TestProbeAndSweepAreExported holds that the page counts every request of a probe
// and of a sweep once, and that exemplars name requests of the recording alone.
func TestProbeAndSweepAreExported(t *testing.T) {
	a := exporting(t, "true", Export{Enabled: true, MetricsAddr: "127.0.0.1:0"})
	runs := a.Probe(context.Background(), loadstat.ProbePlan{Work: metrics.Workload{Name: "chat", Prompt: "x"}, Requests: 3, Concurrency: 2})
	page := scraped(t, a)
	if n := total(page, "tokscope_requests_total"); n != float64(len(runs)) || n != 3 {
		t.Errorf("the page counts %v requests of %d", n, len(runs))
	}
	if n, want := total(page, "tokscope_time_to_first_token_seconds_sum"), sumTTFT(runs); n < want*0.999999 || n > want*1.000001 {
		t.Errorf("the page sums TTFT to %v s, the runs to %v s", n, want)
	}
	name := strings.TrimSuffix(a.Path()[strings.LastIndexAny(a.Path(), `/\`)+1:], ".ndjson")
	if !strings.Contains(page, `# {session="`+name+`",request="`) {
		t.Errorf("no exemplar names %s", name)
	}
	lines := filepath.Join(t.TempDir(), "requests")
	s, err := a.Sweep(loadstat.SweepPlan{RequestLines: lines, Work: metrics.Workload{Name: "load", Prompt: "x"}, Users: []int{2}, Requests: 4, ServerMetrics: "off"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	page = scraped(t, a)
	for line := range strings.Lines(page) {
		if strings.Contains(line, `workload="load"`) && strings.Contains(line, "# {") {
			t.Errorf("a request that is not recorded is named: %s", line)
		}
	}
	text, err := os.ReadFile(lines)
	if err != nil {
		t.Fatal(err)
	}
	ended := strings.Count(string(text), `"state":`)
	if n := total(page, "tokscope_requests_total") - 3; n != float64(ended) || ended < 4 {
		t.Errorf("the page counts %v requests of the sweep; %d have lines", n, ended)
	}
}

// total returns the sum of the samples with this name.
func total(page, name string) (sum float64) {
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, name+"{") {
			var v float64
			_, _ = fmt.Sscan(line[strings.LastIndex(line, "} ")+2:], &v)
			sum += v
		}
	}
	return sum
}

func sumTTFT(runs []metrics.Run) (sum float64) {
	for i := range runs {
		sum += runs[i].Figures.TTFT.V / 1000
	}
	return sum
}

// TestExportIsOff holds that nothing is exported where a command does not export,
// and that the environment alone makes one that does.
func TestExportIsOff(t *testing.T) {
	const variable = "OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"
	if a := exporting(t, "false", Export{}, variable); a.Exporter() != nil || a.MetricsURL() != "" {
		t.Error("a command without the flags exports")
	}
	if a := exporting(t, "false", Export{Enabled: true, OTLPEndpoint: "off"}, variable); a.Exporter() != nil {
		t.Error("it exports although it is off")
	}
	a := exporting(t, "false", Export{Enabled: true}, variable)
	if a.Exporter() == nil || !strings.Contains(strings.Join(a.Warnings, "\n"), "OTEL_EXPORTER_OTLP_ENDPOINT names") {
		t.Errorf("the environment names a collector, but %q", a.Warnings)
	}
}

// TestDeadCollector holds that a probe whose collector does not answer ends as it
// should, with one sentence.
func TestDeadCollector(t *testing.T) {
	probetest.TakesTime(t, "the last attempts take 0.75 s")
	addr := probetest.Refuses(t)
	a := exporting(t, "false", Export{Enabled: true, OTLPEndpoint: "http://" + addr})
	runs := a.Probe(context.Background(), loadstat.ProbePlan{Work: metrics.Workload{Prompt: "x"}, Requests: 1, Concurrency: 1})
	if len(runs) != 1 || runs[0].Stream.State != metrics.Done {
		t.Errorf("the probe ended as %v", runs)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
	if len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], "does not take the figures") {
		t.Errorf("a person is told %q", a.Warnings)
	}
}

// TestTakenMetricsAddress holds that it is an error before anything is sent or
// recorded.
func TestTakenMetricsAddress(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	began := time.Now()
	_, err = Open(context.Background(), CommandLine{
		Changed: map[string]string{"record": "true", "state-dir": t.TempDir()}, Env: func(string) string { return "" },
		Export: Export{Enabled: true, MetricsAddr: ln.Addr().String()},
	})
	var f *metrics.Fault
	if !errors.As(err, &f) || f.Kind != metrics.FaultConfig || !strings.Contains(f.Next, "--metrics-addr") || time.Since(began) > time.Minute {
		t.Errorf("the error is %v", err)
	}
}
