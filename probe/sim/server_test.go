package sim

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/sim/physics"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // parallel tests wait for the server's time, not for a core
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// start runs a server during a test, at a speed without noticeable waits.
func start(t *testing.T, o Options) *Server {
	t.Helper()
	o.Speed = cmp.Or(o.Speed, 50)
	s := testkit.Must(Start(o))(t)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		testkit.Is(t, s.Close(ctx), nil, "close")
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

// post sends a body to a route and returns status and answer.
func post(t *testing.T, s *Server, route, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	req := testkit.Must(http.NewRequest("POST", s.URL()+route, strings.NewReader(body)))(t)
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp := testkit.Must(http.DefaultClient.Do(req))(t)
	defer resp.Body.Close()
	b := testkit.Must(io.ReadAll(resp.Body))(t)
	return resp.StatusCode, resp.Header, string(b)
}

// recorded returns a request for the server's handler.
func recorded(method, path, body string) *http.Request {
	req := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	return req
}

// chunk holds the fields of an event that the tests check.
type chunk struct {
	Choices []struct {
		Index int
		Delta struct {
			Role             string
			Content          *string
			ReasoningContent string `json:"reasoning_content"`
			ToolCalls        []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		Text         *string
		TokenIDs     []int           `json:"token_ids"`
		Logprobs     json.RawMessage `json:"logprobs"`
		FinishReason *string         `json:"finish_reason"`
	}
	Usage *struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
		TotalTokens      int `json:"total_tokens"`
		Details          struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		Completion struct {
			Reasoning int `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
	Metrics map[string]any
	Error   *struct{ Message, Type string }
}

// events splits a stream into its events. done reports whether it ended with
// the marker.
func events(t *testing.T, stream string) (list []chunk, comments []string, done bool) {
	t.Helper()
	sc := bufio.NewScanner(strings.NewReader(stream))
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		line := sc.Text()
		data, ok := strings.CutPrefix(line, "data: ")
		switch {
		case strings.HasPrefix(line, ":"):
			comments = append(comments, line)
		case !ok:
		case data == "[DONE]":
			done = true
		default:
			var c chunk
			testkit.OK(t, json.Unmarshal([]byte(data), &c), "event", data)
			list = append(list, c)
		}
	}
	return list, comments, done
}

func said(list []chunk) (text string, chunks int) {
	var b bytes.Buffer
	for _, c := range list {
		for _, x := range c.Choices {
			if x.Delta.Content != nil && *x.Delta.Content != "" {
				b.WriteString(*x.Delta.Content)
				chunks++
			}
			if x.Text != nil && *x.Text != "" {
				b.WriteString(*x.Text)
				chunks++
			}
		}
	}
	return b.String(), chunks
}

func TestStreamedChat(t *testing.T) {
	s := start(t, Options{})
	code, h, body := post(t, s, "/chat/completions",
		`{"messages":[{"role":"user","content":"How does a server answer?"}],"stream":true,"max_tokens":30,"stream_options":{"include_usage":true}}`)
	if code != 200 || !strings.HasPrefix(h.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("status %d, %s", code, h.Get("Content-Type"))
	}
	list, _, done := events(t, body)
	if !done {
		t.Error("no [DONE]")
	}
	first, last, finish := list[0], list[len(list)-1], list[len(list)-2]
	testkit.Is(t, first.Choices[0].Delta.Role, "assistant", "the role does not come first")
	if f := finish.Choices[0].FinishReason; f == nil || *f != "length" {
		t.Errorf("finish reason %v", f)
	}
	text, chunks := said(list)
	if chunks != 30 || len(text) < 60 {
		t.Errorf("%d chunks with %q", chunks, text)
	}
	u := last.Usage
	if u == nil || u.CompletionTokens != 30 || u.PromptTokens < 6 || u.TotalTokens != u.PromptTokens+30 {
		t.Errorf("usage %+v", u)
	}
	for _, name := range []string{"time_to_first_token_ms", "queue_time_ms", "prefill_time_ms", "generation_time_ms",
		"mean_itl_ms", "tokens_per_second"} {
		if _, ok := last.Metrics[name].(float64); !ok {
			t.Errorf("metrics without %s: %v", name, last.Metrics)
		}
	}
	for _, c := range list[:len(list)-1] {
		testkit.Is(t, c.Usage, nil, "usage before the end although nobody asked")
	}
}

func TestErrorsHaveOpenAIsShape(t *testing.T) {
	s := start(t, Options{Key: "right"})
	ok := `{"messages":[{"role":"user","content":"x"}]}`
	for _, c := range []struct {
		name, route, body, key string
		status                 int
		words                  string
	}{
		{"no key", "/chat/completions", ok, "", 401, "key"},
		{"wrong key", "/chat/completions", ok, "wrong", 401, "key"},
		{"no JSON", "/chat/completions", `{`, "right", 400, "not valid JSON"},
		{"zero tokens", "/chat/completions", `{"messages":[{"role":"user","content":"x"}],"max_tokens":0}`, "right", 400,
			"max_tokens"},
		{"unknown model", "/chat/completions", `{"model":"x@y","messages":[{"role":"user","content":"x"}]}`, "right", 404,
			"known are"},
		{"does not fit", "/chat/completions", `{"model":"llama-3.3-70b@h100","messages":[{"role":"user","content":"x"}]}`,
			"right", 400, "131 GiB of weights, 80 GiB of memory (Llama 3.3 70B bf16 on H100); 2 x H100 would hold it"},
		{"too long", "/chat/completions", `{"messages":[{"role":"user","content":"x"}],"max_tokens":999999}`, "right", 400,
			"maximum context length"},
		{"stop is empty", "/chat/completions", `{"messages":[{"role":"user","content":"x"}],"stop":[""]}`, "right", 400,
			"must not be empty"},
		{"no route", "/embeddings", `{}`, "right", 404, "no route"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, body := post(t, s, c.route, c.body, "Authorization", "Bearer "+c.key)
			var e struct {
				Error *struct{ Message, Type string }
			}
			if err := json.Unmarshal([]byte(body), &e); err != nil || e.Error == nil {
				t.Fatalf("body %q: %v", body, err)
			}
			if code != c.status || !strings.Contains(e.Error.Message, c.words) || e.Error.Type == "" {
				t.Errorf("status %d, %+v", code, *e.Error)
			}
		})
	}
}

// modelCard is what clients read of an item of /v1/models.
type modelCard struct {
	ID, Description string
	MaxModelLen     int `json:"max_model_len"`
}

func TestModelsRoute(t *testing.T) {
	s := start(t, Options{})
	resp := testkit.Must(http.Get(s.URL() + "/models"))(t)
	defer resp.Body.Close()
	var l struct{ Data []modelCard }
	testkit.OK(t, json.NewDecoder(resp.Body).Decode(&l))
	if len(l.Data) != len(Presets) || l.Data[0].ID != DefaultModel {
		t.Fatalf("%d models, first %q", len(l.Data), l.Data[0].ID)
	}
	for _, m := range l.Data {
		if m.MaxModelLen < 1000 || m.Description == "" {
			t.Errorf("%+v", m)
		}
	}
}

func TestOneModel(t *testing.T) {
	s := start(t, Options{})
	for id, want := range map[string]int{DefaultModel: 200, "mixtral-8x7b@2xh100": 200, "nobody": 404,
		"llama-3.3-70b@h100": 404} {
		resp := testkit.Must(http.Get(s.URL() + "/models/" + id))(t)
		var m modelCard
		testkit.Is(t, json.NewDecoder(resp.Body).Decode(&m), nil)
		resp.Body.Close()
		if resp.StatusCode != want || want == 200 && (m.ID != id || m.MaxModelLen < 8000) {
			t.Errorf("%s: %d %+v", id, resp.StatusCode, m)
		}
	}
}

func TestContentInParts(t *testing.T) {
	s := start(t, Options{})
	ask := func(content string) int {
		_, _, body := post(t, s, "/chat/completions", `{"messages":[{"role":"user","content":`+content+`}],"max_tokens":1}`)
		var a struct {
			Usage struct {
				Prompt int `json:"prompt_tokens"`
			}
		}
		testkit.OK(t, json.Unmarshal([]byte(body), &a))
		return a.Usage.Prompt
	}
	whole := ask(`"one two three four"`)
	if parts := ask(`[{"type":"text","text":"one two"},{"type":"refusal"},{"text":" three four"}]`); parts != whole ||
		whole < 6 {
		t.Errorf("%d tokens in one piece, %d in parts", whole, parts)
	}
}

// What this endpoint does not do is refused with words, where ignoring it would be a
// wrong answer or a wrong count.
func TestRefusesWhatItDoesNotRead(t *testing.T) {
	s := start(t, Options{})
	for field, says := range map[string]string{
		`"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"https://h.example/a.png"}}]}]`: `messages[0].content[1].type is \"image_url\": this endpoint reads only text`,
		`"messages":[{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}]}]`:                           `input_audio`,
		`"messages":[{"role":"user","content":[{"type":"file","text":"a","file":{"file_id":"f"}}]}]`:                                             `this endpoint reads only text`,
		`"messages":[{"role":"user","content":"a"}],"grammar":"root ::= \"a\""`:                                                                  `grammar is not supported`,
		`"messages":[{"role":"user","content":"a"}],"json_schema":{"type":"object"}`:                                                             `json_schema is not supported`,
		`"messages":[{"role":"user","content":"a"}],"regex":"a+"`:                                                                                `regex is not supported`,
	} {
		if code, _, body := post(t, s, "/chat/completions", `{"max_tokens":1,`+field+`}`); code != 400 ||
			!strings.Contains(body, says) {
			t.Errorf("%s: %d %s", field, code, body)
		}
	}
}

// TestLoopback: without IPv4 the endpoint is on ::1, and without any loopback address the
// error is one of this machine, with the next step.
func TestLoopback(t *testing.T) {
	for _, x := range []struct{ missing, want string }{
		{"", "127.0.0.1"}, {"[::1]", "127.0.0.1"}, {"127.0.0.1", "::1"}, {"127.0.0.1 [::1]", ""},
	} {
		ln, err := loopback(func(network, address string) (net.Listener, error) {
			host, _, _ := strings.Cut(address, ":0")
			if slices.Contains(strings.Fields(x.missing), host) {
				return nil, &net.OpError{Op: "listen", Net: network, Err: syscall.EADDRNOTAVAIL}
			}
			return net.Listen(network, address)
		})
		if x.want == "" {
			if f, ok := errors.AsType[*metrics.Fault](err); !ok || f.Kind != metrics.FaultLocal ||
				!strings.Contains(f.Next, "ip link set lo up") {
				t.Errorf("without %s: %v", x.missing, err)
			}
			continue
		}
		if err != nil && x.want == "::1" {
			t.Skip("no IPv6 here")
		}
		if err != nil || ln.Addr().(*net.TCPAddr).IP.String() != x.want {
			t.Fatalf("without %q: %v, %v", x.missing, ln, err)
		}
		_ = ln.Close()
	}
}

func TestRemoteAddressNeedsRemote(t *testing.T) {
	if s, err := Start(Options{Addr: "0.0.0.0:0"}); err == nil {
		_ = s.Close(context.Background())
		t.Fatal("listens to the world without being told to")
	}
}

func TestCloseCutsEndlessStreams(t *testing.T) {
	t.Parallel()
	probetest.TakesTime(t, "it waits for a second and more")
	s := testkit.Must(Start(Options{Speed: 0.01}))(t)
	for _, scenario := range []string{"", "after 0 stall 10m", "slow-headers 10m"} {
		go func() {
			req, err := http.NewRequest("POST", s.URL()+"/chat/completions",
				strings.NewReader(`{"messages":[{"role":"user","content":"x"}],"stream":true}`))
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("X-Sim-Scenario", scenario)
			if resp, err := http.DefaultClient.Do(req); err == nil {
				_, _ = io.Copy(io.Discard, resp.Body) // until it is cut
				resp.Body.Close()
			}
		}()
	}
	d, _ := s.driver("")
	for d.view().stats.Queued+d.view().stats.Running < 3 {
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	testkit.Is(t, s.Close(ctx), nil)
	http.DefaultClient.CloseIdleConnections()
	if _, err := http.Get(s.URL() + "/models"); err == nil {
		t.Error("it still answers")
	}
}

func TestIdleEnginesAreUnloaded(t *testing.T) {
	s := start(t, Options{})
	asked := 0
	for _, h := range physics.Machines {
		for _, m := range physics.Models {
			if _, err := find(nil, m.Key+"@"+h.Key); err != nil || asked > maxEngines+5 {
				continue
			}
			asked++
			if _, e := s.driver(m.Key + "@" + h.Key); e != nil {
				t.Fatalf("model %d, %s on %s: %s", asked, m.Name, h.Name, e.Message)
			}
		}
	}
	if n := len(s.drivers()); asked <= maxEngines || n != maxEngines {
		t.Errorf("%d models asked for, %d engines", asked, n)
	}
}
