package loadgen

import (
	"context"
	"time"

	"tokscope/metrics/loadstat"
)

// mostSpread bounds the time over which the users of a step join.
const mostSpread = 30 * time.Second

// spread returns a measurer whose new users join evenly over the time of one
// answer before each measurement. Users that start together with equally long
// answers stay in step. Their prompts meet in the server's queue each time,
// TTFT is that of a burst, and a window holds a fractional number of their
// common rounds. (At 64 users of 200 tokens in 15 s this gave 5 % too much
// throughput.) Real users arrive one by one.
//
// The time of an answer is that of the last step with both means,
// TTFT + (output − 1) · TPOT. Before it, it is the assumption of Estimate. The
// users join within 30 s, and this time adds to the step's own bounds. Steps of
// an open loop are unaffected.
func spread(l *Load) *spreader {
	return &spreader{Load: l, answer: seconds(assumedTTFT + outputTokens(l.c)/assumedSpeed)}
}

type spreader struct {
	*Load
	answer time.Duration
}

// MeasureStep spreads the joining users, then measures.
func (s *spreader) MeasureStep(ctx context.Context, step Step) loadstat.Point {
	if step.Rate <= 0 {
		s.join(ctx, step.Users)
	}
	p := s.Load.MeasureStep(ctx, step)
	if p.TTFT.Mean.OK && p.TPOT.Mean.OK {
		s.answer = seconds((p.TTFT.Mean.V + (outputTokens(s.c)-1)*p.TPOT.Mean.V) / 1000)
	}
	return p
}

// join grows the load to users, one by one.
func (s *spreader) join(ctx context.Context, users int) {
	from := s.View().Target
	if users-from < 2 {
		return
	}
	apart := min(s.answer, mostSpread) / time.Duration(users-from)
	t := time.NewTicker(max(apart, startSpacing))
	defer t.Stop()
	for n := from + 1; n < users; n++ {
		s.Resize(n)
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		case <-s.Done():
			return
		}
	}
}

// seconds converts a number of seconds to a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
