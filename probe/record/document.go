package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/probe/secret"
)

// Document is the output of `tokscope probe --json`, and the file saved from
// the screen.
type Document struct {
	Schema   string   `json:"schema"`
	Tool     Tool     `json:"tool"`
	Started  string   `json:"started"` // of the first request
	Workload Workload `json:"workload"`
	Endpoint Endpoint `json:"endpoint"`
	// Conclusion is what all requests show, as a sentence; Findings are its
	// evidence.
	Conclusion string    `json:"conclusion"`
	Findings   []Finding `json:"findings"`
	Summary    Summary   `json:"summary"`
	SLO        []SLO     `json:"slo,omitempty"`
	Lens       *Lens     `json:"lens,omitempty"` // verdicts of --lens
	Requests   []Request `json:"requests"`
	// Groups are the requests of a session by endpoint, model, workload and
	// connection, where they differ in one of them. Summary is then that of the
	// last request's group alone.
	Groups []Group `json:"groups,omitempty"`
}

// Tool describes the program that wrote a document, and its platform.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	System  string `json:"system"`
}

// SLO is one limit and how many requests met it.
type SLO struct {
	Limit  string `json:"limit"`
	Met    int    `json:"met"`
	Missed int    `json:"missed"`
}

// DocumentOf returns the document of ended requests, which must not be empty.
// The workload and the endpoint at its head are those of the last request;
// each request has its own.
func DocumentOf(version string, runs []metrics.Run, say Sentences) Document {
	sum := metrics.Summarize(runs)
	d := Document{
		Schema:   ResultSchema,
		Tool:     Tool{"tokscope", version, runtime.GOOS + "/" + runtime.GOARCH},
		Summary:  SummaryOf(sum, say),
		Findings: []Finding{},
		Requests: []Request{},
	}
	if len(runs) > 0 {
		last := &runs[len(runs)-1].Stream
		d.Started = runs[0].Stream.Wall.UTC().Format(time.RFC3339Nano)
		d.Workload, d.Endpoint = workloadOf(last.Work), endpointOf(last.Endpoint)
	}
	for i := range runs {
		d.Requests = append(d.Requests, RequestOf(&runs[i].Stream, &runs[i].Figures, say))
		if t := runs[i].Trimmed; t != nil {
			d.Requests[i].Figures.Bursts = t.Bursts
		}
	}
	d.conclude(runs, &sum, say)
	return d
}

// WithTexts adds each request's texts to the document, without the keys that
// scrub knows. For a request whose text was dropped it adds the size.
func (d *Document) WithTexts(runs []metrics.Run, scrub *secret.Scrubber) {
	for i := range d.Requests {
		if t := runs[i].Trimmed; t != nil && t.Text > 0 {
			d.Requests[i].TextLeftOut = t.Text
			continue
		}
		d.Requests[i].addTexts(&runs[i].Stream, scrub)
	}
}

// WithSLO adds how many requests met each limit.
func (d *Document) WithSLO(runs []metrics.Run, slos []slo.Objective) {
	for _, s := range slos {
		e := SLO{Limit: s.String()}
		for i := range runs {
			if ok, _ := slo.Met(&runs[i], []slo.Objective{s}); ok {
				e.Met++
			} else {
				e.Missed++
			}
		}
		d.SLO = append(d.SLO, e)
	}
}

// Write writes the document, indented, as one JSON value. It encodes one request
// after the other: encoding a thousand at once allocated 50 MB, nine times the
// document.
func (d *Document) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, documentBuffer)
	var b bytes.Buffer
	head := *d
	head.Requests = []Request{}
	if err := indented(&b, "").Encode(&head); err != nil {
		return err
	}
	if len(d.Requests) == 0 {
		_, _ = out.Write(harmless(b.Bytes()))
		return out.Flush()
	}
	// The requests are the last field.
	_, _ = out.Write(harmless(bytes.TrimSuffix(b.Bytes(), []byte("]\n}\n"))))
	enc := indented(&b, "    ")
	for i := range d.Requests {
		separator := "\n    "
		if i > 0 {
			separator = ",\n    "
		}
		_, _ = out.WriteString(separator)
		b.Reset()
		if err := enc.Encode(&d.Requests[i]); err != nil {
			return err
		}
		// An error of the writer comes back with Flush.
		_, _ = out.Write(harmless(bytes.TrimSuffix(b.Bytes(), []byte{'\n'})))
	}
	_, _ = out.WriteString("\n  ]\n}\n")
	return out.Flush()
}

// documentBuffer is the size of the writes of a document, in bytes.
const documentBuffer = 64 << 10

// indented returns an encoder into b that writes prefix before each line but the
// first of a value.
func indented(b *bytes.Buffer, prefix string) *json.Encoder {
	enc := json.NewEncoder(b)
	enc.SetIndent(prefix, "  ")
	enc.SetEscapeHTML(false)
	return enc
}
