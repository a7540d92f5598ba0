package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/files"
	"tokscope/probe/result"
)

// RequestLinesSchema names the format of the file of `tokscope sweep
// --request-lines`.
const RequestLinesSchema = "tokscope/sweep-requests/v1"

// Bounds of the file.
const (
	// maxRequestLines is the number of written requests: with 700 bytes each at
	// most 700 MB. The others are counted.
	maxRequestLines = 1_000_000
	// linesRoom is the number of bytes that may wait for a slow disk. Further
	// requests are counted, not written.
	linesRoom, linesReserve = 32 << 20, 1 << 20
	// linesPause is the time between two writes: what a kill can lose.
	linesPause = 200 * time.Millisecond
	// linesGrace bounds the wait for a slow disk at the end.
	linesGrace = 10 * time.Second
	// mostMessage bounds the text of a fault in a line.
	mostMessage = 300
)

// RequestsHead is the first line of the file.
type RequestsHead struct {
	Type     string           `json:"type"` // "requests"
	Schema   string           `json:"schema"`
	Version  string           `json:"version"` // of tokscope
	Started  string           `json:"started"` // wall clock, RFC 3339
	Endpoint metrics.Endpoint `json:"endpoint"`
	Most     int              `json:"requests_at_most"` // further requests are counted in the last line
}

// RequestLine is one ended request. An unknown figure is null. Times are ms
// from the moment the request was sent. All requests of a step are here, also
// those outside the window of its figures.
type RequestLine struct {
	Type    string        `json:"type"`    // "request"
	Step    int           `json:"step"`    // from 1
	Users   int           `json:"users"`   // of the step; 0 in an open loop
	Rate    float64       `json:"rate"`    // of the step, requests per second; 0 in a closed loop
	User    int           `json:"user"`    // that sent it, from 1
	ID      int           `json:"id"`      // of the request, within the run of the program
	Started time.Time     `json:"started"` // wall clock, RFC 3339
	Start   metrics.Stamp `json:"start_ns"`
	Sent    metrics.Stamp `json:"sent_ns"` // since the origin of the run; null when it was not sent
	End     metrics.Stamp `json:"end_ns"`
	State   metrics.State `json:"state"`
	Finish  string        `json:"finish_reason,omitempty"`
	Fault   string        `json:"fault,omitempty"`         // its kind
	Message string        `json:"fault_message,omitempty"` // at most 300 bytes
	Reused  bool          `json:"connection_reused"`
	Stamps  string        `json:"stamps"` // who took them

	PromptAsked  int                 `json:"input_tokens_asked" form:"null=zero"`
	PromptTokens metrics.Value       `json:"prompt_tokens" form:"bare"`
	CachedTokens metrics.Value       `json:"cached_tokens" form:"bare"`
	Limit        int                 `json:"output_limit" form:"null=zero"`
	Tokens       metrics.Value       `json:"output_tokens" form:"bare"`
	TokenSource  metrics.TokenSource `json:"output_tokens_source"`
	Chunks       int                 `json:"chunks"`

	TTFT    metrics.Value `json:"ttft_ms" form:"bare"`
	TPOT    metrics.Value `json:"tpot_ms" form:"bare"`
	Total   metrics.Value `json:"total_ms" form:"bare"`
	Longest metrics.Value `json:"longest_gap_ms" form:"bare"`
	Unknown int           `json:"gaps_unknown"`   // inside reads
	Delay   metrics.Delay `json:"delay,omitzero"` // absent where tokscope's lag does not show in the figures
}

// RequestsEnd is the last line of a file that was closed.
type RequestsEnd struct {
	Type     string `json:"type"`     // "end"
	Requests int    `json:"requests"` // that ended
	LeftOut  int    `json:"requests_left_out"`
}

// RequestLines writes a line for each ended request of a sweep. Adding never
// waits for the disk. It is safe for concurrent use. The caller must Close it.
type RequestLines struct {
	f    *os.File
	path string
	out  *backlog
	most int // requests that are written

	mu       sync.Mutex
	requests int
	leftOut  int
}

// CreateRequestLines creates the file at path, readable only by its owner. It
// refuses a file that exists, because nothing of another run may be lost or
// mixed with this one.
func CreateRequestLines(path, version string, now time.Time, e metrics.Endpoint) (*RequestLines, error) {
	f, err := files.Create(path)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s exists already: name a new file for the lines of the requests", path)
	}
	if err != nil {
		return nil, fmt.Errorf("create the file of request lines: %w", err)
	}
	l := &RequestLines{f: f, path: path,
		out: newBacklog(f, path, linesPause, linesRoom, linesReserve), most: maxRequestLines}
	l.line(RequestsHead{"requests", RequestLinesSchema, version,
		now.UTC().Format(time.RFC3339Nano), e, maxRequestLines}, false)
	return l, nil
}

// Add adds an ended request of step n at that number of users, or at that rate.
func (l *RequestLines) Add(n, users int, rate float64, user int, v *metrics.Stream, f *metrics.Figures) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	if l.requests-l.leftOut > l.most || !l.line(requestLineOf(n, users, rate, user, v, f), true) {
		l.leftOut++
	}
}

// line queues v as one line; it returns false without room.
func (l *RequestLines) line(v any, detail bool) bool {
	var b bytes.Buffer
	return result.Sentences(nil).WriteLine(&b, v) == nil && l.out.add(b.Bytes(), detail)
}

// Close writes the last line and waits until all is on disk. The error also
// says how many requests a slow disk left out.
func (l *RequestLines) Close() error {
	l.mu.Lock()
	end := RequestsEnd{"end", l.requests, l.leftOut}
	l.mu.Unlock()
	l.line(end, false)
	err := l.out.close(time.After(linesGrace))
	if err == nil {
		err = l.f.Sync()
	}
	err = errors.Join(err, l.f.Close())
	if end.LeftOut > 0 {
		err = errors.Join(err, fmt.Errorf("%s lacks %d of %d requests: the disk was too slow, or there were too many",
			l.path, end.LeftOut, end.Requests))
	}
	return err
}

// Discard removes the file, for a sweep that was never begun.
func (l *RequestLines) Discard() error {
	err := l.out.close(time.After(linesGrace))
	return errors.Join(err, l.f.Close(), os.Remove(l.path))
}

func requestLineOf(n, users int, rate float64, user int, v *metrics.Stream, f *metrics.Figures) RequestLine {
	line := RequestLine{
		Type: "request", Step: n, Users: users, Rate: rate, User: user,
		ID: v.ID, Started: v.Wall,
		Start: v.Marks.Start, Sent: v.Marks.Sent,
		End: v.Marks.End, State: v.State, Finish: v.Finish,
		Reused: v.Conn.Reused, Stamps: result.StampsOf(v),
		PromptAsked: max(v.Work.InputTokens, 0), Limit: max(v.Work.MaxTokens, 0),
		PromptTokens: f.PromptTokens, CachedTokens: f.CachedTokens,
		Tokens: f.Tokens, TokenSource: f.TokenSource,
		Chunks: f.Chunks, TTFT: f.TTFT, TPOT: f.TPOT, Total: f.Total,
		Longest: f.Longest, Unknown: f.GapsUnknown, Delay: f.Delay,
	}
	if v.Fault != nil {
		line.Fault, line.Message = string(v.Fault.Kind), metrics.Head(v.Fault.Message, mostMessage)
	}
	return line
}
