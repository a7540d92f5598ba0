package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"

	"tokscope/metrics"
)

// StampSchema names the format of a StampDump's file. The format is for
// diagnosis and may change with every version.
const StampSchema = "tokscope/stamps/v1"

// StampDump keeps the stamps of every chunk of every request, including those
// of a load. It writes only in Close, so never during a measurement. It is
// safe for concurrent use.
type StampDump struct {
	path string

	mu    sync.Mutex
	ended []stampedRequest
}

// stampedRequest holds a StampDump's data of a request.
type stampedRequest struct {
	id     int
	state  metrics.State
	nonce  string
	sent   metrics.Stamp
	chunks []stampedChunk
}

// stampedChunk holds a StampDump's data of a chunk: 16 bytes.
type stampedChunk struct {
	at   metrics.Stamp
	late int32 // ns from at to the clock of this program, at most math.MaxInt32
	read int32
}

// StampLine is one line of the file: an ended request. The three lists have
// one entry per chunk. Stamps are in ns since the origin of the run.
type StampLine struct {
	Schema string  `json:"schema"`
	ID     int     `json:"id"`
	State  string  `json:"state"`
	Nonce  string  `json:"nonce"`   // the line before its prompt; "" without one
	Sent   *int64  `json:"sent_ns"` // null when it was not sent
	At     []int64 `json:"at_ns"`   // arrival, by the best source
	Late   []int32 `json:"late_ns"` // from there to the program's own clock
	Read   []int32 `json:"read"`    // number of the read that delivered it
}

// NewStampDump creates the file at path, so that a wrong path fails before
// the measurement. Only its owner may read it.
func NewStampDump(path string) (*StampDump, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the dump of stamps: %w", err)
	}
	return &StampDump{path: path}, f.Close()
}

// Ended adds the final record of a request.
func (d *StampDump) Ended(v metrics.Stream) {
	r := stampedRequest{id: v.ID, state: v.State, nonce: v.Work.Nonce, sent: v.Marks.Sent, chunks: make([]stampedChunk, len(v.Chunks))}
	for i := range v.Chunks {
		c := &v.Chunks[i]
		late, _ := c.User.Sub(c.At)
		r.chunks[i] = stampedChunk{at: c.At, late: int32(min(max(late, 0), math.MaxInt32)), read: c.Read}
	}
	d.mu.Lock()
	d.ended = append(d.ended, r)
	d.mu.Unlock()
}

// Close writes the kept data, one line per request in the order of their
// ends, and clears it.
func (d *StampDump) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, err := os.OpenFile(d.path, os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write the dump of stamps: %w", err)
	}
	w := bufio.NewWriter(f)
	for i := range d.ended {
		line, lineErr := json.Marshal(d.ended[i].line())
		_, writeErr := w.Write(append(harmless(line), '\n'))
		err = errors.Join(err, lineErr, writeErr)
	}
	d.ended = nil
	if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("write the dump of stamps: %w", err)
	}
	return nil
}

// line returns the written form of r.
func (r *stampedRequest) line() StampLine {
	n := len(r.chunks)
	l := StampLine{
		Schema: StampSchema, ID: r.id, State: r.state.String(), Nonce: r.nonce,
		At: make([]int64, n), Late: make([]int32, n), Read: make([]int32, n),
	}
	if r.sent.Known() {
		sent := int64(r.sent)
		l.Sent = &sent
	}
	for i, c := range r.chunks {
		l.At[i], l.Late[i], l.Read[i] = int64(c.at), c.late, c.read
	}
	return l
}
