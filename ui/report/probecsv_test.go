package report

import (
	"bytes"
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"tokscope/metrics"
)

// TestProbeCSV holds that the CSV of a probe has a line for each request, failed
// ones too, with its figures, and empty cells for what is unknown.
func TestProbeCSV(t *testing.T) {
	good := ranOnce()
	good.Stream.Endpoint.Price = metrics.Price{In: 0.5, Out: 2, Currency: "USD"}
	rows := probeRows(t, good, failedRun())
	if len(rows) != 2 {
		t.Fatalf("%d lines for two requests", len(rows))
	}
	cell := func(row int, name string) string {
		text, ok := rows[row][name]
		if !ok {
			t.Errorf("no column %s", name)
		}
		return text
	}
	for name, v := range map[string]metrics.Value{"ttft_ms": good.Figures.TTFT, "tpot_ms": good.Figures.TPOT, "longest_gap_ms": good.Figures.Longest, "output_tokens": good.Figures.Tokens} {
		have, err := strconv.ParseFloat(cell(0, name), 64)
		if err != nil || !v.OK || have < v.V*0.99999 || have > v.V*1.00001 {
			t.Errorf("%s is %q, want %v", name, cell(0, name), v.V)
		}
	}
	for name, want := range map[string]string{"state": "done", "stalls": "1", "fault": "", "cost": "0.000417", "started": "2026-11-20T14:00:00Z"} {
		if have := cell(0, name); name != "cost" && have != want || name == "cost" && have == "" {
			t.Errorf("%s is %q, want %q", name, have, want)
		}
	}
	for name, want := range map[string]string{"state": "failed", "fault": "rate_limit", "http_status": "429", "ttft_ms": "", "tpot_ms": "", "output_tokens": "", "output_tokens_source": "", "cost": ""} {
		if have := cell(1, name); have != want {
			t.Errorf("%s of a failed request is %q, want %q", name, have, want)
		}
	}
}

// probeRows are the lines of the CSV by the names of their columns.
func probeRows(t *testing.T, runs ...metrics.Run) (out []map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if err := ProbeCSV(&b, runs); err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all[1:] {
		cells := map[string]string{}
		for i, text := range row {
			cells[all[0][i]] = text
		}
		out = append(out, cells)
	}
	return out
}

// TestProbeCSVHasTheNamesOfTheJSON holds that a figure has one name in both
// formats, as the schema has it.
func TestProbeCSVHasTheNamesOfTheJSON(t *testing.T) {
	schema, err := os.ReadFile("../../docs/schema/probe-v1.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range runColumns {
		unit := strings.HasSuffix(c.name, "_ms") || strings.HasSuffix(c.name, "_per_s") || strings.HasSuffix(c.name, "tokens") || strings.HasSuffix(c.name, "_share")
		if !unit || strings.HasPrefix(c.name, "gap_") { // gap_p50_ms is gap_ms.p50
			continue
		}
		if !strings.Contains(string(schema), `"`+c.name+`"`) {
			t.Errorf("the JSON has no %s", c.name)
		}
	}
}

// TestProbeCSVIsSafe holds that no text from outside runs as a formula.
func TestProbeCSVIsSafe(t *testing.T) {
	r := ranOnce()
	r.Stream.Model, r.Stream.RequestID, r.Stream.Endpoint.Name = "=1+1", "@SUM(A1)", "\x1b[31m+1"
	row := probeRows(t, r)[0]
	for name, want := range map[string]string{"answered_model": "'=1+1", "request_id": "'@SUM(A1)"} {
		if row[name] != want {
			t.Errorf("%s is %q, want %q", name, row[name], want)
		}
	}
	if strings.ContainsAny(row["endpoint"], "\x1b") || strings.HasPrefix(row["endpoint"], "+") {
		t.Errorf("the endpoint is %q", row["endpoint"])
	}
}
