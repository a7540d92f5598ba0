package sim

import (
	"sync"
	"time"

	"tokscope/probe/sim/engine"
)

// Bounds of what a lab remembers of its requests.
const (
	maxTruths  = 4096
	maxTold    = 1 << 14 // emissions of one request
	maxAllTold = 1 << 18 // emissions of all: about 16 MB
)

// RequestTruth is what the engine knows of an HTTP request. It is a snapshot.
type RequestTruth struct {
	ID      uint64     // engine.Request.ID, of the first choice
	Arrived time.Time  // on the wall
	Emitted []Emission // oldest first, of all choices, at most 16384. Read only
	More    int        // emissions beyond these
	Err     error      // why it was given up before its end
}

// Emission is what one step yielded for a request.
type Emission struct {
	Step   uint64    // its number
	Due    time.Time // its end on the wall
	End    float64   // … in seconds of the engine's clock
	Tokens int
	Choice int
}

// truths remembers the last requests. The zero value is ready.
type truths struct {
	mu    sync.Mutex
	by    map[string]*RequestTruth
	order []string // oldest first
	all   int      // emissions kept
}

func newTruths() *truths { return &truths{by: map[string]*RequestTruth{}} }

func (t *truths) of(id string) (RequestTruth, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.by[id]
	if q == nil {
		return RequestTruth{}, false
	}
	s := *q
	s.Emitted = q.Emitted[:len(q.Emitted):len(q.Emitted)] // what is appended later lies behind
	return s, true
}

// arrived books a request. t may be nil.
func (t *truths) arrived(id string, r *engine.Request, at time.Time) {
	if t == nil || id == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by[id] != nil {
		return // another choice of the same
	}
	t.by[id] = &RequestTruth{ID: r.ID, Arrived: at}
	t.order = append(t.order, id)
	t.bound()
}

// emitted books what a step yielded. t may be nil.
func (t *truths) emitted(id string, e Emission) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.by[id]
	switch {
	case q == nil:
	case len(q.Emitted) == maxTold:
		q.More++
	default:
		q.Emitted = append(q.Emitted, e)
		t.all++
		t.bound()
	}
}

func (t *truths) failed(id string, err error) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if q := t.by[id]; q != nil {
		q.Err = err
	}
}

// bound forgets the oldest.
func (t *truths) bound() {
	for len(t.order) > 1 && (len(t.order) > maxTruths || t.all > maxAllTold) {
		id := t.order[0]
		t.order = t.order[1:]
		t.all -= len(t.by[id].Emitted)
		delete(t.by, id)
	}
}
