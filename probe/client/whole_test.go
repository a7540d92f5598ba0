package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

// leftOpen serves answers of these parts, pause apart, without an end marker, in the bubble of t.
// Then it sends pings until the client leaves, and adds to gone. It returns an engine that asks it.
func leftOpen(t *testing.T, o client.Options, pause time.Duration, gone chan struct{}, parts ...string) *client.Engine {
	t.Helper()
	wire := make(probetest.Pipes)
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for _, part := range parts {
			fmt.Fprint(w, part)
			w.(http.Flusher).Flush()
			time.Sleep(pause)
		}
		for r.Context().Err() == nil {
			fmt.Fprint(w, ": ping\n\n")
			w.(http.Flusher).Flush()
			time.Sleep(20 * time.Millisecond)
		}
		gone <- struct{}{}
	})}
	go func() { _ = srv.Serve(wire) }()
	t.Cleanup(func() { testkit.OK(t, srv.Shutdown(context.Background())) }) // once its handlers have ended
	o.Dial, o.NoPathProbe = wire.Dial, true
	return newEngine(t, o)
}

// piped is the address of what leftOpen serves.
const piped = "http://127.0.0.1:8000/v1"

// inBubble runs a test of that name in virtual time.
func inBubble(t *testing.T, name string, f func(*testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// A whole answer whose connection stays open is done at its last part, and says that
// the end marker is missing. The connection is not used again.
func TestWholeAnswerLeftOpen(t *testing.T) {
	const stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	quick := transport.DefaultBounds()
	quick.Whole = 300 * time.Millisecond
	for _, tt := range []struct {
		name, marker string
		bounds       transport.Bounds
		pause        time.Duration
		tokens       int
		parts        []string
	}{
		{"with its usage", "[DONE]", quick, 30 * time.Millisecond, 7, []string{chatAnswer, chatAnswer, stop + chatUsage}},
		{"without it", "[DONE]", quick, 10 * time.Millisecond, -1,
			[]string{chatAnswer, `data: {"choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":"length"}]}` + "\n\n"}},
		{"Anthropic's", "message_stop", quick, 5 * time.Millisecond, 7, []string{messageAnswer, messageAnswer,
			"event: message_delta\n" +
				`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}` + "\n\n"}},
		{"within the default bounds", "[DONE]", transport.DefaultBounds(), time.Millisecond, 7,
			[]string{chatAnswer + chatAnswer + stop + chatUsage}},
	} {
		inBubble(t, tt.name, func(t *testing.T) {
			gone := make(chan struct{}, 2)
			e := leftOpen(t, client.Options{Bounds: tt.bounds}, tt.pause, gone, tt.parts...)
			for range 2 {
				began := time.Now()
				v := ended(e.Start(context.Background(), targetAt(piped), metrics.Workload{Prompt: "x", MaxTokens: 4}))
				took := time.Since(began)
				testkit.That(t, took >= tt.bounds.Whole && took <= 15*time.Second, "ended after %v", took)
				if v.State != metrics.Done || string(v.Text) != "hihi" || v.Usage.Completion != tt.tokens || v.Conn.Reused {
					t.Errorf("%v with %q, %d tokens, reused %v: %+v", v.State, v.Text, v.Usage.Completion, v.Conn.Reused, v.Fault)
				}
				if last := max(v.Marks.FinishReason, v.Marks.LastUsage); v.Marks.End != last || v.Marks.DoneMarker.Known() {
					t.Errorf("ended at %d, its last part came at %d", v.Marks.End, last)
				}
				f := metrics.Measure(&v, metrics.Options{})
				if last := v.Chunks[len(v.Chunks)-1].At; f.Total.V != float64(last-v.Marks.Sent)/1e6 || f.Elapsed != f.Total {
					t.Errorf("total %+v, elapsed %+v", f.Total, f.Elapsed)
				}
				said := false
				for _, d := range f.Suspect {
					said = said || d.Code == metrics.SuspectLeftOpen && d.Name == tt.marker
				}
				testkit.That(t, said, "doubts %+v: none says that %s is missing", f.Suspect, tt.marker)
				select {
				case <-gone:
				case <-time.After(10 * time.Second):
					t.Error("the connection stays open")
				}
			}
		})
	}
}

// A request for two choices waits for both, also before the second has begun.
func TestWholeAnswerOfTwoChoices(t *testing.T) {
	const one = `data: {"choices":[{"index":%d,"delta":{"content":"hi"},"finish_reason":"stop"}]}` + "\n\n"
	bounds := transport.DefaultBounds()
	bounds.Whole = 100 * time.Millisecond
	for _, n := range []any{2, int64(2), 2.0} {
		inBubble(t, fmt.Sprintf("%T", n), func(t *testing.T) {
			e := leftOpen(t, client.Options{Bounds: bounds}, 400*time.Millisecond, make(chan struct{}, 1),
				fmt.Sprintf(one, 0), fmt.Sprintf(one, 1))
			target := targetAt(piped)
			target.Extra = map[string]any{"n": n}
			v := ended(e.Start(context.Background(), target, metrics.Workload{Prompt: "x"}))
			testkit.That(t, v.State == metrics.Done && len(v.Chunks) == 2,
				"n = %v: %v with %d chunks: %+v", n, v.State, len(v.Chunks), v.Fault)
		})
	}
}

// The time limit of the whole request does not make a whole answer fail.
func TestTimeLimitOfWholeAnswer(t *testing.T) {
	const stop = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	for text, want := range map[string]metrics.State{chatAnswer + stop: metrics.Done,
		chatAnswer + chatUsage: metrics.Failed} {
		inBubble(t, want.String(), func(t *testing.T) {
			e := leftOpen(t, client.Options{Timeout: time.Second}, time.Millisecond, make(chan struct{}, 1), text)
			began := time.Now()
			v := ended(e.Start(context.Background(), targetAt(piped), metrics.Workload{Prompt: "x"}))
			testkit.That(t, v.State == want, "%q: %v, want %v: %+v", text, v.State, want, v.Fault)
			took := time.Since(began)
			testkit.That(t, took >= time.Second && took < 1100*time.Millisecond, "%q: ended after %v", text, took)
		})
	}
}
