// Package prompts holds the ready-made workloads of the prompt editor. A
// preset is one entry of the table below.
package prompts

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/pick"
)

// Preset is a named workload with a description.
type Preset struct {
	Name  string // short and lower-case: tab in the editor, Workload.Name
	About string // one phrase of description
	Work  metrics.Workload
}

// Custom is the name of a workload written by the user.
const Custom = "custom"

// table holds the presets, the default first. Artificial Analysis compares
// providers with the input sizes of "1k in" and "10k in": about 1,000 and
// 10,000 input tokens (artificialanalysis.ai/methodology).
var table = []Preset{
	{"chat", "a short question, an answer of a paragraph or two", metrics.Workload{
		Prompt: "Explain to a curious person how a language model " +
			"answers: what happens between the question and the first word, " +
			"and what happens for every word after it? Use plain words and no lists.",
		MaxTokens: 200}},
	{"1k in", "a page of input: prefill begins to show", metrics.Workload{
		Prompt:      "What do these notes have in common? Answer in two paragraphs.",
		InputTokens: 1000, MaxTokens: 200}},
	{"10k in", "a long document: the wait is prefill", metrics.Workload{
		Prompt:      "Sum up these notes in three paragraphs.",
		InputTokens: 10000, MaxTokens: 300}},
	{"code", "code: predictable tokens, good for draft models", metrics.Workload{
		Prompt: "Write a Go function that merges two sorted slices " +
			"of int into a new sorted slice, with a table-driven test. " +
			"Give only the code, with short comments.",
		MaxTokens: 400}},
	{"long answer", "1,000 tokens out: does the speed hold?", metrics.Workload{
		Prompt: "Tell the story of a lighthouse keeper who measures " +
			"everything: the tides, the light, the wait between two ships. " +
			"Take your time; about eight hundred words.",
		MaxTokens: 1000}},
}

// All returns the presets, the default first. Each workload has its preset's
// name.
func All() []Preset {
	out := slices.Clone(table)
	for i := range out {
		out[i].Work.Name = out[i].Name
	}
	return out
}

// Default returns the first preset's workload.
func Default() metrics.Workload { return All()[0].Work }

// Race returns the initial workload of a race: short answers, long enough for a
// TPOT, so that 30 pairs of two lanes cost about 6,000 tokens and take less than
// 40 s on the embedded endpoint.
func Race() metrics.Workload {
	w := Default()
	w.MaxTokens = 40
	return w
}

// WatchTokens bounds the answers of a watch: short ones, long enough for a TPOT.
const WatchTokens = 24

// Story asks for answers that end at their limit.
const Story = "Go on with the story below, in as many words as you may."

// Load returns the initial workload of every user of a load. It is the preset
// of most server comparisons, 1,000 tokens in and 200 out.
func Load() metrics.Workload { return All()[1].Work }

// ByName returns the preset with that name.
func ByName(name string) (Preset, bool) {
	return pick.Value(All(), func(p *Preset) bool { return p.Name == name })
}

// Lengths are the output bounds that [ and ] select, in tokens. 0 leaves the
// bound to the server.
var Lengths = []int{16, 50, 100, 200, 400, 800, 1600, 3200, 0}

// Step returns the length next to n in the direction of by (-1 or 1), or n at
// the ends.
func Step(n, by int) int {
	bounds := Lengths[:len(Lengths)-1] // 0, the last, is above all of them
	i, found := slices.BinarySearch(bounds, n)
	if n <= 0 {
		i, found = len(bounds), true
	}
	if by > 0 && !found {
		by = 0 // i is the next above
	}
	return Lengths[min(max(i+by, 0), len(bounds))]
}
