package result

import (
	"encoding/json"
	"errors"
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
// requests. An unknown figure is null, with the code of its reason under "unknown".
type HistoryEntry struct {
	*history.Entry
	Figures HistoryFigures    `json:"figures"`
	Unknown map[string]string `json:"unknown,omitempty"` // code of the reason of each null figure
}

// HistoryFigures are the figures of an entry, by history.Figure; of a point, medians.
// Queue and prefill are by the server, the speed is that of one user, and the
// throughput is the aggregate of a point.
type HistoryFigures struct {
	Values history.Figures `json:"keys" form:"bare"`
}

// HistoryDocument is the output of `tokscope history --json`.
type HistoryDocument struct {
	Schema string `json:"schema"`
	Tool   Tool   `json:"tool"`
	Filter string `json:"filter,omitempty"`
	*history.View
	Entries []HistoryEntry `json:"entries"`
}

// HistoryEntryOf returns the JSON form of e.
func HistoryEntryOf(e *history.Entry) HistoryEntry {
	out := HistoryEntry{Entry: e, Figures: HistoryFigures{e.Figures}}
	eachValue(e, func(name string, v *metrics.Value) {
		if value(*v) != nil {
			return
		}
		if out.Unknown == nil {
			out.Unknown = map[string]string{}
		}
		out.Unknown[name] = v.Why.String()
	})
	return out
}

// eachValue calls f with the figures and counts of e, by their names under "unknown".
func eachValue(e *history.Entry, f func(name string, v *metrics.Value)) {
	for i := range e.Figures {
		f(history.Figure(i).String(), &e.Figures[i])
	}
	f("prompt_tokens", &e.Prompt)
	f("output_tokens", &e.Output)
}

// Of returns what h was made from. The error says what is wrong with it.
func (h *HistoryEntry) Of() (history.Entry, error) {
	switch {
	case h.Entry == nil || h.ID == "" || h.At.IsZero():
		return history.Entry{}, errors.New("an entry needs an ID and a moment")
	case !h.State.Ended():
		return history.Entry{}, errors.New("an entry needs the state in which it ended")
	}
	e := *h.Entry
	e.Figures, e.N, e.Failed = h.Figures.Values, max(e.N, 1), max(e.Failed, 0)
	eachValue(&e, func(name string, v *metrics.Value) {
		if v.OK {
			v.N = e.N
		} else if v.Why.UnmarshalText([]byte(h.Unknown[name])) != nil || v.Why == 0 {
			v.Why = metrics.WhyForeign
		}
	})
	return e, nil
}

func historyTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// HistoryOf returns the document of v, the answer to filter.
func HistoryOf(version, filter string, v *history.View) HistoryDocument {
	d := HistoryDocument{
		Schema: HistorySchema, Tool: ToolOf(version), Filter: filter, View: v,
		Entries: make([]HistoryEntry, 0, len(v.Entries)),
	}
	for i := range v.Entries {
		d.Entries = append(d.Entries, HistoryEntryOf(&v.Entries[i]))
	}
	return d
}

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
	line, err := Sentences(nil).Append(b, &HistoryLine{"entry", HistoryLineVersion, HistoryEntryOf(e)})
	if err != nil {
		return b, err
	}
	return append(line, '\n'), nil
}
