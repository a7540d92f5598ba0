//go:build !windows

package journey

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tokscope/metrics/testkit"
)

// fits fails when a JSON text does not fit a published schema.
func fits(t *testing.T, schema, text string) {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("../../../docs/schema/" + schema + ".schema.json")
	must(t, err)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	testkit.OK(t, err, "in", text)
	testkit.Is(t, s.Validate(doc), nil, text)
}

// A line for everything that happens, with times since the request was sent to
// the nanosecond, in the order in which it happened.
func TestProbeNDJSON(t *testing.T) {
	t.Parallel()
	stdout, _, code := command(t, nil, "", "probe", "-n", "2", "--max-tokens", "6", "--ndjson")
	testkit.Is(t, code, 0, "exit code")
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
	if count["request"] != 2 || count["done"] != 2 || count["chunk"] < 2 || count["event"] < count["chunk"] ||
		count["error"] != 0 || precise < count["event"] {
		t.Errorf("%v, %d with nanoseconds", count, precise)
	}
}

// The prompt comes from a file, and has its length from --input-tokens.
func TestProbePrompts(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "prompt.txt")
	must(t, os.WriteFile(file, []byte("from a file"), 0o600))
	tokens := func(args ...string) float64 {
		args = append([]string{"probe", "-n", "1", "--max-tokens", "2", "--json", "--prompt-file", file}, args...)
		stdout, _, _ := command(t, nil, "", args...)
		var doc struct {
			Requests []struct {
				Figures struct {
					PromptTokens float64 `json:"prompt_tokens"`
				}
			}
		}
		must(t, json.Unmarshal([]byte(stdout), &doc))
		if len(doc.Requests) != 1 || !strings.Contains(stdout, "from a file") {
			t.Fatal(stdout)
		}
		return doc.Requests[0].Figures.PromptTokens
	}
	if a, b := tokens("--input-tokens", "500"), tokens("--input-tokens", "2000"); a < 350 || a > 700 || b < 1400 ||
		b > 2800 {
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
	testkit.Lacks(t, x.screen(), "of 3 ended")
}

// An interrupted probe prints what it has.
func TestProbeEnds(t *testing.T) {
	t.Parallel()
	x := start(t, 100, 30, nil, "probe", "-n", "50", "--max-tokens", "40")
	x.until("1 of 50 ended")
	x.keys("<ctrl+c>")
	x.exits(130)
	x.until("TTFT", "1 stopped", "of 50 requests")
}

// A proxy is used as the environment says, and shown, without its password.
func TestProbeProxy(t *testing.T) {
	t.Parallel()
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
		stdout, stderr, code := command(t, env, "", append([]string{"probe", "http://inference.test/v1", "-m", "m", "-n",
			"1"}, form...)...)
		testkit.That(t, code == 0 && strings.Contains(stdout, address),
			"%q: exit code %d, the proxy is not shown\n%s%s", form, code, stdout, stderr)
		testkit.That(t, !strings.Contains(stdout+stderr, password), "%q prints the password of the proxy", form)
		got := <-asked
		testkit.That(t, strings.HasPrefix(got, "inference.test Basic "), "the proxy was asked for %q", got)
	}
}
