package endpoint

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

var update = flag.Bool("update", false, "write what pasted commands become into testdata/curl")

// curlMark ends a command in a file of testdata/curl. What it becomes follows.
const curlMark = "==>\n"

// TestPastedCommands holds what curl commands become, as pages, browsers and people write
// them: the request, or the sentence of the refusal with its place.
func TestPastedCommands(t *testing.T) {
	files, _ := filepath.Glob("testdata/curl/*.txt")
	testkit.Given(t, len(files) >= 40, "%d commands", len(files))
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			data := testkit.Must(os.ReadFile(path))(t)
			command, want, ok := strings.Cut(string(data), curlMark)
			got := becomes(command)
			if *update {
				testkit.OK(t, os.WriteFile(path, []byte(command+curlMark+got), 0o600))
			} else if !ok || got != want {
				t.Errorf("becomes\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// curlEnv is the environment of the tests. A value begins like a key.
func curlEnv(name string) string { return "value-7-of-" + name }

// becomes describes what command asks for.
func becomes(command string) string {
	p, err := ParseCurl(command)
	if err != nil {
		bad, _ := errors.AsType[*CurlError](err)
		return fmt.Sprintf("refused: %v\n%s\n", err, bad.Excerpt)
	}
	var b strings.Builder
	say := func(name string, value any) {
		if s := fmt.Sprint(value); s != "" && s != "[]" && s != "0" && s != "<nil>" && s != "false" {
			fmt.Fprintf(&b, "%s: %s\n", name, s)
		}
	}
	say("reads", strings.Join(p.Needs, ", "))
	r := &Resolver{Env: curlEnv, Flags: Flags{InsecureHTTP: true}}
	target, w, err := r.FromCurl(p)
	if slices.ContainsFunc(p.Needs, func(need string) bool { return need[0] == '@' }) {
		target, w, err = p.named()
	}
	if err != nil {
		return b.String() + "fails: " + err.Error() + "\n"
	}
	say("to", target.URL)
	say("query", target.Query.Encode())
	say("model", target.Model)
	say("server", target.Server)
	say("auth", target.Auth)
	say("key", target.Key.Reveal())
	say("key from", target.KeyFrom)
	for _, k := range sortedKeys(target.Header) {
		say("header", k+": "+target.Header[k])
	}
	say("secret headers", strings.Join(sortedKeys(target.secretHeader), ", "))
	say("secret query", strings.Join(sortedKeys(target.secretQuery), ", "))
	say("cacert", target.CACert)
	say("http2", target.HTTP2)
	if w.System != "" {
		say("system", fmt.Sprintf("%q", w.System))
	}
	if w.Messages == "" {
		say("prompt", fmt.Sprintf("%q", w.Prompt))
	}
	say("messages", w.Messages)
	say("tools", w.Tools)
	if w.MaxTokens > 0 {
		say(target.MaxField, w.MaxTokens)
	}
	if w.Temperature != nil {
		fmt.Fprintln(&b, "temperature:", *w.Temperature)
	}
	if w.Seed != nil {
		fmt.Fprintln(&b, "seed:", *w.Seed)
	}
	if len(target.Extra) > 0 {
		extra, _ := json.Marshal(target.Extra)
		say("extra", string(extra))
	}
	for _, note := range target.Warnings {
		say("note", note)
	}
	return b.String()
}

// TestTypedText holds what typed text means where an endpoint is chosen.
func TestTypedText(t *testing.T) {
	for _, c := range []struct{ typed, want string }{
		{"localhost:8000", "http://localhost:8000"}, {"localhost:8000/v1", "http://localhost:8000/v1"},
		{"localhost", "http://localhost"}, {"10.1.2.3:80", "http://10.1.2.3:80"}, {"192.168.0.9", "http://192.168.0.9"},
		{"[::1]:8080", "http://[::1]:8080"}, {"gpu.local:8000", "https://gpu.local:8000"},
		{"api.example.com/v1?a=b", "https://api.example.com/v1?a=b"}, {"8.8.8.8:443", "https://8.8.8.8:443"},
		{"http://api.example.com/v1", "http://api.example.com/v1"}, {"https://x.y", "https://x.y"},
		{"curl https://me.example/v1/chat/completions?sig=x -d '{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}'",
			"https://me.example"},
		{"unix:///run/llm.sock:/v1", "unix:///run/llm.sock:/v1"}, {"unix:/run/llm.sock", "unix:/run/llm.sock"},
		{"unix://run", ""},
		{"curl unix:///run/llm.sock:/v1/chat/completions -d '{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}'", ""},
		{"ftp://x.y", ""}, {"word", ""}, {"two words.com", ""}, {"http://", ""}, {".", ""}, {"", ""}, {"curl", ""},
		{"curl ", ""},
	} {
		if got, _, err := Typed(c.typed); got.URL != c.want && err == nil || (err == nil) != (c.want != "") {
			t.Errorf("%q: %q %v, want %q", c.typed, got.URL, err, c.want)
		}
	}
}

// TestTypedAddressesNameTheAPI: an address as people paste it says in which API it is asked,
// and for which model, before it is chosen and after.
func TestTypedAddressesNameTheAPI(t *testing.T) {
	const google, vertex = "https://generativelanguage.googleapis.com",
		"https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/google"
	for _, c := range []struct{ typed, api, model string }{
		{"https://api.openai.com/v1", "", ""}, {"https://api.openai.com/v1/chat/completions", "", ""},
		{"https://api.openai.com/v1/completions", "completions", ""}, {"https://api.openai.com/v1/responses", "responses",
			""},
		{"wss://api.openai.com/v1/responses", "responses-ws", ""}, {"ws://127.0.0.1:8080/v1/responses", "responses-ws", ""},
		{"https://chatgpt.com/backend-api/codex/responses", "responses", ""},
		{"https://api.anthropic.com", "messages", ""}, {"https://api.anthropic.com/v1/messages?beta=true", "messages", ""},
		{"https://api.z.ai/api/anthropic", "messages", ""}, {"https://openrouter.ai/api/v1/messages", "messages", ""},
		{google, "gemini", ""}, {google + "/v1beta", "gemini", ""}, {google + "/v1beta/openai/", "", ""},
		{google + "/v1beta/models", "gemini", ""},
		{google + "/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse", "gemini", "gemini-3-flash"},
		{google + "/v1/models/gemini-3-flash:generateContent?key=key-4f1c9a7e", "gemini", "gemini-3-flash"},
		{vertex, "gemini", ""}, {vertex + "/models/gemini-3-flash:streamGenerateContent", "gemini", "gemini-3-flash"},
		{"127.0.0.1:11434", "ollama", ""}, {"http://localhost:11434/v1", "", ""}, {"http://10.0.0.9:8080/api/chat", "ollama",
			""},
		{"http://10.0.0.9:8080/api/tags", "ollama", ""}, {"http://10.0.0.9:8080/api/generate", "ollama-generate", ""},
		{"https://ollama.com", "ollama", ""}, {"https://ollama.com/v1", "", ""},
	} {
		e, _, err := Typed(c.typed)
		testkit.That(t, err == nil && e.API == c.api && e.Model == c.model,
			"%s: API %q, model %q, %v", c.typed, e.API, e.Model, err)
		r := Resolver{Env: func(string) string { return "" }}
		if target, err := r.ForEndpoint(e); err != nil || target.API != c.api || target.Model != c.model {
			t.Errorf("%s chosen: API %q, model %q, %v", c.typed, target.API, target.Model, err)
		}
	}
}

// FuzzParseCurl holds that no text panics, and that what a command says, written again for
// a POSIX shell, says the same. It reads no variable and no file.
func FuzzParseCurl(f *testing.F) {
	files, _ := filepath.Glob("testdata/curl/*.txt")
	for _, path := range files {
		data := testkit.Must(os.ReadFile(path))(f)
		command, _, _ := strings.Cut(string(data), curlMark)
		f.Add(command)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParseCurl(text)
		if err != nil {
			bad, ok := errors.AsType[*CurlError](err)
			testkit.Given(t, ok && bad.Line >= 1 && bad.At <= len(text) && strings.Count(bad.Excerpt, "\n") == 1,
				"%v at %+v", err, bad)
			return
		}
		_ = p.Endpoint()
		again, err := ParseCurl(written(p))
		if err != nil {
			t.Fatalf("%v\nin %q\nfrom %q", err, written(p), text)
		}
		if said(again) != said(p) {
			t.Fatalf("%q\nbecame\n%s\nwas\n%s", written(p), said(again), said(p))
		}
	})
}

// said is what p holds.
func said(p *Pasted) string {
	var texts []string
	for _, h := range p.headers {
		texts = append(texts, h.text)
	}
	return fmt.Sprint(p.Needs, p.url.text, p.http2, texts, p.body.text, p.cacert.text)
}

// written is p as a command for a POSIX shell.
func written(p *Pasted) string {
	word := func(text string) string {
		return needSign.ReplaceAllStringFunc(quoted(text), func(m string) string {
			return `'"${` + strings.Trim(m, "\x00") + `}"'`
		})
	}
	var b strings.Builder
	b.WriteString("curl " + word(p.url.text))
	if p.http2 {
		b.WriteString(" --http2")
	}
	for _, h := range p.headers {
		if path, file := strings.CutPrefix(h.text, "\x00@"); file {
			b.WriteString(" -H " + quoted("@"+strings.TrimSuffix(path, "\x00")))
			continue
		}
		b.WriteString(" -H " + word(h.text))
	}
	if path, file := strings.CutPrefix(p.body.text, "\x00@"); file {
		b.WriteString(" -d " + quoted("@"+strings.TrimSuffix(path, "\x00")))
	} else {
		b.WriteString(" --data-raw " + word(p.body.text))
	}
	if p.cacert.text != "" {
		b.WriteString(" --cacert " + quoted(strings.Trim(p.cacert.text, "\x00")[1:]))
	}
	return b.String()
}
