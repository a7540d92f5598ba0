package record

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"
)

// backlog writes lines on a goroutine of its own, so that add never waits for
// the disk or the pipe. The memory for waiting lines is bounded. It is safe
// for concurrent use. The owner must close it.
type backlog struct {
	out   io.Writer
	what  string        // its name in errors: "the recording"
	pause time.Duration // between two writes, so that they are few and large
	// room is the number of bytes of details that may wait. reserve is the
	// number of further bytes for essential lines.
	room, reserve int

	wake    chan struct{}
	flushes chan chan struct{} // each is closed when what waits is written
	quit    chan struct{}
	stopped chan struct{}
	once    sync.Once

	mu      sync.Mutex
	waiting []byte
	busy    int  // bytes being written
	full    bool // details are refused until half of the room is free
	closed  bool
	err     error
}

func newBacklog(out io.Writer, what string, pause time.Duration, room, reserve int) *backlog {
	b := &backlog{
		out: out, what: what, pause: pause, room: room, reserve: reserve,
		wake: make(chan struct{}, 1), flushes: make(chan chan struct{}), quit: make(chan struct{}), stopped: make(chan struct{}),
	}
	go b.write()
	return b
}

// add queues a copy of lines, or returns false without room for them.
func (b *backlog) add(lines []byte, detail bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	size := len(b.waiting) + b.busy + len(lines)
	switch {
	case b.err != nil || b.closed:
		return false
	case !detail && size > b.room+b.reserve:
		return false
	case detail && (size > b.room || b.full && size > b.room/2):
		b.full = true
		return false
	case detail:
		b.full = false
	}
	b.waiting = append(b.waiting, lines...)
	select {
	case b.wake <- struct{}{}:
	default:
	}
	return true
}

// fault returns the first error of the writer.
func (b *backlog) fault() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// keptBuffer is the largest buffer that is reused.
const keptBuffer = 1 << 20

// write writes the queue until the backlog is closed and empty.
func (b *backlog) write() {
	defer close(b.stopped)
	var spare []byte
	var flushed chan struct{} // nil when no caller waits
	for closing := false; !closing; {
		if flushed == nil {
			select {
			case <-b.wake:
			case flushed = <-b.flushes:
			case <-b.quit:
				closing = true
			}
		}
		for lines := b.swap(spare); len(lines) > 0; lines = b.swap(spare) {
			b.wrote(b.hand(lines))
			if spare = lines; cap(spare) > keptBuffer {
				spare = nil
			}
		}
		if flushed != nil {
			close(flushed)
			flushed = nil
		}
		if b.pause > 0 && !closing {
			select {
			case <-time.After(b.pause):
			case flushed = <-b.flushes:
			case <-b.quit:
			}
		}
	}
}

// swap returns the queue and replaces it by spare.
func (b *backlog) swap(spare []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := b.waiting
	if len(lines) > 0 {
		b.waiting, b.busy = spare[:0], len(lines)
	}
	return lines
}

// wrote records that the swapped lines are written, or the error.
func (b *backlog) wrote(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.busy = 0; err != nil && b.err == nil {
		b.err = fmt.Errorf("write %s: %w%s", b.what, err, b.advice(err))
		b.waiting = nil
	}
}

// advice returns what a person can do about err, "" without an idea.
func (b *backlog) advice(err error) string {
	if b.what == recordingName && (errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)) {
		return "; free space there, or record elsewhere with --state-dir"
	}
	return ""
}

// hand writes lines; it returns a panic of the writer as an error.
func (b *backlog) hand(lines []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a bug in tokscope: %v", p)
		}
	}()
	_, err = b.out.Write(lines)
	return err
}

// flush returns when everything added before is written, or when stop fires.
func (b *backlog) flush(stop <-chan time.Time) {
	flushed := make(chan struct{})
	select {
	case b.flushes <- flushed:
	case <-b.stopped:
		return
	case <-stop:
		return
	}
	select {
	case <-flushed:
	case <-b.stopped:
	case <-stop:
	}
}

// close writes the queue and returns the first error. When stop fires first
// it returns an error with the number of unwritten bytes.
func (b *backlog) close(stop <-chan time.Time) error {
	b.once.Do(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.closed = true
		close(b.quit)
	})
	select {
	case <-b.stopped:
		return b.fault()
	case <-stop:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = fmt.Errorf("write %s: gave up, the last %d bytes are not written", b.what, len(b.waiting)+b.busy)
	}
	return b.err
}
