package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
)

// vllmResult is the file of `vllm bench serve`. vllm-bench writes the same names.
var vllmResult = format{
	tool: "vLLM", file: "vllm bench serve --save-result --save-detailed",
	is:   func(h *opening) bool { return !h.list && h.has("model_id", "duration", "completed") },
	read: readVLLM,
}

// vllmRows is what the file has of each request, in seconds and tokens.
type vllmRows struct {
	by       map[string][]float64 // start_times, ttfts, latencies, queue_times, input_lens and output_lens
	itls     [][]float64
	errors   []string
	duration float64
	good     []int // indexes of the requests that did not fail
}

// readVLLM reads what vllm/benchmarks/serve.py (0.33) and vllm-bench (0.1) write.
func readVLLM(b *foreign) error {
	r := vllmRows{by: map[string][]float64{}}
	values, err := b.object(func(name string) (ours bool, err error) {
		switch name {
		case "errors":
			r.errors, err = list(b, b.text)
		case "itls":
			r.itls, err = list(b, func() ([]float64, error) { return list(b, b.number) })
		case "start_times", "ttfts", "latencies", "queue_times", "input_lens", "output_lens":
			r.by[name], err = list(b, b.number)
		default:
			return false, nil
		}
		return true, err
	})
	starts, ttfts, n := r.by["start_times"], r.by["ttfts"], len(r.itls)
	switch {
	case err != nil:
		return err
	case b.dec.More():
		return endpoint.Refuse("with several results", "give one of them in a file of its own (--append-result joins them)")
	case r.itls == nil || starts == nil || ttfts == nil || r.by["output_lens"] == nil || r.errors == nil:
		return endpoint.Refuse("without the times of its requests",
			"write it again with --save-detailed, and of vllm-bench not of several turns")
	}
	for name, l := range r.by {
		if len(l) != n || len(r.errors) != n {
			return fmt.Errorf("itls has %d requests, %s %d and errors %d", n, name, len(l), len(r.errors))
		}
	}
	b.lacks("texts", "what a chunk is (reasoning or answer), and its tokens", "which chunks came in one read",
		"connection, headers, bytes and finish reasons", "who counted output tokens: the server, or vLLM's tokenizer")
	if _, ours := values["steady_state"]; ours {
		b.about.Tool = "vllm-bench"
	}
	model, _ := values["model_id"].(string)
	backend, _ := values["backend"].(string)
	date, _ := values["date"].(string)
	r.duration = valueOf(values["duration"])
	first := slices.Min(append([]float64{math.Inf(1)}, starts...))
	written, err := time.ParseInLocation("20060102-150405", date, time.Local) // right after the last request
	if err == nil {
		b.lacks("the time zone of its date: that of this machine is taken")
	}
	for i := range n {
		began, failed := starts[i]-first, r.errors[i] != "" || r.by["output_lens"][i] == 0 && ttfts[i] == 0
		v := b.begin(secondsOf(began))
		v.Endpoint.Model, v.Endpoint.API = model, vllmAPI[backend]
		v.Work.Concurrency = int(valueOf(values["max_concurrency"]))
		if err == nil {
			v.Wall = written.Add(time.Duration(secondsOf(began) - secondsOf(r.duration)))
		}
		if in := r.by["input_lens"]; in != nil {
			v.Usage.Prompt = countOf(in[i])
		}
		if v.State = metrics.Done; failed {
			v.State, v.Fault = metrics.Failed, foreignFault(r.errors[i])
		} else {
			r.good = append(r.good, i)
			v.Usage.Completion = countOf(r.by["output_lens"][i])
		}
		var at []metrics.Stamp
		if came := began + ttfts[i]; ttfts[i] > 0 {
			at = append(at, secondsOf(came))
			for _, gap := range r.itls[i] {
				came += gap
				at = append(at, secondsOf(came))
			}
		}
		if err := b.add(v, bare(at), false); err != nil {
			return err
		}
	}
	figures := r.figures()
	if b.about.Tool != "vLLM" { // vllm-bench adds up the lengths that were asked for
		maps.DeleteFunc(figures, func(name string, _ float64) bool {
			return slices.Contains([]string{"total_input_tokens", "input_throughput", "total_token_throughput"}, name)
		})
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if file, isNumber := values[name].(json.Number); isNumber {
			v, known := figures[name]
			if m := vllmStatistic().FindStringSubmatch(name); m != nil {
				xs := r.of(m[2])
				v, known = 1000*numpy(m[1], xs), len(r.good) == 0 || xs != nil
			}
			if known {
				b.printed(name, file, v)
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

// vllmStatistic is the name of a statistic of a figure, in ms.
var vllmStatistic = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(mean|median|std|p[0-9.]+)_(\w+)_ms$`)
})

// of returns the values of a figure, s, of the requests that did not fail; none where a list is
// missing.
func (r *vllmRows) of(figure string) (xs []float64) {
	late, first, queue, out := r.by["latencies"], r.by["ttfts"], r.by["queue_times"], r.by["output_lens"]
	for _, i := range r.good {
		switch {
		case figure == "ttft":
			xs = append(xs, first[i])
		case figure == "itl":
			xs = append(xs, r.itls[i]...)
		case figure == "client_queue_time" && queue != nil:
			xs = append(xs, queue[i])
		case figure == "e2el" && late != nil:
			xs = append(xs, late[i])
		case figure == "e2el_including_client_queue" && late != nil && queue != nil:
			xs = append(xs, late[i]+queue[i])
		case figure == "tpot" && late != nil && out[i] > 1:
			xs = append(xs, (late[i]-first[i])/(out[i]-1))
		}
	}
	return xs
}

// figures are those of all requests that are no statistics, as vLLM computes them. The last two count in
// seconds since the first request began.
func (r *vllmRows) figures() map[string]float64 {
	in, out, first := 0.0, 0.0, math.Inf(1)
	for _, i := range r.good {
		out, first = out+r.by["output_lens"][i], min(first, r.by["start_times"][i])
		if r.by["input_lens"] != nil {
			in += r.by["input_lens"][i]
		}
	}
	done, all := float64(len(r.good)), float64(len(r.itls))
	f := map[string]float64{"completed": done, "failed": all - done, "total_output_tokens": out,
		"request_throughput": done / r.duration, "output_throughput": out / r.duration}
	if r.by["input_lens"] != nil {
		f["total_input_tokens"], f["input_throughput"], f["total_token_throughput"] = in, in/r.duration, (in+out)/r.duration
	}
	if r.by["latencies"] == nil {
		return f
	}
	chunks, change, running := map[float64]float64{}, map[float64]float64{}, 0.0
	for _, i := range r.good {
		began := r.by["start_times"][i]
		at := began + r.by["ttfts"][i]
		chunks[math.Floor(at-first)]++
		for _, gap := range r.itls[i] {
			at += gap
			chunks[math.Floor(at-first)]++
		}
		change[math.Floor(began-first)]++
		change[math.Floor(began+r.by["latencies"][i]-first)+1]--
	}
	f["max_output_tokens_per_s"] = slices.Max(append(slices.Collect(maps.Values(chunks)), 0))
	f["max_concurrent_requests"] = 0
	for _, second := range slices.Sorted(maps.Keys(change)) {
		running += change[second]
		f["max_concurrent_requests"] = max(f["max_concurrent_requests"], running)
	}
	return f
}
