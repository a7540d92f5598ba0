package session

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
	"tokscope/probe/result"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// Bounds of a session file, which may be anybody's: of a line, for an event of
// 1 MiB, escaped; of all lines; and of what a recording holds, beside result.MaxItems.
// The largest file of this program has 256 MB, unless --record-limit is raised.
const (
	maxLine     = 8 << 20
	maxFile     = 1 << 30
	maxRequests = 100_000
	maxLoads    = 10_000
)

// schemaFamily begins the name of every version of the format.
const schemaFamily = "tokscope/session/v"

// Recording is the content of a session file.
type Recording struct {
	Name string `json:"name"` // of the file, without its folder; "stdin" for "-"; "" before it is opened by name
	// Newer is the schema of a file that a later version wrote, "" for this one.
	// Of such a file everything that is known was read.
	Newer   string `json:"newer_schema,omitempty"`
	Version string `json:"version"` // of the tokscope that wrote it; "" for another program
	// Foreign is what is known of the file of another program; nil for a session file.
	Foreign *metrics.ToolFile `json:"foreign,omitempty"`
	beside  func(path string) // reads what lies beside the file at path; nil: nothing does
	Started time.Time         `json:"started"` // wall clock
	System  string            `json:"system"`  // os/arch
	Bodies  bool              `json:"bodies_recorded"`
	// Texts says what stands for the texts: one of TextsKept, TextsFixed and
	// TextsWidths.
	Texts string
	// Tap says what the tap stood between whose file it is; nil: it is not one's.
	Tap    *turn.Tapped    `json:"tap,omitempty"`
	Ended  metrics.Stamp   // of the tap; NoStamp: it has not ended, or was killed
	Others [turn.Kinds]int // requests that are no turns
	// Requests are in the order in which they began.
	Requests []*Recorded `json:"requests" form:"count"`
	// Loads are in the order in which they began.
	Loads []*RecordedLoad `json:"loads" form:"count"`
	// Unread counts the lines of unknown types.
	Unread int `json:"unread_lines"`
	// LeftOut counts lines, other than events and reads, that were dropped
	// because the disk was too slow.
	LeftOut int `json:"left_out_lines"`
	// Limited is true when the file reached its limit: requests lack events, or
	// are missing.
	Limited bool `json:"limit_reached"`
	// Cut is true when the last line was incomplete: the program was killed.
	Cut bool `json:"last_line_cut"`

	items  int // kept so far
	blocks map[turn.Digest]turn.Block
}

// Recorded is one request of a recording. End is nil when the program ended
// before the request.
type Recorded struct {
	ID    int
	Load  int // number of its load; 0 outside a load
	Start metrics.Stamp
	Wall  time.Time // of Start; zero when not recorded
	// TextRemoved reports that other texts stand for the recorded ones.
	TextRemoved bool
	Tool        *metrics.ToolFile // the file of another program; nil for a session file
	Endpoint    metrics.Endpoint
	Workload    metrics.Workload
	// Detailed means that the events and reads were recorded, not only the
	// begin, the heads and the end.
	Detailed bool
	// Attempts are the sendings of the request, in order; it was repeated when
	// the server refused one of its fields. The events are those of the last
	// attempt.
	Attempts []Attempt
	Events   []sse.Event
	// Joined are the chunks of some of the Events, by their index, as they were
	// with the texts of several events joined.
	Joined  map[int][]JoinedChunk
	Path    []PathCounts // what was counted of the network beneath it
	LeftOut LeftOut      // dropped parts
	End     *result.Request
	Turn    *turn.Turn // of a tap, without its Run; nil: it is none
}

// Attempt is one sending of a request.
type Attempt struct {
	Sent  metrics.Stamp    // NoStamp when it was not sent
	Head  *client.Head     // as the file says it; nil without a response
	Reads []transport.Read // without their Data and Lines
	Body  []byte           // of the response, when recorded
}

// PathCounts are the counts of a path line, as of that moment. Its gaps and connects
// stand in the end of the request again.
type PathCounts struct {
	At     metrics.Stamp
	Counts *result.Path
}

// attempt returns the current attempt.
func (q *Recorded) attempt() *Attempt {
	if len(q.Attempts) == 0 {
		q.Attempts = append(q.Attempts, Attempt{Sent: metrics.NoStamp})
	}
	return &q.Attempts[len(q.Attempts)-1]
}

// Begin returns the stream of q before its first byte: workload, endpoint and
// start.
func (q *Recorded) Begin() metrics.Stream {
	v := metrics.NoStream(q.Start)
	v.ID, v.Load, v.State, v.Wall, v.Work, v.Endpoint = q.ID, q.Load, metrics.Connecting, q.Wall, q.Workload, q.Endpoint
	v.Progress.At, v.Marks.Start, v.TextRemoved, v.Tool = metrics.NoStamp, q.Start, q.TextRemoved, q.Tool
	return v
}

// fileLine is the union of the fields of all lines. Head belongs to a load.
type fileLine struct {
	Type     string          `json:"type"`
	Schema   string          `json:"schema"`
	Version  string          `json:"version"`
	Started  time.Time       `json:"started"`
	System   string          `json:"system"`
	Bodies   bool            `json:"bodies_recorded"`
	Texts    string          `json:"texts"`
	ID       int             `json:"id"`
	StartNs  *int64          `json:"start_ns"`
	Detailed bool            `json:"events_recorded"`
	Endpoint json.RawMessage `json:"endpoint"`
	Workload json.RawMessage `json:"workload"`
	AtNs     *int64          `json:"at_ns"`
	UserNs   int64           `json:"user_ns"`
	Read     int32           `json:"read"`
	Bytes    int32           `json:"bytes"`
	Stamp    string          `json:"stamp"`
	Name     string          `json:"name"`
	Field    string          `json:"field"`
	Data     string          `json:"data"`
	Chunks   []JoinedChunk   `json:"chunks"`
	Wall     time.Time       `json:"wall"`
	Request  json.RawMessage `json:"request"`

	Tap    json.RawMessage `json:"tap"`
	Asks   json.RawMessage `json:"asks"`
	Passed json.RawMessage `json:"passed"`
	Kind   json.RawMessage `json:"kind"`

	Status   int                 `json:"status"`
	Protocol string              `json:"protocol"`
	Headers  map[string][]string `json:"headers"`
	Withheld []string            `json:"headers_left_out"`
	LeftOut
	Lines int `json:"lines"`

	Counts json.RawMessage `json:"counts"`

	Load  int             `json:"load"`
	Head  json.RawMessage `json:"head"`
	Point json.RawMessage `json:"point"`
	SLO   []string        `json:"slo"`
	Mark  json.RawMessage `json:"mark"`
	End   json.RawMessage `json:"end"`
}

// errLine is the fault of a line with a field of another type.
var errLine = errors.New("not a line of a session file")

// readField reads the value of a field into v, which must be zero. An absent value
// leaves it as it is.
func readField(raw json.RawMessage, v any) error {
	if len(raw) > 0 && result.Unmarshal(raw, v) != nil {
		return errLine
	}
	return nil
}

// at returns the line's stamp, NoStamp without one.
func (l *fileLine) at() metrics.Stamp { return knownStamp(l.AtNs) }

// knownStamp returns a line's stamp, NoStamp for null.
func knownStamp(ns *int64) metrics.Stamp {
	if ns == nil {
		return metrics.NoStamp
	}
	return metrics.Stamp(*ns)
}

// Read reads a session file. An incomplete last line is dropped and sets Cut.
// Any other violation of the format is an error that names the line.
func Read(r io.Reader) (*Recording, error) { return read(r, true) }

// streamLines are the line types that hold the streams: nearly all of a file.
var streamLines = []string{"event", "comment", "read", "body", "path"}

// typeOf returns the type of a line in the form in which this program writes it, ""
// of any other.
func typeOf(line []byte) string {
	rest, ours := bytes.CutPrefix(line, []byte(`{"type":"`))
	name, _, closed := bytes.Cut(rest, []byte(`"`))
	if !ours || !closed {
		return ""
	}
	return string(name)
}

// read is Read, without the lines of the streams where they are not wanted.
func read(r io.Reader, streams bool) (*Recording, error) {
	in := newReader(r)
	in.bare = !streams
	if err := in.more(true); err != nil {
		return nil, err
	}
	return in.rec, nil
}

// reader reads a session file, at once or while it grows.
type reader struct {
	rec     *Recording
	bare    bool // without the lines of the streams
	byID    map[int]*Recorded
	loads   map[int]*RecordedLoad
	changed map[int]bool // requests with new lines, of a tap's session alone; nil: nobody asks
	in      *bufio.Reader
	bounded *io.LimitedReader
	n       int    // lines so far
	begun   []byte // of the next one
}

func newReader(r io.Reader) *reader {
	bounded := &io.LimitedReader{R: r, N: maxFile + 1}
	return &reader{rec: &Recording{Ended: metrics.NoStamp}, byID: map[int]*Recorded{}, loads: map[int]*RecordedLoad{},
		bounded: bounded, in: bufio.NewReaderSize(bounded, 64<<10)}
}

// errNoTap says that a session is of no tap, where one is followed.
var errNoTap = errors.New("the session of no tap")

// more reads all lines that are there. ended: no other comes, so that the rest without an end
// is a line too.
func (r *reader) more(ended bool) error {
	for {
		raw, err := readLine(r.in)
		if err != nil && err != io.EOF {
			return fmt.Errorf("line %d: %w", r.n+1, err)
		}
		if r.bounded.N == 0 {
			return fmt.Errorf("longer than %d MiB, which is too long to open", maxFile>>20)
		}
		whole := err == nil
		if len(r.begun) > 0 {
			raw = append(r.begun, raw...)
			r.begun = nil
		}
		if !whole && !ended {
			r.begun = raw
			return nil
		}
		r.n++
		if err := r.line(raw, whole); err != nil {
			return err
		}
		if r.changed != nil && r.rec.Tap == nil && r.rec.check() == nil {
			return errNoTap // and the rest of a large file stays unread
		}
		if !whole {
			break
		}
	}
	return r.rec.check()
}

// check returns an error of a file without a first line.
func (rec *Recording) check() error {
	if rec.Version == "" && rec.Started.IsZero() {
		return fmt.Errorf("not a session file: it has no %q line", "session")
	}
	return nil
}

// line adds a line; one that is not whole may be cut.
func (r *reader) line(raw []byte, whole bool) error {
	if whole && r.bare && slices.Contains(streamLines, typeOf(raw)) || len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	rec := r.rec
	var l fileLine
	err := error(errLine)
	if json.Unmarshal(raw, &l) == nil {
		err = rec.addLine(r.n, &l, r.byID, r.loads)
	} else if !whole {
		rec.Cut = true
		return nil
	} else if !json.Valid(raw) {
		return fmt.Errorf("line %d is %w", r.n, errLine)
	}
	switch {
	case errors.Is(err, errLine) && rec.Newer != "":
		rec.Unread++ // a field has another type in a later version
	case errors.Is(err, errLine):
		return fmt.Errorf("line %d is %w", r.n, errLine)
	case err != nil:
		return err
	case r.changed != nil:
		r.changed[l.ID] = true
	}
	return nil
}

// addLine adds line n to the recording.
func (rec *Recording) addLine(n int, l *fileLine, byID map[int]*Recorded, loads map[int]*RecordedLoad) error {
	if n == 1 {
		switch {
		case l.Schema == "":
			return errors.New("line 1 is not the first line of a session file")
		case l.Type != "session" || !strings.HasPrefix(l.Schema, schemaFamily):
			return fmt.Errorf("line 1 says %.40q: tokscope replays %q", l.Schema, SessionSchema)
		}
		if l.Schema != SessionSchema {
			rec.Newer = l.Schema
		}
		rec.Version, rec.Started, rec.System, rec.Bodies, rec.Texts = l.Version, l.Started, l.System, l.Bodies, l.Texts
		return readField(l.Tap, &rec.Tap)
	}
	if rec.items++; rec.items > result.MaxItems || len(rec.Requests) > maxRequests || len(rec.Loads) > maxLoads {
		return fmt.Errorf("line %d: more than %d lines, %d requests or %d loads, which is too much to open",
			n, result.MaxItems, maxRequests, maxLoads)
	}
	q := byID[l.ID]
	switch {
	case l.Type == "request":
		q = &Recorded{ID: l.ID, Load: l.Load, Wall: l.Wall, TextRemoved: rec.Texts != TextsKept,
			Start: knownStamp(l.StartNs), Detailed: l.Detailed}
		if err := cmp.Or(readField(l.Endpoint, &q.Endpoint), readField(l.Workload, &q.Workload)); err != nil {
			return err
		}
		if rec.Tap != nil && q.TextRemoved {
			q.Endpoint.URL, q.Endpoint.Name = rec.Tap.Upstream, rec.Tap.Upstream
		}
		byID[l.ID] = q
		rec.Requests = append(rec.Requests, q)
	case slices.Contains(loadLines, l.Type):
		return rec.takeLoad(l, loads)
	case l.Type == "other":
		var k turn.Kind
		if err := readField(l.Kind, &k); err != nil {
			return err
		}
		rec.Others[k]++
	case l.Type == "tap_end":
		rec.Ended = l.at()
	case l.Type == "left_out" && l.ID == 0:
		rec.LeftOut += l.Lines
	case l.Type == "limit":
		rec.Limited = true
	case !slices.Contains(requestLines, l.Type), q == nil && rec.Newer != "":
		rec.Unread++ // from a later version: line types are only added
	case q == nil:
		return fmt.Errorf("line %d belongs to request %d, which has not begun", n, l.ID)
	case l.Type == "turn":
		return rec.takeTurn(q, l)
	default:
		if err := q.add(l); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return nil
}

// requestLines are the line types that require a begun request.
var requestLines = []string{"sent", "head", "event", "comment", "read", "body", "left_out", "path", "end", "turn"}

// add adds a line to the request.
func (q *Recorded) add(l *fileLine) error {
	kernel := l.Stamp == metrics.SourceKernel.String()
	switch l.Type {
	case "sent":
		q.Attempts = append(q.Attempts, Attempt{Sent: l.at()})
	case "head":
		q.attempt().Head = &client.Head{At: l.at(), Status: l.Status, Proto: l.Protocol,
			Headers: l.Headers, Withheld: l.Withheld}
	case "event", "comment":
		if len(l.Chunks) > 0 {
			if q.Joined == nil {
				q.Joined = map[int][]JoinedChunk{}
			}
			q.Joined[len(q.Events)] = l.Chunks
		}
		q.Events = append(q.Events, sse.Event{
			Name: []byte(l.Name), Data: []byte(l.Data), Field: l.Field, At: l.at(), User: metrics.Stamp(l.UserNs),
			Read: l.Read, Bytes: l.Bytes, Kernel: kernel, Comment: l.Type == "comment",
		})
	case "read":
		a := q.attempt()
		a.Reads = append(a.Reads,
			transport.Read{At: l.at(), User: metrics.Stamp(l.UserNs), Number: l.Read, Bytes: l.Bytes, Kernel: kernel})
	case "body":
		data, err := base64.StdEncoding.DecodeString(l.Data)
		if err != nil {
			return fmt.Errorf("the bytes of the body: %w", err)
		}
		a := q.attempt()
		a.Body = append(a.Body, data...)
	case "path":
		p := PathCounts{At: l.at()}
		if err := readField(l.Counts, &p.Counts); err != nil {
			return err
		}
		if p.Counts != nil {
			q.Path = append(q.Path, p)
		}
	case "left_out":
		q.LeftOut.add(l.LeftOut)
	case "end":
		return readField(l.Request, &q.End)
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
