package sim

import (
	"sync"
	"time"

	"tokscope/probe/sim/engine"
)

// outbox passes the tokens of one HTTP request, all choices, from the engine
// to the goroutine that writes them. The engine never waits for a writer. It
// is safe for concurrent use.
type outbox struct {
	mu      sync.Mutex
	pending []arrival
	err     error
	sig     signal
}

// signal wakes the one who waits for it, at once or when it next waits. Its capacity is 1.
type signal chan struct{}

func (s signal) set() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// arrival is what one step yielded for one choice.
type arrival struct {
	choice int
	n      int       // tokens
	due    time.Time // wall time of the step's end
	step   stepTruth
	times  *phaseTimes    // set with the first and the last tokens
	word   string         // the queue state, instead of tokens
	req    engine.Request // a copy at that moment
}

// stepTruth describes the step that yielded a chunk.
type stepTruth struct {
	number  uint64
	end     float64 // engine seconds
	ms      float64
	decodes int
	prefill int // prompt tokens in the same step
	running int
	waiting int
}

func newOutbox() *outbox { return &outbox{sig: make(signal, 1)} }

func (f *outbox) push(a arrival) {
	f.mu.Lock()
	f.pending = append(f.pending, a)
	f.mu.Unlock()
	f.sig.set()
}

func (f *outbox) fail(err error) {
	f.mu.Lock()
	f.err = err
	f.mu.Unlock()
	f.sig.set()
}

// swap returns the pending arrivals and reuses buf for later ones.
func (f *outbox) swap(buf []arrival) ([]arrival, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	got := f.pending
	f.pending = buf[:0]
	return got, f.err
}

// requestRef links an engine request to its outbox.
type requestRef struct {
	out    *outbox
	id     string // of the HTTP request
	choice int
	last   float64 // engine time of the previous tokens, for the meters
	truth  bool    // asked for its queue state before the first token
	waits  bool    // was notified that it waits

	// For the meters:
	finish   string // reason with which it will end
	limit    int    // of tokens, 0 for none
	guessed  int    // tokens guessed so far
	siblings *siblings
}
