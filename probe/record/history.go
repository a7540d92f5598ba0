package record

import (
	"encoding/json"
	"errors"
	"io"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
)

// Formats of the history.
const (
	// HistorySchema names the document of `tokscope history --json`.
	HistorySchema = "tokscope/history/v1"
	// HistoryFileSchema names the file that the history is kept in.
	HistoryFileSchema = "tokscope/history-file/v1"
	// HistoryLineVersion is the version of its lines. Lines of a later one are
	// skipped.
	HistoryLineVersion = 1
)

// HistoryEntry is one request, or one point of a load with the medians of its
// requests. An unknown figure is null, with its reason under "unknown".
type HistoryEntry struct {
	ID string `json:"id"` // unique over all machines
	At string `json:"at"` // when it was sent, UTC, RFC 3339
	// "run" (Live), "probe", "race", "watch", "point" (of a load or a sweep), "session" (imported from a session file)
	Kind     string            `json:"kind"`
	Group    string            `json:"group,omitempty"`
	Series   history.Series    `json:"series"`
	Answered string            `json:"model_reported,omitempty"`
	State    string            `json:"state"`
	Fault    string            `json:"fault,omitempty"`  // its kind
	Status   int               `json:"status,omitempty"` // of HTTP, of a fault
	Figures  HistoryFigures    `json:"figures"`
	Unknown  map[string]string `json:"unknown,omitempty"` // code of the reason of each null figure
	Prompt   *float64          `json:"prompt_tokens"`     // as the server counted them
	Output   *float64          `json:"output_tokens"`
	Stalls   int               `json:"stalls"`
	N        int               `json:"requests"` // that it stands for
	Failed   int               `json:"failed"`   // of these
	// the measurement spoiled figures: they stay out of slots, baselines and changes
	Suspect bool   `json:"suspect,omitempty"`
	Session string `json:"session,omitempty"` // path of the session file
	Request int    `json:"request,omitempty"` // its number in there
	Version string `json:"version"`           // of tokscope
}

// HistoryFigures are the figures of an entry; of a point, medians.
type HistoryFigures struct {
	DNS        *float64 `json:"dns_ms"`
	TCP        *float64 `json:"tcp_ms"`
	TLS        *float64 `json:"tls_ms"`
	Upload     *float64 `json:"upload_ms"`
	TTFB       *float64 `json:"ttfb_ms"`
	Queue      *float64 `json:"queue_ms"`   // by the server
	Prefill    *float64 `json:"prefill_ms"` // by the server
	TTFT       *float64 `json:"ttft_ms"`
	TTFC       *float64 `json:"ttfc_ms"`
	TPOT       *float64 `json:"tpot_ms"`
	Longest    *float64 `json:"longest_gap_ms"`
	Total      *float64 `json:"total_ms"`
	Speed      *float64 `json:"speed_tok_per_s"`      // of one user
	Throughput *float64 `json:"throughput_tok_per_s"` // aggregate, of a point
}

// all returns the fields in the order of history.Figure.
func (f *HistoryFigures) all() [history.NumFigures]**float64 {
	return [...]**float64{
		&f.DNS, &f.TCP, &f.TLS, &f.Upload, &f.TTFB, &f.Queue, &f.Prefill,
		&f.TTFT, &f.TTFC, &f.TPOT, &f.Longest, &f.Total, &f.Speed, &f.Throughput,
	}
}

// HistoryDocument is the output of `tokscope history --json`.
type HistoryDocument struct {
	Schema string `json:"schema"`
	Tool   Tool   `json:"tool"`
	Filter string `json:"filter,omitempty"`
	*history.View
	Entries []HistoryEntry `json:"entries"`
}

// Names of the counts in HistoryEntry.Unknown.
const (
	historyPrompt = "prompt_tokens"
	historyOutput = "output_tokens"
)

// HistoryEntryOf returns the JSON form of e.
func HistoryEntryOf(e *history.Entry) HistoryEntry {
	out := HistoryEntry{
		ID: e.ID, At: historyTime(e.At), Kind: string(e.Kind), Group: e.Group,
		Series: e.Series, Answered: e.Answered,
		State: e.State.String(), Fault: string(e.Fault), Status: e.Status,
		Stalls: e.Stalls, N: e.N, Failed: e.Failed, Suspect: e.Suspect,
		Session: e.Session, Request: e.Request, Version: e.Version,
	}
	set := func(to **float64, name string, v metrics.Value) {
		if *to = value(v); *to != nil {
			return
		}
		if out.Unknown == nil {
			out.Unknown = map[string]string{}
		}
		out.Unknown[name] = v.Why.String()
	}
	for i, to := range out.Figures.all() {
		set(to, history.Figure(i).String(), e.Figures[i])
	}
	set(&out.Prompt, historyPrompt, e.Prompt)
	set(&out.Output, historyOutput, e.Output)
	return out
}

// Of returns what h was made from. The error says what is wrong with it.
func (h *HistoryEntry) Of() (history.Entry, error) {
	at, err := time.Parse(time.RFC3339Nano, h.At)
	if err != nil || h.ID == "" {
		return history.Entry{}, errors.New("an entry needs an ID and a moment")
	}
	e := history.Entry{
		ID: h.ID, At: at.UTC(), Kind: history.Kind(h.Kind), Group: h.Group, Series: h.Series, Answered: h.Answered,
		Fault: metrics.FaultKind(h.Fault), Status: h.Status, Stalls: h.Stalls,
		N: max(h.N, 1), Failed: max(h.Failed, 0), Suspect: h.Suspect,
		Session: h.Session, Request: h.Request, Version: h.Version,
	}
	if e.State, err = EndedState(h.State); err != nil {
		return history.Entry{}, err
	}
	get := func(from *float64, name string) metrics.Value {
		if from != nil {
			return metrics.Finite(*from, e.N)
		}
		why := metrics.WhyForeign
		if why.UnmarshalText([]byte(h.Unknown[name])) != nil || why == 0 {
			why = metrics.WhyForeign
		}
		return metrics.Unknown(why)
	}
	for i, from := range h.Figures.all() {
		e.Figures[i] = get(*from, history.Figure(i).String())
	}
	e.Prompt, e.Output = get(h.Prompt, historyPrompt), get(h.Output, historyOutput)
	return e, nil
}

// EndedState returns the state of that name, if a request ends in it.
func EndedState(name string) (metrics.State, error) {
	for s := metrics.Done; s <= metrics.Cancelled; s++ {
		if s.String() == name {
			return s, nil
		}
	}
	return 0, errors.New("an entry needs the state in which it ended")
}

func historyTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// HistoryOf returns the document of v, the answer to filter.
func HistoryOf(version, filter string, v *history.View) HistoryDocument {
	d := HistoryDocument{
		Schema: HistorySchema, Tool: toolOf(version), Filter: filter, View: v,
		Entries: make([]HistoryEntry, 0, len(v.Entries)),
	}
	for i := range v.Entries {
		d.Entries = append(d.Entries, HistoryEntryOf(&v.Entries[i]))
	}
	return d
}

// Write writes the document, indented, as one JSON value.
func (d *HistoryDocument) Write(w io.Writer) error { return (*Sentences)(nil).document(w, d) }

// HistoryHead is the first line of the file.
type HistoryHead struct {
	Type    string `json:"type"` // "history"
	Schema  string `json:"schema"`
	LeftOut int    `json:"left_out"` // entries that were pruned
	Written string `json:"written"`  // when the file was begun or rewritten
	Mark    string `json:"mark"`     // random: another one means that the file was rewritten
}

// HistoryHeadLine returns the line of a head. No two files have the same mark.
func HistoryHeadLine(leftOut int, now time.Time, mark string) []byte {
	data, err := json.Marshal(HistoryHead{"history", HistoryFileSchema, leftOut, historyTime(now), mark})
	if err != nil {
		return nil // cannot be: it holds texts and a number
	}
	return append(data, '\n')
}

// HistoryLine is a further line of the file.
type HistoryLine struct {
	Type string `json:"type"` // "entry"
	V    int    `json:"v"`    // version of the line
	HistoryEntry
}

// AppendHistoryLine appends the line of e to b.
func AppendHistoryLine(b []byte, e *history.Entry) ([]byte, error) {
	line, err := appendJSON(b, &HistoryLine{"entry", HistoryLineVersion, HistoryEntryOf(e)})
	if err != nil {
		return b, err
	}
	return append(line, '\n'), nil
}
