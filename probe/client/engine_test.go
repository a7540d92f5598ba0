package client_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/sim"
)

func TestMain(m *testing.M) {
	probetest.Main()
	probetest.WaitTogether(3)
	goleak.VerifyTestMain(m)
}

// demo starts the embedded endpoint and an engine, both ended by the test.
func demo(t *testing.T) (*client.Engine, endpoint.Target) { return demoOf(t, sim.Options{}) }

func demoOf(t *testing.T, o sim.Options) (*client.Engine, endpoint.Target) {
	t.Helper()
	srv := testkit.Must(sim.Start(o))(t)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		testkit.Is(t, srv.Close(ctx), nil)
	})
	return newEngine(t, client.Options{}), endpoint.Target{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: "demo", URL: srv.URL(), Model: sim.DefaultModel},
		Auth:     endpoint.AuthNone, Server: "tokscope",
	}
}

// A request to the embedded endpoint passes all stages: sent, waiting,
// decoded, counted by the server, ended.
func TestStreamFromSocketToFigures(t *testing.T) {
	e, target := demo(t)
	v := ended(e.Start(context.Background(), target, metrics.Workload{Name: "chat",
		Prompt: "Why is the first token late?", MaxTokens: 24}))
	testkit.Need(t, v.State, metrics.Done, "state, fault", v.Fault)
	testkit.That(t, v.Usage.Completion == 24 && v.Usage.Prompt > 0,
		"usage %+v: want 24 output tokens and a prompt that was counted", v.Usage)
	testkit.That(t, v.Finish == "length" && v.Marks.DoneMarker.Known(),
		"finish %q, [DONE] %v", v.Finish, v.Marks.DoneMarker)
	testkit.That(t, len(v.Chunks) != 0 && strings.TrimSpace(string(v.Text)) != "",
		"%d chunks, text %q", len(v.Chunks), v.Text)
	f := metrics.Measure(&v, metrics.Options{})
	for name, x := range map[string]metrics.Value{"TTFB": f.TTFB, "TTFE": f.TTFE, "TTFT": f.TTFT, "TTFC": f.TTFC,
		"TPOT": f.TPOT, "speed": f.Speed} {
		testkit.That(t, x.OK && x.V > 0, "%s = %+v", name, x)
	}
	m := v.Marks
	order := []metrics.Stamp{m.Start, m.GotConn, m.Sent, m.FirstByte, m.FirstEvent, v.Chunks[len(v.Chunks)-1].At, m.End}
	for i := 1; i < len(order); i++ {
		if order[i] < order[i-1] {
			t.Errorf("mark %d (%d) before mark %d (%d)", i, order[i], i-1, order[i-1])
		}
	}
}

// The second request finds the connection of the first; --cold never does;
// --warm does even for the first.
func TestColdAndWarm(t *testing.T) {
	e, target := demo(t)
	once := func(r metrics.Reuse) metrics.Stream {
		return ended(e.Start(context.Background(), target, metrics.Workload{Prompt: "hi", MaxTokens: 2, Connection: r}))
	}
	for i, c := range []struct {
		ask    metrics.Reuse
		reused bool
	}{{metrics.ReuseAuto, false}, {metrics.ReuseAuto, true}, {metrics.ReuseCold, false}, {metrics.ReuseWarm, true}} {
		v := once(c.ask)
		testkit.That(t, v.State == metrics.Done && v.Conn.Reused == c.reused,
			"request %d (%v): state %v, reused %v, want %v", i+1, c.ask, v.State, v.Conn.Reused, c.reused)
	}
	warm, _ := demo(t)
	if v := ended(warm.Start(context.Background(), target, metrics.Workload{Prompt: "hi", MaxTokens: 2,
		Connection: metrics.ReuseWarm})); !v.Conn.Reused {
		t.Errorf("the first warm request went over a new connection: %+v", v.Conn)
	}
}

// Chunks that arrived before a person's stop are kept, and the stop is not a
// failure.
func TestCancelKeepsWhatArrived(t *testing.T) {
	e, target := demo(t)
	s := e.Start(context.Background(), target, metrics.Workload{Prompt: "go on", MaxTokens: 4000})
	for len(s.Snapshot().Chunks) < 5 {
		select {
		case <-s.Done():
			t.Fatalf("ended early: %+v", s.Snapshot().Fault)
		case <-time.After(time.Millisecond):
		}
	}
	s.Cancel()
	v := ended(s)
	testkit.That(t, v.State == metrics.Cancelled && len(v.Chunks) >= 5, "state %v with %d chunks", v.State, len(v.Chunks))
}

// A snapshot never changes, however much arrives after it.
func TestSnapshotIsImmutable(t *testing.T) {
	e, target := demo(t)
	s := e.Start(context.Background(), target, metrics.Workload{Prompt: "go on", MaxTokens: 40})
	var early metrics.Stream
	for len(early.Chunks) < 3 {
		early = s.Snapshot()
		time.Sleep(time.Millisecond)
	}
	n, text := len(early.Chunks), string(early.Text)
	last := early.Chunks[n-1]
	<-s.Done()
	testkit.That(t, len(early.Chunks) == n && string(early.Text) == text && early.Chunks[n-1] == last,
		"the early snapshot changed")
	if late := s.Snapshot(); len(late.Chunks) <= n || !strings.HasPrefix(string(late.Text), text) {
		t.Error("the late snapshot does not continue the early one")
	}
}

// Closing the engine in the middle ends every stream and every goroutine
// (TestMain looks for those that are left).
func TestCloseInTheMiddle(t *testing.T) {
	e, target := demo(t)
	var all []*client.Stream
	for range 20 {
		all = append(all, e.Start(context.Background(), target, metrics.Workload{Prompt: "go on", MaxTokens: 4000,
			Concurrency: 20}))
	}
	for len(all[0].Snapshot().Chunks) == 0 {
		time.Sleep(time.Millisecond)
	}
	e.Close()
	for _, s := range all {
		if v := s.Snapshot(); v.State != metrics.Cancelled {
			t.Errorf("stream %d: %v", s.ID(), v.State)
		}
	}
	if v := e.Start(context.Background(), target, metrics.Workload{}).Snapshot(); v.State != metrics.Cancelled {
		t.Errorf("a stream begun after Close is %v", v.State)
	}
}

// Close returns after the functions of OnEnd, and after what follows from them.
func TestCloseWaitsForWhatFollowsAnEnd(t *testing.T) {
	e, target := demo(t)
	closed := make(chan struct{})
	var all, ran atomic.Int64
	stays := func() {
		select {
		case <-closed:
		case <-time.After(20 * time.Millisecond): // in which Close may return too early
			ran.Add(1)
		}
	}
	for range 5 {
		s := e.Start(context.Background(), target, metrics.Workload{Prompt: "go on", MaxTokens: 4000, Concurrency: 5})
		all.Add(2)
		s.OnEnd(func() {
			stays()
			s.OnEnd(stays)
		})
	}
	e.Close()
	close(closed)
	testkit.Is(t, ran.Load(), all.Load(), "Close returned after … functions")
}
