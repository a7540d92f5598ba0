package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// kept is the file that the collector writes.
func (t *trial) kept() string { return filepath.Join(t.dir, "received.json") }

// sample is one of an answer of Prometheus.
type sample struct {
	Metric map[string]string `json:"metric"`
	Value  [2]any            `json:"value"`
}

func (s *sample) value() float64 {
	text, _ := s.Value[1].(string)
	v, _ := strconv.ParseFloat(text, 64)
	return v
}

// query asks Prometheus. The error holds its answer.
func (t *trial) query(expr string) ([]sample, error) {
	var a struct {
		Status, Error string
		Data          struct {
			ResultType string
			Result     json.RawMessage
		}
	}
	if err := t.get("query?query="+url.QueryEscape(expr), &a); err != nil {
		return nil, err
	}
	if a.Status != "success" {
		return nil, fmt.Errorf("%s", a.Error)
	}
	var all []sample
	return all, json.Unmarshal(a.Data.Result, &all)
}

func (t *trial) get(path string, into any) error {
	resp, err := http.Get("http://" + t.web + "/api/v1/" + path)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// one returns the only value of a query, NaN without exactly one.
func (t *trial) one(expr string) float64 {
	all, err := t.query(expr)
	if err != nil || len(all) != 1 {
		return math.NaN()
	}
	return all[0].value()
}

// figures returns the known values of the first n requests, in seconds, sorted.
func (t *trial) figures(n int) (ttft, tpot []float64) {
	for _, r := range t.doc.Requests[:min(n, len(t.doc.Requests))] {
		if r.Figures.TTFT != nil {
			ttft = append(ttft, *r.Figures.TTFT/1000)
		}
		if r.Figures.TPOT != nil {
			tpot = append(tpot, *r.Figures.TPOT/1000)
		}
	}
	slices.Sort(ttft)
	slices.Sort(tpot)
	return ttft, tpot
}

// scraped compares what Prometheus has with the first requests of the document:
// it has those of its last scrape.
func (t *trial) scraped() {
	n := int(t.one(`sum(last_over_time(tokscope_requests_total{outcome="done"}[10m]))`))
	t.check(n > t.requests/2 && n <= t.requests, "Prometheus has %d of %d requests", n, t.requests)
	ttft, tpot := t.figures(n)
	for _, x := range []struct {
		family string
		values []float64
	}{{"tokscope_time_to_first_token_seconds", ttft}, {"tokscope_time_per_output_token_seconds", tpot}} {
		sum, want := t.one("sum(last_over_time("+x.family+"_sum[10m]))"), 0.0
		for _, v := range x.values {
			want += v
		}
		t.check(math.Abs(sum-want) < 1e-6*want, "%s: sum %.6f s, probe --json %.6f s", x.family, sum, want)
		t.quantile(x.family, x.values)
	}
	all, err := t.exemplars("tokscope_time_to_first_token_seconds_bucket")
	t.check(err == nil && all > 0, "query_exemplars names the session file and request of %d values (%v)", all, err)
}

// quantile compares histogram_quantile with the client's own median: both lie in
// one bucket.
func (t *trial) quantile(family string, sorted []float64) {
	buckets, err := t.query("sum by (le) (last_over_time(" + family + "_bucket[10m]))")
	if err != nil || len(sorted) == 0 {
		t.check(false, "%s: %v", family, err)
		return
	}
	var edges []float64
	for i := range buckets {
		edge, _ := strconv.ParseFloat(buckets[i].Metric["le"], 64)
		edges = append(edges, edge)
	}
	slices.Sort(edges)
	for _, q := range []float64{0.5, 0.95} {
		client := sorted[int(math.Ceil(q*float64(len(sorted))))-1]
		i, _ := slices.BinarySearch(edges, client)
		low := 0.0
		if i > 0 {
			low = edges[i-1]
		}
		got := t.one(fmt.Sprintf("histogram_quantile(%v, sum by (le) (last_over_time(%s_bucket[10m])))", q, family))
		t.check(got >= low && got <= edges[i],
			"%s: histogram_quantile(%v) %.5f s, the client's %.5f s, bucket %g to %g s", family, q, got, client, low, edges[i])
	}
}

// exemplars counts those of a series that name a session file and a request.
func (t *trial) exemplars(series string) (n int, err error) {
	var a struct {
		Data []struct {
			Exemplars []struct{ Labels map[string]string }
		}
	}
	err = t.get("query_exemplars?start=0&end=9999999999&query="+url.QueryEscape(series), &a)
	for _, d := range a.Data {
		for _, x := range d.Exemplars {
			if strings.HasPrefix(x.Labels["session"], "session-") && x.Labels["request"] != "" {
				n++
			}
		}
	}
	return n, err
}

// variables are what Grafana puts into a query.
var variables = strings.NewReplacer("$__rate_interval", "10m",
	"$endpoint", ".*", "$model", ".*", "$workload", ".*", "$region", ".*")

// queries puts every query of the dashboard to Prometheus. It says which have
// figures: those of a watch need one.
func (t *trial) queries() {
	text, err := os.ReadFile(top + "/docs/fleet/grafana.json")
	if err != nil {
		t.check(false, "%v", err)
		return
	}
	var d struct {
		Panels []struct {
			Title       string
			FieldConfig struct{ Defaults struct{ Unit string } }
			Targets     []struct{ Expr string }
		}
		Annotations struct{ List []struct{ Name, Expr string } }
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.check(false, "%v", err)
		return
	}
	for _, p := range d.Panels {
		series, bad := 0, error(nil)
		for _, x := range p.Targets {
			all, err := t.query(variables.Replace(x.Expr))
			series += len(all)
			if err != nil {
				bad = err
			}
		}
		t.check(bad == nil && p.FieldConfig.Defaults.Unit != "", "panel %q (%s): %d queries answered with %d series %v",
			p.Title, p.FieldConfig.Defaults.Unit, len(p.Targets), series, orNothing(bad))
	}
	for _, a := range d.Annotations.List {
		_, err := t.query(variables.Replace(a.Expr))
		t.check(err == nil, "annotation %q %v", a.Name, orNothing(err))
	}
}

func orNothing(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// received compares the collector's last message with the document.
func (t *trial) received() {
	text, err := os.ReadFile(t.kept())
	if err != nil {
		t.check(false, "%v", err)
		return
	}
	var last message
	messages := 0
	for line := range bytes.Lines(text) {
		last = message{}
		if err := json.Unmarshal(line, &last); err != nil {
			t.check(false, "the collector's file: %v", err)
		}
		messages++
	}
	ttft, tpot := t.figures(t.requests)
	for name, values := range map[string][]float64{"tokscope.time_to_first_token": ttft,
		"tokscope.time_per_output_token": tpot} {
		n, sum, quantile, exemplars := last.histogram(name)
		want := 0.0
		for _, v := range values {
			want += v
		}
		t.check(n == len(values) && math.Abs(sum-want) < 1e-6*want,
			"collector: %s has %d values with sum %.6f s, probe --json %d and %.6f s, after %d messages",
			name, n, sum, len(values), want, messages)
		client := values[(len(values)+1)/2-1]
		t.check(math.Abs(quantile/client-1) < 0.05,
			"collector: %s: median of the exponential buckets %.5f s, the client's %.5f s; %d exemplars",
			name, quantile, client, exemplars)
	}
	t.check(slices.Contains(last.resource(), "region=here") &&
		slices.Contains(last.resource(), "service.name=tokscope"), "collector: resource %v", last.resource())
}
