package result

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"tokscope/metrics"
	"tokscope/probe/files"
)

// benchmarkReportVersion is that of llm-d's Benchmark Report, whose schema the package
// llmd-benchmark-report on PyPI has.
const benchmarkReportVersion = "0.2.1"

// ReportDir is a folder of Benchmark Reports: one for each load.
type ReportDir string

// Create makes the folder, which must be new: nothing of another run may be mixed with this one.
func (d ReportDir) Create() error {
	err := os.Mkdir(string(d), 0o700)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists already: name a new folder for the Benchmark Reports", d)
	}
	return err
}

// Discard removes the folder of a run that was never begun.
func (d ReportDir) Discard() error { return os.Remove(string(d)) }

// Sweep writes a report for each step of s.
func (d ReportDir) Sweep(s *Sweep) error {
	for i := range s.Points {
		if err := d.write(i, s.reported(i)); err != nil {
			return err
		}
	}
	return nil
}

// Probe writes the report of p.
func (d ReportDir) Probe(p *Document) error {
	return d.write(0, p.reported())
}

func (d ReportDir) write(stage int, r object) error {
	f, err := files.Create(filepath.Join(string(d), "benchmark_report_stage_"+strconv.Itoa(stage)+".json"))
	if err != nil {
		return err
	}
	err = Sentences(nil).WriteDocument(f, &r)
	return errors.Join(err, f.Close())
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
	low, high := l.Bounds()
	switch o := (object{"value": l.Expected()}); {
	case l.IsZero() && mean.OK:
		return object{"distribution": "other"}.value("value", mean, 1)
	case l.IsZero():
		return nil
	case !l.Varies():
		o["distribution"] = "fixed"
		return o
	default:
		o["distribution"], o["min"], o["max"] = "uniform", low, high
		if len(l.Choices) > 0 {
			o["distribution"] = "other"
		} else if l.SD > 0 {
			o["distribution"], o["std_dev"] = "gaussian", l.SD
		}
		return o
	}
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
	what := fmt.Sprintf("step %d of %d", i+1, s.Planned)
	if p.Asked > 0 {
		load["rate_qps"] = p.Asked
		what += fmt.Sprintf(": %v requests/s", p.Asked)
	} else {
		load["concurrency"] = p.Users
		what += fmt.Sprintf(": %d users", p.Users)
	}
	what += fmt.Sprintf(", window of %.1f s", float64(p.To-p.From)/1e9)
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
		if sum.OK && sum.N > 0 {
			sum.V /= float64(sum.N)
		}
		return sum
	}
	length := func(sum metrics.Value, r metrics.Range) object {
		o := single("count", mean(sum))
		if o != nil && r.N > 0 {
			o["min"], o["max"] = r.Min, r.Max
		}
		return o
	}
	load := object{"concurrency": max(d.Workload.Concurrency, 1)}.
		with("input_seq_len", sequence(metrics.FixedLength(d.Workload.InputTokens), mean(s.PromptTokens)))
	return reportOf(&d.Tool, d.Started, 0, d.Conclusion, load,
		object{"total": s.Requests, "failures": s.Failed, "incomplete": s.Truncated + s.Cancelled}.
			with("input_length", length(s.PromptTokens, s.Prompt)).with("output_length", length(s.OutputTokens, s.Output)),
		object{}.with("time_to_first_token", statistics("s", &s.TTFT.Dist)).
			with("time_per_output_token", statistics("s/token", &s.TPOT.Dist)).
			with("inter_token_latency", statistics("s/token", &s.ITL)).
			with("request_latency", statistics("s", &s.Total.Dist)),
		object{}.with("request_rate", single("queries/s", s.RequestRate)).
			with("output_token_rate", single("tokens/s", s.Throughput)),
		object{"schema": d.Schema, "model": d.Endpoint.Model, "summary": verbatim(d.Summary)})
}
