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
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
)

// exporting opens an App on a scripted server that exports, without a recording
// unless one is asked for.
func exporting(t *testing.T, record string, x metrics.Export, env ...string) *App {
	t.Helper()
	srv := testkit.Must(probetest.Listen(probetest.Options{}))(t)
	a, err := Open(context.Background(), CommandLine{
		ConfigPath: "", Changed: map[string]string{"record": record, "state-dir": t.TempDir()},
		Target: srv.URL("prefill 2ms; 8 tokens @ 1ms; finish; usage; done"), Version: "v1",
		Flags: endpoint.Flags{Model: "m", Export: x},
		Env: func(name string) string {
			for _, kv := range env {
				if k, v, _ := strings.Cut(kv, "="); k == name {
					return v
				}
			}
			return ""
		},
	})
	testkit.OK(t, err)
	t.Cleanup(func() { _ = a.Close(); srv.Close() })
	return a
}

// scraped returns the page of a, in OpenMetrics.
func scraped(t *testing.T, a *App) string {
	t.Helper()
	q, _ := http.NewRequest(http.MethodGet, a.MetricsURL(), nil)
	q.Header.Set("Accept", "application/openmetrics-text")
	resp := testkit.Must(http.DefaultClient.Do(q))(t)
	defer http.DefaultClient.CloseIdleConnections()
	defer func() { _ = resp.Body.Close() }()
	page, _ := io.ReadAll(resp.Body)
	return string(page)
}

// TestProbeAndSweepAreExported holds that the page counts every request of a probe
// and of a sweep once, and that exemplars name requests of the recording alone.
func TestProbeAndSweepAreExported(t *testing.T) {
	t.Parallel() // most of it is waiting
	a := exporting(t, "true", metrics.Export{Enabled: true, MetricsAddr: "127.0.0.1:0"})
	runs := a.Probe(context.Background(), loadstat.ProbePlan{Work: metrics.Workload{Name: "chat", Prompt: "x"},
		Requests: 3, Concurrency: 2})
	page := scraped(t, a)
	if n := total(page, "tokscope_requests_total"); n != float64(len(runs)) || n != 3 {
		t.Errorf("the page counts %v requests of %d", n, len(runs))
	}
	if n, want := total(page, "tokscope_time_to_first_token_seconds_sum"), sumTTFT(runs); n < want*0.999999 ||
		n > want*1.000001 {
		t.Errorf("the page sums TTFT to %v s, the runs to %v s", n, want)
	}
	name := strings.TrimSuffix(a.Path()[strings.LastIndexAny(a.Path(), `/\`)+1:], ".ndjson")
	testkit.That(t, strings.Contains(page, `# {session="`+name+`",request="`), "no exemplar names %s", name)
	lines := filepath.Join(t.TempDir(), "requests")
	s := testkit.Must(a.Sweep(loadstat.SweepPlan{RequestLines: lines, Work: metrics.Workload{Name: "load", Prompt: "x"},
		Users: []int{2}, Requests: 4, ServerMetrics: "off"}))(t)
	defer func() { _ = s.Close() }()
	testkit.Must(s.Run(context.Background()))(t)
	page = scraped(t, a)
	for line := range strings.Lines(page) {
		testkit.That(t, !strings.Contains(line, `workload="load"`) || !strings.Contains(line, "# {"),
			"a request that is not recorded is named: %s", line)
	}
	text := testkit.Must(os.ReadFile(lines))(t)
	ended := strings.Count(string(text), `"state":`)
	if n := total(page, "tokscope_requests_total") - 3; n != float64(ended) || ended < 4 {
		t.Errorf("the page counts %v requests of the sweep; %d have lines", n, ended)
	}
}

// TestProbeSaysItsOwnUse holds that the processors' time is that of the whole probe:
// each of its requests alone is too short for a mean.
func TestProbeSaysItsOwnUse(t *testing.T) {
	if testing.Short() {
		t.Skip("takes three seconds of real time")
	}
	a := exporting(t, "true", metrics.Export{})
	began := time.Now()
	runs := a.Probe(context.Background(), loadstat.ProbePlan{Work: metrics.Workload{Name: "chat", Prompt: "x",
		MaxTokens: 8}, Requests: 400, Concurrency: 1})
	whole := int(time.Since(began).Seconds()) + 1
	s := metrics.Summarize(runs)
	used := s.Observer.Use.CPUUsed()
	testkit.That(t, used.OK && used.V > 0 && s.Observer.Use.Seconds <= whole, "used %+v in %d s", s.Observer.Use, whole)
	testkit.Is(t, runs[0].Stream.Observer.Use, runs[len(runs)-1].Stream.Observer.Use, "the first request says")
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
	if a := exporting(t, "false", metrics.Export{}, variable); a.exporter != nil || a.MetricsURL() != "" {
		t.Error("a command without the flags exports")
	}
	if a := exporting(t, "false", metrics.Export{Enabled: true, OTLPEndpoint: "off"}, variable); a.exporter != nil {
		t.Error("it exports although it is off")
	}
	a := exporting(t, "false", metrics.Export{Enabled: true}, variable)
	if a.exporter == nil || !strings.Contains(strings.Join(a.Warnings, "\n"), "OTEL_EXPORTER_OTLP_ENDPOINT names") {
		t.Errorf("the environment names a collector, but %q", a.Warnings)
	}
}

// TestDeadCollector holds that a probe whose collector does not answer ends as it
// should, with one sentence.
func TestDeadCollector(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "the last attempts take 0.75 s")
	addr := probetest.Refuses(t)
	a := exporting(t, "false", metrics.Export{Enabled: true, OTLPEndpoint: "http://" + addr})
	runs := a.Probe(context.Background(), loadstat.ProbePlan{Work: metrics.Workload{Prompt: "x"}, Requests: 1,
		Concurrency: 1})
	testkit.That(t, len(runs) == 1 && runs[0].Stream.State == metrics.Done, "the probe ended as %v", runs)
	if err := a.CloseExport(); err == nil || !strings.HasPrefix(err.Error(),
		"results not written: the collector at http://"+addr) || len(a.Warnings) != 0 {
		t.Errorf("lost: %v, %q", err, a.Warnings)
	}
	if err := a.Close(); err != nil || len(a.Warnings) != 0 {
		t.Errorf("said once more: %v, %q", err, a.Warnings)
	}
	b := exporting(t, "false", metrics.Export{Enabled: true}, "OTEL_EXPORTER_OTLP_ENDPOINT=http://"+addr)
	b.Probe(context.Background(), loadstat.ProbePlan{Work: metrics.Workload{Prompt: "x"}, Requests: 1, Concurrency: 1})
	if err := b.CloseExport(); err != nil || !strings.Contains(strings.Join(b.Warnings, " "),
		"does not take the figures") {
		t.Errorf("of the environment: %v, %q", err, b.Warnings)
	}
}

// TestWatchIsExported holds that the page has the verdict of a watch: which figure
// changed, since when and by how much, and no gauge of what is unknown.
func TestWatchIsExported(t *testing.T) {
	a := exporting(t, "false", metrics.Export{Enabled: true, MetricsAddr: "127.0.0.1:0"})
	w := watchstat.New(watchstat.Plan{Every: time.Minute, Targets: 1})
	target := watchstat.Target{Endpoint: metrics.Endpoint{Name: "x"}, Model: "m", Work: metrics.Workload{Name: "chat",
		Connection: metrics.ReuseCold}}
	began := time.Date(2026, 11, 2, 14, 0, 0, 0, time.UTC)
	gauge := func(name, figure string) string {
		for line := range strings.Lines(scraped(t, a)) {
			if rest, ok := strings.CutPrefix(line,
				name+`{endpoint="x",model="m",workload="chat",connection="cold",figure="`+figure+`"} `); ok {
				return strings.TrimSpace(rest)
			}
		}
		return ""
	}
	probes := func(from, to int, times float64) {
		for i := from; i < to; i++ {
			e := history.Entry{At: began.Add(time.Duration(i) * time.Minute), N: 1}
			known := func(ms float64) metrics.Value { return metrics.Known(ms+float64(i%5), 1) }
			e.Figures[history.Prefill], e.Figures[history.TTFT], e.Figures[history.TPOT] = known(250*times),
				known(20+250*times), known(7)
			w.Add(e)
			target.View = w.View()
			a.exporter.SetVerdicts(&target)
		}
	}
	probes(0, 10, 1)
	testkit.Is(t, gauge("tokscope_changed", "prefill"), "", "without a baseline it is")
	probes(10, 30, 1)
	testkit.Is(t, gauge("tokscope_changed", "prefill"), "0", "as usual it is")
	at := 30
	for ; at < 60 && gauge("tokscope_changed", "prefill") != "1"; at++ {
		probes(at, at+1, 2)
	}
	for _, name := range []string{"tokscope_baseline_lower_ratio", "tokscope_baseline_upper_ratio"} {
		testkit.Is(t, gauge(name, "prefill"), "", name, "is … at the alarm, which has no interval")
	}
	probes(at, at+10, 2)
	for name, want := range map[string]string{"prefill": "1", "tpot": "0", "connect": ""} {
		testkit.Is(t, gauge("tokscope_changed", name), want, name, "changed")
	}
	var since, ratio, low, high float64
	for to, name := range map[*float64]string{&since: "tokscope_changed_since_timestamp_seconds",
		&ratio: "tokscope_baseline_ratio", &low: "tokscope_baseline_lower_ratio", &high: "tokscope_baseline_upper_ratio"} {
		if _, err := fmt.Sscan(gauge(name, "prefill"), to); err != nil {
			t.Errorf("%s: %v\n%s", name, err, scraped(t, a))
		}
	}
	if want := float64(began.Add(30 * time.Minute).Unix()); since != want || !(1.5 < low && low <= ratio &&
		ratio <= high && high < 2.5) {
		t.Errorf("since %v, not %v; %v from %v to %v", since, want, ratio, low, high)
	}
	target.View.Rows[watchstat.Prefill].Changed = false
	target.View.Rows[watchstat.Prefill].Ratio, target.View.Rows[watchstat.Prefill].High = 0, 0
	a.exporter.SetVerdicts(&target)
	for _, name := range []string{"tokscope_changed_since_timestamp_seconds", "tokscope_baseline_ratio",
		"tokscope_baseline_lower_ratio", "tokscope_baseline_upper_ratio"} {
		testkit.Is(t, gauge(name, "prefill"), "", name, "is unknown")
	}
}

// TestWatchSaysDeadCollector holds that a watch says it while it runs, once.
func TestWatchSaysDeadCollector(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "the last attempts take 0.75 s")
	a := exporting(t, "false", metrics.Export{Enabled: true, OTLPEndpoint: "http://" + probetest.Refuses(t)},
		"OTEL_METRIC_EXPORT_INTERVAL=20")
	w := a.NewWatch()
	testkit.OK(t, w.Start(t.Context(), watchstat.Order{Work: []metrics.Workload{{Name: "chat", Prompt: "x"}},
		Plan: watchstat.Plan{Every: 10 * time.Millisecond}}, nil))
	said := []string{<-w.Warnings()}
	w.Stop()
	for text := range w.Warnings() {
		said = append(said, text)
	}
	testkit.That(t, len(said) == 1 && strings.Contains(said[0], "does not take the figures"), "the warnings are %q", said)
}

// TestTakenMetricsAddress holds that it is an error before anything is sent or
// recorded.
func TestTakenMetricsAddress(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.OK(t, err)
	defer func() { _ = ln.Close() }()
	began := time.Now()
	_, err = Open(context.Background(), CommandLine{
		Changed: map[string]string{"record": "true", "state-dir": t.TempDir()}, Env: func(string) string { return "" },
		Flags: metrics.Flags{Export: metrics.Export{Enabled: true, MetricsAddr: ln.Addr().String()}},
	})
	var f *metrics.Fault
	if !errors.As(err, &f) || f.Kind != metrics.FaultConfig || !strings.Contains(f.Next, "--metrics-addr") ||
		time.Since(began) > time.Minute {
		t.Errorf("the error is %v", err)
	}
}
