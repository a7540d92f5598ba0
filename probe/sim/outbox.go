package sim

import (
	"sync"
	"time"

	"tokscope/probe/sim/engine"
)

// flight carries what the engine yields for one HTTP request (all its choices)
// to the goroutine that writes it. The engine never waits for a writer.
type outbox struct {
	mu      sync.Mutex
	pending []arrival
	err     error
	sig     chan struct{} // capacity 1
}

// arrival is what one step yielded for one choice.
type arrival struct {
	choice int
	n      int       // tokens
	due    time.Time // when the step ended, on the wall
	step   stepTruth
	times  *phaseTimes    // with the last tokens
	word   string         // instead of tokens: where the request stands
	req    engine.Request // a copy at that moment
}

// stepTruth is what the server knows about the step behind a chunk.
type stepTruth struct {
	number  uint64
	end     float64 // engine seconds
	ms      float64
	decodes int
	prefill int // prompt tokens in the same step
	running int
	waiting int
}

func newOutbox() *outbox { return &outbox{sig: make(chan struct{}, 1)} }

func (f *outbox) push(a arrival) {
	f.mu.Lock()
	f.pending = append(f.pending, a)
	f.mu.Unlock()
	f.wake()
}

func (f *outbox) fail(err error) {
	f.mu.Lock()
	f.err = err
	f.mu.Unlock()
	f.wake()
}

func (f *outbox) wake() {
	select {
	case f.sig <- struct{}{}:
	default:
	}
}

// take swaps what is pending into buf.
func (f *outbox) swap(buf []arrival) ([]arrival, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	got := f.pending
	f.pending = buf[:0]
	return got, f.err
}

// seat is the engine's way back from a request to its flight.
type requestRef struct {
	out    *outbox
	id     string // of the HTTP request
	choice int
	last   float64 // engine time of the tokens before, for the meters
	truth  bool    // wants to hear where it stands before its first token
	waits  bool    // was told that it waits
}
