//go:build !windows

package journey

import (
	"encoding/json"
	"strings"
	"testing"
)

// tinyRace are flags that make a race short.
var tinyRace = []string{"--max-tokens", "8", "--record=false", "--pairs", "2", "--all-pairs"}

// TestRaceHeadless runs races of the built program without key or network: the
// document and the lines fit their schemas, and a target that fails throughout has
// its exit code.
func TestRaceHeadless(t *testing.T) {
	t.Parallel()
	run := func(args ...string) (string, string, int) {
		return command(t, nil, "", append(append([]string{"race"}, args...), tinyRace...)...)
	}
	stdout, stderr, code := run("llama-3.1-8b@h100", "llama-3.1-8b-q4@m3max", "--json", "--order-seed", "7")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, stderr %q", code, stderr)
	}
	fits(t, "race-v1", stdout)
	var doc struct {
		Ended   string
		Setup   struct{ Seed string }
		Verdict []struct {
			Figure, State, Text string
			Ratio               *float64
		}
		Pairs []struct {
			Dropped bool
			Results []struct {
				TTFT *float64 `json:"ttft_ms"`
			}
		}
	}
	must(t, json.Unmarshal([]byte(stdout), &doc))
	if doc.Ended != "pairs" || doc.Setup.Seed != "7" || len(doc.Verdict) != 5 || len(doc.Pairs) != 3 || !doc.Pairs[0].Dropped {
		t.Errorf("%+v", doc)
	}
	if v := doc.Verdict[1]; v.Figure != "tpot" || v.State != "undecided" || v.Ratio == nil || *v.Ratio < 1.5 || v.Text != "too few: 2 of 11 pairs" {
		t.Errorf("two pairs settle nothing, and the laptop is slower: %+v", v)
	}

	stdout, _, code = run("demo", "demo+cold", "--ndjson")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != 0 || len(lines) != 5 {
		t.Fatalf("exit code %d, %d lines", code, len(lines))
	}
	for _, line := range lines {
		fits(t, "race-lines-v1", line)
	}

	stdout, _, code = run("demo", "http://127.0.0.1:1")
	if code != 1 || !strings.Contains(stdout, "http://127.0.0.1:1 failed in every round.") || !strings.Contains(stdout, "B 3 connect of 3 requests") {
		t.Errorf("a target that fails throughout: exit code %d\n%s", code, stdout)
	}
	if _, stderr, code = run("demo+http2", "demo"); code != 4 || !strings.Contains(stderr, "+http2 needs https") {
		t.Errorf("what a target cannot do: exit code %d, %q", code, stderr)
	}
}

// TestRaceOnScreen races the built program in a terminal to its bound: text in both
// columns, a lane shown as recorded, the end announced to the terminal, and the
// verdicts in the scrollback.
func TestRaceOnScreen(t *testing.T) {
	t.Parallel()
	x := start(t, 120, 40, nil, append([]string{"race", "llama-3.1-8b@h100", "llama-3.1-8b-q4@m3max"}, tinyRace...)...)
	x.until("3 Race", "A llama-3.1-8b@h100", "B llama-3.1-8b-q4@m3max", "recorded", "Between your", "the bound of 2 pairs is reached")
	x.wait("a notification", func() bool { return strings.Contains(x.written(), "\x1b]9;tokscope: ") })
	x.quits()
	x.restored()
	if text := x.screen(); !strings.Contains(text, "too few: 2 of 11 pairs") {
		t.Errorf("no verdicts in the scrollback:\n%s", text)
	}
}
