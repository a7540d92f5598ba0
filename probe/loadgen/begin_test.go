package loadgen

import (
	"context"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
)

// cancelled counts its cancellations.
type cancelled struct {
	still
	n int
}

func (c *cancelled) Cancel() { c.n++ }

// While a request is starting its user still has the stream of the last one.
// A look at that moment counts none of that stream's chunks again, and a cut
// cancels the starting request.
func TestARequestThatIsBeingBegun(t *testing.T) {
	l, streams, now := manual(&testing.B{}, 1)
	l.ctx, l.c.Shape.Users = t.Context(), 1
	u := l.pool.users[0]
	grow(streams, now, 5, sampleEvery)
	l.look()
	before := l.intake.chunks
	testkit.Given(t, before == 5, "%d chunks counted, want 5", before)
	streams[0].v.State, u.busy = metrics.Done, false
	r := l.admit(u)
	testkit.Given(t, r != nil, "no second request")
	l.look()
	testkit.That(t, l.intake.chunks == before && u.lane.seen == 0 && !u.lane.first.Known() && !l.pool.anySent(),
		"%d chunks, want %d; %d of them in the request that has not begun", l.intake.chunks, before, u.lane.seen)
	l.Streams(func(int, metrics.Stream) { t.Error("a stream runs") })

	u.leaving = true
	l.Cut()
	next := &cancelled{}
	next.acted = newActed(2, 0, l.deps.now, metrics.Workload{})
	next.v.State = metrics.Cancelled
	close(next.done)
	l.deps.start = func(context.Context, endpoint.Target, metrics.Workload) stream { return next }
	counted := make(chan struct{})
	l.run(u, r, func() { close(counted) })
	<-counted
	testkit.That(t, next.n == 1 && !u.busy && l.outcomes.cancelled == 1,
		"cancelled %d times, counted %d times", next.n, l.outcomes.cancelled)
}
