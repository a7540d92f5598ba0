package session

import (
	"encoding/json"
	"errors"
	"fmt"
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
	b.lacks("the address", "the wall clock", "events without content: role, finish reason, usage",
		"which chunks came in one read", "connection, headers and bytes",
		"who counted output tokens where the server gave no usage: inference-perf's tokenizer")
	b.dec.UseNumber()
	return b.list(func() error {
		var r inferenceRow
		err := named(b.dec.Decode(&r))
		if err == nil && (r.Start == nil || r.End == nil || *r.End < *r.Start) {
			err = errors.New("start_time and end_time are no begin and end")
		}
		if err != nil {
			return err
		}
		v := b.begin(b.at(secondsOf(*r.Start)))
		v.Marks.End = b.at(secondsOf(*r.End))
		v.Usage.Prompt = countOf(r.Info.Request.Text.Tokens)
		figures := map[string]float64{"request_latency": *r.End - *r.Start}
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
			events = bare(b.stamps(came))
			for j := range events {
				if v.TextRemoved = len(got.Chunks) != len(events); !v.TextRemoved {
					events[j].Data = []byte(got.Chunks[j])
				}
			}
			if last := len(got.TokensCame) - 1; last > 0 {
				took := got.TokensCame[last] - got.TokensCame[0]
				figures["time_to_first_token"] = got.TokensCame[0] - *r.Start
				figures["inter_token_latency"] = took / float64(last)
				if got.Tokens > 1 {
					figures["time_per_output_token"] = took / (got.Tokens - 1)
				}
			}
		}
		if v.State = metrics.Done; r.Error != nil {
			v.State, v.Fault = metrics.Failed, foreignFault(r.Error.Type+": "+r.Error.Message)
		}
		b.compare(fmt.Sprintf("request %d, s: ", v.ID), "", r.Computed, func(name string) (float64, bool) {
			x, known := figures[name]
			return x, known
		})
		return b.add(v, events, false)
	})
}

// stamps returns times in seconds of the tool's clock as stamps.
func (b *foreign) stamps(times []float64) []metrics.Stamp {
	at := make([]metrics.Stamp, len(times))
	for i, t := range times {
		at[i] = b.at(secondsOf(t))
	}
	return at
}
