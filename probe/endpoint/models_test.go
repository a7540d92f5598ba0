package endpoint

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/secret"
)

func TestParseModels(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       []Model
		ok         bool
	}{
		{"openai", `{"object":"list","data":[{"id":"a","object":"model","created":1,"owned_by":"system"},{"id":"b"}]}`,
			[]Model{{"a", 0, "system"}, {"b", 0, ""}}, true},
		{"vllm", `{"data":[{"id":"q","owned_by":"vllm","max_model_len":32768}]}`, []Model{{"q", 32768, "vllm"}}, true},
		{"llama.cpp", `{"models":[{"name":"x"}],"data":[{"id":"/m/x.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072,"n_params":8030261312}}]}`, []Model{{"/m/x.gguf", 131072, "llamacpp"}}, true},
		{"openrouter", `{"data":[{"id":"v/m","context_length":200000,"pricing":{"prompt":"0"}},{"id":"w","top_provider":{"context_length":8192}}]}`, []Model{{"v/m", 200000, ""}, {"w", 8192, ""}}, true},
		{"bare array", `[{"id":"t/x","context_length":4096},{"id":"t/y"}]`, []Model{{"t/x", 4096, ""}, {"t/y", 0, ""}}, true},
		{"models of names", `{"models":[{"name":"models/g","max_input_tokens":1000000},{"model":"n"}]}`,
			[]Model{{"models/g", 1000000, ""}, {"n", 0, ""}}, true},
		{"strings", `["a","b",""]`, []Model{{"a", 0, ""}, {"b", 0, ""}}, true},
		{"float created", `{"data":[{"id":"a","created":1.5e9}]}`, []Model{{"a", 0, ""}}, true},
		{"odd entries", `{"data":[1,null,{"id":7},{"id":""},{"id":"a"},{"id":"a"},[]]}`, []Model{{"a", 0, ""}}, true},
		{"absurd context", `{"data":[{"id":"a","context_length":1e300},{"id":"b","n_ctx":-4},{"id":"c","n_ctx":"9"}]}`,
			[]Model{{"a", 0, ""}, {"b", 0, ""}, {"c", 0, ""}}, true},
		{"long id", `{"data":[{"id":"` + strings.Repeat("x", 513) + `"},{"id":"a"}]}`, []Model{{"a", 0, ""}}, true},
		{"empty data, full models", `{"data":[],"models":[{"name":"m"}]}`, []Model{{"m", 0, ""}}, true},
		{"empty", `{"object":"list","data":[]}`, nil, true},
		{"null (no model pulled)", `{"object":"list","data":null}`, nil, true},
		{"mark and space", "\ufeff \n{\"data\":[{\"id\":\"a\"}]}", []Model{{"a", 0, ""}}, true},
		{"error object", `{"error":"unexpected endpoint"}`, nil, false},
		{"html", `<!doctype html><title>hi</title>`, nil, false},
		{"nothing", ``, nil, false},
		{"cut", `{"data":[{"id":"a"`, nil, false},
		{"number", `7`, nil, false},
		{"null document", `null`, nil, false},
	} {
		got, ok := parseModels([]byte(c.body))
		testkit.Is(t, ok, c.ok, c.name, "ok")
		testkit.Same(t, got, c.want, c.name)
	}
	many := "[" + strings.Repeat(`"x",`, 10) + `"y"`
	for i := range modelsCount + 10 {
		many += fmt.Sprintf(`,"m%d"`, i)
	}
	if got, ok := parseModels([]byte(many + "]")); !ok || len(got) != modelsCount {
		t.Errorf("a list of more than %d entries gave %d", modelsCount, len(got))
	}
}

func FuzzParseModels(f *testing.F) {
	f.Add([]byte(`{"data":[{"id":"a","meta":{"n_ctx":1}}]}`))
	f.Add([]byte(`["a",{"name":"b"}]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, _ := parseModels(b)
		for _, m := range list {
			testkit.Given(t, m.ID != "" && m.Context >= 0, "%q gave %+v", b, m)
		}
		Pick(list)
	})
}

func TestPick(t *testing.T) {
	for _, c := range []struct {
		ids  string
		want string
	}{
		{"", ""},
		{"a b", "a"},
		{"text-embedding-3 whisper-1 gpt-x", "gpt-x"},
		{"nomic-embed-text", "nomic-embed-text"},
	} {
		var list []Model
		for id := range strings.FieldsSeq(c.ids) {
			list = append(list, Model{ID: id})
		}
		testkit.Is(t, Pick(list), c.want, "Pick", c.ids)
	}
}

// serve runs h on loopback and returns its root URL and a Doer that follows no
// redirects and keeps no connection.
func serve(t *testing.T, h http.HandlerFunc) (string, Doer) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL, doer(t)
}

type roundTrip struct{ *http.Transport }

func (r roundTrip) Do(req *http.Request) (*http.Response, error) { return r.RoundTrip(req) }

func doer(t *testing.T) Doer {
	tr := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(tr.CloseIdleConnections)
	return roundTrip{tr}
}

func target(url string) Target {
	return Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "t", URL: url}, Auth: AuthBearer}
}

func TestModelsRequest(t *testing.T) {
	var got *http.Request
	url, do := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		io.WriteString(w, `{"data":[{"id":"m"}]}`)
	})
	target := target(url + "/openai/v1")
	target.Key = secret.NewSecret("hunter2hunter2")
	target.setHeader("anthropic-version", "2023-06-01", false)
	target.setQuery("api-version", []string{"7"}, false)
	list, err := askModels(context.Background(), do, target)
	testkit.Given(t, err == nil && len(list) == 1, "%v %v", list, err)
	if got.URL.String() != "/openai/v1/models?api-version=7" ||
		got.Header.Get("Authorization") != "Bearer hunter2hunter2" || got.Header.Get("Anthropic-Version") != "2023-06-01" {
		t.Errorf("request: %s %v", got.URL, got.Header)
	}
}

func TestModelsFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		h    http.HandlerFunc
		kind metrics.FaultKind
		next string
	}{
		{"401 that echoes the key", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			fmt.Fprintf(w, `{"error":{"message":"bad key %s"}}`, r.Header.Get("Authorization"))
		}, metrics.FaultAuth, "env MY_KEY"},
		{"403", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(403) }, metrics.FaultAuth, ""},
		{"404", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(404) }, metrics.FaultHTTP, "--model"},
		{"429", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(429) }, metrics.FaultRateLimit, "wait"},
		{"500", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) }, metrics.FaultHTTP, ""},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://user:hunter2@elsewhere.example/?key=hunter2hunter2", http.StatusFound)
		}, metrics.FaultRedirect, "not followed"},
		{"html", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>hunter2hunter2") },
			metrics.FaultProtocol, "base URL"},
		{"flood", func(w http.ResponseWriter, r *http.Request) {
			b := make([]byte, 1<<16)
			for range modelsBytes/len(b) + 2 {
				if _, err := w.Write(b); err != nil {
					return
				}
			}
		}, metrics.FaultTooLarge, ""},
		{"cut", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "hunter2hunter2")
		}, metrics.FaultConnect, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, do := serve(t, c.h)
			target := target(url + "/v1")
			target.Key, target.KeyFrom = secret.NewSecret("hunter2hunter2"), "env MY_KEY"
			_, err := askModels(context.Background(), do, target)
			var f *metrics.Fault
			testkit.Given(t, errors.As(err, &f) && f.Kind == c.kind && strings.Contains(f.Next, c.next) && f.Message != "",
				"%#v", err)
			testkit.Lacks(t, fmt.Sprintf("%+v", *f), "hunter2")
		})
	}
}

// TestModelsWait checks that a refused list tells the wait that its answer names, in
// whatever form, and says it as the next step.
func TestModelsWait(t *testing.T) {
	for _, c := range []struct {
		status      int
		header, set string
		body        string
		wait        time.Duration
		next        string
	}{
		{429, "X-Ratelimit-Reset-Requests", "3m0s", `{"error":{"message":"slow down"}}`, 3 * time.Minute,
			"try again in 3m0s"},
		{429, "Retry-After", "41", "", 41 * time.Second, "try again in 41s"},
		{429, "X-Other", "1", `{"error":{"message":"Please try again in 7.5s."}}`, 7500 * time.Millisecond,
			"try again in 7.5s"},
		{503, "Retry-After", "12", "loading", 12 * time.Second, "--model"},
		{429, "X-Other", "1", "", 0, "wait a moment"},
	} {
		url, do := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set(c.header, c.set)
			w.WriteHeader(c.status)
			io.WriteString(w, c.body)
		})
		_, err := askModels(context.Background(), do, target(url+"/v1"))
		var f *metrics.Fault
		testkit.That(t, errors.As(err, &f) && f.RetryAfter == c.wait && strings.Contains(f.Next, c.next),
			"%d %s %s %s: %#v", c.status, c.header, c.set, c.body, err)
	}
}

func TestModelsOfAnUnknownServer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	url := s.URL
	s.Close()
	_, err := askModels(context.Background(), doer(t), target(url))
	var f *metrics.Fault
	testkit.That(t, errors.As(err, &f) && f.Kind == metrics.FaultConnect && f.Next != "", "%#v", err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = askModels(ctx, doer(t), target(url))
	testkit.That(t, errors.As(err, &f) && f.Kind == metrics.FaultCancelled, "%#v", err)
	fault := &metrics.Fault{Kind: metrics.FaultTLS, Message: "m"}
	_, err = askModels(context.Background(), failing{fault}, target(url))
	testkit.Is[error](t, err, fault, "a fault of the Doer must pass through")
}

type failing struct{ err error }

func (f failing) Do(*http.Request) (*http.Response, error) { return nil, f.err }

func TestLocate(t *testing.T) {
	var asked []string
	url, do := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		switch r.URL.Path {
		case "/openai/v1/models":
			io.WriteString(w, `{"data":[{"id":"m"}]}`)
		case "/page/models":
			io.WriteString(w, `<html>`)
		case "/page/v1/models":
			io.WriteString(w, `[]`)
		case "/locked/models":
			w.WriteHeader(401)
		default:
			w.WriteHeader(404)
		}
	})
	for _, c := range []struct{ base, want, asked string }{
		{"/openai", "/openai/v1", "/openai/models /openai/v1/models"},
		{"/page", "/page/v1", "/page/models /page/v1/models"},
		{"/locked", "", "/locked/models"},
		{"/none", "", "/none/models /none/v1/models"},
	} {
		asked = nil
		b := testkit.Must(ParseURL(url + c.base))(t)
		got, _, err := Locate(context.Background(), do, fromBase(b), nil)
		testkit.That(t, (err == nil) == (c.want != "") && (err != nil || got.URL == url+c.want),
			"%s: %s, %v", c.base, got.URL, err)
		testkit.Is(t, strings.Join(asked, " "), c.asked, c.base, "asked")
	}
}

// askModels asks t for its models at its URL alone.
func askModels(ctx context.Context, do Doer, t Target) ([]Model, error) {
	_, list, err := Locate(ctx, do, t, nil)
	return list, err
}

// TestListedKeys holds that no model comes from a list whose ID holds a key that the
// target sends, in any form, or another one that is known. Models that only begin like
// a key stay.
func TestListedKeys(t *testing.T) {
	const key, header, other = "h5Kq9-zWm2_Tx7Lp4Rv8", "Team w3Nf8-qYs1_Ub6Mc9Je", "another-lanes-key-77"
	ids := []string{
		key, header, strings.TrimPrefix(header, "Team "), other, "models/" + key + ":free",
		base64.StdEncoding.EncodeToString([]byte(key)),
	}
	keep := []string{"llama-3", "h5K", "another-lane", "hf-internal-testing/tiny-random"}
	body := testkit.Must(json.Marshal(append(slices.Clone(ids), keep...)))(t)
	url, do := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) })
	b := testkit.Must(ParseURL(url))(t)
	target := fromBase(b)
	target.Key = secret.NewSecret(key)
	target.setHeader("X-Team", header, true)
	_, list, err := Locate(t.Context(), do, target, secret.NewScrubber(secret.NewSecret(other)))
	var got []string
	for _, m := range list {
		got = append(got, m.ID)
	}
	testkit.That(t, err == nil && slices.Equal(got, keep), "%q, %v, want %q", got, err, keep)
}
