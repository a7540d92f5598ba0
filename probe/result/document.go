package result

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"runtime"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
	"tokscope/probe/secret"
)

// Document is the output of `tokscope probe --json`, and the file saved from
// the screen.
type Document struct {
	Schema  string `json:"schema"`
	Tool    Tool   `json:"tool"`
	Started string `json:"started"` // of the first request
	// Planned is the number of requests asked for, without the warm-up; absent in a
	// file saved from the screen.
	Planned     int  `json:"requests_planned,omitempty"`
	Interrupted bool `json:"interrupted"` // by a person
	// Held is the wait before a further request that ended the probe early: a server's
	// Retry-After, or the reset of a rate limit of which nothing is left. Absent otherwise.
	Held     time.Duration    `json:"held_ms,omitempty"`
	Workload metrics.Workload `json:"workload"`
	Endpoint metrics.Endpoint `json:"endpoint"`
	// Conclusion is what all requests show, as a sentence; Findings are its
	// evidence.
	Conclusion string    `json:"conclusion"`
	Findings   []Finding `json:"findings"`
	Summary    Summary   `json:"summary"`
	SLO        []SLO     `json:"slo,omitempty"`
	// Warmup is in no figure of the document, and neither in the session file nor in the
	// history; absent without --warmup.
	Warmup *loadstat.Warmup `json:"warmup,omitempty"`
	Lens   *Lens            `json:"lens,omitempty"` // verdicts of --lens
	// Claim compares the requests that ended well with what their endpoint is said to be
	// (--machine); absent without it.
	Claim *metrics.Claimed `json:"claim,omitempty"`
	// Groups are the requests of a session by endpoint, model, workload and
	// connection, where they differ in one of them. Summary is then that of the
	// last request's group alone.
	Groups   []Group   `json:"groups,omitempty"`
	Requests []Request `json:"requests"` // the last field: see RunsDocument.Write
}

// RunsDocument is the Document of some runs. Its requests are made one by one when
// they are written: those of a thousand runs would take 10 MB.
type RunsDocument struct {
	Document
	runs  []metrics.Run
	say   Sentences
	texts bool
	scrub *secret.Scrubber // of the texts
}

// Tool describes the program that wrote a document, and its platform.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	System  string `json:"system"`
}

// ToolOf describes this program.
func ToolOf(version string) Tool {
	return Tool{"tokscope", version, runtime.GOOS + "/" + runtime.GOARCH}
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
func DocumentOf(version string, runs []metrics.Run, say Sentences) RunsDocument {
	sum := metrics.Summarize(runs)
	d := RunsDocument{runs: runs, say: say, Document: Document{
		Schema:  ResultSchema,
		Tool:    ToolOf(version),
		Summary: SummaryOf(&sum),
	}}
	if len(runs) > 0 {
		last := &runs[len(runs)-1].Stream
		d.Started = runs[0].Stream.Wall.UTC().Format(time.RFC3339Nano)
		d.Workload, d.Endpoint = last.Work, last.Endpoint
		d.Claim = metrics.JudgeClaim(metrics.GoodOf(runs))
		found := verdict.OfRuns(runs, &sum, "", slo.DefaultAgentTask)
		d.Findings, d.Conclusion = FindingsOf(found), say.One(found)
	}
	return d
}

// WithTexts adds each request's texts to the document, without the keys that
// scrub knows. For a request whose text was dropped it adds the size.
func (d *RunsDocument) WithTexts(scrub *secret.Scrubber) { d.texts, d.scrub = true, scrub }

// Request returns request i, from 0, with what it shows, compared with those before
// it.
func (d *RunsDocument) Request(i int) Request {
	run := &d.runs[i]
	r := RequestOf(&run.Stream, &run.Figures)
	t := run.Trimmed
	if t != nil {
		r.Figures.Bursts = make([]metrics.Burst, t.Bursts)
	}
	r.Findings, r.Conclusion = findingsOfRun(d.runs, i, d.say)
	switch {
	case !d.texts:
	case t != nil && t.Text > 0:
		r.TextLeftOut = t.Text
	default:
		r.addTexts(&run.Stream, d.scrub)
	}
	return r
}

// WithSLO adds how many requests met each limit.
func (d *Document) WithSLO(runs []metrics.Run, slos []slo.Objective) {
	for _, s := range slos {
		met := pick.Count(runs, func(r *metrics.Run) bool { return slo.Met(r, s) })
		d.SLO = append(d.SLO, SLO{Limit: s.String(), Met: met, Missed: len(runs) - met})
	}
}

// Write writes the document, indented, as one JSON value. It encodes one request
// after the other: encoding a thousand at once allocated 50 MB, nine times the
// document.
func (d *RunsDocument) Write(to io.Writer) error {
	out := bufio.NewWriterSize(to, documentBuffer)
	w := writer{say: d.say, indents: true}
	w.value(&d.Document)
	if len(d.runs) > 0 { // the requests are the last field
		w.b, w.depth = bytes.TrimSuffix(w.b, []byte("]\n}")), 2
		for i := range d.runs {
			r := d.Request(i)
			w.next()
			w.value(&r)
			last := len(w.b) - 1
			_, _ = out.Write(w.b[:last]) // an error comes back with Flush
			w.b = append(w.b[:0], w.b[last])
		}
		w.close(']')
		w.close('}')
	}
	_, _ = out.Write(append(w.b, '\n'))
	return cmp.Or(w.err, out.Flush())
}

// documentBuffer is the size of the writes of a document, in bytes.
const documentBuffer = 64 << 10

// Marshal returns v, indented, as the codec writes it, with a line end.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	err := Sentences(nil).WriteDocument(&b, v)
	return b.Bytes(), err
}

// WriteDocument writes v, indented, as one JSON value.
func (s Sentences) WriteDocument(to io.Writer, v any) error { return s.write(to, v, true) }

// WriteLine writes v as one line of JSON.
func (s Sentences) WriteLine(to io.Writer, v any) error { return s.write(to, v, false) }

func (s Sentences) write(to io.Writer, v any, indents bool) error {
	w := writer{say: s, indents: indents}
	if w.value(v); w.err != nil {
		return w.err
	}
	_, err := to.Write(append(w.b, '\n'))
	return err
}

// Summary is the JSON form of metrics.Summary: figures over the requests that
// ended well. The others are only counted.
type Summary struct {
	*metrics.Summary
	LeftOut *Trimmed `json:"left_out,omitempty"` // of requests beyond the memory for chunks and texts
	Stamps  string   `json:"stamps"`
	Lag     Lag      `json:"lag"`
}

// Trimmed counts what was dropped from memory when requests had ended: their
// figures stay. The percentiles of gap_ms and itl_ms name another method then.
type Trimmed struct {
	Requests int `json:"requests"`
	Chunks   int `json:"chunks"`
	Text     int `json:"text_bytes"`
}

// SummaryOf returns the JSON form of s.
func SummaryOf(s *metrics.Summary) Summary {
	out := Summary{Summary: s, Stamps: "none", Lag: Lag{s.Observer, s.Delay}}
	if s.Observer.KernelStamps+s.Observer.UserStamps > 0 {
		out.Stamps = s.Stamps.String()
	}
	if s.Trimmed > 0 {
		out.LeftOut = &Trimmed{s.Trimmed, s.ChunksTrimmed, s.TextTrimmed}
	}
	return out
}
