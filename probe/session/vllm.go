package session

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/stats"
	"tokscope/probe/endpoint"
	"tokscope/probe/secret"
)

// vllmResult is the file of `vllm bench serve`. vllm-bench writes the same names.
var vllmResult = format{
	tool: "vLLM", file: "vllm bench serve --save-result --save-detailed",
	is:   func(h *opening) bool { return !h.list && h.has("model_id", "num_prompts", "duration", "completed") },
	read: readVLLM,
}

// vllmRows are the lists of the file, of which each has a value a request, in seconds and tokens.
// A failed request has no output tokens.
type vllmRows struct {
	starts, ttfts, latencies, queue, inputs, outputs []float64
	itls                                             [][]float64
	errors                                           []string
	good                                             []int // indexes of those that did not fail
}

// readVLLM reads names as vllm/benchmarks/serve.py (0.33) writes them.
func readVLLM(b *foreign) error {
	var rows vllmRows
	var names []string // of the figures, as the file has them
	values := map[string]any{}
	number := func() (float64, error) { return b.number(0) }
	lists := map[string]*[]float64{"start_times": &rows.starts, "ttfts": &rows.ttfts, "latencies": &rows.latencies,
		"queue_times": &rows.queue, "input_lens": &rows.inputs, "output_lens": &rows.outputs}
	err := b.fields(func(name string) error {
		switch {
		case lists[name] != nil:
			return list(b, name, lists[name], number)
		case name == "errors":
			return list(b, name, &rows.errors, b.text)
		case name == "itls":
			return list(b, name, &rows.itls, func() (of []float64, err error) { return of, list(b, "", &of, number) })
		}
		v, err := b.scalar()
		if names, values[name] = append(names, name), v; err != nil {
			return fmt.Errorf("%s: %w", metrics.Head(name, 40), err)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case b.dec.More():
		return endpoint.Refuse("with several results",
			"it was written with --append-result: give one of them in a file of its own")
	case rows.ttfts == nil || rows.itls == nil || rows.outputs == nil:
		return endpoint.Refuse("without the times of its requests", "write it again with --save-detailed")
	}
	n := len(rows.ttfts)
	for name, l := range lists {
		if *l != nil && len(*l) != n {
			return fmt.Errorf("ttfts has %d requests and %s has %d", n, name, len(*l))
		}
	}
	if len(rows.itls) != n || rows.errors != nil && len(rows.errors) != n {
		return fmt.Errorf("ttfts has %d requests, itls has %d and errors %d", n, len(rows.itls), len(rows.errors))
	}
	b.lacks("texts", "what each chunk is (reasoning or answer) and how many tokens it has",
		"which chunks came in one read: a gap near 0 may be one within a read", "connection, headers and bytes",
		"whether the server counted output tokens, or vLLM's tokenizer")
	if rows.starts == nil {
		b.lacks("when each request began: all are shown from one moment")
		rows.starts = make([]float64, n)
	}
	model, _ := values["model_id"].(string)
	backend, _ := values["backend"].(string)
	duration, users := valueOf(values["duration"]), valueOf(values["max_concurrency"])
	first := slices.Min(append(rows.starts, math.Inf(1)))
	// The file says when it was written, without a zone: right after the last request.
	date, _ := values["date"].(string)
	written, err := time.ParseInLocation("20060102-150405", date, time.Local)
	if err == nil {
		b.lacks("the time zone of its date: that of this machine is taken")
	}
	for i := range n {
		began := rows.starts[i] - first
		if rows.latencies != nil && secondsOf(rows.latencies[i]) > longest {
			return fmt.Errorf("latencies[%d] is no possible time", i)
		}
		v := b.begin(secondsOf(began))
		v.Endpoint.Name, v.Endpoint.Model, v.Endpoint.API = cmp.Or(model, "–"), model, vllmAPI[backend]
		v.Work.Concurrency = int(min(max(users, 0), math.MaxInt32))
		if err == nil && duration > 0 {
			v.Wall = written.Add(time.Duration(secondsOf(began - duration)))
		}
		if v.State = metrics.Done; rows.failed(i) {
			v.State, v.Fault = metrics.Failed, &metrics.Fault{Kind: metrics.FaultForeign, Message: rows.failure(i)}
		} else {
			rows.good = append(rows.good, i)
			v.Usage.Completion = int(min(rows.outputs[i], math.MaxInt32))
		}
		if rows.inputs != nil {
			v.Usage.Prompt = int(min(rows.inputs[i], math.MaxInt32))
		}
		var at []metrics.Stamp
		if came := began + rows.ttfts[i]; rows.ttfts[i] > 0 {
			at = append(at, secondsOf(came))
			for _, gap := range rows.itls[i] {
				came += gap
				at = append(at, secondsOf(came))
			}
		}
		if err := b.add(v, bare(at), false); err != nil {
			return err
		}
	}
	for _, name := range names {
		if file, isNumber := values[name].(json.Number); isNumber {
			if of, known := rows.figure(name, duration); known {
				b.printed(name, file, of)
			}
		}
	}
	if _, set := values["request_goodput"].(json.Number); set {
		b.lacks("the objectives of request_goodput")
	}
	return nil
}

// vllmAPI are the APIs of its backends; of another one it is chat completions.
var vllmAPI = map[string]string{"vllm": "completions", "openai": "completions", "openai-responses": "responses"}

// secondsOf returns s seconds as a stamp, too late to be valid where they do not fit.
func secondsOf(s float64) metrics.Stamp {
	return metrics.Stamp(math.Round(min(s*1e9, float64(longest)+1)))
}

// valueOf returns a number of JSON, 0 for all else.
func valueOf(v any) float64 {
	n, _ := v.(json.Number)
	x, _ := n.Float64()
	return x
}

// failed reports whether a request failed: nothing in the file says so but its error and that
// nothing came.
func (r *vllmRows) failed(i int) bool {
	return r.errors != nil && r.errors[i] != "" || r.outputs[i] == 0 && r.ttfts[i] == 0
}

// failure is the last line of its error, which may be that of a stack of calls.
func (r *vllmRows) failure(i int) string {
	if r.errors == nil || strings.TrimSpace(r.errors[i]) == "" {
		return "it failed, and vLLM did not say why"
	}
	lines := strings.Split(strings.TrimSpace(r.errors[i]), "\n")
	return metrics.Head(secret.NewScrubber().String(lines[len(lines)-1]), 300)
}

// vllmStatistic is the name of a statistic of a figure, in ms.
var vllmStatistic = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(mean|median|std|p[0-9.]+)_(\w+)_ms$`)
})

// figure computes a figure of all requests as vLLM does. known is false for one that the rows do
// not give.
func (r *vllmRows) figure(name string, duration float64) (v float64, known bool) {
	if m := vllmStatistic().FindStringSubmatch(name); m != nil {
		xs, known := r.of(m[2])
		return 1000 * numpy(m[1], xs), known
	}
	sum := func(of []float64) (s float64) {
		for _, i := range r.good {
			if of != nil {
				s += of[i]
			}
		}
		return s
	}
	done, in, out := float64(len(r.good)), sum(r.inputs), sum(r.outputs)
	known = r.inputs != nil
	switch name {
	case "completed":
		return done, true
	case "failed":
		return float64(len(r.ttfts)) - done, true
	case "total_input_tokens":
		return in, known
	case "total_output_tokens":
		return out, true
	case "request_throughput":
		return done / duration, true
	case "output_throughput":
		return out / duration, true
	case "total_token_throughput":
		return (in + out) / duration, known
	case "max_output_tokens_per_s":
		tokens, _, ok := r.seconds()
		return slices.Max(tokens), ok
	case "max_concurrent_requests":
		_, running, ok := r.seconds()
		return slices.Max(running), ok
	}
	return 0, false
}

// of returns the values of a figure, s, of the requests that did not fail.
func (r *vllmRows) of(figure string) (xs []float64, known bool) {
	known = true
	for _, i := range r.good {
		switch figure {
		case "ttft":
			xs = append(xs, r.ttfts[i])
		case "itl":
			xs = append(xs, r.itls[i]...)
		case "client_queue_time":
			if known = r.queue != nil; known {
				xs = append(xs, r.queue[i])
			}
		case "tpot", "e2el", "e2el_including_client_queue":
			switch known = r.latencies != nil; {
			case !known:
			case figure == "e2el":
				xs = append(xs, r.latencies[i])
			case figure != "tpot":
				if known = r.queue != nil; known {
					xs = append(xs, r.latencies[i]+r.queue[i])
				}
			case r.outputs[i] > 1:
				xs = append(xs, (r.latencies[i]-r.ttfts[i])/(r.outputs[i]-1))
			}
		default:
			known = false
		}
	}
	return xs, known
}

// longestCounted is the longest run, s, of which each second is counted.
const longestCounted = 1 << 20

// seconds counts the chunks that came, and the requests that ran, in each second since the first
// began. ok is false for too long a run.
func (r *vllmRows) seconds() (tokens, running []float64, ok bool) {
	tokens, running, ok = make([]float64, 1), make([]float64, 1), r.latencies != nil
	first := math.Inf(1)
	for _, i := range r.good {
		first = min(first, r.starts[i])
	}
	add := func(to *[]float64, at, n float64) {
		if ok = ok && at-first < longestCounted; !ok {
			return
		}
		for float64(len(*to)) <= at-first {
			*to = append(*to, 0)
		}
		(*to)[int(at-first)] += n
	}
	for _, i := range r.good {
		at := r.starts[i] + r.ttfts[i]
		add(&tokens, at, 1)
		for _, gap := range r.itls[i] {
			at += gap
			add(&tokens, at, 1)
		}
		if add(&running, r.starts[i], 1); ok {
			add(&running, r.starts[i]+r.latencies[i]+1, -1)
		}
	}
	for s := 1; s < len(running); s++ {
		running[s] += running[s-1]
	}
	return tokens, running, ok
}

// numpy returns a statistic of xs by its name there: mean, median, std of the population, and
// percentiles between the two nearest values. Those of nothing are 0, as vLLM writes it.
func numpy(statistic string, xs []float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	mean := 0.0
	for _, x := range xs {
		mean += x / float64(len(xs))
	}
	switch statistic {
	case "mean":
		return mean
	case "std":
		squares := 0.0
		for _, x := range xs {
			squares += (x - mean) * (x - mean)
		}
		return math.Sqrt(squares / float64(len(xs)))
	}
	level := 0.5
	if statistic != "median" {
		level = min(valueOf(json.Number(statistic[1:]))/100, 1)
	}
	return stats.Quantile(slices.Sorted(slices.Values(xs)), level)
}
