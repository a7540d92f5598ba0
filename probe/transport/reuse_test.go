package transport_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

func cold(c *transport.Capture) { c.SetReuse(metrics.ReuseCold) }

func warm(c *transport.Capture) { c.SetReuse(metrics.ReuseWarm) }

func TestReuse(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer string
		reused bool // the second request reuses the first one's connection
	}{
		{"a body that ends", "prefill 1s; 3 tokens @ 1s", true},
		{"a body that ends 200 ms after [DONE]", "prefill 1s; 3 tokens @ 1s; done; stall 200ms; 1 comments @ 0s; end", true},
		{"a body that does not end", "prefill 1s; 3 tokens @ 1s; done; hang", false},
		{"until close", "unchunked; 3 tokens @ 1s", false},
		{"Content-Length", "length; 3 tokens @ 1s", true},
		{"trailers", "trailers; extensions; 3 tokens @ 1s", true},
		{"an error", "ratelimited", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, defaults(), func(r *harness) {
				first, second := r.ask(tt.answer), r.ask(tt.answer)
				testkit.That(t, !first.conn.Reused, "the first connection is said to be reused")
				testkit.Is(t, second.conn.Reused, tt.reused, "second request: reused")
				testkit.Is(t, len(first.events), len(second.events), "and … events")
				if a, b := first.offsets(), second.offsets(); len(a) > 0 && a[0] != b[0] {
					t.Errorf("first event after %v and %v", a[0], b[0])
				}
			})
		})
	}
}

func TestColdAndWarm(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(map[bool]string{false: "plain", true: "TLS"}[secure], func(t *testing.T) {
			overTCP(t, defaults(), probetest.Options{TLS: secure}, func(r *harness) {
				const text = "prefill 2ms; 3 tokens @ 1ms"
				made := func(res result, want bool) {
					t.Helper()
					m := res.marks
					testkit.That(t, res.err == nil && res.conn.Reused != want, "reused = %v, %v", res.conn.Reused, res.err)
					if m.ConnectStart.Known() != want || m.ConnectDone.Known() != want || m.TLSDone.Known() != (want && secure) {
						t.Errorf("marks of a connection that was made = %v: %+v", want, m)
					}
					testkit.Is(t, res.conn.TLS == "TLS 1.3", secure, "TLS is", res.conn.TLS)
				}
				made(r.ask(text), true)
				made(r.ask(text), false)
				made(r.ask(text, cold), true)
				made(r.ask(text, warm), false)
				r.tr.CloseIdle()
				made(r.ask(text, warm), false) // made before the request's turn
				r.tr.CloseIdle()
				made(r.ask(text), true)
			})
		})
	}
}

// TestManyWarm checks that each of many warm requests has a connection that was
// open before, however they meet: none gets a connection until all have warmed
// theirs, one after the other.
func TestManyWarm(t *testing.T) {
	overTCP(t, defaults(), probetest.Options{}, func(r *harness) {
		const text, users = "prefill 2ms; 3 tokens @ 1ms", 8
		for round := range 2 {
			ctx, arrived, open := probetest.BeforeConn(context.Background())
			var wg sync.WaitGroup
			for range users {
				c := newCapture(r)
				warm(c)
				wg.Go(func() {
					got := r.follow(c, r.request(transport.With(ctx, c), text), 0)
					testkit.That(t, got.conn.Reused && got.err == nil, "round %d: reused = %v, %v", round, got.conn.Reused, got.err)
				})
				<-arrived
			}
			open()
			wg.Wait()
			testkit.Is(t, r.tr.Links(), users, "round", round, "connections for … users")
			testkit.Is(t, r.tr.Held(), 0, "round", round, "connections stay reserved")
		}
	})
}

// A warm request that ends before it gets its connection keeps no reservation.
func TestWarmConnectionOfNoRequest(t *testing.T) {
	overTCP(t, defaults(), probetest.Options{}, func(r *harness) {
		before, arrived, open := probetest.BeforeConn(context.Background())
		ctx, cancel := context.WithCancel(before)
		go func() {
			<-arrived
			cancel()
			open()
		}()
		if got := r.askCtx(ctx, "3 tokens @ 1ms", warm); got.err == nil || got.err.Kind != metrics.FaultCancelled {
			t.Errorf("ended with %v", got.err)
		}
		testkit.Is(t, r.tr.Held(), 0, "connections stay reserved")
		if got := r.ask("3 tokens @ 1ms", warm); !got.conn.Reused || got.err != nil {
			t.Errorf("reused = %v, %v", got.conn.Reused, got.err)
		}
	})
}

// TestWarmConnectionThatDied checks a connection that the server closed
// before the request.
func TestWarmConnectionThatDied(t *testing.T) {
	overTCP(t, defaults(), probetest.Options{}, func(r *harness) {
		dead := testkit.Must(probetest.Listen(probetest.Options{}))(t)
		r.url = dead.URL
		ctx, arrived, open := probetest.BeforeConn(context.Background())
		go func() {
			<-arrived
			dead.Close()
			for r.tr.Alive() > 0 { // until the end of the connection has arrived
				time.Sleep(time.Millisecond)
			}
			open()
		}()
		got := r.askCtx(ctx, "", warm)
		testkit.That(t, got.err != nil && got.err.Kind == metrics.FaultConnect, "ended with %v", got.err)
	})
}

// TestStaleIdleConnection checks a kept connection that the server has
// closed.
func TestStaleIdleConnection(t *testing.T) {
	overTCP(t, defaults(), probetest.Options{}, func(r *harness) {
		got := r.ask("3 tokens @ 1ms; done; end")
		r.server.CloseConns()
		for r.tr.Links() > 0 {
			time.Sleep(time.Millisecond) // until the end of the connection has arrived
		}
		again := r.ask("3 tokens @ 1ms; done; end")
		if got.err != nil || again.err != nil || len(again.data()) != 4 {
			t.Errorf("%v, then %v with %d events", got.err, again.err, len(again.data()))
		}
		testkit.That(t, !again.conn.Reused && again.marks.ConnectDone.Known() && again.marks.Sent >= again.marks.GotConn,
			"reused = %v, marks %+v", again.conn.Reused, again.marks)
	})
}

func TestMarksAreInOrder(t *testing.T) {
	for _, secure := range []bool{false, true} {
		overTCP(t, defaults(), probetest.Options{TLS: secure}, func(r *harness) {
			got := r.ask("headers; prefill 5ms; 3 tokens @ 1ms")
			m := got.marks
			order := []metrics.Stamp{m.Start, m.ConnectStart, m.ConnectDone, m.GotConn, m.Sent, m.FirstByte, m.Headers,
				m.DoneMarker, m.End}
			if secure {
				order = []metrics.Stamp{m.Start, m.ConnectStart, m.ConnectDone, m.TLSStart, m.TLSDone, m.GotConn, m.Sent,
					m.FirstByte, m.Headers, m.DoneMarker, m.End}
			}
			for i, s := range order {
				testkit.That(t, s.Known() && (i <= 0 || s >= order[i-1]), "mark %d is %d: %+v", i, s, m)
			}
			testkit.That(t, !m.DNSStart.Known(), "an address was looked up as a name")
			testkit.Is(t, got.conn.Remote, r.server.Addr(), "remote")
		})
	}
}
