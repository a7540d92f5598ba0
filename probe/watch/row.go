package watch

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/watchstat"
	"tokscope/probe/client"
)

// Back-off. After patience failures one after the other a target elsewhere is asked
// less often, at most every mostApart more than its interval. A server that names a
// time is asked at that time, at most retryMost later.
const (
	patience  = 5
	mostApart = 5 * time.Minute
	retryMost = time.Hour
)

// row is the state of one row's goroutine.
type row struct {
	w      *Watch
	n      int       // its number
	first  time.Time // its first slot
	slot   int       // the next
	failed int       // probes one after the other
	wait   time.Time // no probe before it
	why    watchstat.SkipCode
}

// follow probes a row on its schedule until its probes or ctx end. The rows share
// an interval evenly, so that they do not delay each other.
func (w *Watch) follow(ctx context.Context, n int, began time.Time) {
	r := row{w: w, n: n, first: began.Add(w.c.Every * time.Duration(n) / time.Duration(len(w.c.Rows)))}
	for probes := 0; w.c.Probes == 0 || probes < w.c.Probes; {
		if !sleep(ctx, r.at(r.slot)) {
			return
		}
		if code, until := r.mayNot(time.Now()); code != watchstat.NotSkipped {
			r.skip(code, until)
			continue
		}
		r.goOn()
		if !r.probe(ctx) {
			return
		}
		probes++
		r.slot++
		r.missed(time.Now())
	}
}

// at returns the moment of a slot.
func (r *row) at(slot int) time.Time { return r.first.Add(time.Duration(slot) * r.w.c.Every) }

// sleep waits until t. It returns false if ctx ends first.
func sleep(ctx context.Context, t time.Time) bool {
	select {
	case <-time.After(time.Until(t)):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// mayNot says why no probe may be sent at now, and from when on one may.
func (r *row) mayNot(now time.Time) (watchstat.SkipCode, time.Time) {
	if now.Before(r.wait) {
		return r.why, r.wait
	}
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	return r.w.day.full(r.n, now)
}

// change edits the row's target on the board.
func (r *row) change(edit func(t *watchstat.Target)) {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	r.w.change(r.n, edit)
}

// pass leaves out the slots before until, and returns their number.
func (r *row) pass(until time.Time) (slots int) {
	for ; r.at(r.slot).Before(until); r.slot++ {
		slots++
	}
	return slots
}

// skip leaves out the slots before until, and says so when the pause begins.
func (r *row) skip(code watchstat.SkipCode, until time.Time) {
	slots, begins := r.pass(until), false
	r.change(func(t *watchstat.Target) {
		begins = t.Skip.Code != code
		t.Skip = watchstat.Skip{Code: code, Slots: t.Skip.Slots + slots, Until: r.at(r.slot)}
		t.Skipped += slots
	})
	if begins {
		r.w.report(r.n, false, watchstat.NoEvent)
	}
}

// goOn ends a pause.
func (r *row) goOn() {
	pausing := false
	r.change(func(t *watchstat.Target) {
		pausing = t.Skip.Code != watchstat.NotSkipped
		t.Skip.Code = watchstat.NotSkipped
	})
	if pausing {
		r.reportOnce()
	}
}

// missed leaves out the slots that passed while a probe ran.
func (r *row) missed(now time.Time) {
	slots := r.pass(now.Add(1)) // that of this moment too
	if slots == 0 {
		return
	}
	r.change(func(t *watchstat.Target) {
		t.Skip = watchstat.Skip{Code: watchstat.SkipBusy, Slots: slots, Until: r.at(r.slot)}
		t.Skipped += slots
	})
	r.reportOnce()
}

// reportOnce reports what the target skips, and takes it from the board.
func (r *row) reportOnce() {
	r.w.report(r.n, false, watchstat.NoEvent)
	r.change(func(t *watchstat.Target) { t.Skip = watchstat.Skip{} })
}

// probe sends one request and waits for its end. It returns false if ctx ended
// first: the cut probe counts for nothing.
func (r *row) probe(ctx context.Context) bool {
	w := r.w
	work := w.c.Rows[r.n].Work
	work.Nonce = client.Nonce(rand.Uint32())
	s := w.c.Send(ctx, r.n, work)
	<-s.Done()
	if ctx.Err() != nil {
		return false
	}
	run := s.Run(metrics.Pace{})
	v, e := &run.Stream, EntryOf(&run)
	if w.c.Keep != nil {
		w.c.Keep(&run)
	}
	w.mu.Lock()
	event := w.watches[r.n].Add(e)
	view, judgments := w.watches[r.n].View(), w.watches[r.n].Judgments()
	used, here := w.day.charge(r.n, time.Now(), &run), w.board.Targets[r.n].Here
	w.change(r.n, func(t *watchstat.Target) {
		t.View, t.Fault, t.Judgments = view, v.Fault, judgments
		t.Request = v.RequestID
		t.Spent += used
		t.Model = cmp.Or(v.Model, t.Model)
		if v.Endpoint.Model != "" {
			price := t.Endpoint.Price
			t.Endpoint = v.Endpoint // found by discovery
			if t.Endpoint.Price == (metrics.Price{}) {
				t.Endpoint.Price = price
			}
		}
		if w.c.Program != "" {
			t.Typical = w.watches[r.n].Typical(e.At)
		}
	})
	w.mu.Unlock()
	r.backOff(v, here)
	w.report(r.n, true, event)
	if slices.ContainsFunc(judgments, func(j watchstat.Judgment) bool { return j.Outcome == condition.Met }) {
		w.Stop(watchstat.EndMet)
	}
	return true
}

// backOff sets from when on the next probe may be sent, after the one that ended as v.
func (r *row) backOff(v *metrics.Stream, here bool) {
	r.wait, r.why = time.Time{}, watchstat.NotSkipped
	now := time.Now()
	if v.Fault == nil {
		r.failed = 0
	} else if r.failed++; !here && r.failed >= patience {
		r.wait, r.why = now.Add(min(r.w.c.Every<<min(r.failed-patience, 10), r.w.c.Every+mostApart)), watchstat.SkipBackOff
	}
	if hold := v.Hold(); hold > 0 {
		if until := now.Add(min(hold, retryMost)); until.After(r.wait) {
			r.wait, r.why = until, watchstat.SkipRetry
			if v.Fault == nil {
				r.why = watchstat.SkipLimit
			}
		}
	}
}
