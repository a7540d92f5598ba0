package runner

import (
	"context"
	"maps"
	"sync"

	"tokscope/metrics/serving"
	"tokscope/probe/explain"
	"tokscope/probe/sim/physics"
)

// whatif computes predictions in the background: the newest knobs first, and
// none for knobs that were replaced meanwhile.
type whatif struct {
	catalogue *physics.Catalogue
	changed   func()

	mu                sync.Mutex
	now, before       serving.Knobs
	unchanged         bool // before is what the present knobs are compared with until they change
	cancel            context.CancelFunc
	present, previous serving.Prediction
	busy, ended       bool
	known             map[serving.Knobs]serving.Prediction
	wg                sync.WaitGroup
}

// mostKnown bounds the stored predictions.
const mostKnown = 64

func newWhatif(cat *physics.Catalogue, changed func()) *whatif {
	return &whatif{catalogue: cat, changed: changed, known: map[serving.Knobs]serving.Prediction{}, cancel: func() {}}
}

// timeless returns the knobs without the speed of time, which does not affect
// predictions.
func timeless(k serving.Knobs) serving.Knobs {
	k.Time = 1
	return k
}

// want requests the prediction of k beside that of the knobs before, or of another
// number of users where these are the same. Without before it keeps what it has of k.
func (w *whatif) want(k, before serving.Knobs) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended || before.Users == 0 && w.now == k {
		return
	}
	unchanged := before.Users == 0 || timeless(before) == timeless(k)
	if unchanged {
		before = otherUsers(k)
	}
	w.now, w.before, w.unchanged = k, before, unchanged
	w.cancel()
	if w.showKnown() {
		w.busy = false
		return
	}
	w.busy = true
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	w.wg.Go(func() { w.compute(ctx, k, before) })
}

// otherUsers returns k with one user, or with eight instead of one.
func otherUsers(k serving.Knobs) serving.Knobs {
	if k.Users == 1 {
		k.Users = 8
	} else {
		k.Users = 1
	}
	return k
}

// retime records another speed of time: w keeps its predictions.
func (w *whatif) retime(k serving.Knobs) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = k
	if !w.busy {
		w.present.Knobs = k
	}
}

// showKnown shows what is known, and reports whether that is all: w.mu is held.
func (w *whatif) showKnown() bool {
	p, ok := w.known[timeless(w.now)]
	if !ok {
		return false
	}
	p.Knobs = w.now
	var q serving.Prediction
	if w.before.Users > 0 {
		if q, ok = w.known[timeless(w.before)]; !ok {
			return false
		}
		q.Knobs = w.before
	}
	w.present, w.previous = p, q
	return true
}

func (w *whatif) compute(ctx context.Context, all ...serving.Knobs) {
	for _, k := range all {
		if k.Users == 0 {
			continue
		}
		k = timeless(k)
		w.mu.Lock()
		_, ok := w.known[k]
		w.mu.Unlock()
		if ok {
			continue
		}
		p, err := explain.Predict(ctx, w.catalogue, k)
		if err != nil {
			return // the knobs have changed meanwhile
		}
		w.mu.Lock()
		if len(w.known) >= mostKnown {
			now, before := timeless(w.now), timeless(w.before)
			maps.DeleteFunc(w.known, func(k serving.Knobs, _ serving.Prediction) bool { return k != now && k != before })
		}
		w.known[k] = p
		w.mu.Unlock()
	}
	w.mu.Lock()
	if ctx.Err() == nil {
		w.showKnown()
		w.busy = false
	}
	w.mu.Unlock()
	w.changed()
}

// look returns the known predictions. Before the first is computed, present
// has only its knobs.
func (w *whatif) look() (present, previous serving.Prediction, unchanged, busy bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.present, w.previous, w.unchanged, w.busy
}

func (w *whatif) stop() {
	w.mu.Lock()
	w.ended = true
	w.cancel()
	w.mu.Unlock()
	w.wg.Wait()
}
