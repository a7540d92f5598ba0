package record

import (
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"time"

	"tokscope/metrics"
)

// Document is the output of `tokscope probe --json`, and the file saved from
// the screen.
type Document struct {
	Schema   string    `json:"schema"`
	Tool     Tool      `json:"tool"`
	Started  string    `json:"started"` // of the first request
	Workload Workload  `json:"workload"`
	Endpoint Endpoint  `json:"endpoint"`
	Summary  Summary   `json:"summary"`
	SLO      []SLO     `json:"slo,omitempty"`
	Lens     *Lens     `json:"lens,omitempty"` // verdicts of --lens
	Requests []Request `json:"requests"`
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

// DocumentOf returns the document of ended requests, which may not be empty.
// The workload and the endpoint at its head are those of the last request;
// each request names its own.
func DocumentOf(version string, runs []metrics.Run) Document {
	d := Document{
		Schema:   ResultSchema,
		Tool:     Tool{"tokscope", version, runtime.GOOS + "/" + runtime.GOARCH},
		Summary:  SummaryOf(metrics.Summarize(runs)),
		Requests: []Request{},
	}
	if len(runs) > 0 {
		last := &runs[len(runs)-1].Stream
		d.Started = runs[0].Stream.Wall.UTC().Format(time.RFC3339Nano)
		d.Workload, d.Endpoint = workloadOf(last.Work), endpointOf(last.Endpoint)
	}
	for i := range runs {
		d.Requests = append(d.Requests, RequestOf(&runs[i].Stream, &runs[i].Figures))
	}
	return d
}

// WithTexts puts each request's text into the document.
func (d *Document) WithTexts(runs []metrics.Run) {
	for i := range d.Requests {
		text := string(runs[i].Stream.Text)
		d.Requests[i].Text = &text
	}
}

// WithSLO adds how the requests met each limit.
func (d *Document) WithSLO(runs []metrics.Run, slos []metrics.Objective) {
	for _, s := range slos {
		e := SLO{Limit: s.String()}
		for i := range runs {
			if ok, _ := metrics.Met(&runs[i], []metrics.Objective{s}); ok {
				e.Met++
			} else {
				e.Missed++
			}
		}
		d.SLO = append(d.SLO, e)
	}
}

// Write writes the document, indented, as one JSON value.
func (d *Document) Write(w io.Writer) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(d); err != nil {
		return err
	}
	_, err := w.Write(harmless(b.Bytes()))
	return err
}
