package endpoint

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics/testkit"
)

// TestAddressOfEachAPI: what people paste leads to the address to which requests go.
func TestAddressOfEachAPI(t *testing.T) {
	for _, r := range []struct{ typed, api, address string }{
		{"https://h/v1/models", "", "https://h/v1/chat/completions"},
		{"https://h/v1/completions", "completions", "https://h/v1/completions"},
		{"https://api.anthropic.com/v1/models", "messages", "https://api.anthropic.com/v1/messages"},
		{"127.0.0.1:11434", "ollama", "http://127.0.0.1:11434/api/chat"},
		{"http://gpu:11434/", "ollama", "http://gpu:11434/api/chat"},
		{"http://gpu:11434/v1", "", "http://gpu:11434/v1/chat/completions"},
		{"http://gpu:11434/v1/models", "", "http://gpu:11434/v1/chat/completions"},
		{"http://gpu:8080/api/chat", "ollama", "http://gpu:8080/api/chat"},
		{"http://gpu/V7QK2MXA/api/chat", "ollama", "http://gpu/V7QK2MXA/api/chat"}, // no version: a random word
		{"http://gpu/behind/api/tags", "ollama", "http://gpu/behind/api/chat"},
		{"http://gpu:11434/api/generate", "ollama-generate", "http://gpu:11434/api/generate"},
		{"https://ollama.com", "ollama", "https://ollama.com/api/chat"},
		{"https://ollama.com/v1", "", "https://ollama.com/v1/chat/completions"},
		{"https://generativelanguage.googleapis.com", "gemini",
			"https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse"},
		{"https://generativelanguage.googleapis.com/v1", "gemini",
			"https://generativelanguage.googleapis.com/v1/models/m:streamGenerateContent?alt=sse"},
		{"https://generativelanguage.googleapis.com/v1beta/models", "gemini",
			"https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse"},
		{"https://generativelanguage.googleapis.com/v1beta/openai/", "",
			"https://generativelanguage.googleapis.com/v1beta/openai/chat/completions"},
		{"https://eu-aiplatform.googleapis.com/v1/projects/p/locations/eu/publishers/google/models/x:streamGenerateContent?alt=sse", "gemini",
			"https://eu-aiplatform.googleapis.com/v1/projects/p/locations/eu/publishers/google/models/m:streamGenerateContent?alt=sse"},
		{"https://eu-aiplatform.googleapis.com/v1/projects/p/locations/eu/endpoints/openapi", "",
			"https://eu-aiplatform.googleapis.com/v1/projects/p/locations/eu/endpoints/openapi/chat/completions"},
		{"http://proxy:8080/v1beta/models/x:generateContent", "gemini",
			"http://proxy:8080/v1beta/models/m:streamGenerateContent?alt=sse"},
		{"google", "gemini", "https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse"},
		{"gemini", "", "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions"},
		{"ollama", "", "http://127.0.0.1:11434/v1/chat/completions"},
		{"ollama-native", "ollama", "http://127.0.0.1:11434/api/chat"},
	} {
		got := testkit.Must((&Resolver{Env: func(string) string { return "" }, Flags: Flags{Model: "m"}}).Resolve(r.typed))(t)
		if got.API != r.api || got.Address() != r.address {
			t.Errorf("%s: %q at %s", r.typed, got.API, got.Address())
		}
	}
	host := func(n string) string { return map[string]string{"OLLAMA_HOST": "gpu"}[n] }
	for name, address := range map[string]string{"ollama": "http://gpu:11434/v1/chat/completions",
		"ollama-native": "http://gpu:11434/api/chat"} {
		if got := testkit.Must((&Resolver{Env: host}).Resolve(name))(t); got.Address() != address {
			t.Errorf("%s goes to %s", name, got.Address())
		}
	}
}

// TestModelsOfOllama: loaded models come first, and a server that tells of none has the others.
func TestModelsOfOllama(t *testing.T) {
	tags := `{"models":[{"name":"a:7b","model":"a:7b"},{"name":"b:1b","model":"b:1b"}]}`
	for loaded, want := range map[string][]Model{
		`{"models":[{"name":"b:1b","model":"b:1b","context_length":4096}]}`: {{ID: "b:1b", Context: 4096}, {ID: "a:7b"}},
		`{"models":[]}`: {{ID: "a:7b"}, {ID: "b:1b"}},
		"":              {{ID: "a:7b"}, {ID: "b:1b"}},
	} {
		url, do := serve(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/api/tags":
				_, _ = w.Write([]byte(tags))
			case r.URL.Path == "/api/ps" && loaded != "":
				_, _ = w.Write([]byte(loaded))
			default:
				http.NotFound(w, r)
			}
		})
		target := testkit.Must((&Resolver{Env: func(string) string { return "" },
			Flags: Flags{API: "ollama"}}).Resolve(url))(t)
		_, list, err := Locate(context.Background(), do, target, nil)
		diff := cmp.Diff(want, list)
		testkit.That(t, err == nil && diff == "", "%s: %v\n%s", loaded, err, diff)
	}
}

// TestKeyOfGoogle: a key goes into Google's header, a token of Google Cloud is a bearer.
func TestKeyOfGoogle(t *testing.T) {
	for key, want := range map[string]http.Header{
		"AIza1234567890":  {"X-Goog-Api-Key": {"AIza1234567890"}},
		"ya29.1234567890": {"Authorization": {"Bearer ya29.1234567890"}},
	} {
		r := &Resolver{Env: func(n string) string { return map[string]string{"K": key}[n] }, Flags: Flags{APIKeyEnv: "K",
			API: "gemini"}}
		q := testkit.Must(http.NewRequest(http.MethodPost, "https://h", nil))(t)
		testkit.Must(r.Resolve("https://h"))(t).Authorize(q)
		testkit.Same(t, q.Header, want)
	}
}
