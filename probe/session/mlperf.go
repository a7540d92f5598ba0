package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/stats"
)

// mlperfEvents is the log of events of MLPerf Endpoints' client, which its result_summary.json may
// follow.
var mlperfEvents = format{
	tool: "MLPerf Endpoints", file: "events.jsonl of inference-endpoint benchmark",
	is:   func(h *opening) bool { return !h.list && h.has("event_type", "timestamp_ns", "sample_uuid") },
	read: readMLPerf,
}

// mlperfEvent is a line, as core/record.py (0.1) writes it: ns of a clock that only rises.
type mlperfEvent struct {
	Type   string          `json:"event_type"`
	At     metrics.Stamp   `json:"timestamp_ns"`
	Sample string          `json:"sample_uuid"`
	Data   json.RawMessage `json:"data"`
	Finish string          `json:"finish_reason"`
}

// mlperfSample is a request.
type mlperfSample struct {
	issued, complete metrics.Stamp   // complete is 0 where it did not
	chunks           []metrics.Stamp // the first text, reasoning or call, and with stream_all_chunks the later ones
	finish           string
	fault            *metrics.Fault
	tracked          bool // of the measured part of the run, not of its warm-up
}

// mlperfRun is what the events tell of all requests.
type mlperfRun struct {
	samples     []*mlperfSample // in the order of their begin
	by          map[string]*mlperfSample
	tracks      bool
	parts       int           // of the run that are tracked
	began, last metrics.Stamp // the begin of the last of them, and the last completion in it
}

func readMLPerf(b *foreign) error {
	run := mlperfRun{by: map[string]*mlperfSample{}}
	var summary map[string]any
	if err := b.each(func(raw json.RawMessage) error {
		var e mlperfEvent
		if err := json.Unmarshal(raw, &e); err != nil {
			return err
		}
		if e.Type == "" && len(run.samples) > 0 {
			return partsOf(bytes.NewReader(raw)).numbers(&summary)
		}
		return cmp.Or(run.take(&e), b.items(1))
	}); err != nil {
		return err
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
		v, came := b.begin(b.at(s.issued)), []metrics.Stamp{}
		for _, ns := range s.chunks {
			came = append(came, b.at(ns))
		}
		v.Endpoint.Name, v.State, v.Finish, v.Fault = "–", metrics.Done, s.finish, s.fault
		if s.complete > 0 {
			v.Marks.End = b.at(s.complete)
		} else if s.fault == nil {
			v.Fault = foreignFault("the file ends before the answer")
		}
		if v.Fault != nil {
			v.State = metrics.Failed
		}
		if s.complete > 0 && s.complete < slices.Max(append(s.chunks, s.issued)) {
			return fmt.Errorf("request %d: it is complete before its last chunk", v.ID)
		}
		if err := b.add(v, bare(came), !later); err != nil {
			return err
		}
	}
	if unlogged > 0 {
		b.lacks(fmt.Sprintf("the ends of %d requests of the warm-up, which are left out", unlogged))
	}
	run.compare(b, summary)
	return nil
}

// take counts an event.
func (r *mlperfRun) take(e *mlperfEvent) error {
	s := r.by[e.Sample]
	switch kind, of, _ := strings.Cut(e.Type, "."); {
	case e.At <= 0 || kind == "" || of == "":
		return errors.New("event_type and timestamp_ns are not those of an event")
	case of == "start_performance_tracking" && !r.tracks:
		r.tracks, r.parts, r.began, r.last = true, r.parts+1, e.At, e.At
	case of == "stop_performance_tracking":
		r.tracks = false
	case of == "issued" && s == nil && e.Sample != "":
		s = &mlperfSample{issued: e.At, tracked: r.tracks}
		r.samples, r.by[e.Sample] = append(r.samples, s), s
	case s == nil || s.complete > 0: // of the session, or of what was not issued
	case kind == "error":
		var data [3]string // the name of the type, of the error, and what it says
		_ = json.Unmarshal(e.Data, &data)
		s.fault = foreignFault(strings.Trim(data[1]+": "+data[2], ": "))
	case of == "recv_first" && len(s.chunks) == 0, of == "recv_non_first" && len(s.chunks) > 0:
		s.chunks = append(s.chunks, e.At)
	case of == "complete":
		if s.complete, s.finish = e.At, e.Finish; s.tracked {
			r.last = max(r.last, e.At)
		}
	}
	return nil
}

// compare compares the figures of the client's summary with the events: in ns, over the tracked
// requests, failed ones among them, a percentile as the lower of two ranks. It leaves out those that
// need the client's tokenizer.
func (r *mlperfRun) compare(b *foreign, summary map[string]any) {
	issued, failed, values := 0, 0, sums{}
	for _, s := range r.samples {
		if !s.tracked {
			continue
		}
		if issued++; s.fault != nil {
			failed++
		}
		if len(s.chunks) > 0 {
			values.add("ttft", 1, float64(s.chunks[0]-s.issued))
		}
		if s.complete > 0 {
			values.add("latency", 1, float64(s.complete-s.issued))
		}
	}
	values.add("n_samples_issued", 1, float64(issued))
	values.add("n_samples_failed", 1, float64(failed))
	values.add("n_samples_completed", 1, float64(len(values["latency"])))
	if r.parts == 1 {
		values.add("duration_ns", 1, float64(r.last-r.began))
	}
	b.compare("", "", summary, func(name string) (float64, bool) {
		return values.of(name, func(xs []stats.Weighted, q float64) float64 { return xs[int(q*float64(len(xs)-1))].V })
	})
}
