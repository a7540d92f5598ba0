package sim

import (
	"sync"
	"time"

	"tokscope/probe/sim/engine"
)

// Bounds of the records of a steered engine's requests.
const (
	maxTruths       = 4096
	maxEmissions    = 1 << 14 // emissions of one request
	maxAllEmissions = 1 << 18 // emissions of all: about 16 MB
)

// RequestTruth is the engine's record of an HTTP request. It is a snapshot.
type RequestTruth struct {
	ID      uint64     // engine.Request.ID, of the first choice
	Arrived time.Time  // wall time
	Arrive  float64    // the same in seconds of engine time
	Emitted []Emission // oldest first, of all choices, at most 16384; read only
}

// Emission is what one step yielded for a request.
type Emission struct {
	Step   uint64    // number of the step
	Due    time.Time // wall time of the step's end
	End    float64   // the same in seconds of engine time
	Tokens int
	Choice int
}

// truths keeps the records of the last requests. It is safe for concurrent
// use. The methods arrived and emitted accept a nil receiver.
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
	s.Emitted = q.Emitted[:len(q.Emitted):len(q.Emitted)] // later appends do not change the snapshot
	return s, true
}

// arrived adds a request.
func (t *truths) arrived(id string, r *engine.Request, at time.Time) {
	if t == nil || id == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by[id] != nil {
		return // another choice of the same request
	}
	t.by[id] = &RequestTruth{ID: r.ID, Arrived: at, Arrive: r.Arrive}
	t.order = append(t.order, id)
	t.bound()
}

// emitted records what a step yielded.
func (t *truths) emitted(id string, e Emission) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if q := t.by[id]; q != nil && len(q.Emitted) < maxEmissions {
		q.Emitted = append(q.Emitted, e)
		t.all++
		t.bound()
	}
}

// bound removes the oldest records beyond the bounds.
func (t *truths) bound() {
	for len(t.order) > 1 && (len(t.order) > maxTruths || t.all > maxAllEmissions) {
		id := t.order[0]
		t.order = t.order[1:]
		t.all -= len(t.by[id].Emitted)
		delete(t.by, id)
	}
}
