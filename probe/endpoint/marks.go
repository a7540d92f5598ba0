package endpoint

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// mark is one line of the table of fingerprints: a path beside the API and what
// its answer looks like.
type mark struct {
	server, title string
	path          string
	// is judges a 200; version may be "".
	is func(h http.Header, body []byte, m map[string]any) (version string, ok bool)
}

// marks is the table, the most telling first. Sources: the reference page on
// dialects, §2 and §7.
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

// owners are values of owned_by in /models that name the server.
var owners = map[string]string{
	"vllm": "vllm", "llamacpp": "llama.cpp", "llama.cpp": "llama.cpp", "library": "ollama", "sglang": "sglang",
	"organization_owner": "lmstudio", "tensorrt_llm": "trtllm", "koboldcpp": "koboldcpp", "llama-swap": "llama-swap",
	"docker": "docker", "lmdeploy": "lmdeploy", "tokscope": "tokscope",
}

// titles are the names of servers as their makers write them.
func title(server string) string {
	for _, m := range marks {
		if m.server == server {
			return m.title
		}
	}
	for _, p := range providers {
		if p.Name == server {
			return p.Title
		}
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

// Fingerprint recognises the server behind t: a provider by its host, others
// by what they write into their list of models, and, on this machine or a
// private address only, by one path of their own after the other until one
// answers as expected. "" when it stays unknown.
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

// owner finds the server by owned_by.
func owner(list []Model) string {
	for _, m := range list {
		if s := owners[strings.ToLower(m.OwnedBy)]; s != "" {
			return s
		}
	}
	return ""
}

// recognise tries marks one after the other.
func recognize(ctx context.Context, do Doer, t Target, try []mark) (server, version string) {
	root := rootOf(t.URL)
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
		_ = json.Unmarshal(body, &obj) // not every mark is JSON
		if v, ok := m.is(h, body, obj); ok {
			return m.server, head(v, 40)
		}
	}
	return "", ""
}

// rootOf is scheme and host of a URL.
func rootOf(s string) string {
	i := strings.Index(s, "://")
	if i < 0 {
		return s
	}
	i += len("://")
	if j := strings.IndexByte(s[i:], '/'); j >= 0 {
		return s[:i+j]
	}
	return s
}

func has(m map[string]any, k string) bool { _, ok := m[k]; return ok }

func str(m map[string]any, k string) string { s, _ := m[k].(string); return s }
