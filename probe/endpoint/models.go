package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/probe/dialect"
	"tokscope/probe/secret"
	"tokscope/probe/transport"
)

// Doer sends a request, as transport.Transport does. It must not follow redirects
// and must honor the request's context.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// Model is one entry of a server's list. Its strings come from outside:
// sanitize them before they reach a terminal.
type Model struct {
	ID      string
	Context int // largest context in tokens, 0 if unknown
	OwnedBy string
}

// Bounds of a request for the list of models.
const (
	modelsTime  = 10 * time.Second
	modelsBytes = 8 << 20 // the largest public list is below 1 MB
	modelsCount = 5000
)

// Locate asks t for its models under each of its Bases and returns t with URL
// set to the one that answered. A 401 or 403 ends the search: the place is
// right, the key is not. When none answers, the error is that of the first
// base. Models whose ID holds a key of t, or another one that scrub knows, are left
// out: a server that repeats a key would have it shown. scrub learns the keys of t; nil
// knows none.
func Locate(ctx context.Context, do Doer, t Target, scrub *secret.Scrubber) (Target, []Model, error) {
	if scrub == nil {
		scrub = secret.NewScrubber()
	}
	for _, k := range t.Secrets() {
		scrub.Add(k)
	}
	ctx, cancel := context.WithTimeout(ctx, modelsTime)
	defer cancel()
	bases := t.Bases
	if len(bases) == 0 {
		bases = []string{t.URL}
	}
	var first error
	for _, base := range bases {
		at := t
		at.URL = base
		list, err := listModels(ctx, do, at)
		if err == nil {
			at.Bases = []string{base}
			list = slices.DeleteFunc(list, func(m Model) bool { return scrub.Hit([]byte(m.ID)) })
			return at, list, nil
		}
		if first == nil {
			first = err
		}
		var f *metrics.Fault
		if !errors.As(err, &f) || f.Kind != metrics.FaultHTTP && f.Kind != metrics.FaultNotStream &&
			f.Kind != metrics.FaultProtocol && f.Kind != metrics.FaultRedirect {
			break
		}
	}
	return t, nil, first
}

// listModels asks for the models of t: as its API says, else for URL/models with go-openai.
// Its type has one shape of a list and no context lengths, so the body is parsed here.
func listModels(ctx context.Context, do Doer, t Target) (list []Model, err error) {
	addresses := dialect.Speaks(t.API).ListURLs(t.URL)
	if len(addresses) == 0 {
		return listOf(ctx, do, t, t.URL+"/models", func(got *getter) error {
			cfg := openai.DefaultConfig("") // the target authorizes
			cfg.BaseURL, cfg.HTTPClient = t.URL, got
			_, err := openai.NewClientWithConfig(cfg).ListModels(ctx)
			return err
		})
	}
	for _, address := range addresses {
		var more []Model
		more, err = listOf(ctx, do, t, address, func(got *getter) error { return got.get(address) })
		for _, m := range more {
			m.ID = strings.TrimPrefix(m.ID, "models/") // Gemini's names are paths
			if !slices.ContainsFunc(list, func(have Model) bool { return have.ID == m.ID }) {
				list = append(list, m)
			}
		}
	}
	return list, err // of the last, which has all
}

// listOf returns the list at address, for which ask asks.
func listOf(ctx context.Context, do Doer, t Target, address string, ask func(*getter) error) ([]Model, error) {
	got := getter{ctx: ctx, do: do, target: t, max: modelsBytes}
	if err := ask(&got); got.status == 0 {
		return nil, netFault(ctx, t, err)
	}
	if got.status != http.StatusOK {
		return nil, statusFault(t, address, got.status, got.header, got.body)
	}
	list, ok := parseModels(got.body)
	if !ok {
		return nil, &metrics.Fault{Kind: metrics.FaultProtocol, Status: got.status,
			Message: address + " did not answer with a list of models",
			Next:    "check the base URL, or name a model with --model"}
	}
	return list, nil
}

// get sends a GET and reads at most max bytes of the body.
func get(ctx context.Context, do Doer, t Target, url string, max int64) (int, http.Header, []byte, error) {
	got := getter{ctx: ctx, do: do, target: t, max: max}
	err := got.get(url)
	return got.status, got.header, got.body, err
}

// getter sends one request to target, follows no redirect, and keeps the answer.
type getter struct {
	ctx    context.Context
	do     Doer
	target Target
	max    int64 // bytes of a body

	status int // 0 until a whole answer is there
	header http.Header
	body   []byte
}

// get asks for url.
func (g *getter) get(url string) error {
	req, err := http.NewRequestWithContext(g.ctx, http.MethodGet, url, nil)
	if err != nil {
		return Refuse("the URL cannot be requested", "check the base URL")
	}
	req.Header.Set("Accept", "application/json")
	_, err = g.Do(req)
	return err
}

// Do implements Doer and openai.HTTPDoer. Errors are faults.
func (g *getter) Do(req *http.Request) (*http.Response, error) {
	g.target.Authorize(req)
	resp, err := g.do.Do(req)
	if err != nil {
		return nil, netFault(g.ctx, g.target, err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(io.LimitReader(resp.Body, g.max+1))
	if err != nil {
		return nil, netFault(g.ctx, g.target, err)
	}
	if int64(len(b)) > g.max {
		return nil, &metrics.Fault{Kind: metrics.FaultTooLarge,
			Status: resp.StatusCode, Bound: fmt.Sprintf("body %d MiB", g.max>>20),
			Message: "the answer is larger than its limit", Next: "check that the base URL is an OpenAI-compatible API"}
	}
	g.status, g.header, g.body = resp.StatusCode, resp.Header, b
	resp.Body = io.NopCloser(bytes.NewReader(b))
	return resp, nil
}

// netFault turns a network error into a fault. A *metrics.Fault of the Doer
// is returned unchanged.
func netFault(ctx context.Context, t Target, err error) error {
	if f, ok := errors.AsType[*metrics.Fault](err); ok {
		return f
	}
	if f := transport.LocalFault(err); f != nil {
		return f
	}
	scrub := secret.NewScrubber(t.Secrets()...)
	out := &metrics.Fault{Kind: metrics.FaultConnect, Message: scrub.String(err.Error()),
		Next: "check that the server runs and the URL is right"}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		out.Kind, out.Message, out.Next = metrics.FaultCancelled, "canceled", ""
	case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		out.Kind, out.Bound, out.Message = metrics.FaultTimeout, "models "+
			modelsTime.String(), "the server did not answer in time"
	}
	return out
}

// statusFault returns the fault of an answer other than 200.
func statusFault(t Target, address string, status int, h http.Header, body []byte) error {
	scrub := secret.NewScrubber(t.Secrets()...)
	said := metrics.Head(scrub.String(metrics.Head(string(body), 8192)), 4096)
	refusal := dialect.HTTPFault(status, h, []byte(said))
	f := &metrics.Fault{Kind: metrics.FaultHTTP, Status: status, Body: said, RetryAfter: refusal.RetryAfter,
		Message: fmt.Sprintf("%s answered %d %s", address, status, http.StatusText(status)),
		Next:    "name a model with --model; not every server lists its models"}
	switch {
	case refusal.Next == dialect.WantsCertificate:
		return refusal
	case refusal.Kind == metrics.FaultAuth:
		f.Kind, f.Next = metrics.FaultAuth, t.KeyStep()
	case status == http.StatusTooManyRequests:
		f.Kind, f.Next = metrics.FaultRateLimit, refusal.Next
	case status >= 300 && status < 400:
		f.Kind, f.Location = metrics.FaultRedirect, scrub.String(h.Get("Location"))
		f.Next = "redirects are not followed; use the address it points to as the base URL"
	}
	return f
}

// parseModels parses a list of models in any known shape. That is an array,
// or an object with the array under data or models. Entries are objects with
// id, name or model, or bare strings. ok is false without such a list.
func parseModels(body []byte) (list []Model, ok bool) {
	body = bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\ufeff"))
	items, ok := array(body)
	if !ok {
		var obj map[string]json.RawMessage
		if json.Unmarshal(body, &obj) != nil {
			return nil, false
		}
		for _, field := range []string{"data", "models", "result"} {
			raw := bytes.TrimSpace(obj[field])
			list, good := array(raw)
			// Ollama writes null if it has no models.
			ok = ok || good || field != "result" && string(raw) == "null"
			if len(items) == 0 {
				items = list
			}
		}
		if !ok {
			return nil, false
		}
	}
	seen := map[string]bool{}
	for _, it := range items {
		m, good := parseModel(it)
		if !good || seen[m.ID] || len(list) == modelsCount {
			continue
		}
		seen[m.ID] = true
		list = append(list, m)
	}
	return list, true
}

func array(b []byte) ([]json.RawMessage, bool) {
	if b = bytes.TrimSpace(b); len(b) == 0 || b[0] != '[' {
		return nil, false
	}
	var items []json.RawMessage
	return items, json.Unmarshal(b, &items) == nil
}

func parseModel(b []byte) (Model, bool) {
	var s string
	if json.Unmarshal(b, &s) == nil {
		return Model{ID: s}, s != "" && len(s) <= 512
	}
	var m map[string]any
	if json.Unmarshal(b, &m) != nil {
		return Model{}, false
	}
	if does, told := m["supportedGenerationMethods"].([]any); told && !slices.Contains(does, any("generateContent")) {
		return Model{}, false // Gemini lists what makes no text too
	}
	id := cmp.Or(str(m, "id"), str(m, "name"), str(m, "model"))
	out := Model{ID: id, OwnedBy: str(m, "owned_by"), Context: contextOf(m)}
	return out, out.ID != "" && len(out.ID) <= 512
}

// contextFields are the names of the context length in use by servers. The
// length in force comes before the trained one.
var contextFields = []string{"max_model_len", "loaded_context_length", "context_length",
	"context_window", "max_context_length", "max_input_tokens", "inputTokenLimit", "n_ctx", "n_ctx_train"}

func contextOf(m map[string]any) int {
	for _, f := range contextFields {
		if n, ok := m[f].(float64); ok && n >= 1 && n < 1e9 {
			return int(n)
		}
	}
	for _, f := range []string{"meta", "top_provider", "limits"} {
		if inner, ok := m[f].(map[string]any); ok {
			if n := contextOf(inner); n > 0 {
				return n
			}
		}
	}
	return 0
}

// Pick chooses the default model: the first that Chats. It returns "" for an empty list.
func Pick(list []Model) string {
	m, ok := pick.Value(list, func(m *Model) bool { return Chats(m.ID) })
	if !ok && len(list) > 0 {
		return list[0].ID
	}
	return m.ID
}

// Chats reports whether a model is not clearly for something other than chat.
func Chats(id string) bool { return !containsAny(strings.ToLower(id), otherUses...) }

var otherUses = []string{"embed", "rerank", "whisper", "tts", "dall-e", "image",
	"moderation", "transcri", "speech", "audio", "realtime", "guard", "sora", "davinci",
	"babbage", "bge-", "stable-diffusion", "flux", "ocr", "veo-", "imagen", "clip"}
