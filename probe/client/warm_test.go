package client_test

import (
	"context"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/probetest"
)

// Each of many concurrent streams with a warm connection has one: none gets its
// connection until all have warmed theirs, one after the other.
func TestManyWarmStreams(t *testing.T) {
	server := testkit.Must(probetest.Listen(probetest.Options{}))(t)
	defer server.Close()
	e := newEngine(t, client.Options{})
	target := targetAt(server.URL("3 tokens @ 1ms"))
	const users = 16
	for round := range 2 {
		ctx, arrived, open := probetest.BeforeConn(context.Background())
		var streams []*client.Stream
		for range users {
			s := e.StartQuiet(ctx, target, metrics.Workload{Prompt: "hi", MaxTokens: 3, Connection: metrics.ReuseWarm})
			streams = append(streams, s)
			select {
			case <-arrived:
			case <-s.Done():
				t.Fatalf("ended early: %+v", s.Snapshot().Fault)
			case <-time.After(10 * time.Second):
				t.Fatal("a stream does not ask for a connection")
			}
		}
		open()
		for i, s := range streams {
			<-s.Done()
			if v := s.Snapshot(); v.State != metrics.Done || !v.Conn.Reused {
				t.Errorf("round %d, stream %d: %v, reused = %v", round, i, v.State, v.Conn.Reused)
			}
		}
	}
}
