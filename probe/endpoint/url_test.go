package endpoint

import (
	"net/url"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

func TestParseURL(t *testing.T) {
	for _, c := range []struct {
		in   string
		want string // the candidates, separated by spaces
	}{
		// hosts alone
		{"localhost", "http://localhost/v1 http://localhost"},
		{"localhost:8080", "http://localhost:8080/v1 http://localhost:8080"},
		{"LocalHost:8080/", "http://localhost:8080/v1 http://localhost:8080"},
		{"127.0.0.1:8000", "http://127.0.0.1:8000/v1 http://127.0.0.1:8000"},
		{"127.3.2.1", "http://127.3.2.1/v1 http://127.3.2.1"},
		{"box.localhost:1", "http://box.localhost:1/v1 http://box.localhost:1"},
		{"192.168.1.20:8000", "http://192.168.1.20:8000/v1 http://192.168.1.20:8000"},
		{"10.0.0.7", "http://10.0.0.7/v1 http://10.0.0.7"},
		{"172.16.4.4:30000", "http://172.16.4.4:30000/v1 http://172.16.4.4:30000"},
		{"169.254.9.9:80", "http://169.254.9.9/v1 http://169.254.9.9"},
		{"8.8.8.8:8000", "https://8.8.8.8:8000/v1 https://8.8.8.8:8000"},
		{"gpu-box:8000", "https://gpu-box:8000/v1 https://gpu-box:8000"},
		{"api.example.com", "https://api.example.com/v1 https://api.example.com"},
		{"API.Example.COM:443", "https://api.example.com/v1 https://api.example.com"},
		{"0.0.0.0:8000", "http://127.0.0.1:8000/v1 http://127.0.0.1:8000"},
		{"bücher.example", "https://bücher.example/v1 https://bücher.example"},
		// schemes
		{"http://api.example.com", "http://api.example.com/v1 http://api.example.com"},
		{"HTTPS://api.example.com:8443", "https://api.example.com:8443/v1 https://api.example.com:8443"},
		{"https://localhost:8443/v1", "https://localhost:8443/v1"},
		{"http://h:80/v1", "http://h/v1"},
		{"https://h:0443/v1", "https://h/v1"},
		{"//api.example.com/v1", "https://api.example.com/v1"},
		// unix sockets
		{"unix:///run/llm.sock", "unix:///run/llm.sock:/v1 unix:///run/llm.sock:"},
		{"unix:/run/llm.sock:", "unix:///run/llm.sock:/v1 unix:///run/llm.sock:"},
		{"UNIX:///run/LLM.sock:/v1", "unix:///run/LLM.sock:/v1"},
		{"unix:///run/my%20llm.sock:/v1/chat/completions", "unix:///run/my%20llm.sock:/v1"},
		{"unix:///run/llm.sock:/api", "unix:///run/llm.sock:/api unix:///run/llm.sock:/api/v1"},
		{"unix:///C:/run/llm.sock:/v1", "unix:///C:/run/llm.sock:/v1"},
		// versions and operations
		{"api.example.com/v1", "https://api.example.com/v1"},
		{"https://h/v1/", "https://h/v1"},
		{"https://h//v1//", "https://h/v1"},
		{"https://h/v1beta", "https://h/v1beta"},
		{"https://h/v1p1beta1", "https://h/v1p1beta1"},
		{"https://h/V7QK2MXA", "https://h/V7QK2MXA https://h/V7QK2MXA/v1"},
		{"https://h/v1/chat/completions", "https://h/v1"},
		{"https://h/v1/chat/completions/", "https://h/v1"},
		{"https://h/v1/Chat/Completions", "https://h/v1"},
		{"https://h/v1/completions", "https://h/v1"},
		{"https://h/v1/responses", "https://h/v1"},
		{"https://h/v1/models", "https://h/v1"},
		{"https://h/v1/embeddings", "https://h/v1"},
		{"https://h/chat/completions", "https://h/v1 https://h"},
		{"localhost:11434/v1/chat/completions", "http://localhost:11434/v1"},
		// foreign prefixes
		{"https://api.groq.com/openai/v1", "https://api.groq.com/openai/v1"},
		{"https://h/openai", "https://h/openai https://h/openai/v1"},
		{"https://h/openai/chat/completions", "https://h/openai https://h/openai/v1"},
		{"https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"},
		{"https://api.z.ai/api/paas/v4/chat/completions", "https://api.z.ai/api/paas/v4"},
		{"localhost:12434/engines/v1", "http://localhost:12434/engines/v1"},
		{"localhost:12434/engines/llama.cpp/v1", "http://localhost:12434/engines/llama.cpp/v1"},
		{"https://generativelanguage.googleapis.com/v1beta/openai/",
			"https://generativelanguage.googleapis.com/v1beta/openai " +
				"https://generativelanguage.googleapis.com/v1beta/openai/v1"},
		{"https://h/a%20b/v1", "https://h/a%20b/v1"},
		{"https://h/a/../v1", "https://h/v1"},
		{"https://h/gateway/model-x", "https://h/gateway/model-x https://h/gateway/model-x/v1"},
		// Azure
		{"https://res.openai.azure.com", "https://res.openai.azure.com/openai/v1"},
		{"res.openai.azure.com/", "https://res.openai.azure.com/openai/v1"},
		{"https://res.openai.azure.com/openai/v1/", "https://res.openai.azure.com/openai/v1"},
		{"https://res.openai.azure.com/openai/deployments/gpt-x/chat/completions?api-version=2024-10-21",
			"https://res.openai.azure.com/openai/deployments/gpt-x"},
		{"https://proj.services.ai.azure.com", "https://proj.services.ai.azure.com/openai/v1"},
		// IPv6
		{"::1", "http://[::1]/v1 http://[::1]"},
		{"[::1]", "http://[::1]/v1 http://[::1]"},
		{"[::1]:8080", "http://[::1]:8080/v1 http://[::1]:8080"},
		{"http://[::1]:8080/v1", "http://[::1]:8080/v1"},
		{"[::]:8000", "http://[::1]:8000/v1 http://[::1]:8000"},
		{"[fd00::5]:8000", "http://[fd00::5]:8000/v1 http://[fd00::5]:8000"},
		{"[2001:DB8::1]", "https://[2001:db8::1]/v1 https://[2001:db8::1]"},
		{"[fe80::1%25eth0]:8000", "http://[fe80::1%25eth0]:8000/v1 http://[fe80::1%25eth0]:8000"},
		{"fe80::1%eth0", "http://[fe80::1%25eth0]/v1 http://[fe80::1%25eth0]"},
		{"[::ffff:127.0.0.1]:80", "http://[::ffff:127.0.0.1]/v1 http://[::ffff:127.0.0.1]"},
		// characters that a copy adds
		{"  https://h/v1\n", "https://h/v1"},
		{"\t\"https://h/v1\"", "https://h/v1"},
		{"<https://h/v1>", "https://h/v1"},
		{"'localhost:80'", "http://localhost/v1 http://localhost"},
		{"https://h/v1#models", "https://h/v1"},
		{"https://h/v1?", "https://h/v1"},
		{"localhost:", "http://localhost/v1 http://localhost"},
	} {
		b, err := ParseURL(c.in)
		if err != nil {
			t.Errorf("ParseURL(%q): %v", c.in, err)
			continue
		}
		testkit.Is(t, strings.Join(b.Candidates, " "), c.want, "ParseURL", c.in)
		testkit.Is(t, b.URL, b.Candidates[0], "ParseURL", c.in, ".URL, not the first candidate")
	}
}

func TestParseURLRefuses(t *testing.T) {
	for _, c := range []struct{ in, say, next string }{
		{"", "empty", "127.0.0.1:8080"},
		{"   ", "empty", ""},
		{"https://me:hunter2hunter2@h/v1", "user name or key", "--api-key-file"},
		{"sk-hunter2hunter2@h", "user name or key", "api_key_env"},
		{"https://:hunter2hunter2@h:99999/v1", "user name", ""},
		{"ftp://h/v1", "scheme \"ftp\"", "https://"},
		{"gopher://h/v1", "scheme \"gopher\"", ""},
		{"unix://run/llm.sock", "whole path", "unix:///run/llama.sock"},
		{"unix:///", "whole path", ""},
		{"unix:///run/", "whole path", ""},
		{"unix:llm.sock:/v1", "", ""},
		{"unix:///run/llm%zz.sock", "malformed", ""},
		{"unix:///run/my llm.sock", "space", ""},
		{"unix://user:hunter2@/run/llm.sock", "whole path", ""},
		{"https:/h/v1", "one slash", "https://HOST"},
		{"https://", "host is missing", ""},
		{"https:///v1", "host is missing", ""},
		{"/v1", "host is missing", ""},
		{"?x=1", "host is missing", ""},
		{"h:0", "port", "1"},
		{"h:65536", "port", ""},
		{"h:-1", "port", ""},
		{"h:80x", "port", ""},
		{"a:b:c", "several colons", ""},
		{"[::1", "closing bracket", ""},
		{"[127.0.0.1]:80", "not an IPv6 address", ""},
		{"[::1]80", "other than a port", ""},
		{"fe80::1%e^h", "zone", ""},
		{"[fe80::1%25e%5E]", "zone", ""},
		{"https://h /v1", "space", ""},
		{"https://h/v1\x1b[31m", "control character", ""},
		{"https://h\\v1", "backslash", ""},
		{"https://h/%zz", "malformed", "%"},
		{"https://h/v1?a=%zz", "query", "%"},
		{"https://h/v1?a;b", "query", ""},
		{".example.com:80", "host", ""},
		{"a..b:80", "host", ""},
		{"ex*mple.com", "host", ""},
		{strings.Repeat("a", 5000), "4096", ""},
		{"h/" + strings.Repeat("}", 2000), "4096", ""}, // 6,000 bytes when escaped
	} {
		_, err := ParseURL(c.in)
		if err == nil {
			t.Errorf("ParseURL(%q) was accepted", c.in)
			continue
		}
		if !strings.Contains(message(err), c.say) || !strings.Contains(next(err), c.next) || next(err) == "" {
			t.Errorf("ParseURL(%q): %q, next %q; want words %q and %q", c.in, message(err), next(err), c.say, c.next)
		}
		testkit.That(t, !strings.Contains(err.Error(), "hunter2"), "ParseURL(%q) repeats the userinfo: %v", c.in, err)
	}
}

func TestParseURLParts(t *testing.T) {
	b := testkit.Must(ParseURL("https://Res.openai.azure.com:8443/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21&x=a%20b#frag"))(t)
	want := Base{
		URL:        "https://res.openai.azure.com:8443/openai/deployments/my%20gpt",
		Candidates: []string{"https://res.openai.azure.com:8443/openai/deployments/my%20gpt"},
		Query:      url.Values{"api-version": {"2024-10-21"}, "x": {"a b"}},
		Host:       "res.openai.azure.com", Port: "8443", Deployment: "my gpt", API: "chat",
	}
	testkit.Same(t, b, want)
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST.": true, "a.localhost": false, "127.0.0.1": true, "127.9.9.9": true, "::1": true,
		"[::1]": true, "::ffff:127.0.0.1": true,
		"": false, "localhost.example.com": false, "127.0.0.1.example.com": false, "10.0.0.1": false, "0.0.0.0": false,
		"notlocalhost": false, "2130706433": false, "127.1": false,
	} {
		testkit.Is(t, IsLoopback(host), want, "IsLoopback", host)
	}
}

// FuzzParseURL checks that nothing panics. The result is a stable, usable URL
// without userinfo, query and fragment.
func FuzzParseURL(f *testing.F) {
	for _, s := range []string{"localhost:8080", "https://h/v1/chat/completions?x=1#y", "[::1]:80/a//b", "http://u:p@h",
		"::1", "fe80::1%eth0", "h/%2e%2e/%2F", "https://h/v1/models/models", "//", "a@b", "[fe80::1%25]:1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := ParseURL(s)
		if err != nil {
			testkit.That(t, next(err) != "", "ParseURL(%q): %v has no next step", s, err)
			return
		}
		for _, c := range b.Candidates {
			u, err := url.Parse(c + "/models")
			testkit.OK(t, err, "ParseURL", s, "gave", c)
			if u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Host == "" || u.Scheme != "http" &&
				u.Scheme != "https" {
				t.Fatalf("ParseURL(%q) gave %q", s, c)
			}
			testkit.Need(t, strings.ToLower(u.Hostname()), b.Host, "ParseURL", s, "host …, but net/url reads")
		}
		again, err := ParseURL(b.URL)
		testkit.Given(t, err == nil && (again.URL == b.URL || b.Bare),
			"ParseURL(%q) = %q, and that again = %q, %v", s, b.URL, again.URL, err)
	})
}
