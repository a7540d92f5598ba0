//go:build !race

package journey

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

// TestMemoryOfRunningStreams: a stream that runs holds at most 80 KB, stacks
// and connection included, so that a thousand fit 80 MB. The least of three
// rounds counts: on a busy machine the folder is late, and lines wait for it. Not
// under the race detector, whose frames on the stack are larger.
func TestMemoryOfRunningStreams(t *testing.T) {
	const most = 80 << 10
	least := uint64(math.MaxUint64)
	for range 3 {
		if least = min(least, memoryOfStream(t)); least <= most {
			break
		}
	}
	t.Logf("%d bytes a stream", least)
	testkit.That(t, least <= most, "a running stream holds %d bytes, at most %d", least, most)
}

// memoryOfStream is what each of 200 streams holds that stand in the middle.
func memoryOfStream(t *testing.T) uint64 {
	const streams = 200
	server := testkit.Must(probetest.Spawn(probetest.Options{}))(t)
	defer server.Close()
	transport.SpareProcs()
	e := client.New(client.Options{})
	defer e.Close()
	// They all stand between the 50th token and the next while we look.
	text := fmt.Sprintf("lockstep %d; prefill 10ms; 50 tokens @ 1ms; stall 1m; 1 tokens @ 1ms", streams)
	target := endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "script", URL: server.URL(text),
		Model: "m"}, Auth: endpoint.AuthNone, Server: "script"}
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // the first only empties the pools
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	before := held()
	var all []*client.Stream
	for i := range streams {
		all = append(all, e.Start(ctx, target, metrics.Workload{Prompt: fmt.Sprint("stream ", i), Concurrency: streams}))
	}
	for _, s := range all {
		for v := s.Snapshot(); len(v.Chunks) < 50; v = s.Snapshot() {
			if v.State.Ended() {
				t.Fatalf("%v: %v", v.State, v.Fault)
			}
			time.Sleep(time.Millisecond)
		}
	}
	each := (held() - before) / streams
	cancel()
	for _, s := range all {
		<-s.Done()
	}
	return each
}
