package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/stats"
)

// mlperfEvents is the log of events of MLPerf Endpoints' client.
var mlperfEvents = format{
	tool: "MLPerf Endpoints", file: "events.jsonl of inference-endpoint benchmark",
	is:   func(h *opening) bool { return !h.list && h.has("event_type", "timestamp_ns", "sample_uuid") },
	read: readMLPerf,
}

// mlperfEvent is a line, as core/record.py writes it: ns of a clock that only rises. The other
// fields are those of the client's result_summary.json, which may follow the events.
type mlperfEvent struct {
	Type   string          `json:"event_type"`
	At     int64           `json:"timestamp_ns"`
	Sample string          `json:"sample_uuid"`
	Data   json.RawMessage `json:"data"`
	Finish string          `json:"finish_reason"`

	Issued    json.Number                `json:"n_samples_issued"`
	Completed json.Number                `json:"n_samples_completed"`
	Failed    json.Number                `json:"n_samples_failed"`
	Duration  json.Number                `json:"duration_ns"`
	Rate      json.Number                `json:"qps"`
	Legacy    json.Number                `json:"legacy_loadgen_window_duration_ns"` // that qps is of, where set
	TTFT      map[string]json.RawMessage `json:"ttft"`
	Latency   map[string]json.RawMessage `json:"latency"`
}

// mlperfSample is a request.
type mlperfSample struct {
	issued, complete int64 // complete is 0 where it did not
	chunks           []int64
	finish           string
	fault            *metrics.Fault
	tracked          bool // of the measured part of the run, not of its warm-up
}

// mlperfRun is what the events tell of all requests.
type mlperfRun struct {
	samples []*mlperfSample // in the order of their begin
	by      map[string]*mlperfSample
	tracks  bool
	parts   int   // of the run that are tracked
	began   int64 // of the last of them
	last    int64 // completion in it
}

// readMLPerf reads what inference-endpoint 0.1 writes. A first chunk is text, reasoning or a call of
// a tool; later chunks are there with client.stream_all_chunks.
func readMLPerf(b *foreign) error {
	run := mlperfRun{by: map[string]*mlperfSample{}}
	var summary *mlperfEvent
	for n, more := 1, true; more; n++ {
		line, end := readLine(b.in)
		if more = end == nil; end != nil && end != io.EOF {
			return within("line "+strconv.Itoa(n), end)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if line[0] == '{' && len(bytes.TrimSpace(line)) == 1 && len(run.samples) > 0 { // indented
			rest, err := io.ReadAll(b.in)
			if line, more = append(line, rest...), false; err != nil {
				return within("line "+strconv.Itoa(n), err)
			}
		}
		if b.rec.Cut = !more && len(run.samples) > 0 && !json.Valid(line); b.rec.Cut {
			break
		}
		e := &mlperfEvent{}
		err := named(json.Unmarshal(line, e))
		switch {
		case err != nil:
		case e.Type == "" && e.TTFT != nil && e.Latency != nil:
			summary = e
		default:
			if err = run.take(e); err == nil {
				err = b.items(1)
			}
		}
		if err != nil {
			return within("line "+strconv.Itoa(n), err)
		}
	}
	b.lacks("the model and the address",
		"the tokens of answers, which the client's tokenizer counts: TPOT and speed are not known",
		"the text of single chunks, and what each is (reasoning or answer)", "the time of day",
		"when a request was sent: times are from the client's begin of it, with connecting",
		"which chunks came in one read", "connection, headers and bytes")
	later := slices.ContainsFunc(run.samples, func(s *mlperfSample) bool { return len(s.chunks) > 1 })
	if !later {
		b.lacks("chunks after the first (--client.stream-all-chunks)")
	}
	if summary == nil {
		b.lacks("the client's own figures: append its result_summary.json to compare them")
	}
	unlogged := 0
	for _, s := range run.samples {
		if run.parts > 0 && !s.tracked && s.complete == 0 {
			unlogged++
			continue
		}
		if err := b.addMLPerf(s, run.samples[0].issued, !later); err != nil {
			return err
		}
	}
	if unlogged > 0 {
		b.lacks(fmt.Sprintf("the ends of %d requests of the warm-up, which are left out", unlogged))
	}
	if summary != nil {
		run.compare(b, summary)
	}
	return nil
}

// take counts an event.
func (r *mlperfRun) take(e *mlperfEvent) error {
	s := r.by[e.Sample]
	kind, of, _ := strings.Cut(e.Type, ".")
	switch {
	case e.At <= 0 || kind == "" || of == "":
		return errors.New("event_type and timestamp_ns are not those of an event")
	case e.Type == "session.start_performance_tracking" && !r.tracks:
		r.tracks, r.parts, r.began, r.last = true, r.parts+1, e.At, e.At
	case e.Type == "session.stop_performance_tracking" && r.tracks:
		r.tracks = false
	case e.Type == "sample.issued" && s == nil && e.Sample != "":
		s = &mlperfSample{issued: e.At, tracked: r.tracks}
		r.samples, r.by[e.Sample] = append(r.samples, s), s
	case s == nil || s.complete > 0: // of the session, or of what was not issued
	case e.Type == "sample.recv_first", e.Type == "sample.recv_non_first":
		if len(s.chunks) == 0 == (of == "recv_first") {
			s.chunks = append(s.chunks, e.At)
		}
	case kind == "error":
		var data [3]string // the name of the type, of the error, and what it says
		_ = json.Unmarshal(e.Data, &data)
		s.fault = foreignFault(strings.Trim(data[1]+": "+data[2], ": "))
	case e.Type == "sample.complete":
		s.complete, s.finish = e.At, e.Finish
		if s.tracked {
			r.last = max(r.last, e.At)
		}
	}
	return nil
}

// addMLPerf adds a request; first is when the first one began.
func (b *foreign) addMLPerf(s *mlperfSample, first int64, ends bool) error {
	at := func(ns int64) metrics.Stamp { return metrics.Stamp(ns - first) }
	v := b.begin(at(s.issued))
	v.Endpoint.Name, v.State, v.Finish = "–", metrics.Done, s.finish
	if v.Fault = s.fault; s.complete > 0 {
		v.Marks.End = at(s.complete)
	} else if s.fault == nil {
		v.Fault = foreignFault("the file ends before the answer")
	}
	if v.Fault != nil {
		v.State = metrics.Failed
	}
	came := make([]metrics.Stamp, len(s.chunks))
	for i, ns := range s.chunks {
		came[i] = at(ns)
	}
	if s.complete > 0 && (s.complete < s.issued || len(came) > 0 && v.Marks.End < came[len(came)-1]) {
		return fmt.Errorf("request %d: it is complete before its last chunk", v.ID)
	}
	return b.add(v, bare(came), ends)
}

// compare compares the client's summary with the events, by its own definitions: ns, over the
// tracked requests that are complete, failed ones among them. A percentile is the lower of two
// ranks, and the deviation that of a sample.
func (r *mlperfRun) compare(b *foreign, e *mlperfEvent) {
	var ttft, latency []float64
	issued, failed := 0.0, 0.0
	for _, s := range r.samples {
		if !s.tracked {
			continue
		}
		issued++
		if s.fault != nil {
			failed++
		}
		if len(s.chunks) > 0 {
			ttft = append(ttft, float64(s.chunks[0]-s.issued))
		}
		if s.complete > 0 {
			latency = append(latency, float64(s.complete-s.issued))
		}
	}
	done, long := float64(len(latency)), float64(r.last-r.began)
	printed := func(name string, file json.Number, rows float64) {
		if file != "" {
			b.printed(name, file, rows)
		}
	}
	printed("n_samples_issued", e.Issued, issued)
	printed("n_samples_completed", e.Completed, done)
	printed("n_samples_failed", e.Failed, failed)
	if r.parts == 1 {
		printed("duration_ns", e.Duration, long)
	}
	if r.parts == 1 && e.Legacy == "" {
		printed("qps", e.Rate, done/(long/1e9))
	}
	b.series("ttft", e.TTFT, ttft)
	b.series("latency", e.Latency, latency)
	slices.SortFunc(b.about.Printed, func(x, y metrics.Printed) int { return strings.Compare(x.Name, y.Name) })
}

// series compares the statistics of a figure with those of xs.
func (b *foreign) series(name string, have map[string]json.RawMessage, xs []float64) {
	if len(xs) == 0 {
		return
	}
	slices.Sort(xs)
	mean := numpy("mean", xs)
	n := float64(len(xs))
	of := map[string]float64{"min": xs[0], "max": xs[len(xs)-1], "avg": mean, "median": stats.Lower(xs, 0.5),
		"total": mean * n, "std_dev": numpy("std", xs) * math.Sqrt(n/max(n-1, 1))}
	for statistic, rows := range of {
		var file json.Number
		if json.Unmarshal(have[statistic], &file) == nil && file != "" {
			b.printed(name+" "+statistic, file, rows)
		}
	}
	var percentiles map[string]json.Number
	_ = json.Unmarshal(have["percentiles"], &percentiles) // none where it is damaged
	for p, file := range percentiles {
		if level, err := strconv.ParseFloat(p, 64); err == nil && level >= 0 && level <= 100 && file != "" {
			b.printed(name+" p"+p, file, stats.Lower(xs, level/100))
		}
	}
}
