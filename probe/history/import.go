package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/history"
	"tokscope/probe/record"
)

// ImportOptions say what a file does not.
type ImportOptions struct {
	// Machine is the name of who measured. A session file does not say it; entries
	// keep their own.
	Machine string
	// Session is the path of a session file, so that its requests can be opened.
	Session string
	// ParseWhy returns the reason with the words of a session file; nil: none is
	// known.
	ParseWhy func(words string) metrics.Why
}

// maxImport bounds a file.
const maxImport = 1 << 30

// errNoMachine means that a file does not say who measured.
var errNoMachine = errors.New("a session file does not say which machine measured: name it with --machine NAME")

// Import adds what r holds: a session file, the file of a history, or the document
// of `tokscope history --json`. Figures and names come in, no text. What the
// history has already is not added again.
func (s *Store) Import(r io.Reader, o ImportOptions) (history.Imported, error) {
	br := bufio.NewReaderSize(io.LimitReader(r, maxImport), 64<<10)
	start, _ := br.Peek(1 << 10)
	var entries []history.Entry
	var in history.Imported
	var err error
	switch {
	case bytes.Contains(firstLine(start), []byte(record.SessionSchema)):
		entries, in.Running, err = newSalter(s).ofSession(br, o)
	case bytes.Contains(firstLine(start), []byte(record.HistoryFileSchema)):
		entries, in.Damaged, err = ofLines(br)
	case bytes.Contains(start, []byte(`"`+record.HistorySchema+`"`)):
		entries, in.Damaged, err = ofDocument(br)
	default:
		err = errors.New("neither a session file, nor the file of a history, nor the output of tokscope history --json")
	}
	if err != nil {
		return history.Imported{}, err
	}
	in.Entries = len(entries)
	entries, err = s.unknown(entries)
	if err != nil {
		return history.Imported{}, err
	}
	in.New = len(entries)
	for batch := range slices.Chunk(entries, 4096) {
		if err := s.Append(batch...); err != nil {
			return history.Imported{}, err
		}
	}
	return in, nil
}

func firstLine(b []byte) []byte {
	if n := bytes.IndexByte(b, '\n'); n >= 0 {
		return b[:n]
	}
	return b
}

// unknown returns the entries that the history does not have, each once.
func (s *Store) unknown(entries []history.Entry) ([]history.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return nil, wrap("read", err)
	}
	have := make(map[id]bool, len(s.table.order))
	for _, i := range s.table.order {
		have[id(s.table.row(i)[:rowAt])] = true
	}
	return slices.DeleteFunc(entries, func(e history.Entry) bool {
		key, ok := parseID(e.ID)
		double := !ok || have[key]
		have[key] = true
		return double
	}), nil
}

// ofLines reads the file of a history.
func ofLines(r io.Reader) (entries []history.Entry, damaged int, err error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, 0, err
	}
	whole := lines(data, func(line []byte) {
		switch kind, e, _ := parseLine(line); kind {
		case lineEntry:
			entries = append(entries, e)
		case lineDamaged, lineNewer:
			damaged++
		}
	})
	if whole < len(data) {
		damaged++
	}
	return entries, damaged, nil
}

// ofDocument reads the output of tokscope history --json.
func ofDocument(r io.Reader) (entries []history.Entry, damaged int, err error) {
	var doc struct {
		Schema  string                `json:"schema"`
		Entries []record.HistoryEntry `json:"entries"`
	}
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return nil, 0, fmt.Errorf("the document cannot be read: %w", err)
	}
	for i := range doc.Entries {
		e, err := doc.Entries[i].Of()
		if _, ok := parseID(e.ID); err != nil || !ok {
			damaged++
			continue
		}
		entries = append(entries, e)
	}
	return entries, damaged, nil
}

// ofSession reads a session file: its requests outside of loads. running is the
// number of those that had not ended.
func (k *salter) ofSession(r io.Reader, o ImportOptions) (entries []history.Entry, running int, err error) {
	if o.Machine == "" {
		return nil, 0, errNoMachine
	}
	rec, err := record.Read(r)
	if err != nil {
		return nil, 0, err
	}
	group := "session-" + rec.Started.UTC().Format("20060102T150405.000000000Z")
	for _, q := range rec.Requests {
		if q.Load != 0 {
			continue
		}
		if q.End == nil {
			running++
			continue
		}
		e, err := k.ofRequest(&o, q)
		if err != nil {
			return nil, 0, fmt.Errorf("request %d: %w", q.ID, err)
		}
		e.Group, e.Version, e.Kind = group, rec.Version, history.Session
		if e.Session = o.Session; e.Session == "" {
			e.Request = 0
		}
		entries = append(entries, e)
	}
	return entries, running, nil
}

// ofRequest returns the entry of a request of a session file. It has the ID that
// entryOf gives the request itself.
func (k *salter) ofRequest(o *ImportOptions, q *record.Recorded) (history.Entry, error) {
	r := q.End
	wall, err := time.Parse(time.RFC3339Nano, r.Wall)
	if err != nil {
		return history.Entry{}, err
	}
	state, err := record.EndedState(r.State)
	if err != nil {
		return history.Entry{}, err
	}
	endpoint := metrics.Endpoint{Kind: metrics.EndpointKind(r.Endpoint.Kind),
		Name: r.Endpoint.Name, URL: r.Endpoint.URL, Model: r.Endpoint.Model}
	w := r.Workload.Of()
	stamp := func(ns *int64) metrics.Stamp {
		if ns == nil {
			return metrics.NoStamp
		}
		return metrics.Stamp(*ns)
	}
	start, sent, end := stamp(r.Marks.Start), stamp(r.Marks.Sent), stamp(r.Marks.End)
	e := history.Entry{
		At: sentAt(wall, start, sent), Series: seriesOf(o.Machine, &endpoint, &w),
		Answered: bounded(r.Model), State: state, N: 1, Request: r.ID, Stalls: len(r.Figures.Stalls),
	}
	e.Series.Proto, e.Series.Proxy, e.Series.Prompt = r.Connection.Protocol, r.Connection.Proxy, k.digest(&w)
	e.ID = newID(e.At, origin{endpoint.URL, endpoint.Model, r.ID, wall, []metrics.Stamp{start, sent, end}})
	if r.Fault != nil {
		e.Fault, e.Status = metrics.FaultKind(r.Fault.Kind), r.Fault.Status
	}
	if state == metrics.Failed || state == metrics.Truncated {
		e.Failed = 1
	}
	for _, n := range r.Figures.Suspect {
		e.Suspect = e.Suspect || metrics.SuspectCode(n.Code).Excludes()
	}
	e.Figures, e.Prompt, e.Output = figuresOf(&r.Figures, o.ParseWhy)
	return e, nil
}

// figuresOf returns the figures of a recorded request. The reason of an unknown one
// stands in the file as words.
func figuresOf(f *record.Figures, parse func(string) metrics.Why) (out history.Figures, prompt, output metrics.Value) {
	get := func(name string, v *float64) metrics.Value {
		if v != nil {
			return metrics.Finite(*v, 1)
		}
		if words := f.Unknown[name]; words != "" && parse != nil {
			return metrics.Unknown(parse(words))
		}
		return metrics.Unknown(metrics.WhyForeign)
	}
	part := func(id figure.ID) metrics.Value {
		by, server := "client", id == figure.Queue || id == figure.Prefill
		if server {
			by = "server"
		}
		for _, p := range f.Wait {
			if p.Name == figure.Of(id).Part && p.By == by {
				return get("", p.Ms)
			}
		}
		return figure.Wait(nil, "", server)
	}
	out = history.Figures{
		history.DNS: get("dns_ms", f.DNS), history.TCP: get("tcp_ms", f.TCP), history.TLS: get("tls_ms", f.TLS),
		history.TTFB: get("ttfb_ms", f.TTFB), history.TTFT: get("ttft_ms", f.TTFT), history.TTFC: get("ttfc_ms", f.TTFC),
		history.TPOT: get("tpot_ms", f.TPOT), history.Longest: get("longest_gap_ms", f.Longest),
		history.Total: get("total_ms", f.Total), history.Speed: get("speed_tok_per_s", f.Speed),
		history.Upload: part(history.Upload), history.Queue: part(history.Queue), history.Prefill: part(history.Prefill),
		history.Throughput: metrics.Unknown(metrics.WhyNotMeasured),
	}
	prompt, output = get("prompt_tokens", f.PromptTokens), get("output_tokens", f.Tokens)
	if f.TokenSource == metrics.TokensEstimated.String() {
		output = metrics.Unknown(metrics.WhyNoServerTokens)
	}
	return out, prompt, output
}
