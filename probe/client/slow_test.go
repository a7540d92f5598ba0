package client

import (
	"context"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// A sink that does not return delays no snapshot.
func TestStuckSinkDelaysNoSnapshot(t *testing.T) {
	e := New(Options{})
	defer e.Close()
	k := &stuck{release: make(chan struct{}), in: make(chan struct{})}
	e.AddSink(k)
	s := e.Start(context.Background(), targetOf(streaming(t, 3)), metrics.Workload{Prompt: "x"})
	<-k.in
	taken := make(chan metrics.Stream, 2)
	go func() {
		taken <- s.Snapshot()
		var v metrics.Stream
		s.Peek(&v, 0)
		taken <- v
	}()
	for range 2 {
		select {
		case v := <-taken:
			testkit.That(t, len(v.Chunks) != 0, "the event that the sink is shown is not in the snapshot")
		case <-time.After(10 * time.Second):
			t.Error("a snapshot waits for the sink")
		}
	}
	close(k.release)
	<-s.Done()
	if v := s.Snapshot(); v.State != metrics.Done {
		t.Errorf("%v: %+v", v.State, v.Fault)
	}
}
