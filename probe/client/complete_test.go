package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/transport"
)

const (
	chatAnswer = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"hi"}}]}` + "\n\n"
	chatUsage  = `data: {"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":7}}` + "\n\n"

	messageAnswer = "event: message_start\n" +
		`data: {"type":"message_start","message":{"usage":{"input_tokens":2}}}` + "\n\n" +
		"event: content_block_delta\n" +
		`data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"hi"}}` + "\n\n"
	messageUsage = "event: message_delta\n" +
		`data: {"type":"message_delta","delta":{},"usage":{"output_tokens":7}}` + "\n\n"
)

// An answer with an end marker is complete, whatever the connection does then. The
// engine waits a moment for late bytes and for the end of the body, and does not
// use a connection again whose body did not end.
func TestCompleteAnswerEndsWell(t *testing.T) {
	const (
		opens  = iota // the body stays open
		ends          // the body ends
		breaks        // the connection breaks off
	)
	for _, dialect := range []struct{ name, answer, marker, usage string }{
		{"[DONE]", chatAnswer, "data: [DONE]\n\n", chatUsage},
		{"[DONE] as a string", chatAnswer, "data: \"[DONE]\"\n\n", chatUsage},
		{"[DONE] without a blank line", chatAnswer, "data: [DONE]\n", "\n" + chatUsage},
		{"message_stop", messageAnswer, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", messageUsage},
	} {
		for _, c := range []struct {
			name, late string
			end        int
			tokens     int // of the usage
		}{
			{"and stays open", "", opens, -1},
			{"and stays open after a comment", ": ping\n\n", opens, -1},
			{"and stays open after a ping", "event: ping\ndata: {\"type\":\"ping\"}\n\n", opens, -1},
			{"and stays open after its usage", dialect.usage, opens, 7},
			{"and ends", "", ends, -1},
			{"and breaks off", "", breaks, -1},
		} {
			t.Run(dialect.name+" "+c.name, func(t *testing.T) {
				t.Parallel()
				bounds := transport.DefaultBounds()
				bounds.Idle = 5 * time.Second
				if bounds.Linger = 100 * time.Millisecond; c.end == ends {
					bounds.Linger = bounds.Idle // however slow this machine is
				}
				srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					w.Header().Set("Content-Type", "text/event-stream")
					// What comes after the marker comes with it: no pause may outlast Linger.
					for _, part := range []string{dialect.answer, dialect.marker + c.late} {
						fmt.Fprint(w, part)
						w.(http.Flusher).Flush()
					}
					switch c.end {
					case opens:
						<-r.Context().Done()
					case breaks:
						panic(http.ErrAbortHandler)
					}
				}))
				defer srv.Close()
				e := newEngine(t, client.Options{Bounds: bounds})
				for i := range 2 {
					v := ended(e.Start(context.Background(), targetAt(srv.URL+"/v1"), metrics.Workload{Prompt: "x", MaxTokens: 4}))
					testkit.That(t, v.State == metrics.Done && string(v.Text) == "hi" && v.Usage.Completion == c.tokens,
						"%v with %q and %d tokens: %+v", v.State, v.Text, v.Usage.Completion, v.Fault)
					reused := i > 0 && c.end == ends
					testkit.That(t, v.Conn.Reused == reused, "request %d: reused = %v", i, v.Conn.Reused)
					open := time.Duration(v.Marks.End - v.Marks.DoneMarker)
					testkit.That(t, v.Marks.DoneMarker.Known() && (c.end != opens || open >= bounds.Linger) && open < bounds.Idle,
						"the end marker came at %d, the end at %d", v.Marks.DoneMarker, v.Marks.End)
				}
			})
		}
	}
}

// Without an end marker, an answer whose connection breaks off or stays open is not
// complete.
func TestIncompleteAnswerFails(t *testing.T) {
	for kind, breaks := range map[metrics.FaultKind]bool{metrics.FaultTruncated: true, metrics.FaultTimeout: false} {
		bounds := transport.DefaultBounds()
		if !breaks {
			bounds.Linger, bounds.Idle = 10*time.Millisecond, 50*time.Millisecond
		}
		for _, answer := range []string{chatAnswer, messageAnswer} {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, answer)
				w.(http.Flusher).Flush()
				if breaks {
					panic(http.ErrAbortHandler)
				}
				<-r.Context().Done()
			}))
			e := client.New(client.Options{Bounds: bounds})
			v := ended(e.Start(context.Background(), targetAt(srv.URL+"/v1"), metrics.Workload{Prompt: "x", MaxTokens: 4}))
			testkit.That(t, v.Fault != nil && v.Fault.Kind == kind, "%v with %+v, want %v", v.State, v.Fault, kind)
			e.Close()
			srv.Close()
		}
	}
}
