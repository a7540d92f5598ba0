package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
)

// aiperfRecords is the file of requests of `aiperf profile`.
var aiperfRecords = format{
	tool: "AIPerf", file: "aiperf profile: profile_export.jsonl",
	is: func(h *opening) bool {
		return !h.list && h.has("metadata", "metrics") && bytes.Contains(h.text, []byte(`"request_start_ns"`))
	},
	read: readAIPerf,
}

// aiperfSums is what `aiperf profile` says of all requests together.
var aiperfSums = format{
	tool: "AIPerf", file: "profile_export_aiperf.json",
	is: func(h *opening) bool { return !h.list && h.has("schema_version", "aiperf_version") },
	read: func(*foreign) error {
		return endpoint.Refuse("with figures of all requests together, and no request",
			"give profile_export.jsonl, which lies beside it unless --export-level summary was asked for")
	},
}

// aiperfRow is a line of the file, as aiperf 0.13 writes it. Times of the clock are ns since 1970.
type aiperfRow struct {
	Metadata struct {
		Start     metrics.Stamp `json:"request_start_ns"`
		Ack       metrics.Stamp `json:"request_ack_ns"`
		End       metrics.Stamp `json:"request_end_ns"`
		Phase     string        `json:"benchmark_phase"`
		Cancelled bool          `json:"was_cancelled"`
	} `json:"metadata"`
	Metrics map[string]struct {
		Value aiperfValue `json:"value"`
	} `json:"metrics"` // times in ms
	Trace struct {
		Chunks [][2]metrics.Stamp `json:"response_chunks"` // when a read ended, and its bytes
	} `json:"trace_data"`
	Error *struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

// aiperfValue is a number, or a list of them.
type aiperfValue []float64

func (v *aiperfValue) UnmarshalJSON(b []byte) error {
	if b[0] == '[' || b[0] == 'n' { // null
		return json.Unmarshal(b, (*[]float64)(v))
	}
	*v = make(aiperfValue, 1)
	return json.Unmarshal(b, &(*v)[0])
}

// one returns the first of the metrics that is there and one number.
func (r *aiperfRow) one(names ...string) (float64, bool) {
	for _, name := range names {
		if v := r.Metrics[name].Value; len(v) == 1 {
			return v[0], true
		}
	}
	return -1, false
}

func (r *aiperfRow) count(names ...string) int {
	n, _ := r.one(names...)
	return countOf(n)
}

func readAIPerf(b *foreign) error {
	reads, counted := true, true
	all := aiperfAll{values: sums{}, from: math.Inf(1), to: math.Inf(-1)}
	err := b.each(func(raw json.RawMessage) error {
		var r aiperfRow
		if err := json.Unmarshal(raw, &r); err != nil {
			return err
		}
		m := &r.Metadata
		if m.Start <= 0 || m.End < m.Start {
			return errors.New("request_start_ns and request_end_ns are no begin and end")
		}
		v := b.begin(b.at(m.Start))
		v.State, v.Marks.End, v.Wall = metrics.Done, b.at(m.End), time.Unix(0, int64(m.Start))
		if m.Ack >= m.Start && m.Ack <= m.End {
			v.Marks.FirstByte = b.at(m.Ack)
		}
		counted = counted && (r.Error != nil || r.count("usage_completion_tokens") >= 0)
		v.Usage.Completion = r.count("usage_completion_tokens", "output_sequence_length")
		v.Usage.Prompt = r.count("usage_prompt_tokens", "input_sequence_length")
		v.Usage.Cached = r.count("usage_prompt_cache_read_tokens")
		var came []metrics.Stamp
		if ttft, streamed := r.one("time_to_first_token"); streamed {
			ms := ttft
			for _, gap := range append([]float64{0}, r.Metrics["inter_chunk_latency"].Value...) {
				ms += gap
				came = append(came, v.Marks.Sent+secondsOf(ms/1000))
			}
		}
		events, read := bare(came), 0
		for i := 0; i < len(events) && len(r.Trace.Chunks) > 0; i++ { // where there is a trace of HTTP
			for read+1 < len(r.Trace.Chunks) && b.at(r.Trace.Chunks[read+1][0]) <= events[i].At {
				read++
			}
			events[i].Read = int32(read)
		}
		reads = reads && (len(events) == 0 || len(r.Trace.Chunks) > 0)
		switch {
		case m.Cancelled:
			v.State, v.Fault = metrics.Cancelled, &metrics.Fault{Kind: metrics.FaultCancelled, Message: "AIPerf ended it"}
		case r.Error != nil:
			v.State, v.Fault = metrics.Failed, foreignFault(strings.Trim(r.Error.Type+": "+r.Error.Message, ": "))
		case m.Phase == "" || m.Phase == "profiling":
			if err := b.items(all.add(&r)); err != nil {
				return err
			}
		}
		return b.add(v, events, false)
	})
	b.lacks("the model and the address", "texts", "what each chunk is (reasoning or answer) and how many tokens it has",
		"when a request was sent: times are from AIPerf's begin of it, with connecting", "connection, headers and bytes")
	if !reads {
		b.lacks("which chunks came in one read: a gap near 0 may be one within a read")
	}
	if !counted {
		b.lacks("output tokens by the server: AIPerf's tokenizer counted them")
	}
	b.rec.beside = func(path string) {
		name := strings.TrimSuffix(path, ".jsonl") + "_aiperf.json"
		if f, err := os.Open(name); err == nil {
			defer func() { _ = f.Close() }()
			all.compare(b, f)
		}
		if len(b.about.Printed) == 0 {
			b.lacks("AIPerf's own figures of all requests: " + filepath.Base(name) + " is not beside it")
		}
	}
	return err
}

// aiperfAll are the figures of the requests of the measured phase that ended well.
type aiperfAll struct {
	values   sums
	from, to float64 // ns since 1970, in 53 bits as AIPerf has them
}

// add adds those of a request, and returns how many.
func (a *aiperfAll) add(r *aiperfRow) (n int) {
	latency, _ := r.one("request_latency")
	a.from = min(a.from, float64(r.Metadata.Start))
	a.to = max(a.to, float64(r.Metadata.Start+metrics.Stamp(math.Round(latency*1e6))))
	ttft, streamed := r.one("time_to_first_token")
	tokens, _ := r.one("output_sequence_length")
	for name, m := range r.Metrics {
		if name == "inter_token_latency" && streamed && tokens > 1 {
			m.Value = []float64{(latency - ttft) / (tokens - 1)}
		}
		a.values.add(name, 1, m.Value...)
		n += len(m.Value)
	}
	return n
}

// compare compares the file of sums with them.
func (a *aiperfAll) compare(b *foreign, file io.Reader) {
	var sums map[string]any
	_ = partsOf(io.LimitReader(file, mostPart)).numbers(&sums)
	b.about.Version, _ = sums["aiperf_version"].(string)
	a.values.add("benchmark_duration", 1, (a.to-a.from)/1e9)
	a.values.add("request_count", 1, float64(len(a.values["request_latency"])))
	delete(a.values, "good_request_count") // of which the sums have the number
	b.compare("", "", sums, func(name string) (float64, bool) { return a.values.of(name, numpy) })
}
