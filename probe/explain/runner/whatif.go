package runner

import (
	"context"
	"maps"
	"sync"

	"tokscope/metrics"
	"tokscope/probe/explain"
)

// whatif computes predictions in the background: the newest knobs first, and of
// those that were turned away meanwhile none.
type whatif struct {
	changed func()

	mu                sync.Mutex
	now, before       metrics.Knobs // before.Users is 0 before any change
	cancel            context.CancelFunc
	present, previous metrics.Prediction
	busy, ended       bool
	known             map[metrics.Knobs]metrics.Prediction
	wg                sync.WaitGroup
}

// mostKnown bounds the stored predictions.
const mostKnown = 64

func newWhatif(changed func()) *whatif {
	return &whatif{changed: changed, known: map[metrics.Knobs]metrics.Prediction{}, cancel: func() {}}
}

// timeless are the knobs without the speed of time, which predicts nothing.
func timeless(k metrics.Knobs) metrics.Knobs {
	k.Time = 1
	return k
}

// want asks for the prediction of k. turned says that k takes the place of the
// knobs before, which are shown beside it.
func (w *whatif) want(k metrics.Knobs, turned bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	if w.now == k && (w.busy || w.present.Knobs == k) {
		return
	}
	if turned {
		w.before = w.now
	}
	w.now = k
	w.cancel()
	if w.showKnown() {
		w.busy = false
		return
	}
	w.busy = true
	ctx, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	before := w.before
	w.wg.Go(func() { w.compute(ctx, k, before) })
}

// retime notes that the time runs differently: w keeps what it knows.
func (w *whatif) retime(k metrics.Knobs) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = k
	if !w.busy {
		w.present.Knobs = k
	}
}

// settle shows what is known, and reports whether that is all: w.mu is held.
func (w *whatif) showKnown() bool {
	p, ok := w.known[timeless(w.now)]
	if !ok {
		return false
	}
	p.Knobs = w.now
	var q metrics.Prediction
	if w.before.Users > 0 {
		if q, ok = w.known[timeless(w.before)]; !ok {
			return false
		}
		q.Knobs = w.before
	}
	w.present, w.previous = p, q
	return true
}

func (w *whatif) compute(ctx context.Context, all ...metrics.Knobs) {
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
		p, err := explain.Predict(ctx, k)
		if err != nil {
			return // turned on meanwhile
		}
		w.mu.Lock()
		if len(w.known) >= mostKnown {
			now, before := timeless(w.now), timeless(w.before)
			maps.DeleteFunc(w.known, func(k metrics.Knobs, _ metrics.Prediction) bool { return k != now && k != before })
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

// look is what is known now. Before the first is computed, present names its
// knobs only.
func (w *whatif) look() (present, previous metrics.Prediction, busy bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.present, w.previous, w.busy
}

func (w *whatif) stop() {
	w.mu.Lock()
	w.ended = true
	w.cancel()
	w.mu.Unlock()
	w.wg.Wait()
}
