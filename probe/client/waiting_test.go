//go:build !race

// The race detector needs larger stacks.

package client_test

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	tok "tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/probetest"
)

// A request that waits for the head of its response holds, with the two goroutines
// of its connection, at most 22 kB of stacks. It is 17 to 18 kB. With 6 kB more on the
// stack of one goroutine it is 24 to 26.
//
// The requests start one after the other and no collection runs meanwhile. Otherwise
// stacks that end or shrink between others leave holes, which count as stacks too:
// 10 to 28 kB a request, by luck.
func TestStacksOfWaitingRequests(t *testing.T) {
	const streams, most = 200, 22 << 10
	server := testkit.Must(probetest.Spawn(probetest.Options{}))(t)
	defer server.Close()
	target := targetAt(server.URL("prefill 1h; 1 tokens @ 1ms; done"))
	e := newEngine(t, client.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	before := stacks()
	list := make([]*client.Stream, streams)
	for i := range list {
		list[i] = e.StartQuiet(ctx, target, tok.Workload{Prompt: "Why?", MaxTokens: 8, Concurrency: streams})
		for !list[i].Snapshot().Marks.Sent.Known() {
			time.Sleep(time.Millisecond)
		}
	}
	each := (stacks() - before) / streams
	for _, s := range list {
		testkit.Need(t, s.Snapshot().State, tok.Waiting, "a request, want all to wait")
	}
	if t.Logf("%d bytes", each); each > most {
		t.Errorf("a request that waits holds %d bytes of stacks, at most %d", each, most)
	}
}

// stacks is what all stacks take.
func stacks() int {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}
