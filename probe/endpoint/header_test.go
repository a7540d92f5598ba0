package endpoint

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func TestFlagHeaders(t *testing.T) {
	vars := env("MINE", "k-mine-hunter2", "TEAM", "blue", "GROQ_API_KEY", "k-groq")
	for _, c := range []struct {
		name    string
		target  string
		headers []string
		send    string // the header, as sent
		set     string // Settings
		from    string // KeyFrom
		secrets int
		warns   string
	}{
		{"plain", "https://h", []string{"x-team: blue"}, "X-Team: blue", "X-Team: blue", "", 0, ""},
		{"a dollar sign", "https://h", []string{"X-Cost: $$5 $ 1$2 $${"}, "X-Cost: $5 $ 1$2 ${", "X-Cost: $5 $ 1$2 ${", "",
			0, ""},
		{"from a variable", "https://h", []string{"X-Team: $TEAM"}, "X-Team: blue", "", "", 1, ""},
		{"in braces", "https://h", []string{"X-Team: a-${TEAM}-b"}, "X-Team: a-blue-b", "", "", 1, ""},
		{"a key for the key", "groq", []string{"Authorization: Basic $MINE"}, "Authorization: Basic k-mine-hunter2", "",
			"the header -H Authorization", 2, ""},
		{"a key beside the key", "groq", []string{"X-Api-Key: $MINE"}, "Authorization: Bearer k-groq", "",
			"env GROQ_API_KEY", 2, ""},
		{"no other key", "https://h", []string{"X-Api-Key: $MINE"}, "X-Api-Key: k-mine-hunter2", "",
			"the header -H X-Api-Key", 1, ""},
		{"typed", "https://h", []string{"X-Api-Key: hunter2"}, "X-Api-Key: hunter2", "", "the header -H X-Api-Key", 1,
			"stands in the process list"},
		{"the last counts", "https://h", []string{"A: 1", "A: 2"}, "A: 2", "A: 2", "", 0, ""},
		{"what is sent anyway", "https://h", []string{"Content-Type: application/json"}, "Content-Type: ", "", "", 0, ""},
		{"over the profile", "p", []string{"X-Team: red"}, "X-Team: red", "X-Team: red, extra.top_k=40", "", 0, ""},
		{"over the provider", "anthropic", []string{"Anthropic-Version: 2"}, "Anthropic-Version: 2",
			"api=messages, Anthropic-Version: 2", "", 0, ""},
		{"the provider's own", "anthropic", nil, "Anthropic-Version: 2026-10-21", "api=messages", "", 0, ""},
		{"the embedded endpoint", "demo", []string{"X-Team: blue"}, "X-Team: blue", "X-Team: blue", "", 0, ""},
	} {
		r := &Resolver{Env: vars, Flags: Flags{Headers: c.headers},
			Profiles: profiles(t, "[profile.p]\nurl=\"https://p\"\nheaders={\"x-team\"=\"blue\"}\nextra={top_k=40}")}
		got, err := r.Resolve(c.target)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.Kind == metrics.EndpointEmbedded {
			got = testkit.Must(r.ForEndpoint(got.Endpoint))(t)
		}
		req := httptest.NewRequest("POST", "https://h/v1", nil)
		got.Authorize(req)
		name, _, _ := strings.Cut(c.send, ": ")
		testkit.Is(t, name+": "+req.Header.Get(name), c.send, c.name, "sent")
		if got.Settings != c.set || got.KeyFrom != c.from || len(got.Secrets()) != c.secrets {
			t.Errorf("%s: settings %q, key from %q, %d secrets", c.name, got.Settings, got.KeyFrom, len(got.Secrets()))
		}
		if w := strings.Join(got.Warnings, "; "); !strings.Contains(w, c.warns) || c.warns == "" && w != "" ||
			strings.Contains(w, "hunter2") {
			t.Errorf("%s: warnings %q", c.name, w)
		}
	}
}

func TestFlagHeadersRefused(t *testing.T) {
	for _, c := range []struct{ header, say, next string }{
		{"X-Team", "malformed", "-H 'Name: value'"},
		{"X Team: a", "name is malformed", "-H 'Name: value'"},
		{": a", "name is malformed", "-H 'Name: value'"},
		{"content-length: 3", "Content-Length is set by tokscope itself", "leave it out"},
		{"Transfer-Encoding: chunked", "Transfer-Encoding is set", "leave it out"},
		{"Connection: close", "--cold", "leave it out"},
		{"Accept-Encoding: gzip", "compression would hide when chunks arrive", "leave it out"},
		{"X-Key: $NOPE", "needs the variable NOPE", "export NOPE, or write $$"},
		{"X: ${NOPE", "${ that begins no ${NAME}", "$${"},
		{"X: a ${TEAM:-b}", "${ that begins no ${NAME}", "$${"},
		{"X-Key: ${TWO}", "needs the variable TWO, which is not set or holds a line end", "export"},
	} {
		r := &Resolver{Env: env("TWO", "a\nb"), Flags: Flags{Headers: []string{c.header}}}
		_, err := r.Resolve("https://h")
		testkit.That(t, err != nil && strings.Contains(message(err), c.say) && strings.Contains(next(err), c.next),
			"%s: %v", c.header, err)
	}
	for _, h := range []string{"Authorization: Bearer x", "X-Team: $TEAM"} {
		r := &Resolver{Env: env("TEAM", "blue"), Flags: Flags{Several: true, Headers: []string{h}}}
		if _, err := r.Resolve("https://h"); err == nil || !strings.Contains(err.Error(), "would go to all targets") {
			t.Errorf("%s to several targets: %v", h, err)
		}
	}
}

// TestSecretHeadersStay: what is chosen later on another host gets no secret of the command
// line, and what is no secret goes to all.
func TestSecretHeadersStay(t *testing.T) {
	r := &Resolver{Env: env("MINE", "hunter2hunter2"), Flags: Flags{Headers: []string{"Authorization: Bearer $MINE",
		"X-Team: blue"}}}
	for i, target := range []string{"https://a/v1", "https://b/v1", "groq", "https://a/v2", "http://127.0.0.1:1"} {
		got := testkit.Must(r.Resolve(target))(t)
		sent := len(got.Secrets()) > 0
		if want := i == 0 || i == 3; sent != want || got.Header["X-Team"] != "blue" || !want && len(got.Warnings) == 0 {
			t.Errorf("%s: a secret is sent: %v; %q", target, sent, got.Warnings)
		}
	}
}

// TestCurlOfVariables: a header is copied with the variable that it was written with.
func TestCurlOfVariables(t *testing.T) {
	r := &Resolver{Env: env("TEAM", "blue-hunter2", "OPENAI_ORG_ID", "org-hunter2"),
		Flags: Flags{Headers: []string{"X-Team: it's $TEAM for $$5", "X-Plain: a"}}}
	got := testkit.Must(r.Resolve("openai"))(t)
	text := got.Curl([]byte("{}"))
	testkit.Has(t, text, `-H 'X-Team: it'\''s '"$TEAM"' for $5'`, `-H 'X-Plain: a'`,
		`-H 'Openai-Organization: '"$OPENAI_ORG_ID"`)
	testkit.Lacks(t, text, "hunter2")
}

func TestAccountHeaders(t *testing.T) {
	ids := []string{"OPENAI_ORG_ID", "org-1", "OPENAI_PROJECT_ID", "proj_1"}
	for _, c := range []struct {
		target, base string
		headers      []string
		want         string
		ready        bool
	}{
		{"openai", "", nil, "org-1 proj_1", false},
		{"https://api.openai.com/v1", "", nil, "org-1 proj_1", false},
		{"openai", "", []string{"OpenAI-Organization: mine"}, "mine proj_1", false},
		{"groq", "", nil, " ", false},
		{"https://h", "", nil, " ", true},
		{"", "https://proxy.example/v1", nil, "org-1 proj_1", true},
		{"https://other.example/v1", "https://proxy.example/v1", nil, " ", true},
		{"", "http://10.0.0.1/v1", nil, "org-1 proj_1", true}, // no key: nothing to refuse
	} {
		r := &Resolver{Env: env(append(ids, "OPENAI_BASE_URL", c.base)...), Flags: Flags{Headers: c.headers}}
		got, err := r.Resolve(c.target)
		if err != nil {
			t.Errorf("%s: %v", c.target, err)
			continue
		}
		req := httptest.NewRequest("POST", "https://h/v1", nil)
		got.Authorize(req)
		if sent := req.Header.Get("OpenAI-Organization") + " " + req.Header.Get("OpenAI-Project"); sent != c.want ||
			got.Ready != c.ready {
			t.Errorf("%q with base %q: %q ready %v, want %q", c.target, c.base, sent, got.Ready, c.want)
		}
		testkit.Lacks(t, got.Settings, "org-1")
	}
}

func TestFlagExtra(t *testing.T) {
	file := filepath.Join(t.TempDir(), "extra.json")
	testkit.OK(t, os.WriteFile(file, []byte("{\n \"top_p\": 0.5,\n \"a\": {\"b\": 1}}"), 0o600))
	bad := filepath.Join(t.TempDir(), "bad.json")
	testkit.OK(t, os.WriteFile(bad, []byte("{\n \"top_p\": ,\n}"), 0o600))
	for _, c := range []struct {
		extra []string
		want  string
	}{
		{nil, "extra.n={\"x\":1,\"y\":2}, extra.top_k=40"},
		{[]string{"top_k=41", "n.y=3"}, "extra.n={\"x\":1,\"y\":3}, extra.top_k=41"},
		{[]string{"@" + file}, "extra.a={\"b\":1}, extra.n={\"x\":1,\"y\":2}, extra.top_k=40, extra.top_p=0.5"},
		{[]string{"api_key=hunter2hunter2", "n.user_token=hunter2hunter2"},
			"extra.api_key=[redacted], extra.n={\"user_token\":\"[redacted]\",\"x\":1,\"y\":2}, extra.top_k=40"},
		{[]string{"stop_token_ids=[1,2]"}, "extra.n={\"x\":1,\"y\":2}, extra.stop_token_ids=[1,2], extra.top_k=40"},
	} {
		r := &Resolver{Env: env(), Flags: Flags{Extra: c.extra},
			Profiles: profiles(t, "[profile.p]\nurl=\"https://p\"\nextra={top_k=40,n={x=1,y=2}}")}
		got, err := r.Resolve("p")
		testkit.That(t, err == nil && got.Settings == c.want, "%q: %s %v", c.extra, got.Settings, err)
	}
	flagged := filepath.Join(t.TempDir(), "flagged.json")
	testkit.OK(t, os.WriteFile(flagged, []byte(`{"temperature": 1}`), 0o600))
	for _, c := range []struct{ extra, say, next string }{
		{"max_tokens=5", "--extra does not set max_tokens", "give --max-tokens"}, {"max_completion_tokens=5",
			"a flag of its own", "give --max-tokens"},
		{"temperature=3", "a flag of its own", "give --temperature"}, {"seed=9", "a flag of its own", "give --seed"},
		{"@" + flagged, "--extra does not set temperature", "give --temperature"},
		{"top_k", "malformed", "PATH=JSON"}, {"@-", "no standard input", "name of a file"},
		{"@" + file + "x", "cannot be read", "JSON object"}, {"@" + bad, "line 2, column 11", "look at"},
		{"stream=false", "stream is a field", "leave it out"}, {"model=x", "model is a field", "-m"},
	} {
		r := &Resolver{Env: env(), Flags: Flags{Extra: []string{c.extra}}}
		_, err := r.Resolve("https://h")
		testkit.That(t, err != nil && strings.Contains(message(err), c.say) && strings.Contains(next(err), c.next),
			"%s: %v", c.extra, err)
	}
}

// TestLongSettings: values too long to show are told apart by a digest.
func TestLongSettings(t *testing.T) {
	of := func(text string) string {
		var target Target
		testkit.OK(t, target.Set("extra.long", text))
		return target.Settings
	}
	a, b := of(strings.Repeat("é", 500)+"a"), of(strings.Repeat("é", 500)+"b")
	if len(a) > mostSettings || a == b || !strings.Contains(a, "(1001 bytes, sha256:") || strings.Contains(a, "\ufffd") {
		t.Errorf("%q %q", a, b)
	}
}
