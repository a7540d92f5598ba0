//go:build !race

// The race detector needs larger stacks.

package client_test

import (
	"context"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	tok "tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/probetest"
)

// A request that waits for the head of its response holds, with the two goroutines
// of its connection, at most 22 kB of stacks. It is 14 to 19 kB, and was 24 to 27
// while it kept large values on its stack.
func TestStacksOfWaitingRequests(t *testing.T) {
	const streams, most = 200, 22 << 10
	server := testkit.Must(probetest.Spawn(probetest.Options{}))(t)
	defer server.Close()
	target := targetAt(server.URL("prefill 1h; 1 tokens @ 1ms; done"))
	e := newEngine(t, client.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	before := stacks()
	list := make([]*client.Stream, streams)
	for i := range list {
		list[i] = e.StartQuiet(ctx, target, tok.Workload{Prompt: "Why?", MaxTokens: 8, Concurrency: streams})
	}
	for _, s := range list {
		for !s.Snapshot().Marks.Sent.Known() {
			time.Sleep(time.Millisecond)
		}
	}
	each := (stacks() - before) / streams
	for try := 0; try < 10 && each > most; try++ { // a stack that is in use while others are collected stays as it is
		time.Sleep(50 * time.Millisecond)
		each = min(each, (stacks()-before)/streams)
	}
	for _, s := range list {
		testkit.Need(t, s.Snapshot().State, tok.Waiting, "a request, want all to wait")
	}
	if t.Logf("%d bytes", each); each > most {
		t.Errorf("a request that waits holds %d bytes of stacks, at most %d", each, most)
	}
}

// stacks is what all stacks take, after collections have made them small: one
// halves a stack at most.
func stacks() int {
	for range 3 {
		runtime.GC()
	}
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}
