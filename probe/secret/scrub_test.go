package secret

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

func TestScrubPatterns(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"nothing to hide: 401 Unauthorized", "nothing to hide: 401 Unauthorized"},
		{"Authorization: Bearer hunter2hunter2", "Authorization: Bearer [redacted]"},
		{"authorization: hunter2hunter2", "authorization: [redacted]"},
		{`{"Authorization":"Bearer hunter2"}`, `{"Authorization":"Bearer [redacted]"}`},
		{`"Authorization":["Basic aHVudGVyMg=="]`, `"Authorization":["Basic [redacted]"]`},
		{"Bearer hunter2", "Bearer [redacted]"},
		{"Bearer%20hunter2", "Bearer%20[redacted]"},
		{"Bearer authentication is required", "Bearer authentication is required"},
		{"invalid bearer token.", "invalid bearer token."},
		{"Basic dXNlcjpodW50ZXIy", "Basic [redacted]"},
		{"Proxy-Authorization: Basic dXNlcjpodW50ZXIy", "Proxy-Authorization: Basic [redacted]"},
		{"api-key: hunter2", "api-key: [redacted]"},
		{"x-api-key=hunter2&a=b", "x-api-key=[redacted]&a=b"},
		{`{"api_key":"hunter2","n":1}`, `{"api_key":"[redacted]","n":1}`},
		{`{\"api_key\":\"hunter2\",\"n\":1}`, `{\"api_key\":\"[redacted]\",\"n\":1}`},
		{"Ocp-Apim-Subscription-Key: hunter2", "Ocp-Apim-Subscription-Key: [redacted]"},
		{"Incorrect API key provided: hunter2. Find yours at …", "Incorrect API key provided: [redacted] Find yours at …"},
		{"https://user:hunter2@h/v1", "https://[redacted]@h/v1"},
		{"https://hunter2@h/v1", "https://[redacted]@h/v1"},
		{"https://h/v1@x", "https://h/v1@x"},
		{"mail me@example.com", "mail me@example.com"},
		{"GET /v1?key=hunter2&alt=sse", "GET /v1?key=[redacted]&alt=sse"},
		{"https://h/x?a=1&sig=hunter2%2F&b=2", "https://h/x?a=1&sig=[redacted]&b=2"},
		{"Set-Cookie: s=hunter2; Path=/\r\nNext: x", "Set-Cookie: [redacted]\r\nNext: x"},
		{"key sk-proj-hunter2_hunter2-x!", "key [redacted]!"},
		{"sk-hunter2", "[redacted]"},
		{"sk-abcd****wxyz", "[redacted]"},
		{"sk-ab…yz12", "[redacted]"},
		{"sk-ant-api03-hunter2hunter2", "[redacted]"},
		{"gsk_hunter2hunter2", "[redacted]"},
		{"hf_hunter2hunter2", "[redacted]"},
		{"AIzahunter2hunter2", "[redacted]"},
		{"xai-hunter2hunter2", "[redacted]"},
		{"nvapi-hunter2hunter2", "[redacted]"},
		{"ghp_hunter2hunter2 github_pat_hunter2hunter2", "[redacted] [redacted]"},
		{"AKIAHUNTER2HUNTER2", "[redacted]"},
		{"eyJhbGciOiJI.eyJzdWIi.c2ln", "[redacted]"},
		{"the task-force asked risk-averse people", "the task-force asked risk-averse people"},
		{"password=hunter2;db=x", "password=[redacted];db=x"},
		{"Bearer [redacted]", "Bearer [redacted]"},
		{"", ""},
	} {
		for name, s := range map[string]*Scrubber{"nil": nil, "empty": NewScrubber()} {
			testkit.Is(t, s.String(c.in), c.want, name, "scrubber", c.in)
			testkit.Is(t, s.String(c.want), c.want, name, "scrubber is not stable on")
		}
	}
}

// forms returns the forms in which a server may return a key.
func forms(key string) map[string]string {
	j, _ := json.Marshal(key)
	jj, _ := json.Marshal(string(j))
	var hexed, unicoded strings.Builder
	for i := range len(key) {
		fmt.Fprintf(&hexed, "%%%02x", key[i])
	}
	for _, r := range key {
		fmt.Fprintf(&unicoded, `\u%04X`, r)
	}
	var twice strings.Builder
	for i := range len(key) {
		fmt.Fprintf(&twice, "%%25%02X", key[i])
	}
	inner := string(j[1 : len(j)-1])
	return map[string]string{
		"plain": key, "query": url.QueryEscape(key), "path": url.PathEscape(key), "hexed": hexed.String(),
		"json": inner, "json in json": string(jj[3 : len(jj)-3]), "slashes": strings.ReplaceAll(inner, "/", `\/`),
		"unicode":     unicoded.String(),
		"base64":      base64.StdEncoding.EncodeToString([]byte(key)),
		"basic":       base64.StdEncoding.EncodeToString([]byte("user:" + key)),
		"basic url":   base64.RawURLEncoding.EncodeToString([]byte("ab:" + key + "!")),
		"quoted":      fmt.Sprintf("%q", key),
		"twice hexed": twice.String(), "query in query": url.QueryEscape(url.QueryEscape(key)),
	}
}

// keys draws keys of 8 to 80 bytes that cleanKey accepts.
func keys() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		n := rapid.IntRange(minSecret, 80).Draw(t, "n")
		return string(rapid.SliceOfN(rapid.OneOf(rapid.ByteRange('!', '~'), rapid.SampledFrom([]byte(`\"/&<>+%='u0sk-`))), n,
			n).Draw(t, "key"))
	})
}

// TestScrubRemovesKnownKeys checks that no known key survives, in any form
// and with any neighbors.
func TestScrubRemovesKnownKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := keys().Draw(t, "key")
		s := NewScrubber(NewSecret("another-key-of-ours"), NewSecret(key))
		before := rapid.SampledFrom([]string{"", "x", " ", `{"error":"`, "key=", "…", "ab", "abc", "%", "&"}).Draw(t,
			"before")
		after := rapid.SampledFrom([]string{"", " ", `"}`, "&x=1", "é", "\n"}).Draw(t, "after")
		for name, form := range forms(key) {
			got := s.String(before + form + after)
			testkit.Given(t, !strings.Contains(got, form), "%s form survives: %q in %q", name, form, got)
			testkit.Given(t, !strings.Contains(got, key), "%s form: the key survives in %q", name, got)
			again := s.String(got)
			testkit.Given(t, !strings.Contains(again, key), "%s form: the key comes back in %q", name, again)
		}
	})
}

// TestScrubRemovesCutKeys checks that a key cut by the end of the text is
// removed from its fourth byte on.
func TestScrubRemovesCutKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := keys().Draw(t, "key")
		s := NewScrubber(NewSecret(key))
		for _, name := range []string{"plain", "query", "path", "hexed", "json", "unicode"} {
			form := forms(key)[name]
			cut := rapid.IntRange(1, len(form)).Draw(t, "cut "+name)
			body := "the key is " + form[:cut]
			got := s.String(body)
			if cut < 6*(minPrefix+1) {
				continue // the text may hold fewer than four of its bytes: the longest escape has six
			}
			testkit.Given(t, strings.HasPrefix(got, "the key is ") && got != body,
				"%s form cut after %d of %d: %q stays", name, cut, len(form), got)
		}
		for cut := minPrefix; cut <= len(key); cut++ {
			if got := s.String(strings.Repeat("x", 40) + key[:cut]); strings.HasSuffix(got, key[:cut]) &&
				!strings.HasSuffix(Redacted, key[:cut]) {
				t.Fatalf("cut after %d bytes: %q stays", cut, got[len(got)-20:])
			}
		}
	})
}

func TestScrubLeavesWordsAlone(t *testing.T) {
	s := NewScrubber(NewSecret("EMPTY"), NewSecret("x"), NewSecret("ollama"), NewSecret(""))
	for _, text := range []string{"the EMPTY string", "ollama runs", "xxx"} {
		testkit.Is(t, s.String(text), text)
	}
	testkit.Lacks(t, s.String("Authorization: Bearer ollama"), "ollama")
}

func TestScrubLongestKeyFirst(t *testing.T) {
	s := NewScrubber(NewSecret("hunter2-short"), NewSecret("hunter2-short-and-long"))
	testkit.Is(t, s.String("a hunter2-short-and-long b hunter2-short c"), "a [redacted] b [redacted] c")
}

func TestScrubberIsConcurrent(t *testing.T) {
	s := NewScrubber()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			key := fmt.Sprintf("hunter2-%d-hunter2", i)
			for range 50 {
				s.Add(NewSecret(key))
				testkit.Is(t, s.String("a "+key+" b"), "a [redacted] b")
				testkit.That(t, s.Hit([]byte(key)), "Hit misses %q", key)
			}
		})
	}
	wg.Wait()
	n := len(*s.needles.Load())
	testkit.That(t, n <= 8*10, "%d needles: the same key was added twice", n)
}

// A key without its first bytes is removed whole where the rest cannot be an
// ordinary word.
func TestScrubRemovesEndsOfKeys(t *testing.T) {
	const key = "h5Kq9-zWm2_Tx7Lp4Rv8"
	s := NewScrubber(NewSecret(key))
	for name, form := range map[string]string{
		"without 1": key[1:], "without 4": key[4:], "without half": key[len(key)/2:],
	} {
		for _, around := range [][2]string{{"", ""}, {`{"error":"the key `, ` is bad"}`}, {"x=", "&y=1"}} {
			in := around[0] + form + around[1]
			testkit.Is(t, s.String(in), around[0]+Redacted+around[1], name, in)
			testkit.That(t, s.Hit([]byte(in)), "%s: Hit misses %q", name, in)
		}
	}
	for _, text := range []string{key[len(key)-8:] + " is too short", "half Kq9"} {
		testkit.Is(t, s.String(text), text)
	}
	words := NewScrubber(NewSecret("our-inference-gateway"))
	for _, text := range []string{"the reference gateway", "ference-gateway"} {
		testkit.Is(t, words.String(text), text)
	}
}

// TestHitAgreesWithString checks that text without a hit holds no key in any
// form that a JSON decoder would turn into one.
func TestHitAgreesWithString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := keys().Draw(t, "key")
		s := NewScrubber(NewSecret(key))
		for _, name := range []string{"plain", "json", "slashes", "unicode", "base64", "basic"} {
			if form := forms(key)[name]; !s.Hit([]byte(`{"content":"` + form + `"}`)) {
				t.Fatalf("Hit misses the %s form %q", name, form)
			}
		}
		if s.Hit([]byte(`{"content":"plain words \u00e9 \n"}`)) {
			t.Fatal("Hit where there is no key")
		}
	})
	s := NewScrubber(NewSecret("sk-hunter2hunter2"))
	event := []byte(`{"choices":[{"delta":{"content":"words \u00e9\u00e9 and s \\u and \n"}}]}`)
	testkit.Allocates(t, 0, 100, func() { s.Hit(event) }, "Hit")
	var none *Scrubber
	if none.Hit(event) {
		t.Error("a nil Scrubber hits")
	}
}

// FuzzScrub checks that nothing panics, that the key is gone, and that the
// result is stable.
func FuzzScrub(f *testing.F) {
	f.Add("the key is ", "sk-hunter2hunter2", " end")
	f.Add(`{"k":"\`, `a\u0041\\"bcdefgh`, `"}`)
	f.Add("%4", "1hunter2%41", "%")
	f.Add("&am", "&amp;hunter2", ";")
	f.Add("\\\\\\ud83d", "\\hunter2", "\\ude00")
	f.Fuzz(func(t *testing.T, before, key, after string) {
		if len(key) < minSecret || len(key) > 400 || strings.Contains(Redacted, key) {
			return
		}
		s := NewScrubber(NewSecret(key))
		got := s.String(before + key + after)
		testkit.Given(t, !strings.Contains(got, key) || strings.Contains(key, "[redacted"),
			"the key %q survives in %q", key, got)
		s.Hit([]byte(got))
	})
}

func BenchmarkScrub(b *testing.B) {
	s := NewScrubber(NewSecret("sk-proj-0123456789abcdef0123456789abcdef"))
	text := strings.Repeat(`{"error":{"message":"something went wrong","type":"server_error"}} `, 70)[:4096]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s.String(text)
	}
}

func BenchmarkHit(b *testing.B) {
	s := NewScrubber(NewSecret("sk-proj-0123456789abcdef0123456789abcdef"))
	event := []byte(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"m","choices":[{"index":0,"delta":{"content":" words\n"},"finish_reason":null}]}`)
	b.ReportAllocs()
	for b.Loop() {
		s.Hit(event)
	}
}
