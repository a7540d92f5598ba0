package client_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
)

// The first bytes of an answer say what it is, whatever its content type and however
// it is cut: a stream is measured, with a note about an odd type; an error, a page and
// another API stay what they are.
func TestFirstBytesDecide(t *testing.T) {
	const (
		event = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"
		rest  = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" b\"},\"finish_reason\":\"stop\"}]}\n\ndata: " +
			"[DONE]\n\n"
		line  = `{"model":"qwen3:8b","message":{"role":"assistant","content":"a"},"done":false}`
		page  = "\r\n<!DOCTYPE html><title>Sign in to the guest network</title>"
		chunk = `{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}`
		whole = `{"id":"c","error":null,"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"stop"}]}`
		wrong = `{"error":{"message":"the model is not loaded","type":"server_error"}}`
	)
	for _, tt := range []struct {
		name, kind string
		pieces     []string
		ended      metrics.FaultKind // "" for a good end
		says       string            // in the note of a stream, or in the fault
	}{
		{"stream", "text/event-stream; charset=utf-8", []string{event, rest}, "", ""},
		{"stream without a type", "-", []string{event, rest}, "", ""},
		{"stream as JSON", "application/json", []string{event, rest}, "", "application/json"},
		{"stream as JSON, bit by bit", "application/json; charset=utf-8", []string{"\xef", "\xbb\xbf\r\n", "\r\n  da", "ta",
			event[4:], rest}, "", "application/json"},
		{"stream as NDJSON with a comment first", "application/x-ndjson", []string{": wait\n\n", event + rest}, "",
			"application/x-ndjson"},
		{"stream as a page", "text/html", []string{"event: message\n" + event + rest}, "", "text/html"},
		{"stream as text", "text/plain", []string{event + rest}, "", "text/plain"},
		{"stream as an unknown type", "a b c", []string{event + rest}, "", "another type"},
		{"error as JSON", "application/json", []string{wrong}, metrics.FaultInStream, "the model is not loaded"},
		{"error as a stream", "text/event-stream", []string{wrong[:9], wrong[9:]}, metrics.FaultInStream,
			"the model is not loaded"},
		{"error as text", "text/plain", []string{"\n" + wrong + "\n"}, metrics.FaultInStream, "the model is not loaded"},
		{"whole answer", "application/json", []string{whole}, metrics.FaultNotStream, "JSON instead of a stream"},
		{"whole answer as a stream", "text/event-stream", []string{whole}, metrics.FaultNotStream,
			"JSON instead of a stream"},
		{"Ollama's lines", "application/x-ndjson", []string{line + "\n", line + "\n"}, metrics.FaultNotStream,
			"Ollama's own API"},
		{"Ollama's generate", "application/json", []string{`{"response":"a","done":true}`}, metrics.FaultNotStream,
			"Ollama's own API"},
		{"Ollama's lines as text", "text/plain", []string{line + "\n" + line}, metrics.FaultNotStream, "Ollama's own API"},
		{"lines of JSON", "application/jsonl", []string{chunk + "\n", chunk + "\n"}, metrics.FaultNotStream, "lines of JSON"},
		{"portal", "text/html", []string{page}, metrics.FaultNotStream, "a web page"},
		{"portal as a stream", "text/event-stream", []string{page}, metrics.FaultNotStream, "a web page"},
		{"portal as JSON", "application/json", []string{page}, metrics.FaultNotStream, "a web page"},
		{"text as a stream", "text/event-stream", []string{"database is down"}, metrics.FaultTruncated,
			"before its first event"},
		{"nothing", "application/json", nil, metrics.FaultNotStream, "application/json"},
	} {
		for _, length := range []bool{false, true} {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{tt.kind}
				if tt.kind == "-" {
					w.Header()["Content-Type"] = nil
				}
				if length {
					_, _ = w.Write([]byte(strings.Join(tt.pieces, "")))
					return
				}
				for _, p := range tt.pieces {
					_, _ = w.Write([]byte(p))
					_ = http.NewResponseController(w).Flush()
					time.Sleep(2 * time.Millisecond) // so that the pieces come in reads of their own
				}
			}))
			v := ended(newEngine(t, client.Options{}).StartQuiet(context.Background(), targetAt(s.URL),
				metrics.Workload{Prompt: "x"}))
			s.Close()
			if tt.ended != "" {
				if v.Fault == nil || v.Fault.Kind != tt.ended || !strings.Contains(v.Fault.Message, tt.says) || tt.pieces != nil &&
					v.Fault.Body == "" {
					t.Errorf("%s, whole %v: %+v", tt.name, length, v.Fault)
				}
				continue
			}
			i := slices.IndexFunc(v.Notes, func(n metrics.Note) bool { return n.Code == "content_type" })
			if v.State != metrics.Done || string(v.Text) != "a b" || (i >= 0) != (tt.says != "") || i >= 0 &&
				!strings.Contains(v.Notes[i].Text, tt.says) {
				t.Errorf("%s, whole %v: %v %+v, %q, notes %+v", tt.name, length, v.State, v.Fault, v.Text, v.Notes)
			}
		}
	}
}
