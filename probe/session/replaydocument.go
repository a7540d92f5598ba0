package session

import (
	"tokscope/metrics"
	"tokscope/probe/result"
)

// ReplaySchema names the format of tokscope replay --json.
const ReplaySchema = "tokscope/replay/v1"

// Replay is the document of tokscope replay --json: the figures of recorded
// requests, computed anew from their events and stamps.
type Replay struct {
	Schema   string          `json:"schema"`
	Tool     result.Tool     `json:"tool"` // that computed the figures
	Files    []Recording     `json:"files"`
	Requests []ReplayRequest `json:"requests"`
}

// ReplayRequest is one recorded request with its figures.
type ReplayRequest struct {
	File    int    `json:"file"`              // index in files
	Missing string `json:"missing,omitempty"` // what the recording lacks of it
	// Same reports that every figure is that of the recording; null where the
	// recording has none, or none can be computed.
	Same    *bool          `json:"same_as_recorded"`
	Differs []string       `json:"differs,omitempty"` // names of the figures that are not
	Request result.Request `json:"request"`           // of the recording, where its events are missing
}

// ReplayOf returns the document of no files.
func ReplayOf(version string) Replay {
	return Replay{Schema: ReplaySchema, Tool: result.ToolOf(version)}
}

// AddFile adds a file; the requests that follow are its requests.
func (d *Replay) AddFile(rec *Recording) { d.Files = append(d.Files, *rec) }

// AddRequest adds a request of the last file: v is its stream, made again from its
// events.
func (d *Replay) AddRequest(q *Recorded, v *metrics.Stream, missing metrics.ReplayMissing) {
	f := metrics.Measure(v, metrics.Options{})
	out := ReplayRequest{File: len(d.Files) - 1, Missing: string(missing), Request: result.RequestOf(v, &f)}
	switch {
	case missing == metrics.ReplayNoEvents && q.End != nil:
		out.Request = *q.End
	case q.End != nil && d.Files[out.File].Foreign == nil:
		out.Differs = result.Differing(&q.End.Figures, &out.Request.Figures)
		same := len(out.Differs) == 0
		out.Same = &same
	}
	d.Requests = append(d.Requests, out)
}
