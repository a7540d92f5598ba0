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
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/result"
	"tokscope/probe/secret"
	"tokscope/probe/session"
)

const key = "sk-test-0123456789abcdef"

// server answers with a stream that has a comment, a name, reasoning, text and
// usage; a prompt of "fail" gets a 500 that echoes the key.
func server(t *testing.T) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body bytes.Buffer
		_, _ = body.ReadFrom(r.Body)
		if strings.Contains(body.String(), `"fail"`) {
			http.Error(w, `{"error":{"message":"bad key `+key+`"}}`, http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("X-Request-Id", "req-"+key)
		w.Header().Set("Set-Cookie", "session=abc; Path=/")
		w.Header().Set("Server-Timing", key+";dur=3, queue;dur=1")
		for _, part := range []string{
			": keep-alive\n\n",
			"data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
			"data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n",
			"event: message\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"text \\u001b[31m\u202e and " + key +
				"\"}}]}\n\n",
			"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" more\"}}]}\n\n",
			"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
			"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":7,\"total_tokens\":12}}\n\ndata: " +
				"[DONE]\n\n",
		} {
			fmt.Fprint(w, part)
			w.(http.Flusher).Flush()
			time.Sleep(2 * time.Millisecond)
		}
	}))
	t.Cleanup(srv.Close)
	return srv
}

func target(url string) endpoint.Target {
	return endpoint.Target{
		Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "test", URL: url, Model: "m"},
		Key:      secret.NewSecret(key), Auth: endpoint.AuthBearer, Server: "test",
	}
}

// measure runs one good and one failing request with the sinks attached.
func measure(t *testing.T, url string, sinks ...client.Sink) []metrics.Run {
	t.Helper()
	e := client.New(client.Options{})
	defer e.Close()
	for _, s := range sinks {
		e.AddSink(s)
	}
	var runs []metrics.Run
	for _, prompt := range []string{"hello", "fail"} {
		s := e.Start(context.Background(), target(url), metrics.Workload{Name: "custom", Prompt: prompt, MaxTokens: 10})
		<-s.Done()
		v := s.Snapshot()
		runs = append(runs, metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{})})
	}
	return runs
}

// Recorded lines are on the disk while the stream still runs.
func TestRecordingIsWrittenWhileItRuns(t *testing.T) {
	hold := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"early\"}}]}\n\n")
		w.(http.Flusher).Flush()
		<-hold
	}))
	defer srv.Close()
	defer close(hold)
	f := testkit.Must(session.Create(t.TempDir(), session.Options{Version: "test", Started: time.Now()}))(t)
	e := client.New(client.Options{})
	e.AddSink(f)
	e.Start(context.Background(), target(srv.URL), metrics.Workload{Prompt: "x"})
	for deadline := time.Now().Add(10 * time.Second); !bytes.Contains(read(t, f.Path()), []byte("early")); {
		testkit.Given(t, !time.Now().After(deadline), "the event never reached the disk")
		time.Sleep(5 * time.Millisecond)
	}
	e.Close()
	testkit.Is(t, f.Close(), nil)
}

// All output fits its published schema, and no format ever holds the key,
// although the server echoes it in a text and in an error.
func TestFormatsFitTheirSchemasAndHideTheKey(t *testing.T) {
	f := testkit.Must(session.Create(t.TempDir(), session.Options{Version: "test", Started: time.Now()}))(t)
	var live bytes.Buffer
	lines := session.NewLive(&live)
	say := func(of any, _ time.Time) []string {
		switch v := of.(type) {
		case *slo.LensVerdict:
			return []string{"on " + v.Metric}
		case *slo.AgentCost:
			return []string{"matters: " + v.Matters}
		case *slo.LensBudget:
			return []string{"why " + v.Metric, "source " + v.Metric}
		case *slo.Lens:
			return []string{"about " + v.Key}
		case *metrics.Suspicion:
			return []string{"doubt " + string(v.Code)}
		}
		return nil
	}
	f.Sentences, lines.Sentences = say, say
	runs := measure(t, server(t).URL, f, lines)
	testkit.OK(t, lines.Close(t.Context()))
	testkit.OK(t, f.Close())
	doc := result.DocumentOf("test", runs, say)
	doc.WithTexts(secret.NewScrubber(secret.NewSecret(key)))
	slos := testkit.Must(slo.Parse("ttft=500ms,tpot=50ms"))(t)
	doc.WithSLO(runs, slos)
	doc.WithLens(runs, slo.LensByKey("agent"), slo.DefaultAgentTask, say)
	if l := doc.Lens; l.Verdicts[0].Say != "on TTFT" || l.Agent.Say != "matters: "+l.Agent.Matters ||
		l.About != "about agent" || l.Verdicts[0].Why != "why TTFT" || l.Verdicts[0].Source != "source TTFT" {
		t.Errorf("the lens says %+v", l)
	}
	var out bytes.Buffer
	testkit.OK(t, doc.Write(&out))
	validate(t, "probe-v1", out.Bytes())
	kinds := map[string]int{}
	for name, lines := range map[string][]byte{"ndjson-v1": live.Bytes(), "session-v1": read(t, f.Path())} {
		for _, l := range bytes.Split(bytes.TrimSpace(lines), []byte("\n")) {
			validate(t, name, l)
			var kind struct{ Type string }
			testkit.OK(t, json.Unmarshal(l, &kind))
			kinds[name+" "+kind.Type]++
		}
	}
	for _, want := range []string{"request", "event", "chunk", "done", "error"} {
		testkit.That(t, kinds["ndjson-v1 "+want] != 0, "no %q line in the live output: %v", want, kinds)
	}
	for name, data := range map[string][]byte{"--json": out.Bytes(), "--ndjson": live.Bytes(),
		"session file": read(t, f.Path())} {
		testkit.That(t, !bytes.Contains(data, []byte(key)) && !bytes.Contains(data, []byte("0123456789abcdef")),
			"%s holds the key", name)
		testkit.That(t, !bytes.ContainsRune(data, 0x1b) && !bytes.Contains(data, []byte("\u202e")),
			"%s holds a raw escape or override", name)
	}
}

// Times in the live output carry all nanoseconds.
func TestLiveTimesAreExact(t *testing.T) {
	var live bytes.Buffer
	lines := session.NewLive(&live)
	runs := measure(t, server(t).URL, lines)
	testkit.OK(t, lines.Close(t.Context()))
	v := &runs[0].Stream
	n := 0
	for _, l := range strings.Split(live.String(), "\n") {
		if !strings.Contains(l, `"type":"chunk"`) {
			continue
		}
		var c struct {
			T     json.Number `json:"t_ms"`
			Chunk int
		}
		testkit.OK(t, json.Unmarshal([]byte(l), &c))
		ns := int64(v.Chunks[c.Chunk].At - v.Marks.Sent)
		testkit.Is(t, c.T.String(), fmt.Sprintf("%d.%06d", ns/1e6, ns%1e6), "chunk", c.Chunk, "t_ms", c.T)
		n++
	}
	testkit.Is(t, n, len(v.Chunks), "chunk lines for … chunks")
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data := testkit.Must(os.ReadFile(path))(t)
	return data
}

// schemas are the published schemas by name, each compiled once.
var schemas sync.Map

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	if s, ok := schemas.Load(name); ok {
		return s.(*jsonschema.Schema)
	}
	s := testkit.Must(jsonschema.NewCompiler().Compile("../../docs/schema/" + name + ".schema.json"))(t)
	schemas.Store(name, s)
	return s
}

// validate checks one JSON value against a published schema.
func validate(t *testing.T, schema string, data []byte) {
	t.Helper()
	s := compiled(t, schema)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	testkit.Given(t, err == nil, "%s: %v in %.300s", schema, err, data)
	if err := s.Validate(v); err != nil {
		t.Errorf("%s: %v\nin %.600s", schema, err, data)
	}
}
