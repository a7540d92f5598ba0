package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// maxLine bounds a line of a session file: an event of 1 MiB, escaped.
const maxLine = 8 << 20

// Recording is a session file, read.
type Recording struct {
	Version string
	Started time.Time
	System  string
	// Requests are in the order in which they began.
	Requests []*Recorded
	// Loads are in the order in which they began.
	Loads []*RecordedLoad
	// Unread counts the lines of types that this program does not know.
	Unread int
	// Cut is true when the last line was not whole: the program was killed.
	Cut bool
}

// Recorded is one request of a recording. End is nil when the program ended
// before the request did.
type Recorded struct {
	ID       int
	Start    metrics.Stamp
	Endpoint Endpoint
	Workload Workload
	// Detailed says that the events were recorded, not only begin and end.
	Detailed bool
	Events   []sse.Event
	End      *Request
}

// fileLine is the union of the fields of all lines.
type fileLine struct {
	Type     string    `json:"type"`
	Schema   string    `json:"schema"`
	Version  string    `json:"version"`
	Started  time.Time `json:"started"`
	System   string    `json:"system"`
	ID       int       `json:"id"`
	StartNs  *int64    `json:"start_ns"`
	Detailed bool      `json:"events_recorded"`
	Endpoint Endpoint  `json:"endpoint"`
	Workload Workload  `json:"workload"`
	AtNs     int64     `json:"at_ns"`
	UserNs   int64     `json:"user_ns"`
	Read     int32     `json:"read"`
	Bytes    int32     `json:"bytes"`
	Stamp    string    `json:"stamp"`
	Name     string    `json:"name"`
	Field    string    `json:"field"`
	Data     string    `json:"data"`
	Request  *Request  `json:"request"`

	Load  int         `json:"load"`
	Head  *LoadHead   `json:"head"`
	Point *SweepPoint `json:"point"`
	SLO   []string    `json:"slo"`
	End   *LoadEnd    `json:"end"`
}

// Read reads a session file. A last line that is not whole is left out and
// said so (Cut); anything else that is not of the format is an error that
// names the line.
func Read(r io.Reader) (*Recording, error) {
	rec := &Recording{}
	byID := map[int]*Recorded{}
	br := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		raw, err := readLine(br)
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		whole := err == nil
		if len(bytes.TrimSpace(raw)) > 0 {
			var l fileLine
			if jerr := json.Unmarshal(raw, &l); jerr != nil {
				if !whole {
					rec.Cut = true
					break
				}
				return nil, fmt.Errorf("line %d is no line of a session file: %w", n, jerr)
			}
			if terr := rec.addLine(n, &l, byID); terr != nil {
				return nil, terr
			}
		}
		if !whole {
			break
		}
	}
	if rec.Version == "" && rec.Started.IsZero() {
		return nil, fmt.Errorf("not a session file: it has no %q line", "session")
	}
	return rec, nil
}

// take adds line n to the recording.
func (rec *Recording) addLine(n int, l *fileLine, byID map[int]*Recorded) error {
	if n == 1 {
		if l.Type != "session" || l.Schema != SessionSchema {
			return fmt.Errorf("line 1 says type %q, schema %q: this program reads %q", l.Type, l.Schema, SessionSchema)
		}
		rec.Version, rec.Started, rec.System = l.Version, l.Started, l.System
		return nil
	}
	if l.Type == "request" {
		q := &Recorded{ID: l.ID, Start: metrics.NoStamp, Endpoint: l.Endpoint, Workload: l.Workload, Detailed: l.Detailed}
		if l.StartNs != nil {
			q.Start = metrics.Stamp(*l.StartNs)
		}
		byID[l.ID] = q
		rec.Requests = append(rec.Requests, q)
		return nil
	}
	if rec.takeLoad(l) {
		return nil
	}
	if l.Type != "event" && l.Type != "comment" && l.Type != "end" {
		rec.Unread++ // of a later version: line types are only added
		return nil
	}
	q := byID[l.ID]
	if q == nil {
		return fmt.Errorf("line %d belongs to request %d, which has not begun", n, l.ID)
	}
	switch l.Type {
	case "event", "comment":
		q.Events = append(q.Events, sse.Event{
			Name: []byte(l.Name), Data: []byte(l.Data), Field: l.Field, At: metrics.Stamp(l.AtNs), User: metrics.Stamp(l.UserNs),
			Read: l.Read, Bytes: l.Bytes, Kernel: l.Stamp == metrics.SourceKernel.String(), Comment: l.Type == "comment",
		})
	case "end":
		q.End = l.Request
	}
	return nil
}

// readLine returns the next line without its end; io.EOF with the rest when
// the file ends first.
func readLine(br *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := br.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLine {
			return nil, fmt.Errorf("longer than %d MiB", maxLine>>20)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		return bytes.TrimSuffix(line, []byte("\n")), err
	}
}
