// Command fleet tries what tokscope exports with the programs that people run: a
// real Prometheus scrapes a probe and answers queries, a real OpenTelemetry
// collector receives its figures, and both are compared with `probe --json`.
// Every query of docs/fleet/grafana.json and docs/fleet/alerts.yml is put to
// Prometheus.
//
//	apt-get download prometheus && dpkg -x prometheus_*.deb prometheus
//	go -C docs/rigs run ./fleet -collector-source $PWD/otelcol     # writes a Go module
//	(cd otelcol && sh build.sh)                                    # needs the module proxy
//	go -C docs/rigs run ./fleet -prometheus $PWD/prometheus/usr/bin/prometheus -collector $PWD/otelcol/otelcol
//
// It takes about a minute and no network beyond loopback. CI does not run it. The
// exit code is 1 if anything differs.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

func main() {
	t := trial{}
	flag.StringVar(&t.prometheus, "prometheus", "", "Prometheus; promtool stands beside it")
	flag.StringVar(&t.collector, "collector", "",
		"an OpenTelemetry collector with otlp, file, debug, otlphttp, batch, memory_limiter and deltatocumulative")
	flag.IntVar(&t.requests, "n", 40, "requests of the probe")
	source := flag.String("collector-source", "", "only write the source of such a collector into this folder")
	flag.Parse()
	var err error
	if *source != "" {
		err = writeCollector(*source)
	} else {
		err = t.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// top is the top of the repository, from the folder of the rigs.
const top = "../.."

// trial is one run against real programs.
type trial struct {
	prometheus, collector string
	requests              int

	dir    string // scratch
	web    string // Prometheus' address
	page   string // where the probe serves
	otlp   string // where the collector listens
	doc    document
	failed int
}

// document is what is compared of `probe --json`.
type document struct {
	Requests []struct {
		Figures struct {
			TTFT *float64 `json:"ttft_ms"`
			TPOT *float64 `json:"tpot_ms"`
		} `json:"figures"`
	} `json:"requests"`
}

// check prints a line and counts failures.
func (t *trial) check(ok bool, format string, a ...any) {
	word := "ok  "
	if !ok {
		word = "FAIL"
		t.failed++
	}
	fmt.Println(word, fmt.Sprintf(format, a...))
}

func (t *trial) run() error {
	if t.prometheus == "" || t.collector == "" {
		return fmt.Errorf("give -prometheus and -collector; the head of docs/rigs/fleet/main.go says where they come from")
	}
	var err error
	if t.dir, err = os.MkdirTemp("", "tokscope-fleet-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(t.dir) }()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	program := filepath.Join(t.dir, "program")
	if out, err := exec.CommandContext(ctx, "go", "build", "-C", top, "-o", program, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	t.web, t.page, t.otlp = "127.0.0.1:"+ports[0], "127.0.0.1:"+ports[1], "127.0.0.1:"+ports[2]
	t.checkFiles(ctx)
	end, err := t.start(ctx)
	if err != nil {
		return err
	}
	defer end()
	if err := t.probe(ctx, program); err != nil {
		return err
	}
	t.scraped()
	t.queries()
	t.received()
	t.forms(ctx, program)
	if t.failed > 0 {
		return fmt.Errorf("%d checks failed", t.failed)
	}
	return nil
}

// probe measures the embedded endpoint with both exporters, and looks at its page
// while it runs.
func (t *trial) probe(ctx context.Context, program string) error {
	c := exec.CommandContext(ctx, program, "probe", "-n", fmt.Sprint(t.requests),
		"--max-tokens", "60", "--json", "--metrics-addr", t.page, "--otlp-endpoint", "http://"+t.otlp)
	c.Env = append(os.Environ(), "XDG_STATE_HOME="+t.dir,
		"OTEL_METRIC_EXPORT_INTERVAL=5000", "OTEL_RESOURCE_ATTRIBUTES=region=here")
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, os.Stderr
	if err := c.Start(); err != nil {
		return err
	}
	time.Sleep(5 * time.Second) // some requests have ended
	lint := t.lint(ctx)
	t.check(lint == nil, "promtool check metrics %s", orNothing(lint))
	if err := c.Wait(); err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	return json.Unmarshal(out.Bytes(), &t.doc)
}

// forms sends the figures of short probes in the other forms that the variables
// of the environment choose, and holds that the collector takes them all.
func (t *trial) forms(ctx context.Context, program string) {
	for _, env := range [][]string{
		{"OTEL_EXPORTER_OTLP_PROTOCOL=http/json", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip"},
		{"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=delta"},
		{"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION=explicit_bucket_histogram",
			"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=delta"},
	} {
		c := exec.CommandContext(ctx, program, "probe", "-n", "1", "-q",
			"--max-tokens", "5", "--otlp-endpoint", "http://"+t.otlp, "--record=false")
		c.Env = append(os.Environ(), env...)
		var said bytes.Buffer
		c.Stderr = &said
		err := c.Run()
		t.check(err == nil && said.Len() == 0, "collector takes %v %s", env, said.String())
	}
}
