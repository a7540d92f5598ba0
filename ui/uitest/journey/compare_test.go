//go:build !windows

package journey

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// TestCompareHeadless compares results that the built program wrote: two machines
// need --allow, the slower one is named with what explains it, --fail-if has its
// exit code, and the document fits its schema.
func TestCompareHeadless(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	measure := func(name string, args ...string) string {
		stdout, stderr, code := command(t, nil, "", append([]string{"probe", "-n", "7", "--max-tokens", "8",
			"--record=false", "-q"}, args...)...)
		testkit.Given(t, code == 0, "%v: exit code %d, %s", args, code, stderr)
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(stdout), 0o600))
		return path
	}
	fast, slow := measure("fast.json", "llama-3.1-8b@h100", "--json"), measure("slow.ndjson", "qwen3-14b-fp8@dgx-spark",
		"--ndjson")
	if _, stderr, code := command(t, nil, "", "compare", fast, slow); code != 2 ||
		!strings.Contains(stderr, "other model") || !strings.Contains(stderr, "--allow model") {
		t.Errorf("another model: exit code %d, %s", code, stderr)
	}
	stdout, stderr, code := command(t, nil, "", "compare", fast, slow, "--allow", "model", "--json", "--fail-if",
		"ttft > 2x", "--fail-if", "ttft.p99 > 9s")
	testkit.Given(t, code == 3 && stderr == "", "exit code %d, stderr %q", code, stderr)
	fits(t, "compare-v1", stdout)
	var doc struct {
		Summary string
		Pairs   []struct {
			Figures []struct {
				Figure, State string
				Ratio         *float64
			}
		}
		FailIf []struct{ Outcome string } `json:"fail_if"`
	}
	must(t, json.Unmarshal([]byte(stdout), &doc))
	if len(doc.Pairs) != 1 || len(doc.FailIf) != 2 || doc.FailIf[0].Outcome != "met" || doc.FailIf[1].Outcome == "met" ||
		!strings.HasPrefix(doc.Summary, "TTFT of B is ") {
		t.Errorf("%s", stdout)
	}
	for _, f := range doc.Pairs[0].Figures {
		testkit.That(t, f.Figure != "prefill" && f.Figure != "tpot" || f.State == "higher", "%+v", f)
	}
	file, err := os.ReadFile(fast)
	must(t, err)
	if stdout, stderr, code = command(t, nil, string(file), "compare", "-", fast); code != 0 ||
		!strings.Contains(stdout, "TTFT unchanged within") {
		t.Errorf("a result with itself: exit code %d, %s%s", code, stdout, stderr)
	}
}
