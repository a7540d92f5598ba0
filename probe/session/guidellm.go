package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/stats"
	"tokscope/probe/endpoint"
)

// guidellmReport is a report of GuideLLM: one or more benchmarks, each with its requests.
var guidellmReport = format{
	tool: "GuideLLM", file: "guidellm run: benchmarks.json, version 2 of the report",
	is: func(h *opening) bool {
		return !h.list && h.has("metadata") && bytes.Contains(h.text, []byte(`"guidellm_version"`))
	},
	read: readGuideLLM,
}

// guidellmRun is a benchmark of the report, as guidellm 0.8 writes it.
type guidellmRun struct {
	config struct {
		Strategy struct {
			Type    string  `json:"type_"`
			Streams float64 `json:"streams"`
			Rate    float64 `json:"rate"` // requests a second
		} `json:"strategy"`
	}
	times    map[string]any // of the run
	figures  map[string]any // of its requests, by how they ended
	requests []guidellmRequest
}

// guidellmRequest is a request. Its times are s since 1970, and 0 (null in the report) for moments
// that never came; so are counts that nobody gave.
type guidellmRequest struct {
	ended string // successful, incomplete, errored
	Args  string `json:"request_args"` // JSON, in which the model is
	Info  struct {
		Error   string `json:"error"`
		Timings struct {
			Start      float64 `json:"request_start"`
			FirstByte  float64 `json:"first_request_iteration"`
			First      float64 `json:"first_token_iteration"`
			Last       float64 `json:"last_token_iteration"`
			End        float64 `json:"request_end"`
			Iterations float64 `json:"token_iterations"`
		} `json:"timings"`
	} `json:"info"`
	Prompt float64 `json:"prompt_tokens"`
	Output float64 `json:"output_tokens"`
}

// name says what was asked of the server: "concurrent 2", "poisson 4".
func (r *guidellmRun) name() string {
	s := &r.config.Strategy
	if n := max(s.Streams, s.Rate); n > 0 {
		return metrics.Head(s.Type, 40) + " " + strconv.FormatFloat(n, 'g', 4, 64)
	}
	return metrics.Head(s.Type, 40)
}

func readGuideLLM(b *foreign) error {
	b.lacks("gaps: of each request it has the first and the last chunk", "what each chunk is (reasoning or answer)",
		"when a request was sent: times are from GuideLLM's begin of it, with connecting", "connection, headers and bytes",
		"whether the server counted output tokens, or GuideLLM's tokenizer")
	unsent := 0
	_, err := b.object(func(name string) (bool, error) {
		switch name {
		case "metadata":
			var meta struct {
				Version  int    `json:"version"`
				GuideLLM string `json:"guidellm_version"`
			}
			err := named(b.dec.Decode(&meta))
			if b.about.Version = meta.GuideLLM; err == nil && meta.Version != 2 {
				err = endpoint.Refuse(fmt.Sprintf("with version %d of its report", meta.Version),
					"write it with a GuideLLM that writes version 2, such as 0.8")
			}
			return true, err
		case "benchmarks":
			return true, b.list(func() error {
				var run guidellmRun
				err := run.read(b)
				for i := 0; err == nil && i < len(run.requests); i++ {
					if q := &run.requests[i]; q.Info.Timings.Start > 0 {
						err = run.add(b, q)
					} else {
						unsent++
					}
				}
				run.printed(b)
				return err
			})
		}
		return false, nil
	})
	if unsent > 0 {
		b.lacks(fmt.Sprintf("%d requests that never began", unsent))
	}
	return err
}

// read reads a benchmark.
func (r *guidellmRun) read(b *foreign) (err error) {
	r.times, err = b.object(func(name string) (bool, error) {
		switch name {
		case "config":
			return true, named(b.dec.Decode(&r.config))
		case "metrics":
			return true, b.numbers(&r.figures)
		case "requests":
			return true, b.fields(func(ended string) error {
				if ended == "total" { // null
					_, err := b.scalar()
					return err
				}
				return b.list(func() error {
					q := guidellmRequest{ended: ended}
					err := named(b.dec.Decode(&q))
					var asked struct{ Body struct{ Model string } }
					_ = json.Unmarshal([]byte(q.Args), &asked)
					q.Args = asked.Body.Model
					r.requests = append(r.requests, q)
					return cmp.Or(err, b.items(1))
				})
			})
		}
		return false, nil
	})
	return err
}

// add adds a request.
func (r *guidellmRun) add(b *foreign, q *guidellmRequest) error {
	t := &q.Info.Timings
	at := func(unix float64) metrics.Stamp {
		if unix <= 0 {
			return metrics.NoStamp
		}
		return b.at(secondsOf(unix))
	}
	v := b.begin(at(t.Start))
	v.Wall = time.Unix(0, int64(secondsOf(t.Start)))
	v.Endpoint.Model, v.Work.Name = q.Args, r.name()
	v.Work.Concurrency = countOf(max(r.config.Strategy.Streams, 0))
	v.Marks.FirstByte, v.Marks.End = at(t.FirstByte), at(t.End)
	v.Usage.Prompt, v.Usage.Completion = countOf(q.Prompt), countOf(q.Output)
	var came []metrics.Stamp
	if t.First > 0 {
		came = append(came, at(t.First))
	}
	if t.Last > 0 && t.Iterations > 1 {
		came = append(came, at(t.Last))
	}
	switch v.State = metrics.Done; q.ended {
	case "successful":
	case "incomplete":
		v.State, v.Fault = metrics.Cancelled, &metrics.Fault{Kind: metrics.FaultCancelled, Message: "GuideLLM ended it"}
	default:
		v.State, v.Fault = metrics.Failed, foreignFault(q.Info.Error)
	}
	return b.add(v, bare(came), true)
}

// printed compares what the report says of the successful requests of the benchmark with its rows.
func (r *guidellmRun) printed(b *foreign) {
	prefix := strings.TrimPrefix(r.name()+": ", ": ")
	if valueOf(r.times["warmup_duration"])+valueOf(r.times["cooldown_duration"]) > 0 {
		b.lacks(prefix + "which requests the figures of the report are over, without its warm-up and cool-down")
		return
	}
	values, figures := sums{}, map[string]any{}
	for i := range r.requests {
		if q := &r.requests[i]; q.ended == "successful" {
			q.figures(values)
		}
	}
	for name, v := range r.figures {
		of, _ := v.(map[string]any)
		figures[name] = of["successful"]
	}
	b.compare(prefix, "", figures, func(name string) (float64, bool) {
		switch figure, level, some := strings.Cut(name, " percentiles p"); {
		case some && len(level) > 2: // p999 is 99.9
			name = figure + " p" + level[:2] + "." + level[2:]
		case strings.HasSuffix(name, " std_dev"):
			name = strings.TrimSuffix(name, "_dev") // of the population
		}
		return values.of(name, nearest)
	})
}

// figures adds the figures of a request, as guidellm/schemas/base/request_stats.py defines them. Those
// of a token weigh as many as they are over.
func (q *guidellmRequest) figures(to sums) {
	t, n := &q.Info.Timings, q.Output
	to.add("request_latency", 1, t.End-t.Start)
	to.add("output_token_count", 1, n)
	to.add("time_to_first_token_ms", 1, 1000*(t.First-t.Start))
	to.add("time_per_output_token_ms", n, 1000*(t.Last-t.Start)/n)
	to.add("inter_token_latency_ms", n-1, 1000*(t.Last-t.First)/(n-1))
}

// nearest is the least value up to which the share of the weight is q.
func nearest(xs []stats.Weighted, q float64) float64 {
	total, below := 0.0, 0.0
	for _, x := range xs {
		total += x.W
	}
	for _, x := range xs {
		if below += x.W; below >= q*total*(1-1e-12) {
			return x.V
		}
	}
	return xs[len(xs)-1].V
}
