package ui

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"tokscope/metrics"
	"tokscope/ui/uitest"
)

// rootFake is what the root and Live ask beside what is measured: endpoints, and files. It
// writes none. Its methods may be called by any goroutine.
type rootFake struct {
	of *uitest.Backend

	// Offered are the endpoints to find, Named the models of any endpoint.
	Offered []metrics.Endpoint
	Named   []string
	// Path is the path that Save returns. SaveErr, when set, is returned instead.
	Path    string
	SaveErr error
	// SelectErr, when set, refuses every choice of an endpoint.
	SelectErr error
	also      func(metrics.Endpoint) error // told of each choice, unless nil
	mu        sync.Mutex
	// Saved is the last screen that was saved, and the last text of each ending.
	Saved struct {
		Picture, Text string
		Beside        map[string]string
	}
}

// newRootFake offers the endpoint in use and a few others.
func newRootFake(of *uitest.Backend) *rootFake {
	return &rootFake{of: of, Path: "/state/tokscope/session.json",
		Named: []string{"llama-3.1-8b@h100", "llama-3.1-70b@mi300x", "qwen3-32b"},
		Offered: []metrics.Endpoint{
			uitest.Demo,
			{Kind: metrics.EndpointProfile, Name: "work", URL: "https://llm.example.com/v1", Model: "qwen3-32b", Ready: true,
				Badge: "via proxy"},
			{Kind: metrics.EndpointProvider, Name: "groq", URL: "https://api.groq.com/openai/v1", Ready: true,
				Note: "key from GROQ_API_KEY"},
			{Kind: metrics.EndpointProvider, Name: "openai", URL: "https://api.openai.com/v1",
				Note: "needs a key: OPENAI_API_KEY"},
			{Kind: metrics.EndpointLoopback, Name: "127.0.0.1:8080", URL: "http://127.0.0.1:8080/v1", Ready: true,
				Note: "llama.cpp"},
		}}
}

// liveFake is a backend of Live alone.
type liveFake struct {
	*uitest.Backend
	*rootFake
}

func newLive() liveFake {
	b := uitest.New().Backend
	return liveFake{b, newRootFake(b)}
}

func (b *rootFake) Endpoints(context.Context) []metrics.Endpoint { return b.Offered }

func (b *rootFake) Models(context.Context, metrics.Endpoint) ([]string, error) { return b.Named, nil }

func (b *rootFake) Select(e metrics.Endpoint) error {
	call := "select " + e.Name + " " + e.Model
	if b.SelectErr != nil {
		b.of.Note(call, func() {})
	} else {
		if b.of.Use(call, e); b.also != nil {
			_ = b.also(e) // it may know of no such endpoint
		}
	}
	return b.SelectErr
}

func (b *rootFake) UseCurl(string) (w metrics.Workload, notes []string, err error) {
	b.of.Use("curl", b.Offered[1])
	return metrics.Workload{Name: "custom", Prompt: "the pasted prompt"}, []string{"--compressed is left out"}, nil
}

// OtherUser notes the prompt in Calls. It does so on the embedded endpoint.
func (b *rootFake) OtherUser(promptTokens int) bool {
	if b.of.Endpoint().Kind != metrics.EndpointEmbedded {
		return false
	}
	b.of.Note(fmt.Sprintf("another user, %d tokens", promptTokens), func() {})
	return true
}

func (b *rootFake) RunsLeftOut() int { return 0 }

// Curl is a fixed command.
func (b *rootFake) Curl() string { return "curl -sS -N 'http://127.0.0.1:40404/v1/chat/completions'\n" }

func (b *rootFake) SessionPath() string { return b.Path }

func (b *rootFake) Save(context.Context) (string, error) {
	b.of.Note("save", func() {})
	return b.Path, b.SaveErr
}

func (b *rootFake) SaveScreen(_ context.Context, name string, picture, text []byte) (string, error) {
	b.of.Note("save screen "+name, func() { b.Saved.Picture, b.Saved.Text = string(picture), string(text) })
	return "/state/screen-" + name + ".svg", b.SaveErr
}

func (b *rootFake) SavePage(_ context.Context, name string, v any, write func(io.Writer, any) error) (string, error) {
	var page strings.Builder
	err := write(&page, v)
	b.of.Note("save page "+name, func() { b.Saved.Picture = page.String() })
	return "/state/page-" + name + ".html", cmp.Or(err, b.SaveErr)
}

func (b *rootFake) SaveText(_ context.Context, path, ending string, text []byte) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Saved.Beside == nil {
		b.Saved.Beside = map[string]string{}
	}
	b.Saved.Beside[ending] = string(text)
	return path + ending, nil
}
