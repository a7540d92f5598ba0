package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// inferencePerf is the file of inference-perf (Kubernetes) with a row a request.
var inferencePerf = format{
	tool: "inference-perf", file: "report.request_lifecycle.per_request: true",
	is:   func(h *opening) bool { return h.list && h.has("start_time", "end_time") },
	read: readInferencePerf,
}

// inferenceRow is what inference-perf (0.7) writes of a request, in seconds of a clock that only
// rises.
type inferenceRow struct {
	Start *float64 `json:"start_time"`
	End   *float64 `json:"end_time"`
	Info  struct {
		Request struct {
			Text struct {
				Tokens float64 `json:"input_tokens"`
			} `json:"text"`
		} `json:"request_metrics"`
		Response *struct {
			Tokens     float64        `json:"output_tokens"`
			Usage      map[string]any `json:"server_usage"`
			Chunks     []string       `json:"response_chunks"` // data of the events with content
			Came       []float64      `json:"chunk_times"`
			TokensCame []float64      `json:"output_token_times"`
		} `json:"response_metrics"`
	} `json:"info"`
	Computed map[string]any `json:"computed_metrics"`
	Error    *struct {
		Type    string `json:"error_type"`
		Message string `json:"error_msg"`
	} `json:"error"`
}

func readInferencePerf(b *foreign) error {
	var rows []inferenceRow
	first := math.Inf(1)
	b.dec.UseNumber()
	err := b.list(func(i int) error {
		var r inferenceRow
		err := named(b.dec.Decode(&r))
		if err == nil && (r.Start == nil || r.End == nil || *r.End < *r.Start) {
			err = errors.New("start_time and end_time are no begin and end")
		}
		if err != nil {
			return within(fmt.Sprintf("request %d", i+1), err)
		}
		rows, first = append(rows, r), min(first, *r.Start)
		return b.items(1)
	})
	if err != nil {
		return err
	}
	b.lacks("the address", "the wall clock", "events without content: role, finish reason, usage",
		"which chunks came in one read", "connection, headers and bytes",
		"who counted output tokens where the server gave no usage: inference-perf's tokenizer")
	for i := range rows {
		r := &rows[i]
		v := b.begin(secondsOf(*r.Start - first))
		v.Marks.End = secondsOf(*r.End - first)
		v.Usage.Prompt = countOf(r.Info.Request.Text.Tokens)
		var events []sse.Event
		if got := r.Info.Response; got != nil {
			v.Usage.Completion = countOf(got.Tokens)
			for _, name := range []string{"completion_tokens", "output_tokens"} {
				if n, ok := got.Usage[name].(json.Number); ok {
					v.Usage.Completion = countOf(valueOf(n))
				}
			}
			came := got.Came
			if came == nil {
				came = slices.Compact(slices.Clone(got.TokensCame)) // the tokens of a chunk share its time
			}
			events = bare(stampsOf(came, first))
			for j := range events {
				if v.TextRemoved = len(got.Chunks) != len(events); !v.TextRemoved {
					events[j].Data = []byte(got.Chunks[j])
				}
			}
		}
		if v.State = metrics.Done; r.Error != nil {
			v.State, v.Fault = metrics.Failed, foreignFault(r.Error.Type+": "+r.Error.Message)
		}
		if err := b.add(v, events, false); err != nil {
			return err
		}
		for name, of := range r.figures() {
			if file, isNumber := r.Computed[name].(json.Number); isNumber {
				b.printed(fmt.Sprintf("request %d %s, s", v.ID, name), file, of)
			}
		}
	}
	return nil
}

// stampsOf returns times in seconds as stamps since first.
func stampsOf(times []float64, first float64) []metrics.Stamp {
	at := make([]metrics.Stamp, len(times))
	for i, t := range times {
		at[i] = secondsOf(t - first)
	}
	return at
}

// figures are those of the request as inference-perf computes them, from the times of tokens.
func (r *inferenceRow) figures() map[string]float64 {
	f := map[string]float64{"request_latency": *r.End - *r.Start}
	got := r.Info.Response
	if got == nil || len(got.TokensCame) < 2 {
		return f
	}
	first, last := got.TokensCame[0], got.TokensCame[len(got.TokensCame)-1]
	f["time_to_first_token"] = first - *r.Start
	f["inter_token_latency"] = (last - first) / float64(len(got.TokensCame)-1)
	if got.Tokens > 1 {
		f["time_per_output_token"] = (last - first) / (got.Tokens - 1)
	}
	return f
}
