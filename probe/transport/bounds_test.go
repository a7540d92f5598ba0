package transport_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/transport"
)

// end describes how a stream ended, for tables.
type end struct {
	Kind   metrics.FaultKind
	Bound  string
	After  time.Duration // from Sent to the end
	Events int           // data events that could still be read
}

func endOf(res result) end {
	e := end{After: time.Duration(res.end - res.marks.Sent), Events: len(res.data())}
	if res.err != nil {
		e.Kind, e.Bound = res.err.Kind, res.err.Bound
	}
	return e
}

func TestTimeBounds(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		want         end
	}{
		{"nothing at all", "prefill 10m; 1 tokens @ 1s",
			end{metrics.FaultTimeout, "first byte 120 s", 120 * time.Second, 0}},
		{"headers, then nothing", "headers; prefill 10m; 1 tokens @ 1s",
			end{metrics.FaultTimeout, "first data 120 s", 120 * time.Second, 0}},
		{"ten minutes of comments before the first token", "600 comments @ 1s; 3 tokens @ 1s",
			end{After: 603 * time.Second, Events: 5}},
		{"comments that end before the first token", "60 comments @ 1s; hang",
			end{metrics.FaultTimeout, "first token 120 s", 180 * time.Second, 0}},
		{"35 s of prefill after an early event", "role; prefill 35s; 3 tokens @ 1s",
			end{After: 37 * time.Second, Events: 6}},
		{"35 s of prefill after an early event, with pings", "role; prefill 1s; 34 comments @ 1s; 3 tokens @ 1s",
			end{After: 37 * time.Second, Events: 6}},
		{"five minutes of prefill with an event a minute",
			"role; stall 1m; role; stall 1m; role; stall 1m; role; stall 1m; role; stall 1m; 3 tokens @ 1s",
			end{After: 302 * time.Second, Events: 10}},
		{"headers, then 35 s", "headers; prefill 35s; 3 tokens @ 1s",
			end{After: 37 * time.Second, Events: 5}},
		{"an early event, then nothing", "role; prefill 10m; 1 tokens @ 1s",
			end{metrics.FaultTimeout, "first token 120 s", 120 * time.Second, 1}},
		{"119 s of prefill with comments", "118 comments @ 1s; 3 tokens @ 1s",
			end{After: 121 * time.Second, Events: 5}},
		{"a stall for ever", "prefill 1s; 3 tokens @ 1s; hang",
			end{metrics.FaultTimeout, "idle 30 s", 33 * time.Second, 3}},
		{"only comments after the first token", "prefill 1s; 3 tokens @ 1s; 600 comments @ 1s",
			end{metrics.FaultTimeout, "idle 30 s", 33 * time.Second, 3}},
		{"long, but never idle", "prefill 100s; 100 tokens @ 29s",
			end{After: (100 + 99*29) * time.Second, Events: 102}},
		{"no end of the body after [DONE]", "prefill 1s; 1 tokens @ 1s; finish; done; hang",
			end{After: 1250 * time.Millisecond, Events: 3}},
		{"the body ends 200 ms after [DONE]", "unchunked; prefill 1s; 1 tokens @ 1s; done; stall 200ms; 1 comments @ 0s; end",
			end{After: 1200 * time.Millisecond, Events: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, defaults(), func(r *harness) {
				testkit.Same(t, endOf(r.ask(tt.answer)), tt.want, "end")
			})
		})
	}
}

func TestConnectBounds(t *testing.T) {
	t.Run("no connection", func(t *testing.T) {
		virtual(t, defaults(), func(r *harness) {
			r.tr.SetDial(func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
			got := r.ask("")
			if got.err == nil || got.err.Bound != "connect 10 s" || got.end != got.marks.Start+metrics.Stamp(10*time.Second) {
				t.Errorf("ended with %+v at %d", got.err, got.end)
			}
		})
	})
	t.Run("no TLS", func(t *testing.T) {
		virtual(t, defaults(), func(r *harness) {
			r.url = func(string) string { return "https://scripted/v1" }
			r.tr.SetDial(func(context.Context, string, string) (net.Conn, error) {
				here, there := net.Pipe()
				go func() { // reads the client's hello and never answers
					buf := make([]byte, 1<<10)
					for {
						if _, err := there.Read(buf); err != nil {
							return
						}
					}
				}()
				return here, nil
			})
			got := r.ask("")
			testkit.That(t, got.err != nil && got.err.Bound == "TLS handshake 10 s", "ended with %+v", got.err)
		})
	})
}

// TestDeadline checks the countdown that a screen shows.
func TestDeadline(t *testing.T) {
	virtual(t, defaults(), func(r *harness) {
		c := newCapture(r)
		go r.follow(c, r.request(with(c), "prefill 50s; 2 tokens @ 10s; hang"), 0)
		seconds := func(s metrics.Stamp) string {
			if !s.Known() {
				return "none"
			}
			return fmt.Sprint(time.Duration(s))
		}
		for _, tt := range []struct {
			at   time.Duration
			want string
		}{
			{time.Second, "2m0s first byte"},
			{51 * time.Second, "1m20s idle"},
			{61 * time.Second, "1m30s idle"},
			{100 * time.Second, "none "},
		} {
			time.Sleep(tt.at - time.Duration(r.clock.Now()))
			at, name := c.Deadline()
			testkit.Is(t, seconds(at)+" "+name, tt.want, "after", tt.at, "the deadline")
		}
	})
}

func TestSizeBounds(t *testing.T) {
	tight := transport.DefaultBounds()
	tight.EventBytes, tight.BodyBytes, tight.Events = 4<<10, 64<<10, 100
	for _, tt := range []struct {
		name, answer, bound string
		events              int
	}{
		{"an endless line", "prefill 1s; 2 tokens @ 1s; flood 50", "event 4 KiB", 2},
		{"an event of many lines",
			`prefill 1s; 2 tokens @ 1s; raw "data: {` + strings.Repeat(`\ndata: [\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"],`,
				200) + `"`, "event 4 KiB", 3},
		{"too many events", "150 tokens @ 1ms", "number of events 100 events", 101},
		{"a body too long", "size 3000; 90 tokens @ 1ms", "body 64 KiB", 22},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, transport.Options{Bounds: tight}, func(r *harness) {
				got := r.ask(tt.answer)
				testkit.Given(t, got.err != nil && got.err.Kind == metrics.FaultTooLarge && got.err.Bound == tt.bound,
					"ended with %+v", got.err)
				testkit.Is(t, len(got.data()), tt.events, "events could be taken")
			})
		})
	}
	t.Run("headers", func(t *testing.T) {
		virtual(t, defaults(), func(r *harness) {
			r.tr.SetDial(func(context.Context, string, string) (net.Conn, error) {
				here, there := net.Pipe()
				go func() {
					_, err := http.ReadRequest(bufio.NewReader(there))
					if err == nil {
						_, err = there.Write([]byte("HTTP/1.1 200 OK\r\n"))
					}
					for err == nil {
						_, err = there.Write([]byte("X-Long: " + strings.Repeat("x", 1<<10) + "\r\n"))
					}
				}()
				return here, nil
			})
			got := r.ask("")
			if got.err == nil || got.err.Kind != metrics.FaultTooLarge || got.err.Bound != "response headers 64 KiB" {
				t.Errorf("ended with %+v", got.err)
			}
		})
	})
}

// TestSlowConsumerIsBounded checks that lines without a consumer are bounded.
func TestSlowConsumerIsBounded(t *testing.T) {
	b := transport.DefaultBounds()
	b.PendingBytes = 20 << 10
	virtual(t, transport.Options{Bounds: b}, func(r *harness) {
		c := newCapture(r)
		got := r.follow(c, r.request(with(c), "500 tokens @ 1ms"), time.Hour)
		if got.err == nil || got.err.Kind != metrics.FaultLocal || !strings.Contains(got.err.Message,
			"tokscope fell behind") || !strings.HasPrefix(got.err.Bound, "data not yet read") {
			t.Fatalf("ended with %+v", got.err)
		}
		n := len(got.data())
		testkit.That(t, n >= 100 && n <= 130, "%d events were kept of some 20 KiB", n)
	})
}

// The bound of data counts data alone: many short lines pass it. Their number
// has a bound of its own, and comments count.
func TestShortLinesAreBoundedByNumber(t *testing.T) {
	b := transport.DefaultBounds()
	b.PendingBytes, b.PendingLines = 20<<10, 400
	for _, x := range []struct {
		plan, bound string
		kind        metrics.FaultKind
	}{
		{"160 comments @ 1ms; say \"a\"", "", ""}, // 330 lines, more than 20 KiB with their records
		{"500 comments @ 1ms", "number of lines not yet read by tokscope 400 lines", metrics.FaultTooLarge},
		{"role; size 200; 200 tokens @ 1ms", "data not yet read by tokscope 20 KiB", metrics.FaultLocal},
	} {
		virtual(t, transport.Options{Bounds: b}, func(r *harness) {
			c := newCapture(r)
			got := r.follow(c, r.request(with(c), x.plan), time.Hour)
			if x.bound == "" && got.err != nil || x.bound != "" && (got.err == nil || got.err.Bound != x.bound ||
				got.err.Kind != x.kind) {
				t.Errorf("%s: ended with %+v, want the bound %q", x.plan, got.err, x.bound)
			}
		})
	}
}

// All streams of a transport share one bound on what is pending. A stream with
// little of it goes on, and who has taken everything counts no more.
func TestPendingOfAllStreamsIsBounded(t *testing.T) {
	b := transport.DefaultBounds()
	b.PendingTotal = 3 << 20
	virtual(t, transport.Options{Bounds: b}, func(r *harness) {
		begin := func(plan string) *transport.Capture {
			c := newCapture(r)
			go func() {
				if resp, err := r.tr.Do(r.request(with(c), plan)); err == nil {
					_ = resp.Body.Close()
				}
			}()
			return c
		}
		large := []*transport.Capture{begin("size 900; 2000 tokens @ 1ms"), begin("size 900; 2000 tokens @ 1ms"),
			begin("size 900; 2000 tokens @ 1ms")}
		modest := begin("size 900; 200 tokens @ 10ms")
		time.Sleep(10 * time.Second) // and nothing is taken
		failed := 0
		for _, c := range large {
			var f *metrics.Fault
			if _, err := c.End(); errors.As(err, &f) {
				failed++
				testkit.That(t, f.Kind == metrics.FaultLocal && f.Bound == "data of all streams not yet read by tokscope 3 MiB",
					"ended with %+v", f)
			}
		}
		testkit.That(t, failed != 0, "three streams have more than 3 MiB pending")
		if _, err := modest.End(); err != nil {
			t.Errorf("a stream with little pending ended with %v", err)
		}
		if r.tr.Pending() <= 1<<20 {
			t.Errorf("%d bytes are pending", r.tr.Pending())
		}
		var batch transport.Batch
		for _, c := range append(large, modest) {
			for c.Drain(&batch) {
			}
			c.Free()
		}
		testkit.Is(t, r.tr.Pending(), 0, "bytes are pending when all is taken")
	})
}

func TestCancel(t *testing.T) {
	for _, tt := range []struct {
		name   string
		after  time.Duration
		events int
	}{
		{"while waiting", 100 * time.Millisecond, 0},
		{"while decoding", 550 * time.Millisecond, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, defaults(), func(r *harness) {
				ctx, cancel := context.WithCancel(context.Background())
				time.AfterFunc(tt.after, cancel)
				got := r.askCtx(ctx, "prefill 200ms; 50 tokens @ 100ms")
				want := end{Kind: metrics.FaultCancelled, After: tt.after, Events: tt.events}
				testkit.Same(t, endOf(got), want, "end")
			})
		})
	}
	t.Run("while connecting", func(t *testing.T) {
		virtual(t, defaults(), func(r *harness) {
			r.tr.SetDial(func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(time.Second, cancel)
			if got := r.askCtx(ctx, ""); got.err == nil || got.err.Kind != metrics.FaultCancelled {
				t.Errorf("ended with %v", got.err)
			}
		})
	})
}

// Before the first token a request ends by the bound of that token, whatever the
// server sends meanwhile: only progress of the prefill prolongs it. A silence ends
// sooner, and the first token ends the bound.
func TestBoundOfTheFirstToken(t *testing.T) {
	progress := func(tokens int) string {
		return "; stall 5m; 250 comments @ 1s; " +
			raw(fmt.Sprintf(`{"choices":[],"prompt_progress":{"total":90000,"cache":0,"processed":%d,"time_ms":9}}`, tokens))
	}
	late := transport.DefaultBounds()
	late.FirstByte = 10 * time.Minute
	short := late
	short.FirstToken = 20 * time.Second
	none := late
	none.FirstToken = 0
	for _, tt := range []struct {
		name, answer string
		bounds       transport.Bounds
		bound        string
		at           time.Duration
	}{
		{"comments for ever", "2000 comments @ 1s", late, "time to first token 15 min", 15 * time.Minute},
		{"named pings for ever", strings.Repeat(`stall 20s; raw "event: ping\ndata: {}\n\n"; `, 99) + "hang", late,
			"time to first token 15 min", 15 * time.Minute},
		{"roles and empty chunks for ever", strings.Repeat("role; stall 30s; 1 empty @ 1s; stall 30s; ", 40) + "hang", late,
			"time to first token 15 min", 15 * time.Minute},
		{"a silence behind the comments", "20 comments @ 10s; hang", late, "first token 10 min", 800 * time.Second},
		{"a shorter bound, and comments", "99 comments @ 1s", short, "time to first token 20 s", 20 * time.Second},
		{"a shorter bound, and nothing", "hang", short, "time to first token 20 s", 20 * time.Second},
		{"progress, then more of it", "headers" + progress(10) + progress(500) + progress(501) + "; 2000 comments @ 1s",
			late, "time to first token 15 min", 3*(5*time.Minute+250*time.Second) + 15*time.Minute},
		{"the same progress again and again", "headers" + progress(10) + progress(10) + progress(10) + progress(10), late,
			"time to first token 15 min", 5*time.Minute + 250*time.Second + 15*time.Minute},
		{"progress of nothing", "headers" + progress(0) + progress(0) + progress(0), late, "time to first token 15 min",
			15 * time.Minute},
		{"no bound", "3000 comments @ 1s; 1 tokens @ 1s; done", none, "", 3001 * time.Second},
		{"a token in time, then an answer of an hour", "800 comments @ 1s; 200 tokens @ 20s; done", late, "",
			80 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, transport.Options{Bounds: tt.bounds}, func(r *harness) {
				got := endOf(r.ask(tt.answer))
				testkit.That(t, got.Bound == tt.bound && (got.After-tt.at).Abs() <= 5*time.Second,
					"ended by %q after %v, want %q after %v", got.Bound, got.After, tt.bound, tt.at)
			})
		})
	}
}

// Where this program stood still beyond a bound, what came meanwhile is read before the
// request ends by it.
func TestStandstillIsNoSilence(t *testing.T) {
	bounds := transport.DefaultBounds()
	bounds.Idle = 10 * time.Second
	for stall, bound := range map[string]string{"11100ms": "", "11200ms": "idle 10 s"} {
		t.Run(stall, func(t *testing.T) {
			virtual(t, transport.Options{Bounds: bounds}, func(r *harness) {
				still := func(c *transport.Capture) {
					go func() {
						time.Sleep(time.Second)
						c.StandStill(10080 * time.Millisecond)
					}()
				}
				testkit.Is(t, endOf(r.ask("1 tokens @ 1ms; stall "+stall+"; 1 tokens @ 1ms; done", still)).Bound, bound, "ended by")
			})
		})
	}
}

// docs/config.md states the bounds that a stream has.
func TestBoundsAreDocumented(t *testing.T) {
	page := testkit.Must(os.ReadFile("../../docs/config.md"))(t)
	b := transport.DefaultBounds()
	testkit.Has(t, string(page),
		fmt.Sprintf("| events and other data lines | %d,%03d |", b.Events/1000, b.Events%1000),
		fmt.Sprintf("| one event | %d MiB |", b.EventBytes>>20),
		fmt.Sprintf("| the body | %d MiB |", b.BodyBytes>>20),
		fmt.Sprintf("| response headers | %d KiB |", b.HeaderBytes>>10),
	)
}
