package record

import (
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"

	"tokscope/metrics"
)

// ReplaySchema names the format of tokscope replay --json.
const ReplaySchema = "tokscope/replay/v1"

// Replay is the document of tokscope replay --json: the figures of recorded
// requests, computed anew from their events and stamps.
type Replay struct {
	Schema   string          `json:"schema"`
	Tool     Tool            `json:"tool"` // that computed the figures
	Files    []ReplayFile    `json:"files"`
	Requests []ReplayRequest `json:"requests"`
}

// ReplayFile is one session file of a replay.
type ReplayFile struct {
	Name string `json:"name"` // without its folder
	*Recording
}

// ReplayRequest is one recorded request with its figures.
type ReplayRequest struct {
	File    int    `json:"file"`              // index in files
	Missing string `json:"missing,omitempty"` // what the recording lacks of it
	// Same reports that every figure is that of the recording; null where the
	// recording has none, or none can be computed.
	Same    *bool    `json:"same_as_recorded"`
	Differs []string `json:"differs,omitempty"` // names of the figures that are not
	Request Request  `json:"request"`           // of the recording, where its events are missing
}

// ReplayOf returns the document of no files.
func ReplayOf(version string) Replay {
	return Replay{Schema: ReplaySchema, Tool: toolOf(version)}
}

// AddFile adds a file; the requests that follow are its requests.
func (d *Replay) AddFile(name string, rec *Recording) {
	d.Files = append(d.Files, ReplayFile{name, rec})
}

// AddRequest adds a request of the last file: v is its stream, made again from its
// events.
func (d *Replay) AddRequest(q *Recorded, v *metrics.Stream, missing metrics.ReplayMissing) {
	f := metrics.Measure(v, metrics.Options{})
	out := ReplayRequest{File: len(d.Files) - 1, Missing: string(missing), Request: RequestOf(v, &f)}
	switch {
	case missing == metrics.ReplayNoEvents && q.End != nil:
		out.Request = *q.End
	case q.End != nil:
		out.Differs = differing(&q.End.Figures, &out.Request.Figures)
		same := len(out.Differs) == 0
		out.Same = &same
	}
	d.Requests = append(d.Requests, out)
}

// differing returns the names of the figures that differ, without the sentences
// about them: a later version may word them anew.
func differing(a, b *metrics.Figures) (names []string) {
	x, y := numbers(a), numbers(b)
	for _, name := range slices.Sorted(maps.Keys(y)) {
		if !alike(x[name], y[name]) {
			names = append(names, name)
		}
	}
	return names
}

// rounding is the share by which sums of the same values may differ: another version
// may add them in another order.
const rounding = 1e-12

// alike reports whether two values of JSON are the same but for rounding.
func alike(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= rounding*max(math.Abs(a), math.Abs(b))
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, alike)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, alike)
	}
	return a == b
}

// numbers returns the figures by name, without reasons and texts.
func numbers(f *metrics.Figures) map[string]any {
	out, _ := tree(f).(map[string]any)
	withoutTexts(out)
	return out
}

// tree returns v as encoding/json reads what the codec writes, nil where it cannot be
// written.
func tree(v any) (out any) {
	if data, err := appendJSON(nil, Sentences(nil).inJSON(v)); err == nil {
		_ = json.Unmarshal(data, &out) // it is JSON
	}
	return out
}

func withoutTexts(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "unknown")
		delete(v, "text")
		for _, x := range v {
			withoutTexts(x)
		}
	case []any:
		for _, x := range v {
			withoutTexts(x)
		}
	}
}

// Write writes the document, indented, as one JSON value that is safe to show.
func (d *Replay) Write(w io.Writer, say Sentences) error { return say.document(w, d) }
