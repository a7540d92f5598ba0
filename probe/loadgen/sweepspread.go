package loadgen

import (
	"context"
	"time"

	"tokscope/metrics"
)

// mostSpread bounds the time over which the users of a step join.
const mostSpread = 30 * time.Second

// Spread returns a Measurer that lets the new users of a step join evenly over
// the time of one answer before it measures. Users that start together and
// whose answers are equally long stay together for ever: their prompts meet in
// the server's queue each time, TTFT is that of a burst, and a window holds a
// broken number of their common rounds (at 64 users of 200 tokens in 15 s,
// 5 % too much throughput). Real users come one by one.
//
// The time of an answer is that of the last step, TTFT + (output − 1) · TPOT,
// before the first one the assumption of Estimate; never more than 30 s. It
// comes on top of the step's own bounds. Steps of an open loop are left alone.
func Spread(l *Load) Measurer {
	return &spreader{l: l, answer: seconds(assumedTTFT + outputTokens(l.c)/assumedSpeed)}
}

type spreader struct {
	l      *Load
	answer time.Duration
}

// View is the load's.
func (s *spreader) View() metrics.View { return s.l.View() }

// MeasureStep lets users join, then measures.
func (s *spreader) MeasureStep(ctx context.Context, step Step) metrics.Point {
	if step.Rate <= 0 {
		s.join(ctx, step.Users)
	}
	p := s.l.MeasureStep(ctx, step)
	if p.TTFT.Mean.OK && p.TPOT.Mean.OK {
		s.answer = seconds((p.TTFT.Mean.V + (outputTokens(s.l.c)-1)*p.TPOT.Mean.V) / 1000)
	}
	return p
}

// join grows the load to users, one by one.
func (s *spreader) join(ctx context.Context, users int) {
	from := s.l.View().Target
	if users-from < 2 {
		return
	}
	apart := min(s.answer, mostSpread) / time.Duration(users-from)
	t := time.NewTicker(max(apart, startSpacing))
	defer t.Stop()
	for n := from + 1; n < users; n++ {
		s.l.Resize(n)
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		case <-s.l.Done():
			return
		}
	}
}

// seconds is a number of seconds as a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
