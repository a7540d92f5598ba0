package race

import (
	"context"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
)

// afterFailure is the wait after a round in which a lane elsewhere failed: a
// server that refuses for a moment must not be asked without a pause. longestWait
// bounds the wait that a server asks for.
const (
	afterFailure = time.Second
	longestWait  = 30 * time.Second
)

// round plays round n. A round that was cut counts for nothing.
func (r *Race) round(ctx context.Context, n int) racestat.EndCode {
	ctx, cancel := r.limited(ctx)
	defer cancel()
	round := racestat.Round{N: n, Dropped: n == 1, Order: r.rng.Perm(len(r.c.Lanes)),
		Results: make([]racestat.Result, len(r.c.Lanes))}
	if code := r.due(ctx); code != racestat.NotEnded {
		return code
	}
	work := make([]metrics.Workload, len(r.c.Lanes))
	for lane := range work {
		work[lane] = r.workOf(lane)
	}
	r.mu.Lock()
	r.v.Phases = make([]racestat.Phase, len(r.c.Lanes))
	clear(r.streams)
	r.version++
	r.mu.Unlock()

	atOnce := 1
	if r.c.Parallel {
		atOnce = len(r.c.Lanes)
	}
	for lanes := range slices.Chunk(round.Order, atOnce) {
		if code := r.requests(ctx, lanes, work, round.Results, true); code != racestat.NotEnded {
			return code
		}
	}
	if r.c.Script != nil && !round.Dropped {
		r.play.Ended(r.c.now())
	}
	r.board.Add(&round)
	r.keep(r.board.Verdicts(), func(v *racestat.View) {
		v.Rounds = append(slices.Clip(v.Rounds), round)
		for lane := range v.Lanes {
			if round.Dropped {
				continue
			}
			v.Lanes[lane].Counted++
			if round.Results[lane].Failed() {
				v.Lanes[lane].Lost++
			}
		}
	})
	r.keepHeat(&round)
	return r.rest(ctx, &round)
}

// due returns once the next step of the Script may begin.
func (r *Race) due(ctx context.Context) racestat.EndCode {
	if r.c.Script == nil || !r.play.Due().Known() {
		return racestat.NotEnded
	}
	return sleep(ctx, time.Duration(r.play.Due()-r.c.now()))
}

// sleep waits, and says why ctx has ended.
func sleep(ctx context.Context, d time.Duration) racestat.EndCode {
	select {
	case <-time.After(d):
		return racestat.NotEnded
	case <-ctx.Done():
		return cut(ctx)
	}
}

// limited returns ctx with the rest of the race's time.
func (r *Race) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.c.Bounds.Most <= 0 {
		return context.WithCancel(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return context.WithTimeout(ctx, r.c.Bounds.Most-r.elapsed())
}

// workOf returns the workload of a lane's next request.
func (r *Race) workOf(lane int) metrics.Workload {
	w := r.c.Work
	first := true
	if r.c.Script != nil {
		var step *turn.Step
		step, first = r.play.Step()
		w = client.Turn(w, step, r.c.Lanes[lane].Target.API)
	}
	if first {
		r.nonce[lane] = client.Nonce(r.rng.Uint32())
	}
	w.Nonce = r.nonce[lane]
	if c := r.c.Lanes[lane].Target.Connection; c != metrics.ReuseAuto {
		w.Connection = c
	}
	if r.c.Parallel {
		w.Concurrency = len(r.c.Lanes)
	}
	if r.c.Swap != nil {
		w.Lane = r.c.Lanes[lane].Label
	}
	return w
}

// requests sends one request of each of these lanes at the same time, and waits for them.
// work and results are by lane. The race may end before: then some results are missing. told
// is that of ended.
func (r *Race) requests(
	ctx context.Context, lanes []int, work []metrics.Workload, results []racestat.Result, told bool,
) racestat.EndCode {
	if r.wait(ctx) != racestat.NotEnded {
		return cut(ctx)
	}
	running := make([]stream, len(work))
	for _, lane := range lanes {
		running[lane] = r.begin(ctx, lane, work[lane])
	}
	for lane, s := range running {
		if s == nil {
			continue
		}
		if <-s.Done(); ctx.Err() == nil {
			results[lane] = r.ended(lane, s, told)
		}
	}
	if ctx.Err() != nil {
		return cut(ctx)
	}
	return racestat.NotEnded
}

// cut says why ctx ended.
func cut(ctx context.Context) racestat.EndCode {
	if ctx.Err() == context.DeadlineExceeded {
		return racestat.EndTime
	}
	return racestat.EndStopped
}

// begin sends the request of a lane.
func (r *Race) begin(ctx context.Context, lane int, w metrics.Workload) stream {
	s := r.c.send(ctx, lane, w)
	r.mu.Lock()
	r.streams[lane] = s
	r.phase(lane, racestat.Running)
	r.mu.Unlock()
	r.c.Notify()
	return s
}

// phase sets what a lane does: r.mu is held. Views share the slice, so it is
// copied.
func (r *Race) phase(lane int, p racestat.Phase) {
	r.v.Phases = slices.Clone(r.v.Phases)
	r.v.Phases[lane] = p
	r.version++
}

// ended returns the result of a lane's request and counts it. told: Config.Ended is told
// of it.
func (r *Race) ended(lane int, s stream, told bool) racestat.Result {
	run := s.Run(metrics.Pace{})
	v, f := &run.Stream, &run.Figures
	if told && r.c.Ended != nil {
		r.c.Ended(v, f)
	}
	res := racestat.ResultOf(v, f)
	r.mu.Lock()
	r.phase(lane, racestat.Recorded)
	r.last[lane] = s
	r.v.Lanes = slices.Clone(r.v.Lanes)
	l := &r.v.Lanes[lane]
	l.Requests++
	if v.Endpoint.Model != "" {
		l.Endpoint = v.Endpoint // found by discovery
	}
	if v.Model != "" {
		l.Model = v.Model
	}
	if v.Served.Service != (metrics.Service{}) {
		l.Served = v.Served.Service
	}
	if v.Served.Otherwise(v.Asked) != (metrics.Service{}) {
		l.Otherwise++
	}
	if res.Proto != "" {
		l.Proto = res.Proto
	}
	if res.Delay.Code != "" {
		l.Late++
	}
	if res.Unended != "" {
		l.Unended++
	}
	if f.Suspects(metrics.SuspectHidden) || f.Suspects(metrics.SuspectSummarized) {
		l.Hidden++
	}
	if res.Failed() {
		l.Last = res.Fault
		l.Faults = metrics.AddFaults(slices.Clone(l.Faults), res.Fault.Count())
	}
	r.v.Spent = spentWith(&r.v, lane, &res)
	r.mu.Unlock()
	r.c.Notify()
	return res
}

// keep takes up a round or block that has ended, and what is said with it: add adds it.
func (r *Race) keep(all []racestat.Verdict, add func(v *racestat.View)) {
	r.mu.Lock()
	r.v.Lanes, r.v.Verdicts = slices.Clone(r.v.Lanes), all
	add(&r.v)
	r.version++
	r.mu.Unlock()
	if r.c.Round != nil {
		r.c.Round(r.View())
	}
}

// rest waits after failures of lanes elsewhere.
func (r *Race) rest(ctx context.Context, round *racestat.Round) racestat.EndCode {
	var pause time.Duration
	for lane := range round.Results {
		if f := round.Results[lane].Fault; f != nil && !r.c.Lanes[lane].Target.Here() {
			pause = max(pause, afterFailure, min(f.RetryAfter, longestWait))
		}
	}
	if pause == 0 || r.ending(ctx) != racestat.NotEnded {
		return racestat.NotEnded
	}
	return sleep(ctx, pause)
}
