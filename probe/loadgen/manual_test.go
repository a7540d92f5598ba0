package loadgen

import (
	"context"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
)

// still is a stream that the test grows.
type still struct{ acted }

func (*still) Cancel() {}

// manual returns a load of n users whose streams and clock the test
// moves. It calls l.look itself instead of the sampler.
func manual(_ testing.TB, n int) (l *Load, streams []*still, now *metrics.Stamp) {
	now = new(metrics.Stamp)
	d := deps{
		now: func() metrics.Stamp { return *now }, observer: func() metrics.Observer { return metrics.Observer{} },
		start: func(_ context.Context, _ endpoint.Target, w metrics.Workload) stream { return nil },
	}
	l = newLoad(Config{Window: DefaultWindow, MinWindow: DefaultMinWindow, Guarded: true}, d)
	l.window.users, l.window.warm = n, true
	l.window.restart(0)
	for i := range n {
		s := &still{acted{id: i + 1, done: make(chan struct{}), now: d.now}}
		s.v = metrics.Stream{ID: i + 1, State: metrics.Decoding, Marks: metrics.NewMarks(), Chunks: make([]metrics.Chunk, 0,
			1<<16)}
		s.v.Marks.Sent = 0
		u := &user{id: i + 1, wake: make(chan struct{}, 1), stream: s, streamID: i + 1, busy: true, begun: true,
			account: l.budget.account}
		u.lane.reset()
		l.pool.users = append(l.pool.users, u)
		streams = append(streams, s)
	}
	return l, streams, now
}

// grow gives every stream k more chunks, evenly over d.
func grow(streams []*still, now *metrics.Stamp, k int, d time.Duration) {
	for _, s := range streams {
		if len(s.v.Chunks)+k > cap(s.v.Chunks) {
			s.v.Chunks = s.v.Chunks[:0]
		}
		for i := range k {
			at := *now + metrics.Stamp(d)*metrics.Stamp(i+1)/metrics.Stamp(k)
			s.v.Chunks = append(s.v.Chunks, metrics.Chunk{At: at, Tokens: 1, Read: int32(len(s.v.Chunks))})
		}
	}
	*now += metrics.Stamp(d)
	for _, s := range streams {
		s.v.Now = *now
	}
}

// Folding a chunk allocates nothing.
func TestIngestAllocatesNothing(t *testing.T) {
	b := &testing.B{}
	l, streams, now := manual(b, 1)
	u := l.pool.users[0]
	grow(streams, now, 5000, 10*time.Second)
	l.intake.ingest(u, &streams[0].v, 0)
	testkit.Allocates(t, 0, 20, func() {
		u.lane.reset()
		l.intake.ingest(u, &streams[0].v, 0)
	}, "5000 chunks")
}
