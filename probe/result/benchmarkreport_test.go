package result_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/metrics/testkit/example"
	"tokscope/probe/result"
)

// reportFields are what the schema of llm-d's Benchmark Report 0.2.1 allows, by the names of the
// object they stand in: units of a statistic, or fields. It refuses all others.
var reportFields = map[string]string{
	"": "version run scenario results", "run": "uid eid time description", "time": "start", "scenario": "load",
	"load": "metadata standardized native", "metadata": "", "native": "config",
	"standardized": "tool tool_version source stage input_seq_len rate_qps concurrency parallelism",
	"results":      "request_performance", "request_performance": "aggregate",
	"input_seq_len": "distribution value std_dev min max",
	"aggregate":     "requests latency throughput",
	"requests":      "total failures incomplete input_length output_length",
	"latency":       "time_to_first_token time_per_output_token inter_token_latency request_latency",
	"throughput":    "request_rate output_token_rate",
	"statistic":     "units mean stddev min max p50 p90 p95 p99",
}

var reportUnits = map[string]string{
	"input_length": "count", "output_length": "count", "time_to_first_token": "s", "request_latency": "s",
	"time_per_output_token": "s/token", "inter_token_latency": "s/token", "request_rate": "queries/s",
	"output_token_rate": "tokens/s",
}

// obeys fails where the part of a report breaks the schema.
func obeys(t testkit.T, name string, part map[string]any) {
	fields := reportFields[name]
	if unit := reportUnits[name]; unit != "" {
		fields = reportFields["statistic"]
		if part["units"] != unit || part["mean"] == nil {
			t.Errorf("%s: %v", name, part)
		}
	}
	for k, v := range part {
		if !slices.Contains(strings.Fields(fields), k) || v == nil {
			t.Errorf("%s has %s: %v", name, k, v)
		}
		if inner, ok := v.(map[string]any); ok && k != "config" {
			obeys(t, k, inner)
		}
		if n, ok := v.(json.Number); ok && strings.ContainsAny(n.String(), "eE-") {
			t.Errorf("%s: %s is %v: YAML reads it as a text", name, k, n)
		}
	}
}

// read returns the only report of stage n in dir.
func read(t testkit.T, dir, n string) map[string]any {
	data := testkit.Must(os.ReadFile(filepath.Join(dir, "benchmark_report_stage_"+n+".json")))(t)
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	out := map[string]any{}
	testkit.OK(t, d.Decode(&out))
	obeys(t, "", out)
	return out
}

// at returns the value at a path of names, nil where there is none.
func at(of any, path string) any {
	for _, k := range strings.Fields(path) {
		m, _ := of.(map[string]any)
		of = m[k]
	}
	return of
}

const aggregate = "results request_performance aggregate "

// TestBenchmarkReportOfSweeps: the reports of any steps obey the schema, hold what is known, in
// seconds, and nothing else.
func TestBenchmarkReportOfSweeps(t *testing.T) {
	top := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir := testkit.Must(os.MkdirTemp(top, "r"))(t)
		times := func(name string) metrics.Dist {
			return metrics.Distribution(rapid.SliceOfN(rapid.Float64Range(1e-6, 1e6), 0, 120).Draw(t, name))
		}
		p := loadstat.Point{Users: rapid.IntRange(1, 9).Draw(t, "users"), To: 9e9, TTFT: times("ttft"), TPOT: times("tpot"),
			Whole: times("total"), Total: metrics.Unknown(metrics.WhyJustBegun), Rate: metrics.Known(2, 9), Requests: 7, Failed: 2}
		data := swept
		data.Plan.Input = rapid.SampledFrom([]metrics.Lengths{{}, metrics.FixedLength(9), {Low: 2, High: 9},
			{Low: 2, High: 9, Mean: 5, SD: 2}, {Choices: []int{1, 5}}}).Draw(t, "input")
		data.Plan.Work.InputTokens = rapid.IntRange(0, 1).Draw(t, "asked")
		data.Outcome.Steps = append(slices.Clone(swept.Outcome.Steps), loadstat.SweepStep{Point: p})
		sweep := result.SweepOf("v1", data)
		testkit.OK(t, sweep.WriteReports(dir))
		r := read(t, dir, "1")
		testkit.Is(t, at(r, aggregate+"requests total"), any(json.Number("9")))
		testkit.Is(t, at(r, aggregate+"throughput output_token_rate"), nil)
		for name, want := range map[string]metrics.Value{"time_to_first_token p90": p.TTFT.P90,
			"time_per_output_token mean": p.TPOT.Mean, "request_latency max": p.Whole.Max} {
			n, ok := at(r, aggregate+"latency "+name).(json.Number)
			v, _ := n.Float64()
			testkit.That(t, ok == want.OK && v == want.V*1e-3, "%s is %v, want %v ms", name, n, want)
		}
	})
}

func TestBenchmarkReportOfAProbe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	testkit.OK(t, result.NewReports(dir))
	var runs []metrics.Run
	for i := range 12 {
		s := example.Stream(metrics.InReasoning, 50)
		s.ID, s.Wall, s.Work.InputTokens = i+1, time.Unix(int64(i), 0), 10
		runs = append(runs, metrics.Run{Stream: *s, Figures: metrics.Measure(s, metrics.Options{})})
	}
	doc := result.DocumentOf("v1", runs, nil)
	testkit.OK(t, doc.WriteReport(dir))
	r := read(t, dir, "0")
	testkit.Is(t, at(r, aggregate+"latency time_to_first_token p90"), any(json.Number("0.48")))
	testkit.Is(t, at(r, aggregate+"requests output_length mean"), any(json.Number("50")))
	testkit.That(t, result.NewReports(dir) != nil, "a folder with a report is taken again")
}
