package loadgen

import (
	"fmt"
	"math/rand/v2"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	requests "tokscope/metrics/request"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// request is one request that may begin. It is passed on as a pointer: a thousand users
// who wait need no more than the least stack.
type request struct {
	n      int // in the order of sending, from 1
	work   metrics.Workload
	target endpoint.Target
	rng    *rand.Rand
	step   *turn.Step // that it plays, nil without a Script
}

// admit makes the next request of u; nil where none is allowed.
func (l *Load) admit(u *user) *request {
	r := newRequest(&l.c, l.seed, l.budget.begun, max(l.pool.target, l.pool.busy()))
	if l.c.Script != nil {
		r.step, _ = u.play.Step()
		r.work.InputTokens, r.work.MaxTokens = r.step.Prompt, r.step.Output
		r.work.Nonce = nonce(rand.New(rand.NewPCG(l.seed, uint64(u.play.Round))), u.id)
	}
	expected := l.budget.expect(r.work)
	if why := l.budget.refuse(expected); why != (metrics.Ending{}) {
		l.pool.end(why)
		return nil
	}
	if l.consent.holds(l.budget.used+l.budget.reserved+expected, l.budget.used, l.pool.target) {
		return nil
	}
	l.budget.reserve(expected)
	u.reserve(expected)
	u.prompt = workPrompt(r.work)
	u.epoch, u.account = l.epoch, l.budget.account
	return r
}

// newRequest makes the i-th request of a load of users users. Prompt, nonce
// and lengths depend on the seed, i and the shard alone, not on the sending user.
func newRequest(c *Config, seed uint64, i, users int) *request {
	i = c.Shard.Number(i)
	rng := rand.New(rand.NewPCG(seed, uint64(i)))
	w := c.Work
	w.Concurrency = max(users, 1)
	if n := len(c.Prompts); n > 0 {
		w.Prompt = c.Prompts[i%n]
	}
	if !c.SharedPrefix {
		w.Nonce = nonce(rng, i+1)
	}
	if n := c.Input.Draw(rng); n > 0 {
		w.InputTokens = n
	}
	if n := c.Output.Draw(rng); n > 0 {
		w.MaxTokens = n
	}
	return &request{n: i + 1, work: w, target: c.Target, rng: rng}
}

// nonce returns the line that makes the prompt of request n different from its
// first token on.
func nonce(rng *rand.Rand, n int) string { return fmt.Sprintf("[request %08x-%d]", rng.Uint32(), n) }

// run sends one request of u. It does not wait for its end: a thousand goroutines that do
// would hold 8 kB of stack each. When it is counted, after is called, which must not wait
// for another request. run is called without mu.
func (l *Load) run(u *user, r *request, after func()) {
	n, rng := r.n, r.rng
	if r.step != nil { // not in admit: a long prompt takes milliseconds
		r.work = client.Turn(r.work, r.step, r.target.API)
	}
	s := l.deps.start(l.ctx, r.target, r.work)
	l.mu.Lock()
	u.sending(s, l.deps.now())
	l.mu.Unlock()
	s.OnEnd(func() {
		l.count(u, n, rng, s)
		after()
	})
}

// count counts s, the ended request n of u. It is called without mu.
func (l *Load) count(u *user, n int, rng *rand.Rand, s stream) {
	run := s.Run(l.c.Pace) // measured already, where a sink records it
	var row requests.Row
	var packed *requests.Packed
	if l.list != nil { // without mu: packing costs 10 ns a chunk
		row, packed = requests.RowOf(n, u.id, &run.Stream, &run.Figures), s.Packed(&run.Stream)
	}
	l.mu.Lock()
	l.ended(u, &run.Stream, &run.Figures, rng)
	if l.list != nil {
		l.list.Add(row, packed)
	}
	l.mu.Unlock()
	if l.c.Ended != nil {
		l.c.Ended(u.id, &run.Stream, &run.Figures)
	}
}

// ended counts an ended request and sets the next action of u.
func (l *Load) ended(u *user, v *metrics.Stream, f *metrics.Figures, rng *rand.Rand) {
	f = l.intake.finish(u, v, f)
	now := l.deps.now()
	present := u.epoch == l.epoch // the request is of the present work
	u.busy, u.warm = false, u.warm || present
	switch {
	case present:
		if v.Marks.Start >= l.window.began {
			l.window.ended++
		}
	case !l.window.warm:
		l.window.restart(l.window.timeline.index(now) + 1) // after its last token
	}
	l.budget.charge(u, v, f)
	l.clientLag.add(v)
	l.outcomes.limits.Add(v)
	l.outcomes.lengths.Add(v)
	end := v.Marks.End
	if !end.Known() {
		end = now
	}
	if v.Model != "" && present {
		l.outcomes.model = v.Model
	}
	if v.Retried > 0 {
		l.outcomes.retried++
		l.window.timeline.at(end).retried++
	}
	if v.Marks.FirstByte.Known() {
		l.outcomes.heard++
	}
	good := v.State == metrics.Done
	if d, ok := end.Sub(v.Marks.Start); ok && good && present {
		l.window.reach.observe(time.Duration(d))
	}
	u.notBefore = now + metrics.Stamp(l.c.Shape.Think)
	if l.c.Script != nil {
		u.play.Ended(now)
		u.notBefore = max(u.play.Due(), now)
	}
	u.enter(loadstat.LaneIdle, now)
	if u.renewed {
		u.renewed, u.notBefore = false, u.again
		if v.State == metrics.Cancelled || v.State == metrics.Failed {
			l.outcomes.cancelled++
			return
		}
	}
	if v.State == metrics.Cancelled {
		if l.ctx.Err() == nil && !u.leaving && !l.pool.ending {
			// Not canceled by the load: the engine is closing.
			l.pool.end(metrics.Ending{Code: metrics.EndingClosing})
		}
		l.outcomes.cancelled++
		return
	}
	rec := newRecord(end, good, f)
	rec.Tokens, rec.LeftOpen = u.lane.tokens, good && v.Conn.LeftOpen
	if good {
		rec.Figures[loadstat.RowMLPerfTTFT], rec.Figures[loadstat.RowMLPerfTPOT] = byMLPerf(v, f)
	}
	if u.intended.Known() && u.lane.first.Known() {
		rec.Figures[loadstat.RowFromSchedule] = float64(u.lane.first-u.intended) / 1e6
	}
	if present {
		l.window.add(v.Marks.Start, rec)
	}
	if !good {
		l.fail(u, v.Fault, now, rng)
		return
	}
	l.outcomes.done++
	l.outcomes.finishes = metrics.AddFinish(l.outcomes.finishes, v.FinishReason())
	u.done++
	u.failures = 0
	l.window.timeline.at(end).done++
	l.breaker.ok()
}

// fail counts a failure and makes the user of a closed loop wait.
func (l *Load) fail(u *user, fault *metrics.Fault, now metrics.Stamp, rng *rand.Rand) {
	if fault == nil {
		fault = &metrics.Fault{Kind: metrics.FaultInternal, Message: "the request failed without a reason"}
	}
	l.outcomes.fail(fault)
	u.failures++
	l.window.timeline.at(now).failed++
	l.window.fail(now, fault.Count())
	if !l.breaker.there {
		l.breaker.there = l.pool.anySent()
	}
	if u.epoch != l.epoch {
		return // a request from before a change does not stop what is asked now
	}
	if why := l.breaker.fail(fault, max(l.pool.target, l.pool.busy())); why != (metrics.Ending{}) {
		l.pool.end(why)
	} else if !l.pool.open() {
		u.notBefore = max(u.notBefore, now+metrics.Stamp(backoff(fault, u.failures, rng)))
		u.enter(loadstat.LaneBackoff, now)
	}
}
