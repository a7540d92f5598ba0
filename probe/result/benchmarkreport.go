package result

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"tokscope/metrics"
	"tokscope/probe/files"
)

// benchmarkReportVersion is that of llm-d's Benchmark Report, whose schema the package
// llmd-benchmark-report on PyPI has.
const benchmarkReportVersion = "0.2.1"

// NewReports makes the folder for reports, which must be new: nothing of another run may be mixed
// with this one.
func NewReports(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists already: name a new folder for the Benchmark Reports", dir)
	}
	return err
}

// WriteReports writes a report for each step of s.
func (s *Sweep) WriteReports(dir string) error {
	for i := range s.Points {
		if err := writeReport(dir, i, s.reported(i)); err != nil {
			return err
		}
	}
	return nil
}

// WriteReport writes the report of a probe.
func (d *Document) WriteReport(dir string) error { return writeReport(dir, 0, d.reported()) }

func writeReport(dir string, stage int, r object) error {
	return files.Save(filepath.Join(dir, "benchmark_report_stage_"+strconv.Itoa(stage)+".json"), 0o600,
		func(w io.Writer) error { return Sentences(nil).WriteDocument(w, &r) })
}

// object is a part of a report. The schema allows no null: what is not known is left out.
type object map[string]any

// with adds a part that holds something.
func (o object) with(name string, part object) object {
	if len(part) > 0 {
		o[name] = part
	}
	return o
}

// value adds a known figure, scaled. It is written without an exponent: the reader is one of
// YAML, for which 1e-05 is a text.
func (o object) value(name string, v metrics.Value, scale float64) object {
	if v.OK {
		o[name] = json.Number(strconv.FormatFloat(v.V*scale, 'f', -1, 64))
	}
	return o
}

// single is a statistic of which the mean alone is known.
func single(units string, v metrics.Value) object {
	if !v.OK {
		return nil
	}
	return object{"units": units}.value("mean", v, 1)
}

// statistics are those of times in ms, in seconds. Percentiles of too few values are unknown.
func statistics(units string, d *metrics.Dist) object {
	o := single(units, d.Mean)
	if o == nil {
		return nil
	}
	const s = 1e-3
	o.value("mean", d.Mean, s).value("stddev", d.StdDev, s).value("min", d.Min, s).value("max", d.Max, s)
	return o.value("p50", d.P50, s).value("p90", d.P90, s).value("p95", d.P95, s).value("p99", d.P99, s)
}

// reportOf puts a report together. uid and stage identify it; own is our document of the same,
// verbatim.
func reportOf(tool *Tool, begun string, stage int, what string,
	load, requests, latency, throughput, own object) object {
	load["tool"], load["tool_version"], load["stage"], load["source"] = tool.Name, tool.Version, stage, "sampled"
	scenario := object{}
	if load["input_seq_len"] != nil { // the schema demands it of a load
		scenario["load"] = object{"metadata": object{}, "standardized": load, "native": object{"config": own}}
	}
	return object{
		"version": benchmarkReportVersion, "scenario": scenario,
		"run": object{"uid": fmt.Sprintf("tokscope-%s-%d", begun, stage), "eid": "tokscope-" + begun,
			"description": what, "time": object{"start": begun}},
		"results": object{"request_performance": object{"aggregate": object{}.with("requests", requests).
			with("latency", latency).with("throughput", throughput)}},
	}
}

// verbatim is v as our documents have it.
func verbatim(v any) json.RawMessage {
	b, _ := Marshal(v) // encoding none of it is the error
	return b
}

// sequence describes prompts of those lengths, else of that mean length.
func sequence(l metrics.Lengths, mean metrics.Value) object {
	if l.IsZero() {
		o := single("", mean)
		if o != nil {
			o = object{"distribution": "other", "value": o["mean"]}
		}
		return o
	}
	o := object{"value": l.Expected(), "distribution": "fixed"}
	if l.Varies() {
		o["min"], o["max"] = l.Bounds()
		if o["distribution"] = "uniform"; l.SD > 0 || len(l.Choices) > 0 {
			o["distribution"] = "other"
		}
	}
	return o
}

// reported is the report of step i.
func (s *Sweep) reported(i int) object {
	p := s.Points[i] // a copy
	p.Point = new(*p.Point)
	p.GapBins, p.TTFTBins = nil, nil
	asked, counted, answers := DrawnLengths(s.Load.Input), metrics.Value{}, metrics.Value{}
	if p.Lengths != nil {
		counted, answers = p.Lengths.PromptCounted, p.Lengths.AnswerCounted
	}
	if asked.IsZero() {
		asked = metrics.FixedLength(s.Workload.InputTokens)
	}
	load := object{}.with("input_seq_len", sequence(asked, counted))
	if len(s.Shards) > 0 {
		load["parallelism"] = len(s.Shards)
	}
	if load["rate_qps"] = p.Asked; p.Asked == 0 {
		delete(load, "rate_qps")
		load["concurrency"] = p.Users
	}
	what := fmt.Sprintf("step %d of %d, window of %.1f s", i+1, s.Planned, float64(p.To-p.From)/1e9)
	if !p.Steady {
		what += ", not steady: " + p.Why
	}
	return reportOf(&s.Tool, s.Started, i, what, load,
		object{"total": p.Requests + p.Point.Failed, "failures": p.Point.Failed}.
			with("input_length", single("count", counted)).with("output_length", single("count", answers)),
		object{}.with("time_to_first_token", statistics("s", &p.TTFT)).
			with("time_per_output_token", statistics("s/token", &p.TPOT)).
			with("request_latency", statistics("s", &p.Whole)),
		object{}.with("request_rate", single("queries/s", p.Rate)).
			with("output_token_rate", single("tokens/s", p.Total)),
		object{"schema": s.Schema, "model": cmp.Or(s.Model, s.Endpoint.Model), "load": verbatim(s.Load),
			"point": verbatim(p)})
}

// reported is the report of a probe.
func (d *Document) reported() object {
	s := d.Summary.Summary
	mean := func(sum metrics.Value) metrics.Value {
		sum.V /= float64(max(sum.N, 1))
		return sum
	}
	load := object{"concurrency": max(d.Workload.Concurrency, 1)}.
		with("input_seq_len", sequence(metrics.FixedLength(d.Workload.InputTokens), mean(s.PromptTokens)))
	return reportOf(&d.Tool, d.Started, 0, d.Conclusion, load,
		object{"total": s.Requests, "failures": s.Failed, "incomplete": s.Truncated + s.Cancelled}.
			with("input_length", single("count", mean(s.PromptTokens))).
			with("output_length", single("count", mean(s.OutputTokens))),
		object{}.with("time_to_first_token", statistics("s", &s.TTFT.Dist)).
			with("time_per_output_token", statistics("s/token", &s.TPOT.Dist)).
			with("inter_token_latency", statistics("s/token", &s.ITL)).
			with("request_latency", statistics("s", &s.Total.Dist)),
		object{}.with("request_rate", single("queries/s", s.RequestRate)).
			with("output_token_rate", single("tokens/s", s.Throughput)),
		object{"schema": d.Schema, "model": d.Endpoint.Model, "summary": verbatim(d.Summary)})
}
