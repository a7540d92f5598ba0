package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
)

// vllmResult is the file of `vllm bench serve`. vllm-bench writes the same names.
var vllmResult = format{
	tool: "vLLM", file: "vllm bench serve --save-result --save-detailed",
	is:   func(h *opening) bool { return !h.list && h.has("backend", "date", "duration", "completed") },
	read: readVLLM,
}

// readVLLM reads what vllm/benchmarks/serve.py (0.33) and vllm-bench (0.1) write, in seconds, and makes
// their figures of the requests that did not fail.
func readVLLM(b *foreign) error {
	by, itls, errs := map[string][]float64{}, [][]float64(nil), []string(nil)
	file, err := b.object(func(name string) (ours bool, err error) {
		switch name {
		case "errors":
			errs, err = list(b, b.text)
		case "itls":
			itls, err = list(b, func() ([]float64, error) { return list(b, b.number) })
		case "start_times", "ttfts", "latencies", "queue_times", "input_lens", "output_lens":
			by[name], err = list(b, b.number)
		default:
			return false, nil
		}
		return true, err
	})
	starts, ttfts, out, n := by["start_times"], by["ttfts"], by["output_lens"], len(itls)
	switch {
	case err != nil:
		return err
	case b.dec.More():
		return endpoint.Refuse("with several results", "give one of them in a file of its own (--append-result joins them)")
	case itls == nil || starts == nil || ttfts == nil || out == nil || errs == nil:
		return endpoint.Refuse("without the times of its requests",
			"write it again with --save-detailed, and of vllm-bench not of several turns")
	}
	for _, name := range []string{"latencies", "queue_times", "input_lens"} {
		if by[name] == nil {
			by[name] = slices.Repeat([]float64{math.NaN()}, n)
		}
	}
	for name, l := range by {
		if len(l) != n || len(errs) != n {
			return fmt.Errorf("itls has %d requests, %s %d and errors %d", n, name, len(l), len(errs))
		}
	}
	b.lacks("texts", "what a chunk is (reasoning or answer), and its tokens", "which chunks came in one read",
		"connection, headers, bytes and finish reasons", "who counted output tokens: the server, or vLLM's tokenizer")
	model, _ := file["model_id"].(string)
	backend, _ := file["backend"].(string)
	date, _ := file["date"].(string)
	duration := valueOf(file["duration"])
	written, err := time.ParseInLocation("20060102-150405", date, time.Local) // right after the last request
	if err == nil {
		b.lacks("the time zone of its date: that of this machine is taken")
	} else {
		written, err = time.Parse(time.RFC3339, date) // vllm-bench's
	}
	failed := func(i int) bool { return errs[i] != "" || out[i] == 0 && ttfts[i] == 0 }
	first, firstGood := math.Inf(1), math.Inf(1)
	for i, s := range starts {
		if first = min(first, s); !failed(i) {
			firstGood = min(firstGood, s)
		}
	}
	bad, good, values := 0.0, 0.0, sums{}
	for _, name := range []string{"ttft", "tpot", "itl", "e2el", "client_queue_time", "e2el_including_client_queue"} {
		values[name] = nil
	}
	chunks, change := map[float64]float64{}, map[float64]float64{} // of each second: that came; of the requests that run
	in, tokens, most := 0.0, 0.0, 0.0
	for i := range n {
		v := b.begin(b.at(secondsOf(starts[i])))
		v.Endpoint.Model, v.Endpoint.API = model, vllmAPI[backend]
		v.Work.Concurrency = int(valueOf(file["max_concurrency"]))
		if err == nil {
			v.Wall = written.Add(time.Duration(secondsOf(starts[i] - first - duration)))
		}
		v.Usage.Prompt = countOf(by["input_lens"][i])
		var came []float64
		if at := starts[i] + ttfts[i]; ttfts[i] > 0 {
			came = append(came, at)
			for _, gap := range itls[i] {
				at += gap
				came = append(came, at)
			}
		}
		if failed(i) {
			v.State, v.Fault = metrics.Failed, foreignFault(errs[i])
			bad++
		} else {
			v.State, v.Usage.Completion = metrics.Done, countOf(out[i])
			good++
			late, queue := by["latencies"][i], by["queue_times"][i]
			values.add("ttft", 1, 1000*ttfts[i])
			values.add("e2el", 1, 1000*late)
			values.add("client_queue_time", 1, 1000*queue)
			values.add("e2el_including_client_queue", 1, 1000*(late+queue))
			for _, gap := range itls[i] {
				values.add("itl", 1, 1000*gap)
			}
			if out[i] > 1 {
				values.add("tpot", 1, 1000*(late-ttfts[i])/(out[i]-1))
			}
			in, tokens, most = in+by["input_lens"][i], tokens+out[i], most+0*late
			for _, at := range came {
				chunks[math.Floor(at-firstGood)]++
			}
			change[math.Floor(starts[i]-firstGood)]++
			change[math.Floor(starts[i]+late-firstGood)+1]--
		}
		if err := b.add(v, bare(b.stamps(came)), false); err != nil {
			return err
		}
	}
	running := 0.0
	for _, second := range slices.Sorted(maps.Keys(change)) {
		running += change[second]
		most = max(most, running)
	}
	figures := map[string]float64{"completed": good, "failed": bad, "max_concurrent_requests": most,
		"max_output_tokens_per_s": slices.Max(append(slices.Collect(maps.Values(chunks)), 0)),
		"total_output_tokens":     tokens, "output_throughput": tokens / duration, "request_throughput": good / duration,
		"total_input_tokens": in, "total_token_throughput": (in + tokens) / duration}
	if _, ours := file["steady_state"]; ours {
		b.about.Tool = "vllm-bench" // it adds up the lengths of prompts that were asked for
		delete(figures, "total_input_tokens")
		delete(figures, "total_token_throughput")
	}
	if _, some := file["request_goodput"].(json.Number); some {
		b.lacks("the objectives of request_goodput")
	}
	b.compare("", "", file, func(name string) (float64, bool) {
		if v, known := figures[name]; known {
			return v, true
		}
		statistic, of, _ := strings.Cut(strings.TrimSuffix(name, "_ms"), "_")
		if xs, one := values[of]; one && len(xs) == 0 {
			return 0, true // of nothing it writes 0
		}
		return values.of(of+" "+statistic, numpy)
	})
	return nil
}

// vllmAPI are the APIs of its backends; of another one it is chat completions.
var vllmAPI = map[string]string{"vllm": "completions", "openai": "completions", "openai-responses": "responses"}
