package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

//go:embed collector.go.txt
var collectorSource []byte

//go:embed collector.sh
var collectorBuild []byte

// writeCollector writes the source of a collector with what the trial needs.
func writeCollector(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	return errors.Join(err, os.WriteFile(filepath.Join(dir, "main.go"), collectorSource, 0o644),
		os.WriteFile(filepath.Join(dir, "build.sh"), collectorBuild, 0o644))
}

// freePorts returns ports of loopback that nobody listens on.
func freePorts(n int) (ports []string, err error) {
	for range n {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = ln.Close() }()
		_, port, _ := net.SplitHostPort(ln.Addr().String())
		ports = append(ports, port)
	}
	return ports, nil
}

// checkFiles has the programs check the committed files.
func (t *trial) checkFiles(ctx context.Context) {
	promtool := filepath.Join(filepath.Dir(t.prometheus), "promtool")
	for _, args := range [][]string{
		{promtool, "check", "config", top + "/docs/fleet/prometheus.yml"},
		{promtool, "check", "rules", top + "/docs/fleet/alerts.yml"},
		{t.collector, "validate", "--config", top + "/docs/fleet/collector.yaml"},
	} {
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		c.Env = append(os.Environ(), "STORE=http://127.0.0.1:9/api/v1/otlp")
		out, err := c.CombinedOutput()
		t.check(err == nil, "%s %v", filepath.Base(args[0]), args[1:])
		if err != nil {
			fmt.Printf("%s", out)
		}
	}
}

// start starts Prometheus and the collector, and waits for both.
func (t *trial) start(ctx context.Context) (end func(), err error) {
	write := func(name, text string) string {
		path := filepath.Join(t.dir, name)
		err = errors.Join(err, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	scrape := write("prometheus.yml",
		"global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: tokscope\n  static_configs: [{targets: ['"+
			t.page+"'], labels: {region: here}}]\n")
	collect := write("collector.yaml", `
receivers: {otlp: {protocols: {http: {endpoint: "`+t.otlp+`"}}}}
exporters: {file: {path: "`+t.kept()+`", flush_interval: 100ms}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {metrics: {receivers: [otlp], exporters: [file]}}
`)
	if err != nil {
		return nil, err
	}
	var all []*exec.Cmd
	end = func() {
		for _, c := range all {
			_ = c.Process.Signal(syscall.SIGTERM)
			_ = c.Wait()
		}
	}
	for name, args := range map[string][]string{
		"prometheus": {t.prometheus, "--config.file=" + scrape, "--storage.tsdb.path=" + filepath.Join(t.dir, "tsdb"),
			"--web.listen-address=" + t.web, "--enable-feature=exemplar-storage"},
		"collector": {t.collector, "--config", collect},
	} {
		log, err := os.Create(filepath.Join(t.dir, name+".log"))
		if err != nil {
			end()
			return nil, err
		}
		c := exec.CommandContext(ctx, args[0], args[1:]...)
		c.Stdout, c.Stderr = log, log
		if err := c.Start(); err != nil {
			end()
			return nil, err
		}
		all = append(all, c)
	}
	if !listens(t.web) || !listens(t.otlp) {
		end()
		return nil, fmt.Errorf("prometheus or the collector does not listen: see %s", t.dir)
	}
	return end, nil
}

// listens waits until an address takes connections, at most 20 s.
func listens(addr string) bool {
	for range 200 {
		if c, err := net.Dial("tcp", addr); err == nil {
			_ = c.Close()
			return true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}

// lint has promtool read the page as it is now.
func (t *trial) lint(ctx context.Context) error {
	resp, err := http.Get("http://" + t.page + "/metrics")
	if err != nil {
		return err
	}
	page, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, filepath.Join(filepath.Dir(t.prometheus), "promtool"), "check", "metrics")
	c.Stdin = bytes.NewReader(page)
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}
