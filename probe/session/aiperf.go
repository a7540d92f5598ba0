package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
		Start     int64  `json:"request_start_ns"`
		Ack       int64  `json:"request_ack_ns"`
		End       int64  `json:"request_end_ns"`
		Phase     string `json:"benchmark_phase"`
		Cancelled bool   `json:"was_cancelled"`
	} `json:"metadata"`
	Metrics map[string]struct {
		Value aiperfValue `json:"value"`
	} `json:"metrics"` // times in ms
	Trace struct {
		Chunks [][2]int64 `json:"response_chunks"` // when a read ended, and its bytes
	} `json:"trace_data"`
	Error *struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

// aiperfValue is a number, or a list of them.
type aiperfValue []float64

func (v *aiperfValue) UnmarshalJSON(b []byte) error {
	if !bytes.HasPrefix(b, []byte("[")) {
		b = slices.Concat([]byte("["), b, []byte("]"))
	}
	return json.Unmarshal(b, (*[]float64)(v))
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
	return countOf(max(n, -1))
}

func readAIPerf(b *foreign) error {
	var rows []*aiperfRow
	first := int64(math.MaxInt64)
	for n, more := 1, true; more; n++ {
		line, end := readLine(b.in)
		if more = end == nil; end != nil && end != io.EOF {
			return within("line "+strconv.Itoa(n), end)
		}
		r := &aiperfRow{}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		} else if b.rec.Cut = !more && len(rows) > 0 && !json.Valid(line); b.rec.Cut {
			break
		}
		err := named(json.Unmarshal(line, r))
		if err == nil && (r.Metadata.Start <= 0 || r.Metadata.End < r.Metadata.Start) {
			err = errors.New("request_start_ns and request_end_ns are no begin and end")
		}
		if err == nil {
			err = b.items(len(r.Metrics))
		}
		if err != nil {
			return within("line "+strconv.Itoa(n), err)
		}
		rows, first = append(rows, r), min(first, r.Metadata.Start)
	}
	b.lacks("the model and the address", "texts", "what each chunk is (reasoning or answer) and how many tokens it has",
		"when a request was sent: times are from AIPerf's begin of it, with connecting", "connection, headers and bytes")
	reads, counted := true, true
	at := func(wall int64) metrics.Stamp { return metrics.Stamp(wall - first) }
	for _, r := range rows {
		v := b.begin(at(r.Metadata.Start))
		v.State, v.Marks.End, v.Wall = metrics.Done, at(r.Metadata.End), time.Unix(0, r.Metadata.Start)
		if ack := r.Metadata.Ack; ack >= r.Metadata.Start && ack <= r.Metadata.End {
			v.Marks.FirstByte = at(ack)
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
		for i := range events { // where there is a trace of HTTP
			for read+1 < len(r.Trace.Chunks) && at(r.Trace.Chunks[read+1][0]) <= events[i].At {
				read++
			}
			if len(r.Trace.Chunks) > 0 {
				events[i].Read = int32(read)
			}
		}
		reads = reads && (len(events) == 0 || len(r.Trace.Chunks) > 0)
		switch {
		case r.Metadata.Cancelled:
			v.State, v.Fault = metrics.Cancelled, &metrics.Fault{Kind: metrics.FaultCancelled, Message: "AIPerf ended it"}
		case r.Error != nil:
			v.State, v.Fault = metrics.Failed, foreignFault(strings.Trim(r.Error.Type+": "+r.Error.Message, ": "))
		}
		if err := b.add(v, events, false); err != nil {
			return err
		}
	}
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
			aiperfPrinted(b, rows, io.LimitReader(f, mostPart))
		}
		if len(b.about.Printed) == 0 {
			b.lacks("AIPerf's own figures of all requests: " + filepath.Base(name) + " is not beside it")
		}
	}
	return nil
}

// aiperfPrinted compares the file of sums with the rows: its statistics of a metric are over the
// values of the requests that ended well.
func aiperfPrinted(b *foreign, rows []*aiperfRow, r io.Reader) {
	var sums map[string]json.RawMessage
	_ = json.NewDecoder(r).Decode(&sums)
	_ = json.Unmarshal(sums["aiperf_version"], &b.about.Version)
	values := map[string][]float64{}
	from, to := math.Inf(1), math.Inf(-1) // ns since 1970, in 53 bits as AIPerf has them
	for _, r := range rows {
		if r.Error != nil || r.Metadata.Cancelled || r.Metadata.Phase != "" && r.Metadata.Phase != "profiling" {
			continue
		}
		latency, _ := r.one("request_latency")
		from, to = min(from, float64(r.Metadata.Start)), max(to, float64(r.Metadata.Start+int64(math.Round(latency*1e6))))
		ttft, streamed := r.one("time_to_first_token")
		n, _ := r.one("output_sequence_length")
		for name, m := range r.Metrics {
			if name == "inter_token_latency" && streamed && n > 1 {
				m.Value = []float64{(latency - ttft) / (n - 1)}
			}
			values[name] = append(values[name], m.Value...)
		}
	}
	values["benchmark_duration"] = []float64{(to - from) / 1e9}
	values["request_count"] = []float64{float64(len(values["request_latency"]))}
	delete(values, "good_request_count") // of which the sums have the number
	for _, name := range slices.Sorted(maps.Keys(values)) {
		var stats map[string]json.RawMessage
		_ = json.Unmarshal(sums[name], &stats)
		for _, s := range slices.Sorted(maps.Keys(stats)) {
			if s != "unit" && len(values[name]) > 0 {
				b.printed(name+" "+s, json.Number(stats[s]), numpy(s, values[name]))
			}
		}
	}
}
