package race

import (
	"context"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
)

// giveUp is the number of rounds after which a lane that failed in each of them
// ends the race: the other lanes would go on for nothing. A fault that the next
// request would meet again ends it after the first.
const giveUp = 3

// ending returns why no further round begins.
func (r *Race) ending(ctx context.Context) racestat.EndCode {
	if ctx.Err() != nil {
		return cut(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	b := &r.v.Bounds
	switch {
	case r.failing() >= 0:
		r.v.Failing = r.failing()
		return racestat.EndLane
	case !r.c.Endless && r.whole() && racestat.Settled(r.v.Verdicts):
		return racestat.EndSettled
	case b.Pairs > 0 && r.v.Pairs() >= b.Pairs:
		return racestat.EndPairs
	case b.Most > 0 && r.elapsed() >= b.Most:
		return racestat.EndTime
	case b.Tokens > 0 && r.v.Spent.Billed+r.next() > b.Tokens:
		return racestat.EndTokens
	}
	return racestat.NotEnded
}

// whole reports whether every turn of the Script was played as often as any other.
func (r *Race) whole() bool {
	if r.c.Script == nil {
		return true
	}
	_, first := r.play.Step()
	return first
}

// failing returns a lane that will not recover, -1 for none: r.mu is held.
func (r *Race) failing() int {
	for i := range r.v.Lanes {
		l := &r.v.Lanes[i]
		if !l.Throughout() {
			continue
		}
		if l.Requests >= giveUp || permanent(l.Last) {
			return i
		}
	}
	return -1
}

// permanent reports whether the next request would fail in the same way.
func permanent(f *metrics.Fault) bool {
	return f.Kind == metrics.FaultConfig || f.Kind == metrics.FaultAuth || f.Kind == metrics.FaultLocal
}

// next returns the most tokens that the next round can take elsewhere than on
// this machine: r.mu is held. A workload without a limit counts what a lane took
// at most so far.
func (r *Race) next() float64 {
	sum := 0.0
	for i := range r.v.Lanes {
		if r.v.Lanes[i].Here {
			continue
		}
		most := racestat.EstimatePrompt(&r.v.Work) + float64(r.v.Work.MaxTokens)
		if r.c.Script != nil {
			step, _ := r.play.Step()
			most = float64(step.Prompt + step.Output)
		}
		for j := range r.v.Rounds {
			if res := &r.v.Rounds[j].Results[i]; !res.Failed() {
				most = max(most, res.Prompt+res.Output)
			}
		}
		sum += most
	}
	return sum
}

// elapsed returns the running time of the race, pauses left out: r.mu is held.
func (r *Race) elapsed() time.Duration {
	d, _ := r.c.now().Sub(r.since)
	return r.worked + d
}
