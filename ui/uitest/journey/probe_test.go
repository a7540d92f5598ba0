//go:build !windows

package journey

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// fits fails when a JSON text does not fit a published schema.
func fits(t *testing.T, schema, text string) {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("../../../docs/schema/" + schema + ".schema.json")
	must(t, err)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	if err := s.Validate(doc); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// The text summary: aligned, with the workload beside the figures, nothing on
// stderr where that is no terminal, and the path of the recording.
func TestProbeText(t *testing.T) {
	t.Parallel()
	stdout, stderr, code := command(t, nil, "", "probe", "-n", "3", "-c", "2", "--max-tokens", "12")
	if code != 0 || stderr != "" {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
	for _, want := range []string{"demo · llama-3.1-8b", " tokens in · 12 out · 3 requests · 2 at a time", "TTFT", "TPOT", "speed", "tok/s", "median", "min–max", "3 done", "lag", "session-"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if !regexp.MustCompile(`p95 +p99 +n\n`).MatchString(stdout) || !regexp.MustCompile(`(?m)^TTFT +[\d.]+ ms .* – +– +3$`).MatchString(stdout) {
		t.Errorf("percentiles of three requests:\n%s", stdout)
	}
	if strings.ContainsRune(stdout, 0x1b) {
		t.Error("escape sequences in a file")
	}
	for i, line := range strings.Split(stdout, "\n") {
		if n := len([]rune(line)); n > 240 || i > 2 && n > 100 {
			t.Errorf("line %d is %d wide", i+1, n)
		}
	}
}

// One document, that fits its schema and says what its figures rest on.
func TestProbeJSON(t *testing.T) {
	t.Parallel()
	stdout, _, code := command(t, nil, "", "probe", "-n", "3", "-c", "3", "--max-tokens", "9", "--cold", "--json")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	fits(t, "probe-v1", stdout)
	var doc struct {
		Workload struct {
			Concurrency int
			Connection  string
			MaxTokens   int `json:"max_tokens"`
		}
		Summary  struct{ Requests, Done int }
		Requests []struct {
			Connection struct{ Reused bool }
			Figures    struct {
				PromptTokens *float64 `json:"prompt_tokens"`
				Tokens       *float64 `json:"output_tokens"`
				TTFT         *float64 `json:"ttft_ms"`
			}
		}
	}
	must(t, json.Unmarshal([]byte(stdout), &doc))
	if w := doc.Workload; w.Concurrency != 3 || w.Connection != "cold" || w.MaxTokens != 9 || doc.Summary.Requests != 3 || doc.Summary.Done != 3 || len(doc.Requests) != 3 {
		t.Errorf("%+v", doc)
	}
	for i, r := range doc.Requests {
		if f := r.Figures; r.Connection.Reused || f.PromptTokens == nil || *f.PromptTokens <= 0 || f.Tokens == nil || *f.Tokens != 9 || f.TTFT == nil || !(*f.TTFT > 0) {
			t.Errorf("request %d: %+v", i+1, r)
		}
	}
	warm, _, _ := command(t, nil, "", "probe", "-n", "2", "--max-tokens", "3", "--warm", "--json")
	doc.Requests = nil
	must(t, json.Unmarshal([]byte(warm), &doc))
	for i, r := range doc.Requests {
		if !r.Connection.Reused {
			t.Errorf("warm request %d has made a new connection", i+1)
		}
	}
}

// A line for everything that happens, with times since the request was sent to
// the nanosecond, in the order in which it happened.
func TestProbeNDJSON(t *testing.T) {
	t.Parallel()
	stdout, _, code := command(t, nil, "", "probe", "-n", "2", "--max-tokens", "6", "--ndjson")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	count := map[string]int{}
	last := map[int]float64{}
	precise := 0
	for sc := bufio.NewScanner(strings.NewReader(stdout)); sc.Scan(); {
		fits(t, "ndjson-v1", sc.Text())
		var l struct {
			Type, Stamp string
			ID          int
			T           *float64 `json:"t_ms"`
			Read        *int
		}
		must(t, json.Unmarshal(sc.Bytes(), &l))
		count[l.Type]++
		if l.Type == "event" || l.Type == "chunk" {
			if l.T == nil || *l.T < last[l.ID] || l.Read == nil || l.Stamp != "kernel" && l.Stamp != "user" {
				t.Errorf("after %v ms: %s", last[l.ID], sc.Text())
				continue
			}
			last[l.ID] = *l.T
			if regexp.MustCompile(`"t_ms":\d+\.\d{6}`).MatchString(sc.Text()) {
				precise++
			}
		}
	}
	if count["request"] != 2 || count["done"] != 2 || count["chunk"] < 2 || count["event"] < count["chunk"] || count["error"] != 0 || precise < count["event"] {
		t.Errorf("%v, %d with nanoseconds", count, precise)
	}
}

// The exit code by the objectives: met 0, missed 3, not understood 2. The
// figures are printed all the same.
func TestProbeSLO(t *testing.T) {
	t.Parallel()
	for slo, want := range map[string]int{"ttft=1h,tpot=1h": 0, "ttft=1ns": 3, "nonsense=3": 2} {
		stdout, stderr, code := command(t, nil, "", "probe", "-n", "2", "--max-tokens", "4", "--slo", slo)
		if code != want || want != 2 && !strings.Contains(stdout, "SLO") || want == 2 && !strings.Contains(stderr, "nonsense") {
			t.Errorf("--slo %s: exit code %d, want %d\n%s%s", slo, code, want, stdout, stderr)
		}
	}
}

// The prompt comes from a flag, a file or stdin, and its length from
// --input-tokens; what was sent is in the document.
func TestProbePrompts(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "prompt.txt")
	must(t, os.WriteFile(file, []byte("from a file"), 0o600))
	for _, c := range []struct {
		args        []string
		stdin, want string
	}{
		{[]string{"--prompt", "from a flag"}, "", "from a flag"},
		{[]string{"--prompt-file", file}, "", "from a file"},
		{[]string{"--prompt", "-"}, "from stdin", "from stdin"},
		{[]string{"--prompt-file", "-"}, "from stdin too", "from stdin too"},
	} {
		stdout, stderr, code := command(t, nil, c.stdin, append([]string{"probe", "-n", "1", "--max-tokens", "2", "--json"}, c.args...)...)
		if code != 0 || !strings.Contains(stdout, fmt.Sprintf(`"prompt": %q`, c.want)) {
			t.Errorf("%q: exit code %d, %s\n%s", c.args, code, stderr, stdout)
		}
	}
	tokens := func(n string) float64 {
		stdout, _, _ := command(t, nil, "", "probe", "-n", "1", "--max-tokens", "2", "--json", "--input-tokens", n)
		var doc struct {
			Requests []struct {
				Figures struct {
					PromptTokens float64 `json:"prompt_tokens"`
				}
			}
		}
		if err := json.Unmarshal([]byte(stdout), &doc); err != nil || len(doc.Requests) != 1 {
			t.Fatal(err, stdout)
		}
		return doc.Requests[0].Figures.PromptTokens
	}
	if a, b := tokens("500"), tokens("2000"); a < 350 || a > 700 || b < 1400 || b > 2800 {
		t.Errorf("500 and 2000 tokens of input were %v and %v by the server's count", a, b)
	}
}

// On a terminal a line says how far it is, and is wiped at the end.
func TestProbeProgress(t *testing.T) {
	t.Parallel()
	x := start(t, 100, 30, nil, "probe", "-n", "3", "--max-tokens", "120")
	x.until("of 3 ended")
	x.exits(0)
	x.until("3 done")
	if strings.Contains(x.screen(), "of 3 ended") {
		t.Error("the line of progress was left behind")
	}
}

// A request that takes too long is ended by --timeout, and an interrupted probe
// prints what it has.
func TestProbeEnds(t *testing.T) {
	t.Parallel()
	stdout, _, code := command(t, nil, "", "probe", "-n", "1", "--max-tokens", "4000", "--timeout", "300ms")
	if code != 1 || !strings.Contains(stdout, "1× timeout") || !strings.Contains(stdout, "--timeout") {
		t.Errorf("exit code %d\n%s", code, stdout)
	}
	x := start(t, 100, 30, nil, "probe", "-n", "50", "--max-tokens", "40")
	x.until("1 of 50 ended")
	x.keys("<ctrl+c>")
	x.exits(130)
	x.until("TTFT", "1 stopped", "of 50 requests")
}

// A provider that wants a key is not asked without one.
func TestKeylessProviderIsNotAsked(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"probe", "groq", "-n", "2"}, {"sweep", "groq"}, {"sweep", "groq", "--depth", "1k"}} {
		stdout, stderr, code := command(t, nil, "", args...)
		if code != 4 || stdout != "" || !strings.Contains(stderr, "groq needs a key: set GROQ_API_KEY") {
			t.Errorf("%q: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
}

// Who took the stamps is by choice, and said; a proxy is used as the
// environment says, and shown, without its password.
func TestProbeStampsAndProxy(t *testing.T) {
	t.Parallel()
	stdout, _, code := command(t, nil, "", "probe", "-n", "1", "--max-tokens", "5", "--stamps", "user", "--ndjson")
	if code != 0 || !strings.Contains(stdout, `"stamp":"user"`) || strings.Contains(stdout, `"stamp":"kernel"`) {
		t.Errorf("--stamps user: exit code %d\n%s", code, stdout)
	}
	if stdout, _, _ = command(t, nil, "", "probe", "-n", "1", "--max-tokens", "5", "--stamps", "user"); !strings.Contains(stdout, "user stamps") {
		t.Errorf("the summary does not say whose stamps they are:\n%s", stdout)
	}

	const password = "hunter2-of-the-proxy"
	asked := make(chan string, 10)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Host + " " + r.Header.Get("Proxy-Authorization")
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"by the proxy"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer proxy.Close()
	address := strings.TrimPrefix(proxy.URL, "http://")
	env := []string{"HTTP_PROXY=http://me:" + password + "@" + address}
	for _, form := range [][]string{nil, {"--json"}, {"--ndjson"}} {
		stdout, stderr, code := command(t, env, "", append([]string{"probe", "http://inference.test/v1", "-m", "m", "-n", "1"}, form...)...)
		if code != 0 || !strings.Contains(stdout, address) {
			t.Errorf("%q: exit code %d, the proxy is not shown\n%s%s", form, code, stdout, stderr)
		}
		if strings.Contains(stdout+stderr, password) {
			t.Errorf("%q prints the password of the proxy", form)
		}
		if got := <-asked; !strings.HasPrefix(got, "inference.test Basic ") {
			t.Errorf("the proxy was asked for %q", got)
		}
	}
}
