package session

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/files"
	"tokscope/probe/result"
)

// StampSchema names the format of a StampDump's file. The format is for
// diagnosis and may change with every version.
const StampSchema = "tokscope/stamps/v1"

// Bounds of a dump into a FIFO.
const (
	// stampsRoom is the number of bytes that wait for the FIFO's reader.
	stampsRoom = 8 << 20
	// lastWrites is how long Close waits for that reader.
	lastWrites = 5 * time.Second
)

// StampDump keeps the stamps of every chunk of every request, including those
// of a load. It writes only in Close, so never during a measurement. Into a FIFO
// it writes each request when it ends and keeps nothing, for measurements that
// are longer than memory allows. It is safe for concurrent use.
type StampDump struct {
	path string
	fifo *os.File // nil: a file
	out  *backlog // into the FIFO

	mu    sync.Mutex
	ended []StampLine
	lost  int // requests that found no room in the backlog
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
	Late   []int32 `json:"late_ns"` // from there to the program's own clock, at most math.MaxInt32
	Read   []int32 `json:"read"`    // number of the read that delivered it
}

// NewStampDump creates an empty file at path, so that a wrong path fails before
// the measurement. A new one may be read by its owner only. It waits for the reader
// of a FIFO.
func NewStampDump(path string) (*StampDump, error) {
	d := &StampDump{path: path}
	if info, err := os.Stat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return d, d.save()
	}
	f, err := files.OpenFIFO(path)
	if err != nil {
		return nil, fmt.Errorf("open the FIFO of stamps: %w", err)
	}
	d.fifo, d.out = f, newBacklog(f, "the dump of stamps", 0, stampsRoom, 0)
	return d, nil
}

// Ended adds the final record of a request.
func (d *StampDump) Ended(v metrics.Stream) {
	n := len(v.Chunks)
	r := StampLine{
		Schema: StampSchema, ID: v.ID, State: v.State.String(), Nonce: v.Work.Nonce,
		At: make([]int64, n), Late: make([]int32, n), Read: make([]int32, n),
	}
	if sent := int64(v.Marks.Sent); v.Marks.Sent.Known() {
		r.Sent = &sent
	}
	for i := range v.Chunks {
		c := &v.Chunks[i]
		late, _ := c.User.Sub(c.At)
		r.At[i], r.Late[i], r.Read[i] = int64(c.At), int32(min(max(late, 0), math.MaxInt32)), c.Read
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fifo == nil {
		d.ended = append(d.ended, r)
	} else if line, err := r.line(); err != nil || !d.out.add(line, true) {
		d.lost++
	}
}

// Close writes the kept data, one line per request in the order of their
// ends, and clears it. Of a FIFO it waits for what is not written, some seconds at
// most. It is an error when the FIFO's reader was too slow for all requests.
func (d *StampDump) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fifo == nil {
		err := d.save()
		d.ended = nil
		return err
	}
	err := d.out.close(time.After(lastWrites))
	if d.lost > 0 {
		err = errors.Join(err,
			fmt.Errorf("write the dump of stamps: %d requests are left out: the reader is too slow", d.lost))
	}
	return errors.Join(err, d.fifo.Close())
}

// save writes what ended so far into the file.
func (d *StampDump) save() error {
	err := files.Save(d.path, 0o600, func(out io.Writer) error {
		w := bufio.NewWriter(out)
		for i := range d.ended {
			line, err := d.ended[i].line()
			if err != nil {
				return err
			}
			_, _ = w.Write(line) // the first error of w is that of its Flush
		}
		return w.Flush()
	})
	if err != nil {
		return fmt.Errorf("write the dump of stamps: %w", err)
	}
	return nil
}

// line returns the line of r.
func (r *StampLine) line() ([]byte, error) {
	line, err := json.Marshal(r)
	return append(result.Harmless(line), '\n'), err
}
