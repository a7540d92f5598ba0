package session

import (
	"fmt"
	"io"
	"sync"
	"time"

	"tokscope/probe/files"
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
	hurry   chan struct{} // much is waiting, or somebody: the pause ends
	stopped chan struct{}

	mu      sync.Mutex
	waiting [][]byte        // whole lines, in blocks of blockBytes
	flushed []chan struct{} // each is closed when those are written
	size    int             // their bytes
	busy    int             // bytes being written
	full    bool            // details are refused until half of the room is free
	closed  bool
	spare   [][]byte // blocks to be used again
	err     error
}

// Sizes of the queue.
const (
	// blockBytes is the size of a block: what waits is never copied to grow, or
	// it would take several times its room. A longer line has its own block.
	blockBytes = 256 << 10
	// hurryBytes end the pause between two writes: they are large enough.
	hurryBytes = 1 << 20
	// spareBlocks is the number of written blocks that are used again.
	spareBlocks = hurryBytes / blockBytes
)

func newBacklog(out io.Writer, what string, pause time.Duration, room, reserve int) *backlog {
	b := &backlog{
		out: out, what: what, pause: pause, room: room, reserve: reserve,
		wake: make(chan struct{}, 1), hurry: make(chan struct{}, 1), stopped: make(chan struct{}),
	}
	go b.write()
	return b
}

// add queues a copy of lines, or returns false without room for them.
func (b *backlog) add(lines []byte, detail bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	size := b.size + b.busy + len(lines)
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
	last := len(b.waiting) - 1
	if last < 0 || len(b.waiting[last])+len(lines) > blockBytes {
		b.waiting, last = append(b.waiting, b.block()), last+1
	}
	b.waiting[last] = append(b.waiting[last], lines...)
	b.size += len(lines)
	signal(b.wake)
	if b.size >= hurryBytes {
		signal(b.hurry)
	}
	return true
}

// signal wakes who waits for c, at the latest at its next look.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// block returns an empty block, an old one if there is one. The first may grow:
// most of the time little waits. b.mu is held.
func (b *backlog) block() (free []byte) {
	switch n := len(b.spare); {
	case n > 0:
		free, b.spare = b.spare[n-1], b.spare[:n-1]
	case len(b.waiting) > 0:
		free = make([]byte, 0, blockBytes)
	}
	return free
}

// fault returns the first error of the writer.
func (b *backlog) fault() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// write writes the queue until the backlog is closed and empty.
func (b *backlog) write() {
	defer close(b.stopped)
	for range b.wake {
		blocks, flushed, closed := b.swap()
		for i, block := range blocks {
			blocks[i] = nil
			if b.wrote(block, b.hand(block)) != nil {
				break
			}
		}
		for _, done := range flushed {
			close(done)
		}
		if closed {
			return
		}
		if b.pause > 0 {
			select {
			case <-time.After(b.pause):
			case <-b.hurry:
			}
		}
	}
}

// swap takes the queue, and who waits for it. closed: nothing comes behind it.
func (b *backlog) swap() (blocks [][]byte, flushed []chan struct{}, closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	blocks, flushed = b.waiting, b.flushed
	b.waiting, b.flushed, b.busy, b.size = nil, nil, b.size, 0
	return blocks, flushed, b.closed
}

// wrote records that a block is written, or the error, and returns the error.
// After one, nothing more is written.
func (b *backlog) wrote(block []byte, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil && b.err == nil {
		advice := ""
		if b.what == recordingName && files.Full(err) {
			advice = "; free space there, or record elsewhere with --state-dir"
		}
		b.err = fmt.Errorf("write %s: %w%s", b.what, err, advice)
	}
	if b.err != nil {
		b.waiting, b.spare, b.busy, b.size = nil, nil, 0, 0
		return b.err
	}
	b.busy -= len(block)
	if len(b.spare) < spareBlocks && cap(block) <= 2*blockBytes {
		b.spare = append(b.spare, block[:0])
	}
	return nil
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
	done := make(chan struct{})
	b.mu.Lock()
	b.flushed = append(b.flushed, done)
	b.mu.Unlock()
	signal(b.wake)
	signal(b.hurry)
	select {
	case <-done:
	case <-b.stopped:
	case <-stop:
	}
}

// close writes the queue and returns the first error. When stop fires first
// it returns an error with the number of unwritten bytes.
func (b *backlog) close(stop <-chan time.Time) error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	signal(b.wake)
	signal(b.hurry)
	select {
	case <-b.stopped:
		return b.fault()
	case <-stop:
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = fmt.Errorf("write %s: gave up, the last %d bytes are not written", b.what, b.size+b.busy)
	}
	return b.err
}
