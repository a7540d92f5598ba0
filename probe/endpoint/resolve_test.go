package endpoint

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func TestResolve(t *testing.T) {
	conf := profiles(t, `
[profile.work]
url = "https://llm.example.com/v1"
model = "m1"
api_key_env = "WORK_KEY"
max_tokens = 77
headers = { "X-Team" = "blue", "X-Gateway" = "${GW}" }
query = { "api-version" = "7" }
extra = { top_k = 4 }
server = "vllm"
[profile.groq]
api_key_env = "OTHER_GROQ"
[profile.lan]
url = "http://10.0.0.9:8000"
[profile.lankey]
url = "http://10.0.0.9:8000/v1"
api_key_env = "WORK_KEY"
[profile.lanopen]
url = "http://10.0.0.9:8000/v1"
api_key_env = "WORK_KEY"
insecure_http = true
[profile.open]
url = "openai"
auth = "none"
[profile.sock]
url = "unix:///run/llm.sock"
api_key_env = "WORK_KEY"
`)
	all := []string{"OPENAI_API_KEY", "k-openai", "GROQ_API_KEY", "k-groq", "WORK_KEY", "k-work", "OTHER_GROQ", "k-other",
		"GW", "gw-secret",
		"AZURE_OPENAI_API_KEY", "k-azure", "AZURE_RESOURCE_NAME", "res", "CLOUDFLARE_API_TOKEN", "k-cf",
		"CLOUDFLARE_ACCOUNT_ID", "acc1",
		"AWS_BEARER_TOKEN_BEDROCK", "k-aws", "AWS_REGION", "eu-west-1", "LLAMA_API_KEY", "k-llama", "ANTHROPIC_API_KEY",
		"k-ant"}
	for _, c := range []struct {
		arg  string
		more []string // further variables
		want string   // kind name url model auth key(from) [badge]
	}{
		{"", nil, "embedded demo - - none -"}, // a key alone spends no money
		{"", []string{"OPENAI_API_KEY", " "}, "embedded demo - - none -"},
		{"", []string{"OPENAI_API_KEY", "no key at all"}, "embedded demo - - none -"},
		{"demo", nil, "embedded demo - - none -"},
		{"", []string{"OPENAI_BASE_URL", "https://gw.example.com/v1"},
			"url gw.example.com https://gw.example.com/v1 - bearer k-openai(env OPENAI_API_KEY (with OPENAI_BASE_URL))"},
		{"", []string{"OPENAI_API_BASE", "localhost:9/v1"},
			"url localhost:9 http://localhost:9/v1 - bearer k-openai(env OPENAI_API_KEY (with OPENAI_API_BASE))"},
		{"", []string{"OPENAI_BASE_URL", "unix:///run/llm.sock"},
			"url llm.sock unix:///run/llm.sock:/v1 - bearer k-openai(env OPENAI_API_KEY (with OPENAI_BASE_URL))"},
		{"unix:///run/other.sock", []string{"OPENAI_BASE_URL", "unix:///run/llm.sock"},
			"url other.sock unix:///run/other.sock:/v1 - bearer -"},
		{"sock", nil, "profile sock unix:///run/llm.sock:/v1 - bearer k-work(env WORK_KEY)"},
		{"groq", nil, "profile groq https://api.groq.com/openai/v1 - bearer k-other(env OTHER_GROQ)"},
		{"openai", nil, "provider openai https://api.openai.com/v1 - bearer k-openai(env OPENAI_API_KEY)"},
		{"OpenAI", nil, "provider openai https://api.openai.com/v1 - bearer k-openai(env OPENAI_API_KEY)"},
		{"claude", nil, "provider anthropic https://api.anthropic.com/v1 - x-api-key k-ant(env ANTHROPIC_API_KEY)"},
		{"azure", nil, "provider azure https://res.openai.azure.com/openai/v1 - api-key k-azure(env AZURE_OPENAI_API_KEY)"},
		{"azure", []string{"AZURE_OPENAI_ENDPOINT", "https://other.openai.azure.com/"},
			"provider azure https://other.openai.azure.com/openai/v1 - api-key k-azure(env AZURE_OPENAI_API_KEY)"},
		{"cloudflare", nil, "provider cloudflare https://api.cloudflare.com/client/v4/accounts/acc1/ai/v1 - bearer " +
			"k-cf(env CLOUDFLARE_API_TOKEN)"},
		{"bedrock", nil, "provider bedrock https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1 - bearer k-aws(env " +
			"AWS_BEARER_TOKEN_BEDROCK)"},
		{"perplexity", []string{"PERPLEXITY_API_KEY", "k-p"},
			"provider perplexity https://api.perplexity.ai sonar bearer k-p(env PERPLEXITY_API_KEY)"},
		{"ollama", nil, "provider ollama http://127.0.0.1:11434/v1 - bearer -"},
		{"ollama", []string{"OLLAMA_HOST", "0.0.0.0"}, "provider ollama http://127.0.0.1:11434/v1 - bearer -"},
		{"ollama", []string{"OLLAMA_HOST", ":9998"}, "provider ollama http://127.0.0.1:9998/v1 - bearer -"},
		{"ollama", []string{"OLLAMA_HOST", "127.0.0.1:9999"}, "provider ollama http://127.0.0.1:9999/v1 - bearer -"},
		{"ollama", []string{"OLLAMA_HOST", "gpu.example.com"}, "provider ollama http://gpu.example.com:11434/v1 - bearer -"},
		{"llama.cpp", nil, "provider llama.cpp http://127.0.0.1:8080/v1 - bearer k-llama(env LLAMA_API_KEY)"},
		{"llamacpp", []string{"LLAMA_ARG_PORT", "9931"},
			"provider llama.cpp http://127.0.0.1:9931/v1 - bearer k-llama(env LLAMA_API_KEY)"},
		// URLs: a key goes only where it belongs
		{"https://api.groq.com/openai/v1/chat/completions", nil,
			"url api.groq.com https://api.groq.com/openai/v1 - bearer k-groq(env GROQ_API_KEY)"},
		{"api.groq.com", nil, "url api.groq.com https://api.groq.com/openai/v1 - bearer k-groq(env GROQ_API_KEY)"},
		{"http://api.groq.com/openai/v1", nil, "url api.groq.com http://api.groq.com/openai/v1 - bearer -"},
		{"https://api.groq.com:8443/openai/v1", nil, "url api.groq.com:8443 https://api.groq.com:8443/openai/v1 - bearer -"},
		{"https://api.groq.com.evil.example/openai/v1", nil,
			"url api.groq.com.evil.example https://api.groq.com.evil.example/openai/v1 - bearer -"},
		{"https://evil.example/api.groq.com/v1", nil, "url evil.example https://evil.example/api.groq.com/v1 - bearer -"},
		{"https://unknown.example.com", nil, "url unknown.example.com https://unknown.example.com/v1 - bearer -"},
		{"https://bedrock-runtime.us-east-2.amazonaws.com/openai/v1", nil,
			"url bedrock-runtime.us-east-2.amazonaws.com https://bedrock-runtime.us-east-2.amazonaws.com/openai/v1 - bearer " +
				"k-aws(env AWS_BEARER_TOKEN_BEDROCK)"},
		{"https://res.openai.azure.com/openai/deployments/dep/chat/completions", nil,
			"url res.openai.azure.com https://res.openai.azure.com/openai/deployments/dep dep api-key k-azure(env " +
				"AZURE_OPENAI_API_KEY)"},
		{"localhost:8080", nil, "url localhost:8080 http://localhost:8080/v1 - bearer k-llama(env LLAMA_API_KEY)"},
		{"[::1]:8080", nil, "url [::1]:8080 http://[::1]:8080/v1 - bearer k-llama(env LLAMA_API_KEY)"},
		{"localhost:12434", nil, "url localhost:12434 http://localhost:12434/engines/v1 - bearer -"},
		{"10.0.0.9:8080", nil, "url 10.0.0.9:8080 http://10.0.0.9:8080/v1 - bearer -"},
		{"https://gw.example.com/v1/chat/completions", []string{"OPENAI_BASE_URL", "https://gw.example.com/v1"},
			"url gw.example.com https://gw.example.com/v1 - bearer k-openai(env OPENAI_API_KEY (with OPENAI_BASE_URL))"},
		{"http://gw.example.com/v1", []string{"OPENAI_BASE_URL", "https://gw.example.com/v1"},
			"url gw.example.com http://gw.example.com/v1 - bearer -"},
		// profiles
		{"work", nil, "profile work https://llm.example.com/v1 m1 bearer k-work(env WORK_KEY)"},
		{"lan", nil, "profile lan http://10.0.0.9:8000/v1 - bearer -"},
		{"lanopen", nil, "profile lanopen http://10.0.0.9:8000/v1 - bearer k-work(env WORK_KEY) [http with a key]"},
		{"open", nil, "profile open https://api.openai.com/v1 - none -"},
	} {
		r := &Resolver{Profiles: conf, Env: env(append(append([]string{}, all...), c.more...)...)}
		got, err := r.Resolve(c.arg)
		if err != nil {
			t.Errorf("Resolve(%q): %v", c.arg, err)
			continue
		}
		testkit.Is(t, line(got), c.want, "Resolve", c.arg)
	}
	r := &Resolver{Profiles: conf, Env: env(all...)}
	work := testkit.Must(r.Resolve("work"))(t)
	if work.MaxTokens != 77 || work.Server != "vllm" || work.Header["X-Team"] != "blue" ||
		work.Extra["top_k"] != int64(4) || work.Query.Get("api-version") != "7" {
		t.Errorf("the profile's fields are not in %+v", work)
	}
	req := httptest.NewRequest("GET", "https://h/", nil)
	work.Authorize(req)
	testkit.Is(t, req.Header.Get("X-Gateway"), "gw-secret", "${GW} was not replaced")
	_, shown := work.Header["X-Gateway"]
	testkit.That(t, !shown, "the value of a variable lies open in Header")
}

func line(t Target) string {
	or := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	key := or(t.Key.Reveal())
	if t.KeyFrom != "" {
		key += "(" + t.KeyFrom + ")"
	}
	s := fmt.Sprintf("%s %s %s %s %s %s", t.Kind, t.Name, or(t.URL), or(t.Model), t.Auth, key)
	if t.Badge != "" {
		s += " [" + t.Badge + "]"
	}
	return s
}

func TestResolveErrors(t *testing.T) {
	conf := profiles(t, "[profile.production]\nurl=\"https://h\"\napi_key_env=\"NOT_SET\"\n[profile.lan]\nurl=\"http://10.0.0.9\"\napi_key_env=\"K\"\n[profile.gw]\nurl=\"https://h\"\nheaders={X=\"${NONE}\"}\n")
	for _, c := range []struct {
		arg       string
		flags     Flags
		env       []string
		say, next string
	}{
		{"unix:///run/llm.sock+http2", Flags{}, nil, "+http2 needs https", ""},
		{"https://h/v1", Flags{CertKey: "k.pem"}, nil, "--key is given without a client certificate", "--cert"},
		{"grok2", Flags{}, nil, `"grok2" is no profile`, "did you mean grok?"},
		{"produktion", Flags{}, nil, "is no profile", "did you mean production?"},
		{"xyzzyplughxyz", Flags{}, nil, "is no profile", "MODEL@MACHINE, or a URL"},
		{"sk-hunter2hunter2", Flags{}, nil, `"[redacted]" is no profile`, ""},
		{"hunter2hunter2hunter2hunter2", Flags{}, nil, `"[redacted]"`, ""},
		{"http://box.localhost:8080/v1?token=hunter2", Flags{}, nil, "over http", "--insecure-http"},
		{"https://hunter2hunter2@h", Flags{}, nil, "user name", "--api-key-file"},
		{"production", Flags{}, nil, "NOT_SET, which is not set", "export"},
		{"production", Flags{}, []string{"NOT_SET", "hunter2 hunter2"}, "cannot be used", "alone"},
		{"lan", Flags{}, []string{"K", "hunter2hunter2"}, "over http", "--insecure-http"},
		{"http://h.example/v1?sig=hunter2", Flags{}, nil, "over http", "--insecure-http"},
		{"gw", Flags{}, nil, "needs the variable NONE", "set it"},
		{"azure", Flags{}, nil, "AZURE_RESOURCE_NAME is not set", "set it"},
		{"cloudflare", Flags{}, []string{"CLOUDFLARE_ACCOUNT_ID", "a/../b"}, "plain name", ""},
		{"azure", Flags{}, []string{"AZURE_OPENAI_ENDPOINT", "ftp://x"}, "AZURE_OPENAI_ENDPOINT cannot be used", "http"},
		{"", Flags{}, []string{"OPENAI_BASE_URL", "https://me:hunter2@h"}, "OPENAI_BASE_URL cannot be used", "--api-key"},
		{"https://h", Flags{APIKeyEnv: "NONE"}, nil, "NONE cannot be used: it is not set", ""},
		{"https://h", Flags{APIKeyEnv: "sk-hunter2hunter2"}, nil, "not given the name of a variable", "never the key"},
		{"https://h", Flags{APIKeyEnv: "A", APIKeyFile: "b"}, nil, "both", "one"},
		{"https://h", Flags{APIKeyFile: "-"}, nil, "standard input gave no key", "pipe"},
		{"https://h", Flags{APIKeyFile: filepath.Join(t.TempDir(), "none")}, nil, "gave no key", "first line"},
		{"https://h", Flags{APIKeyFile: "Hunter2x9Zw4Qk7"}, nil, "given 15 characters that name no file", "name of a file"},
		{"https://h", Flags{APIKeyFile: "none.txt"}, nil, "--api-key-file none.txt gave no key", "first line"},
		{"https://h", Flags{APIKeyEnv: "Hunter2x9Zw4Qk7"}, nil, "given 15 characters that name no variable", "never the key"},
		{"https://h", Flags{APIKeyEnv: "AZURE_OPENAI_KEY_2"}, nil, "AZURE_OPENAI_KEY_2 cannot be used", "variable"},
		{"https://h", Flags{Headers: []string{"a b: hunter2"}}, nil, "malformed", "-H 'Name: value'"},
		{"https://h", Flags{Headers: []string{"A: hunter2\r\nB: c"}}, nil, "line end", "-H 'Name: value'"},
		{"http://h.example", Flags{Headers: []string{"X-Api-Key: hunter2"}}, nil, "over http", ""},
	} {
		r := &Resolver{Profiles: conf, Env: env(c.env...), Flags: c.flags, Stdin: strings.NewReader("\n")}
		got, err := r.Resolve(c.arg)
		if err == nil {
			t.Errorf("Resolve(%q) gave %v", c.arg, got)
			continue
		}
		f, ok := err.(*metrics.Fault)
		if !ok || f.Kind != metrics.FaultConfig || f.Next == "" {
			t.Errorf("Resolve(%q): no config fault with a next step: %#v", c.arg, err)
			continue
		}
		testkit.That(t, strings.Contains(f.Message, c.say) && strings.Contains(f.Next, c.next),
			"Resolve(%q): %q, next %q; want %q and %q", c.arg, f.Message, f.Next, c.say, c.next)
		testkit.That(t, !strings.Contains(err.Error(), "hunter2"), "Resolve(%q) shows a secret: %v", c.arg, err)
	}
}

func TestResolveFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	testkit.OK(t, os.WriteFile(file, []byte("k-file\n"), 0o600))
	vars := env("GROQ_API_KEY", "k-groq", "MINE", "k-mine")
	for _, c := range []struct {
		flags Flags
		arg   string
		want  string
	}{
		{Flags{APIKeyFile: file}, "groq", "provider groq https://api.groq.com/openai/v1 - bearer k-file(file)"},
		{Flags{APIKeyEnv: "MINE"}, "groq", "provider groq https://api.groq.com/openai/v1 - bearer k-mine(env MINE)"},
		{Flags{APIKeyFile: "-"}, "groq", "provider groq https://api.groq.com/openai/v1 - bearer k-stdin(stdin)"},
		{Flags{APIKeyEnv: "MINE", InsecureHTTP: true}, "http://h.example",
			"url h.example http://h.example/v1 - bearer k-mine(env MINE) [http with a key]"},
		{Flags{APIKeyEnv: "MINE"}, "http://127.0.0.1:1", "url 127.0.0.1:1 http://127.0.0.1:1/v1 - bearer k-mine(env MINE)"},
		{Flags{Model: "m2"}, "groq", "provider groq https://api.groq.com/openai/v1 m2 bearer k-groq(env GROQ_API_KEY)"},
		{Flags{APIKeyEnv: "MINE", Model: "x"}, "demo", "embedded demo - x none -"},
	} {
		r := &Resolver{Env: vars, Flags: c.flags, Stdin: strings.NewReader("k-stdin\nrest")}
		for range 2 { // the standard input is read once and remembered
			got, err := r.Resolve(c.arg)
			if err != nil {
				t.Errorf("%+v: %v", c.flags, err)
			} else if s := line(got); s != c.want {
				t.Errorf("%+v\n got %s\nwant %s", c.flags, s, c.want)
			}
		}
	}
	r := &Resolver{Env: vars, Target: "groq"}
	if got, err := r.Resolve(""); err != nil || got.Name != "groq" {
		t.Errorf("Resolver.Target groq: %v %v", got, err)
	}
	r.Target = "demo"
	if got, err := r.Resolve(""); err != nil || got.Kind != metrics.EndpointEmbedded {
		t.Errorf("Resolver.Target: %v %v", got, err)
	}
}

func TestResolveNotes(t *testing.T) {
	r := &Resolver{Env: env("OPENAI_API_KEY", "k", "XAI_API_KEY", "two words")}
	groq, err := r.Resolve("groq")
	testkit.That(t, err == nil && !groq.Ready && groq.Note == "needs a key: GROQ_API_KEY",
		"groq without a key: %v ready %v note %q", err, groq.Ready, groq.Note)
	far, err := r.Resolve("https://elsewhere.example/v1")
	testkit.That(t, err == nil && far.Ready && strings.Contains(far.Note, "no key is sent"),
		"an unknown host: %v ready %v note %q", err, far.Ready, far.Note)
	xai, err := r.Resolve("xai")
	if err != nil || xai.Ready || len(xai.Warnings) != 1 || !strings.Contains(xai.Warnings[0], "XAI_API_KEY is not used") {
		t.Errorf("a variable that is no key: %v %v %q", err, xai.Ready, xai.Warnings)
	}
}

func TestCommandRunsOnce(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	t.Setenv("ENDPOINT_TEST_COUNT", count)
	conf := map[string]Profile{"a": {URL: "https://h", APIKeyCmd: self(t, "counts")}}
	r := &Resolver{Profiles: conf, Env: env()}
	e := r.Known()
	testkit.That(t, len(e) == 1 && e[0].Ready, "Known: %+v", e)
	if _, err := os.Stat(count); err == nil {
		t.Error("Known ran the command")
	}
	for range 3 {
		got, err := r.Resolve("a")
		testkit.Given(t, err == nil && got.Key.Reveal() == "k-cmd-hunter2" && got.KeyFrom == "api_key_cmd", "%v %v", got, err)
	}
	b, _ := os.ReadFile(count)
	testkit.That(t, string(b) == "x\n", "the command ran %d times", strings.Count(string(b), "x"))
}

func TestKnown(t *testing.T) {
	r := &Resolver{
		Env: env("GROQ_API_KEY", "k", "AZURE_API_KEY", "k", "OPENAI_BASE_URL", "localhost:5", "W", "k"),
		Profiles: profiles(t, `[profile.ok]
url = "https://h.example"
model = "m"
api_key_env = "W"
[profile.unset]
url = "groq"
api_key_env = "NOPE"
[profile.lan]
url = "http://10.0.0.1"
api_key_env = "W"
[profile.header]
url = "http://10.0.0.2"
headers = { Authorization = "${NOPE}" }
[profile.fw]
url = "fireworks"
`),
	}
	var b strings.Builder
	for _, e := range r.Known() {
		fmt.Fprintf(&b, "%s %s %s %s ready=%v %q %q\n", e.Kind, e.Name, e.URL, e.Model, e.Ready, e.Note, e.Badge)
	}
	const want = `url localhost:5 http://localhost:5/v1  ready=true "from OPENAI_BASE_URL" ""
profile fw https://api.fireworks.ai/inference/v1  ready=false "needs a key: FIREWORKS_API_KEY" ""
profile header http://10.0.0.2/v1  ready=false "refused: http with a key" ""
profile lan http://10.0.0.1/v1  ready=false "refused: http with a key" ""
profile ok https://h.example/v1 m ready=true "" ""
profile unset https://api.groq.com/openai/v1  ready=false "needs a key: NOPE" ""
provider azure   ready=false "Azure OpenAI cannot be addressed: AZURE_RESOURCE_NAME is not set" ""
provider groq https://api.groq.com/openai/v1  ready=true "key from GROQ_API_KEY" ""
`
	testkit.Same(t, b.String(), want)
}

func TestForEndpoint(t *testing.T) {
	r := &Resolver{Env: env("GROQ_API_KEY", "k-groq", "LMSTUDIO_API_KEY", "k-lm"),
		Profiles: profiles(t, "[profile.p]\nurl=\"https://p.example\"\nmodel=\"pm\"")}
	typed := testkit.Must(r.Resolve("https://signed.example/v1?sig=hunter2"))(t)
	for _, c := range []struct {
		e    metrics.Endpoint
		want string
	}{
		{metrics.Endpoint{Kind: metrics.EndpointEmbedded, Name: "demo", URL: "http://127.0.0.1:7/v1", Model: "x"},
			"embedded demo http://127.0.0.1:7/v1 x none -"},
		{metrics.Endpoint{Kind: metrics.EndpointProfile, Name: "p", Model: "other"},
			"profile p https://p.example/v1 other bearer -"},
		{metrics.Endpoint{Kind: metrics.EndpointProvider, Name: "groq"},
			"provider groq https://api.groq.com/openai/v1 - bearer k-groq(env GROQ_API_KEY)"},
		{metrics.Endpoint{Kind: metrics.EndpointLoopback, Name: "lmstudio", URL: "http://127.0.0.1:1234/v1", Model: "q"},
			"loopback lmstudio http://127.0.0.1:1234/v1 q bearer k-lm(env LMSTUDIO_API_KEY)"},
		{typed.Endpoint, "url signed.example https://signed.example/v1 - bearer -(the query: sig)"},
	} {
		got, err := r.ForEndpoint(c.e)
		if err != nil || line(got) != c.want {
			t.Errorf("%+v\n got %s, %v\nwant %s", c.e, line(got), err, c.want)
		}
		testkit.That(t, c.e.Kind != metrics.EndpointURL || len(got.Secrets()) == 1, "the query of a typed URL is lost")
	}
	if _, err := r.ForEndpoint(metrics.Endpoint{Kind: metrics.EndpointProfile, Name: "gone"}); err == nil {
		t.Error("a profile that is gone was found")
	}
}

func TestProvidersTable(t *testing.T) {
	seen := map[string]bool{}
	vars := env("CLOUDFLARE_ACCOUNT_ID", "a", "AZURE_RESOURCE_NAME", "r")
	for _, p := range Providers() {
		for _, n := range append([]string{p.Name}, p.Aliases...) {
			testkit.That(t, !seen[strings.ToLower(n)] && n != embeddedName, "the name %s is taken twice", n)
			seen[strings.ToLower(n)] = true
			if got, ok := ProviderByName(strings.ToUpper(n)); !ok || got.Name != p.Name {
				t.Errorf("%s is not found", n)
			}
		}
		b, err := p.Base(vars)
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		if parsed, err := ParseURL(b.URL); err != nil || !strings.HasPrefix(parsed.URL, b.URL) {
			t.Errorf("%s: %q is not in its normal form: %v", p.Name, b.URL, err)
		}
		testkit.That(t, p.Title != "" && (p.Local || len(p.KeyVars) != 0 && !b.Plain()) && (!p.Local || b.Loopback()),
			"%s: title, key or scheme is missing or wrong", p.Name)
		if got := providerOf(b, vars); got == nil || got.URL != p.URL && got.Name != p.Name {
			t.Errorf("%s: its own URL belongs to %q", p.Name, got.Name)
		}
		for _, v := range p.KeyVars {
			testkit.That(t, envName(v), "%s: %q is no variable", p.Name, v)
		}
	}
}
