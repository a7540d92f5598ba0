package tap_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/sim"
	"tokscope/probe/tap"
)

// demo returns the base URL of an embedded endpoint, without a version.
func demo(t *testing.T) string {
	t.Helper()
	s := testkit.Must(sim.Start(sim.Options{Speed: 50}))(t)
	t.Cleanup(func() { testkit.OK(t, s.Close(context.Background())) })
	return strings.TrimSuffix(s.URL(), "/v1")
}

// turns waits until a tap has seen n turns to their end, and returns them.
func turns(t *testing.T, tp *tap.Tap, n int) []turn.Turn {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		v := tp.View(false)
		over := 0
		for i := range v.Turns {
			if v.Turns[i].Stream().State.Ended() {
				over++
			}
		}
		if over >= n {
			return v.Turns
		}
		testkit.Given(t, !time.Now().After(deadline), "%d of %d turns have ended", over, n)
	}
}

// TestTapSeesWhatTheClientSees holds that a request of our own through the tap is the same
// record on both sides, in every API, and that a second one over a WebSocket is a turn of
// its own on a kept connection.
func TestTapSeesWhatTheClientSees(t *testing.T) {
	t.Parallel()
	base := demo(t)
	for _, api := range dialect.Names() {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			tp := open(t, base, tap.Options{Hidden: true})
			e := client.New(client.Options{Proxy: nobody, NoPathProbe: true})
			defer e.Close()
			r := &endpoint.Resolver{Flags: endpoint.Flags{API: api, Model: "qwen3-8b@h100"}}
			target := testkit.Must(r.Resolve(tp.URL() + dialect.Speaks(api).Version))(t)
			for i := range 2 {
				s := e.Start(context.Background(), target, metrics.Workload{Prompt: "Why?", MaxTokens: 60})
				<-s.Done()
				want := s.Snapshot()
				testkit.Need(t, want.State, metrics.Done, want.Fault)
				all := turns(t, tp, i+1)
				x := &all[len(all)-1]
				got := x.Stream()
				if got.State != want.State || got.Fault != nil || string(got.Text) != string(want.Text) ||
					len(got.Chunks) != len(want.Chunks) || got.Usage.Completion != want.Usage.Completion ||
					got.Usage.Prompt != want.Usage.Prompt || got.Finish != want.Finish || got.Model != want.Model ||
					got.ResponseID != want.ResponseID || got.Endpoint.API != want.Endpoint.API {
					t.Errorf("the tap has %v %v, %d chunks, %q, %q, %q, %q\n%q; the client %v, %d, %q, %q, %q, %q\n%q", got.State,
						got.Fault,
						len(got.Chunks), got.Finish, got.Model, got.ResponseID, got.Endpoint.API, got.Text,
						want.State, len(want.Chunks), want.Finish, want.Model, want.ResponseID, want.Endpoint.API, want.Text)
				}
				for j := range got.Chunks {
					testkit.Need(t, got.Chunks[j].Kind, want.Chunks[j].Kind, "chunk", j)
				}
				m := &got.Marks
				testkit.That(t, m.Start <= m.GotConn && m.GotConn <= m.Sent && m.Sent <= m.FirstByte && m.FirstByte <= m.End,
					"marks %+v", m)
				testkit.That(t, got.Conn.Reused == (i > 0 || got.Conn.Proto != "WebSocket") && got.Conn.Proto == want.Conn.Proto,
					"request %d: %+v, of the client %+v", i, got.Conn, want.Conn)
				testkit.That(t, x.Up.Unchanged() && x.Down.Unchanged(), "changed: %+v %+v", x.Up, x.Down)
				testkit.That(t, (x.Model == "qwen3-8b@h100" || x.Model == "models/qwen3-8b@h100") && x.API == api,
					"asked %q in %q", x.Model, x.API)
			}
		})
	}
}

func nobody(*http.Request) (*url.URL, error) { return nil, nil }
