package dialog

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// smallest are rows of each dialog at 40x12, in their order. The golden file
// has "picker".
var smallest = map[string][]string{
	"drawn": {"╭ prompt ─────────────────────────────╮", "│ prompt [..4000 ]  answer [00,800 ]  │",
		"│ prompts 200 to 4,000, evenly sprea… │"},
	"editor": {"╭ prompt ────────── about 46 tokens ──╮", "│ for every word after it? Use      █ │",
		"│ up to 200 tokens out                │"},
	"field": {"│ prompt [..4000 ]  answer [200    ]  │", "│ 1000, 200..4000, 1000±200 or 100,1… │"},
	"filtered": {"╭ endpoint ───────────────── 4 of 5 ──╮", "│ http                                │",
		"│ ▸ ● work            profile · via … │", "│   ● groq            provider · key… │"},
	"knob": {"╭ model ──────────────────────────────╮", "│   ● llama-3.1-8b    now             │",
		"│ ▸ ○ llama-3.1-70b   141 GB of weig… │", "│ llama-3.1-70b: 141 GB of weights,   │",
		"│ 80 GB of memory                     │"},
	"definitions": {"╭ run 1 as other tools define it ─────╮", "│ tool               TTFT ms  TPOT ms │",
		"│ vLLM before 0.33       120     19.8 │"},
	"sglang": {"│ SGLang 0.5.23          480     13.5 │"},
	"length": {"╭ output length ───────────────── 9 ──╮", "│     16              tokens at most  │",
		"│ ▸ ● 200             in use          │"},
	"lengths": {"╭ prompt ── about 16 + 1,000 tokens ──╮", "│ prompt [1000   ]  answer [200    ]  │",
		"│ a page of input: prefill begins to… │"},
	"lessons": {"╭ the tour ───────────────────── 11 ──╮", "│   ●  1  Two phases     seen         │",
		"│ ▸ ●  2  The prompt     you are here │"},
	"models": {"╭ model ─ work ───────────────────────╮", "│     default         first listed m… │",
		"│ ▸ ● qwen3-32b                       │"},
	"objectives": {"╭ objectives ──────────────────── 9 ──╮", "│ ▸ ● ttft=500ms,tpot=…  50 tok/s pe… │"},
	"custom": {"╭ prompt ────────── about 70 tokens ──╮", "│ В два абзаца, пожалуйста.         │ │",
		"│ 日本語でも。                      │ │", "│     indented                      █ │",
		"│ up to 200 tokens out                │"},
	"palette": {"╭ commands ─────────────── 12 of 31 ──╮", "│ l                                   │",
		"│ ▸ lesson 4: The seesaw  of the tour │", "│   next lens          the next w…  w │"},
	"searching": {"╭ endpoint ───────────────────────────╮", "│ ▸ ● demo            in use · built… │",
		"│ ⠋ looking for servers on this mach… │"},
	"themes": {"╭ theme ──────────────────────── 19 ──╮", "│ ▸ ● scope             green on bla… │",
		"│     paper             ink on paper… │"},
	"url": {"╭ endpoint ───────────────── 0 of 5 ──╮", "│ localhost:9000/v1                   │",
		"│ ▸ → use http://localhost:9000/v1    │"},
	"wrong": {"╭ prompt ── about 16 + 1,000 tokens ──╮", "│ prompt [000..x ]  answer [200    ]  │",
		"│ 1000, 200..4000, 1000±200 or 100,1… │"},
}

// lost are words that the next size leaves out or words otherwise.
var lost = map[string]string{}

// skipped are words that do not count: the count of a list that fits.
var skipped = regexp.MustCompile(`^(\d+)$`)

// TestSmallestTerminal checks the rows that matter in every dialog at 40x12.
func TestSmallestTerminal(t *testing.T) {
	for name := range states() {
		testkit.That(t, len(smallest[name]) != 0 || name == "picker", "%s has no rows", name)
		hasRows(t, name, at(name, 40, 12), smallest[name]...)
	}
}

// TestLargerShowsMore checks the sizes without golden files against those that
// have one.
func TestLargerShowsMore(t *testing.T) {
	steps := [][4]int{{40, 12, 80, 24}, {80, 24, 100, 30}, {120, 40, 200, 50}, {200, 50, 300, 80}}
	golden.Larger(t, slices.Sorted(maps.Keys(states())), steps, skipped, lost, at)
}

// hasRows fails unless rows are in g in their order, each from its first column
// to its end.
func hasRows(t testing.TB, name string, g *draw.Grid, rows ...string) {
	t.Helper()
	at, left := 0, strings.Split(g.Plain(), "\n")
	for _, want := range rows {
		for at < len(left) && strings.TrimRight(left[at], " ") != want {
			at++
		}
		if at == len(left) {
			t.Errorf("%s: no row %q, or not in this order:\n%s", name, want, g.Plain())
			return
		}
		at++
	}
}
