package session_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/dialect"
	"tokscope/probe/result"
	"tokscope/probe/secret"
	"tokscope/probe/session"
	"tokscope/probe/sse"
)

// content is an event with a delta of that text.
func content(field, text string) string {
	data, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0,
		"delta": map[string]any{field: text}}}})
	return fmt.Sprintf("data: %s\n\n", data)
}

// each returns an event for every byte of text.
func each(text string) (events []string) {
	for i := range text {
		events = append(events, content("content", text[i:i+1]))
	}
	return events
}

// A server that echoes the key in unusual places leaves it nowhere: not in the
// record, the figures' doubts, the document with texts, the live lines or the
// session file.
func TestKeyLeaksNowhere(t *testing.T) {
	const end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	for name, c := range map[string]struct {
		header, value string
		body          []string
		text          string // of the answer; "" is not compared
	}{
		"content encoding": {header: "Content-Encoding", value: key, body: []string{content("content", "a"), end}},
		"content type":     {header: "Content-Type", value: "text/" + key},
		"event name":       {body: []string{"event: " + key + "\n" + content("content", "a"), end}, text: "a"},
		"two deltas": {body: []string{content("content", "is "+key[:11]), content("content", key[11:]+"."), end},
			text: "is [redacted]."},
		"in one write": {body: []string{content("content", "is "+key[:11]) + content("content", key[11:]+".") + end},
			text: "is [redacted]."},
		"three bytes each": {body: []string{content("content", key[:3]), content("content", key[3:6]),
			content("content", key[6:20]), content("content", key[20:]), end}, text: key[:3] + "[redacted]"},
		"one byte each": {body: append(each(key), end), text: key[:3] + "[redacted]"},
		"nothing else": {body: []string{content("content", key[:11]), content("content", key[11:]), end},
			text: "[redacted]"},
		"cut": {body: []string{content("content", "is "), content("content", key[:15]), end},
			text: "is [redacted]"},
		"not the key": {body: []string{content("content", "is "+key[:8]), content("content", "ing"), end},
			text: "is " + key[:8] + "ing"},
		"two kinds": {body: []string{content("reasoning_content", key[:9]), content("content", "so "),
			content("reasoning_content", key[9:]), end}},
		"tool call": {body: []string{
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"` + key[:10] +
				`","arguments":""}}]}}]}` + "\n\n",
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"` + key[10:] + `"}}]}}]}` +
				"\n\n", end}},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				if c.header != "" {
					w.Header().Set(c.header, c.value)
				}
				for _, part := range c.body {
					fmt.Fprint(w, part)
					w.(http.Flusher).Flush()
					time.Sleep(8 * time.Millisecond)
				}
			}))
			defer srv.Close()
			var lines bytes.Buffer
			live := session.NewLive(&lines)
			file := testkit.Must(session.Create(t.TempDir(), session.Options{Version: "test", Started: time.Now()}))(t)
			e := client.New(client.Options{})
			defer e.Close()
			e.AddSink(live)
			e.AddSink(file)
			s := e.Start(context.Background(), target(srv.URL), metrics.Workload{Name: "custom", Prompt: "hello", MaxTokens: 10})
			<-s.Done()
			v := s.Snapshot()
			run := metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{})}
			doc := result.DocumentOf("test", []metrics.Run{run}, nil)
			doc.WithTexts(secret.NewScrubber(secret.NewSecret(key)))
			var b bytes.Buffer
			testkit.OK(t, doc.Write(&b))
			testkit.OK(t, live.Close(context.Background()))
			testkit.OK(t, file.Close())
			recorded := testkit.Must(os.ReadFile(file.Path()))(t)
			for where, text := range map[string]string{
				"text": string(v.Text), "record": fmt.Sprintf("%+v", run), "document": b.String(), "live lines": lines.String(),
				"session file": string(recorded),
			} {
				for _, form := range []string{key, strings.ToLower(key), fmt.Sprint([]byte(key)[1:])} {
					testkit.That(t, !strings.Contains(text, form), "the key is in the %s: %s", where, text)
				}
			}
			if joined := joinedDeltas(t, recorded); strings.Contains(c.text, secret.Redacted) &&
				(strings.Contains(joined, key[4:8]) || strings.Contains(joined, key[len(key)-6:])) {
				t.Errorf("the events of the session file hold the key in parts: %s", joined)
			}
			got := *doc.Request(0).Text
			testkit.That(t, c.text == "" || got == c.text, "text %q, want %q; fault %+v", got, c.text, v.Fault)
			for i := range v.Chunks {
				testkit.That(t, v.Counts(i), "chunk %d does not count", i)
			}
			if f := run.Figures; len(v.Chunks) > 0 && (f.Chunks != len(v.Chunks) ||
				f.TTFT.V != float64(v.Chunks[0].At-v.Marks.Sent)/1e6) {
				t.Errorf("%d chunks and TTFT %v, want %d and that of the first", f.Chunks, f.TTFT, len(v.Chunks))
			}
		})
	}
}

// joinedDeltas returns the texts of all recorded events, one after the other.
func joinedDeltas(t *testing.T, recorded []byte) string {
	t.Helper()
	rec := testkit.Must(session.Read(bytes.NewReader(recorded)))(t)
	dec, out, text := dialect.New(), dialect.Out{}, ""
	for _, ev := range rec.Requests[0].Events {
		dec.Event(ev, &out)
		for _, d := range out.Deltas {
			text += d.Name + string(d.Text)
		}
	}
	return text
}

// With --with-text a document has answer, reasoning and calls apart.
func TestTextsOfADocument(t *testing.T) {
	var v metrics.Stream
	add := func(k metrics.Kind, name, text string) {
		v.Text = append(v.Text, name+text...)
		v.Chunks = append(v.Chunks, metrics.Chunk{Kind: k, Name: uint16(len(name)), TextEnd: int32(len(v.Text))})
	}
	add(metrics.Reasoning, "", "hm ")
	add(metrics.Reasoning, "", "so")
	add(metrics.Content, "", "Let me ")
	add(metrics.Content, "", "look.")
	add(metrics.ToolCall, "weather", "")
	add(metrics.ToolCall, "", `{"city":`)
	add(metrics.ToolCall, "", `"Oslo"}`)
	add(metrics.ToolCall, "clock", `{"tz":"CET"}`)
	doc := result.DocumentOf("test", []metrics.Run{{Stream: v}}, nil)
	doc.WithTexts(nil)
	var b bytes.Buffer
	testkit.OK(t, doc.Write(&b))
	validate(t, "probe-v1", b.Bytes())
	var got struct {
		Requests []struct {
			Text, Reasoning string
			Calls           []result.ToolCall `json:"tool_calls"`
		}
	}
	testkit.OK(t, json.Unmarshal(b.Bytes(), &got))
	r := got.Requests[0]
	if r.Text != "Let me look." || r.Reasoning != "hm so" ||
		fmt.Sprint(r.Calls) != `[{weather {"city":"Oslo"}} {clock {"tz":"CET"}}]` {
		t.Errorf("%+v", r)
	}
}

// A live line names the function of a tool call, and its text begins with it.
func TestLiveLinesNameTheFunction(t *testing.T) {
	var lines bytes.Buffer
	live := session.NewLive(&lines)
	live.Event(&client.Folded{
		ID: 1, Event: &sse.Event{}, Chunks: []metrics.Chunk{{Kind: metrics.ToolCall, Name: 7, Tokens: -1},
			{Kind: metrics.ToolCall, Tokens: -1}},
		Texts: [][]byte{[]byte(`weather{"city":`), []byte(`"Oslo"}`)},
	})
	testkit.OK(t, live.Close(context.Background()))
	for line := range bytes.Lines(lines.Bytes()) {
		validate(t, "ndjson-v1", line)
	}
	if !strings.Contains(lines.String(), `"text":"weather{\"city\":","function":"weather"}`) ||
		strings.Count(lines.String(), `"function"`) != 1 {
		t.Error(lines.String())
	}
}
