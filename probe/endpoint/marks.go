package endpoint

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/pick"
)

// mark is one fingerprint: a path beside the API and the expected answer.
type mark struct {
	server, title string
	path          string
	// is checks a 200 answer; version may be ""
	is func(h http.Header, body []byte, m map[string]any) (version string, ok bool)
}

// marks is the table of fingerprints, the most specific first. Sources: the
// reference page on dialects, §2 and §7.
var marks = []mark{
	{"ollama", "Ollama", "/api/version", func(h http.Header, _ []byte, m map[string]any) (string, bool) {
		return str(m, "version"), has(m, "version") && !strings.EqualFold(h.Get("Server"), "uvicorn")
	}},
	{"llama.cpp", "llama.cpp", "/props", func(_ http.Header, _ []byte, m map[string]any) (string, bool) {
		return str(m, "build_info"), has(m, "build_info") || has(m, "default_generation_settings")
	}},
	{"lmstudio", "LM Studio", "/api/v0/models", func(_ http.Header, b []byte, _ map[string]any) (string, bool) {
		return "", strings.Contains(string(b), `"state"`) && strings.Contains(string(b), `"max_context_length"`)
	}},
	{"sglang", "SGLang", "/get_server_info", func(_ http.Header, _ []byte, m map[string]any) (string, bool) {
		return str(m, "version"), len(m) > 3
	}},
	{"vllm", "vLLM", "/version", func(_ http.Header, _ []byte, m map[string]any) (string, bool) {
		return str(m, "version"), has(m, "version") && len(m) == 1
	}},
	{"tgi", "TGI", "/info", func(_ http.Header, _ []byte, m map[string]any) (string, bool) {
		return str(m, "version"), has(m, "model_id") && (has(m, "max_total_tokens") || has(m, "max_input_tokens"))
	}},
	{"koboldcpp", "KoboldCpp", "/api/extra/version", func(_ http.Header, _ []byte, m map[string]any) (string, bool) {
		return str(m, "version"), strings.EqualFold(str(m, "result"), "KoboldCpp")
	}},
	{"litellm", "LiteLLM", "/health/liveliness", func(_ http.Header, b []byte, _ map[string]any) (string, bool) {
		return "", strings.Contains(string(b), "alive")
	}},
	{"llama-swap", "llama-swap", "/running", func(_ http.Header, _ []byte, m map[string]any) (string, bool) {
		_, ok := m["running"].([]any)
		return "", ok
	}},
	{"localai", "LocalAI", "/readyz", func(_ http.Header, b []byte, _ map[string]any) (string, bool) {
		return "", strings.TrimSpace(string(b)) == "OK"
	}},
	{"nim", "NVIDIA NIM", "/v1/health/ready", func(_ http.Header, _ []byte, m map[string]any) (string, bool) {
		return "", strings.EqualFold(str(m, "object"), "health-response") || has(m, "object") && has(m, "message")
	}},
}

// owners maps values of owned_by in /models to servers.
var owners = map[string]string{
	"vllm": "vllm", "llamacpp": "llama.cpp", "llama.cpp": "llama.cpp", "library": "ollama", "sglang": "sglang",
	"organization_owner": "lmstudio", "tensorrt_llm": "trtllm", "koboldcpp": "koboldcpp", "llama-swap": "llama-swap",
	"docker": "docker", "lmdeploy": "lmdeploy", "tokscope": "tokscope",
}

// titles maps servers to the names that their makers use.
func title(server string) string {
	if m := pick.First(marks, func(m *mark) bool { return m.server == server }); m != nil {
		return m.title
	}
	if p := pick.First(providers, func(p *Provider) bool { return p.Name == server }); p != nil {
		return p.Title
	}
	switch server {
	case "trtllm":
		return "TensorRT-LLM"
	case "lmdeploy":
		return "LMDeploy"
	}
	return server
}

const (
	markTime  = time.Second // per path: a local server answers in milliseconds
	markBytes = 1 << 20
)

// Fingerprint identifies the server of t. It knows a provider by its host,
// and other servers by their list of models. On this machine or a private
// address it then requests the paths of the table, until one answers as
// expected. It returns "" for an unknown server.
func Fingerprint(ctx context.Context, do Doer, t Target) string {
	if t.Server != "" {
		return t.Server
	}
	b, err := ParseURL(t.URL)
	if err != nil {
		return ""
	}
	if list, err := listModels(ctx, do, t); err == nil {
		if s := owner(list); s != "" {
			return s
		}
	}
	if !b.Loopback() && !isPrivate(b.Host) {
		return ""
	}
	s, _ := recognize(ctx, do, t, marksFor(b.Port))
	return s
}

// owner returns the server named by owned_by, or "".
func owner(list []Model) string {
	server := func(m *Model) string { return owners[strings.ToLower(m.OwnedBy)] }
	m, _ := pick.Value(list, func(m *Model) bool { return server(m) != "" })
	return server(&m)
}

// recognize requests the paths of marks, one after the other.
func recognize(ctx context.Context, do Doer, t Target, try []mark) (server, version string) {
	root := RootOf(t.URL)
	for _, m := range try {
		one, cancel := context.WithTimeout(ctx, markTime)
		status, h, body, err := get(one, do, t, root+m.path, markBytes)
		cancel()
		if ctx.Err() != nil {
			return "", ""
		}
		if err != nil || status != http.StatusOK {
			continue
		}
		var obj map[string]any
		_ = json.Unmarshal(body, &obj) // some answers are not JSON
		if v, ok := m.is(h, body, obj); ok {
			return m.server, metrics.Head(v, 40)
		}
	}
	return "", ""
}

// RootOf returns scheme and host of a base URL, of a unix socket all but the path of its API.
func RootOf(s string) string {
	if file, over := overSocket(s); file != "" {
		return strings.TrimSuffix(s, strings.TrimPrefix(over, "http://localhost"))
	}
	scheme, rest, ok := strings.Cut(s, "://")
	if !ok {
		return s
	}
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

func has(m map[string]any, k string) bool { _, ok := m[k]; return ok }

func str(m map[string]any, k string) string { s, _ := m[k].(string); return s }
