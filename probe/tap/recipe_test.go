package tap_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/tap"
)

// firstParty is what Claude Code is told of its own address.
const firstParty = "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL=1"

const at = "http://127.0.0.1:4711/SECRETPATH"

// planned is what a client is started with: its words, the variables that are new or other,
// and where the tap passes its requests on to.
func planned(t *testing.T, in []string, to string, words ...string) (line string, set []string, upstream string) {
	t.Helper()
	p := testkit.Must(tap.NewPlan(t.Context(), words, to, in))(t)
	got, env := p.Command(at)
	for _, v := range env {
		if !slices.Contains(in, v) && !strings.HasPrefix(strings.ToUpper(v), "NO_PROXY=") {
			set = append(set, v)
		}
	}
	return strings.Join(got, " "), set, p.Upstream().String()
}

// TestRecipes holds, for each client, what it is started with and where its requests go: to its
// own provider, to the base URL that the person has set wherever it stands, or to --to.
func TestRecipes(t *testing.T) {
	t.Parallel()
	const gateway = "https://gw.example/team/v1"
	for name, c := range map[string]struct {
		words    string
		env      []string
		files    map[string]string // below the home folder
		to       string
		line     string // "" for the same
		set      []string
		upstream string
	}{
		"claude": {words: "claude -p hi", line: `claude --settings {"env":{"ANTHROPIC_BASE_URL":"` + at +
			`"}} -p hi`,
			set:      []string{firstParty, "ENABLE_TOOL_SEARCH=true", "ANTHROPIC_BASE_URL=" + at},
			upstream: "https://api.anthropic.com"},
		"claude by path": {words: "/usr/bin/claude", line: `/usr/bin/claude --settings {"env":{"ANTHROPIC_BASE_URL":"` + at +
			`"}}`,
			set:      []string{firstParty, "ENABLE_TOOL_SEARCH=true", "ANTHROPIC_BASE_URL=" + at},
			upstream: "https://api.anthropic.com"},
		"claude with settings of the person": {words: "claude --settings=mine.json",
			set:      []string{firstParty, "ENABLE_TOOL_SEARCH=true", "ANTHROPIC_BASE_URL=" + at},
			upstream: "https://api.anthropic.com"},
		"claude with a gateway": {words: "claude --settings=x",
			env: []string{"ANTHROPIC_BASE_URL=https://gw.example/anthropic/"},
			set: []string{"ANTHROPIC_BASE_URL=" + at + "/anthropic"}, upstream: "https://gw.example"},
		"claude with a gateway in a file, which is stronger": {words: "claude --settings=x",
			env:   []string{"ANTHROPIC_BASE_URL=https://other.example"},
			files: map[string]string{".claude/settings.json": `{"env":{"ANTHROPIC_BASE_URL":"https://gw.example"}}`},
			set:   []string{"ANTHROPIC_BASE_URL=" + at}, upstream: "https://gw.example"},
		"claude without its search for tools": {words: "claude --settings=x", env: []string{"ENABLE_TOOL_SEARCH=false"},
			set: []string{firstParty, "ANTHROPIC_BASE_URL=" + at}, upstream: "https://api.anthropic.com"},
		"claude elsewhere": {words: "claude --settings=x", to: "http://127.0.0.1:8000/v1",
			set: []string{"ANTHROPIC_BASE_URL=" + at}, upstream: "http://127.0.0.1:8000"},
		"claude on a gateway of Bedrock": {words: "claude", env: []string{"CLAUDE_CODE_USE_BEDROCK=1",
			"ANTHROPIC_BEDROCK_BASE_URL=https://gw.example/bedrock"},
			set: []string{"ANTHROPIC_BEDROCK_BASE_URL=" + at + "/bedrock"}, upstream: "https://gw.example"},
		"claude not on Bedrock": {words: "claude --settings=x", env: []string{"CLAUDE_CODE_USE_BEDROCK=0"},
			to:  "https://gw.example",
			set: []string{"ANTHROPIC_BASE_URL=" + at}, upstream: "https://gw.example"},
		"codex": {words: "codex exec hi", line: `codex -c openai_base_url="` + at + `/v1" exec hi`,
			upstream: "https://api.openai.com"},
		"codex elsewhere": {words: "codex", to: "http://127.0.0.1:8000", line: `codex -c openai_base_url="` + at + `/v1"`,
			upstream: "http://127.0.0.1:8000"},
		"codex with a base URL": {words: "codex",
			files: map[string]string{".codex/config.toml": "openai_base_url = '" + gateway + "'"},
			line:  `codex -c openai_base_url="` + at + `/team/v1"`, upstream: "https://gw.example"},
		"codex with another provider": {words: "codex",
			files: map[string]string{".codex/config.toml": "model_provider = 'mine'\n" +
				"[model_providers.mine]\nbase_url = '" + gateway + "'"},
			line: `codex -c model_providers.mine.base_url="` + at + `/team/v1"`, upstream: "https://gw.example"},
		"codex in another folder": {words: "codex", env: []string{"CODEX_HOME=~/x"},
			files: map[string]string{"x/config.toml": "model_provider = 'openai'\nopenai_base_url = '" + gateway + "'"},
			line:  `codex -c openai_base_url="` + at + `/team/v1"`, upstream: "https://gw.example"},
		"opencode": {words: "opencode run hi", env: []string{"ANTHROPIC_API_KEY=k"},
			set:      []string{`OPENCODE_CONFIG_CONTENT={"provider":{"anthropic":{"options":{"baseURL":"` + at + `/v1"}}}}`},
			upstream: "https://api.anthropic.com"},
		"opencode with a base URL": {words: "opencode", env: []string{"OPENAI_API_KEY=k"},
			files: map[string]string{".config/opencode/opencode.json": `{"provider":{"openai":{"options":{"baseURL":"` +
				gateway + `"}}}}`},
			set:      []string{`OPENCODE_CONFIG_CONTENT={"provider":{"openai":{"options":{"baseURL":"` + at + `/team/v1"}}}}`},
			upstream: "https://gw.example"},
		"gemini": {words: "gemini", env: []string{"GEMINI_API_KEY=k"}, set: []string{"GOOGLE_GEMINI_BASE_URL=" + at},
			upstream: "https://generativelanguage.googleapis.com"},
		"gemini with a file": {words: "gemini", env: []string{"GEMINI_API_KEY=k"},
			files: map[string]string{".gemini/.env": "# mine\nexport GOOGLE_GEMINI_BASE_URL='https://gw.example/g'\n"},
			set:   []string{"GOOGLE_GEMINI_BASE_URL=" + at + "/g"}, upstream: "https://gw.example"},
		"gemini by login": {words: "gemini", set: []string{"CODE_ASSIST_ENDPOINT=" + at},
			upstream: "https://cloudcode-pa.googleapis.com"},
		"qwen": {words: "qwen", env: []string{"OPENAI_BASE_URL=" + gateway},
			set:      []string{"OPENAI_BASE_URL=" + at + "/team/v1"},
			upstream: "https://gw.example"},
		"qwen at its own provider": {words: "qwen", set: []string{"OPENAI_BASE_URL=" + at + "/compatible-mode/v1",
			"DASHSCOPE_PROXY_BASE_URL=" + at + "/compatible-mode/v1"}, upstream: "https://dashscope.aliyuncs.com"},
		"copilot": {words: "copilot", env: []string{"COPILOT_PROVIDER_BASE_URL=" + gateway},
			set: []string{"COPILOT_PROVIDER_BASE_URL=" + at + "/team/v1"}, upstream: "https://gw.example"},
		"aider": {words: "aider", env: []string{"OPENAI_API_KEY=k"}, set: []string{"OPENAI_API_BASE=" + at + "/v1"},
			upstream: "https://api.openai.com"},
		"aider with Anthropic": {words: "aider", set: []string{"ANTHROPIC_BASE_URL=" + at},
			upstream: "https://api.anthropic.com"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			for path, text := range c.files {
				path = filepath.Join(home, path)
				testkit.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
				testkit.OK(t, os.WriteFile(path, []byte(text), 0o600))
			}
			if c.line == "" {
				c.line = c.words
			}
			if rest, ok := strings.CutPrefix(c.line, "claude --settings="); ok { // the last one holds
				c.line = `claude --settings {"env":{"` + strings.Replace(c.set[len(c.set)-1], "=", `":"`, 1) + `"}} --settings=` +
					rest
			}
			line, set, upstream := planned(t, append(c.env, "HOME="+home), c.to, strings.Fields(c.words)...)
			testkit.That(t, line == c.line && slices.Equal(set, c.set) && upstream == c.upstream,
				"%s\n%q\nto %s; want\n%s\n%q\nto %s", line, set, upstream, c.line, c.set, c.upstream)
		})
	}
}

// TestLoopbackIsNotProxied holds that a proxy of the environment does not come between the
// client and the tap, and that what it left out before stays so.
func TestLoopbackIsNotProxied(t *testing.T) {
	t.Parallel()
	p := testkit.Must(tap.NewPlan(t.Context(), []string{"qwen"}, "",
		[]string{"NO_PROXY=corp.example", "HOME=" + t.TempDir()}))(t)
	_, env := p.Command(at)
	for _, want := range []string{"NO_PROXY=corp.example,127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost"} {
		testkit.That(t, slices.Contains(env, want), "%q lacks %s", env, want)
	}
}

// TestClaudesSocket holds that Claude Code speaks through a socket, in which it asks as at its own
// host, in the version alone that was tried, at its own provider, with a key of the environment and
// without a login, which a socket leaves out, and not on a managed machine.
func TestClaudesSocket(t *testing.T) {
	t.Parallel()
	_, unmanaged := os.Stat("/etc/claude-code")
	for name, c := range map[string]struct {
		version, env, login, to string
		socket                  bool
	}{
		"key":     {version: "2.1.332 (Claude Code)", env: "ANTHROPIC_API_KEY=k", socket: true},
		"token":   {version: "2.1.332 (Claude Code)", env: "CLAUDE_CODE_OAUTH_TOKEN=k", socket: true},
		"newer":   {version: "2.1.3321 (Claude Code)", env: "ANTHROPIC_API_KEY=k"},
		"no key":  {version: "2.1.332 (Claude Code)", env: "A=b"},
		"gateway": {version: "2.1.332 (Claude Code)", env: "ANTHROPIC_API_KEY=k", to: "https://gw.example"},
		"key and a login": {version: "2.1.332 (Claude Code)", env: "ANTHROPIC_API_KEY=k",
			login: `{"oauthAccount":{"accountUuid":"1"}}`},
	} {
		home := t.TempDir()
		claude := filepath.Join(home, "claude")
		testkit.OK(t, os.WriteFile(claude, []byte("#!/bin/sh\necho '"+c.version+"'\n"), 0o700))
		testkit.OK(t, os.WriteFile(filepath.Join(home, ".claude.json"), []byte(cmp.Or(c.login, "{}")), 0o600))
		p := testkit.Must(tap.NewPlan(t.Context(), []string{claude}, c.to, []string{"HOME=" + home, c.env}))(t)
		_, env := p.Command("unix:/tmp/the tap")
		want := c.socket && unmanaged != nil
		testkit.That(t, p.Socket() == want && slices.Contains(env, "ANTHROPIC_UNIX_SOCKET=/tmp/the tap") == want,
			"%s: %q", name, env)
	}
}

// TestListensOnASocket holds that a tap on a socket takes requests for its upstream there alone, keeps
// other users out, and leaves nothing behind.
func TestListensOnASocket(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.URL.Path)
	}))
	defer upstream.Close()
	e := client.New(client.Options{Bounds: tap.Bounds(), NoPathProbe: true})
	defer e.Close()
	p := testkit.Must(tap.Open(tap.Options{Engine: e, Upstream: testkit.Must(url.Parse(upstream.URL))(t), Hidden: true,
		Socket: true}))(t)
	socket, _ := strings.CutPrefix(p.URL(), "unix:")
	for path, want := range map[string]fs.FileMode{socket: 0o600, filepath.Dir(socket): 0o700} {
		testkit.Is(t, testkit.Must(os.Stat(path))(t).Mode().Perm(), want, path)
	}
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}
	for url, want := range map[string]int{upstream.URL: http.StatusOK, "http://other.example": http.StatusForbidden} {
		resp := testkit.Must(c.Get(url + "/v1/models"))(t)
		body := testkit.Must(io.ReadAll(resp.Body))(t)
		_ = resp.Body.Close()
		testkit.That(t, resp.StatusCode == want && (want != http.StatusOK || string(body) == "/v1/models"),
			"%s: %s, %s", url, resp.Status, body)
	}
	testkit.OK(t, p.Close())
	_, err := os.Stat(filepath.Dir(socket))
	testkit.That(t, errors.Is(err, fs.ErrNotExist), "the folder stays: %v", err)
}

// TestCodexLogin holds that a login by ChatGPT decides where Codex is asked.
func TestCodexLogin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	codex := filepath.Join(dir, "codex")
	testkit.OK(t, os.WriteFile(codex,
		[]byte("#!/bin/sh\ncase $* in\n--version) echo WARNING: no >&2; echo codex-cli 1.2.3;;\n"+
			"'login status') echo Logged in using ChatGPT >&2;;\nesac\n"), 0o700))
	line, _, upstream := planned(t, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}, "", codex, "exec")
	want := codex + ` -c model_provider="tap" -c model_providers.tap={name="OpenAI",base_url="` + at +
		`/backend-api/codex",wire_api="responses",requires_openai_auth=true,supports_websockets=true,http_headers={version="1.2.3"}} exec`
	testkit.That(t, line == want && upstream == "https://chatgpt.com", "%s to %s, want\n%s", line, upstream, want)
}

// TestRefusals holds that a client whose upstream is not known, or cannot be a tap's, is not
// started: its key would go to another host than its own.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		words, to string
		env       []string
		file      string // .codex/config.toml
		want      string
	}{
		"unknown":         {words: "nosuch", want: "no recipe for nosuch"},
		"never":           {words: "cursor", want: "cannot be tapped"},
		"by a file alone": {words: "cline", want: "--to URL"},
		"of GitHub":       {words: "copilot", want: "COPILOT_PROVIDER_BASE_URL"},
		"Bedrock":         {words: "claude", env: []string{"CLAUDE_CODE_USE_BEDROCK=1"}, want: "cannot be tapped"},
		"Bedrock's own host": {words: "claude", to: "https://bedrock-runtime.eu-west-1.amazonaws.com",
			want: "cannot be tapped"},
		"provider without URL": {words: "codex", file: "model_provider = 'ollama'", want: "provider ollama"},
		"a configuration in a variable": {words: "opencode", env: []string{"OPENCODE_CONFIG_CONTENT={}", "OPENAI_API_KEY=k"},
			want: "OPENCODE_CONFIG_CONTENT"},
		"damaged file":     {words: "codex", file: "openai_base_url = [", want: "config.toml cannot be read"},
		"no address":       {words: "codex", file: "openai_base_url = 'ftp://x'", want: "no address"},
		"no address given": {words: "claude", to: "api.example.com", want: "no address"},
	} {
		home := t.TempDir()
		testkit.OK(t, os.MkdirAll(filepath.Join(home, ".codex"), 0o700))
		testkit.OK(t, os.WriteFile(filepath.Join(home, ".codex/config.toml"), []byte(c.file), 0o600))
		in := append(c.env, "HOME="+home)
		_, err := tap.NewPlan(t.Context(), strings.Fields(c.words), c.to, in)
		testkit.That(t, err != nil && strings.Contains(err.Error(), c.want), "%s: %v, want %q", name, err, c.want)
	}
}

// TestWhatToSet holds that each client of the table that can be tapped has a line to start it,
// before the address that the person gives.
func TestWhatToSet(t *testing.T) {
	t.Parallel()
	for to, root := range map[string]string{"https://gw.example/team/v1": at + "/team", "http://127.0.0.1:8000/": at} {
		p := testkit.Must(tap.NewPlan(t.Context(), nil, to, nil))(t)
		for _, a := range p.Agents(at) {
			testkit.Is(t, len(a.How) == 0, strings.HasPrefix(a.Command, "cursor"), a.Command, a.How)
			for _, line := range a.How {
				_, rest, ok := strings.Cut(line, root)
				rest += " "
				if !ok || strings.Contains(line, "FIRST_PARTY") || !strings.HasPrefix(rest, "/v1") && strings.ContainsAny(rest[:1],
					"v/") {
					t.Errorf("%s: %s", a.Command, line)
				}
			}
		}
	}
}
