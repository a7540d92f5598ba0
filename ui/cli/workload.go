package cli

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/ui/prompts"
)

// Workload returns the workload of the settings and the flags: a preset, changed by them. It
// reads stdin or a file when a flag requests that, until ctx ends.
func (c *Common) Workload(ctx context.Context, j *Job) (metrics.Workload, error) {
	return c.workload(ctx, j, j.Settings.String("defaults.workload"))
}

// workload is Workload with the preset of that name; "" is the first one.
func (c *Common) workload(ctx context.Context, j *Job, preset string) (metrics.Workload, error) {
	w, most := prompts.Default(), cmp.Or(max(j.Settings.Int("defaults.max_tokens"), 0), max(j.MaxTokens, 0))
	if j.Pasted != nil && !c.Given("workload") {
		if w = *j.Pasted; !c.Given("max-tokens") {
			most = 0
		}
	} else if preset != "" {
		p, ok := prompts.ByName(preset)
		if !ok {
			names := pick.Each(prompts.All(), func(p *prompts.Preset) string { return strconv.Quote(p.Name) })
			return w, Usage("workload %q: give one of %s", preset, strings.Join(names, ", "))
		}
		w = p.Work
	}
	text, ok, err := c.ReadPrompt(ctx, j.In)
	if err != nil {
		return w, err
	}
	if ok {
		w.Name, w.Prompt, w.InputTokens = prompts.Custom, text, 0
	}
	w.System = cmp.Or(c.System, w.System)
	if c.lengthGiven() {
		if w.InputTokens > 0 && w.InputTokens != c.InputTokens {
			w.Name = prompts.Custom // "1k in" would be untrue
		}
		w.InputTokens = c.InputTokens
	}
	w.MaxTokens = cmp.Or(most, w.MaxTokens)
	if c.Given("temperature") {
		w.Temperature = &c.Temperature
	}
	if c.Given("seed") {
		w.Seed = &c.Seed
	}
	switch j.Settings.String("defaults.connection") {
	case "cold":
		w.Connection = metrics.ReuseCold
	case "warm":
		w.Connection = metrics.ReuseWarm
	}
	if j.Check != nil {
		err = j.Check(&w)
	}
	return w, err
}

// short is Workload with answers of at most that many tokens, unless a length or a
// workload is given.
func (c *Common) short(ctx context.Context, j *Job, most int) (metrics.Workload, error) {
	w, err := c.Workload(ctx, j)
	if s := j.Settings; s.Int("defaults.max_tokens") == 0 && s.String("defaults.workload") == "" &&
		!c.Given("workload") && j.Pasted == nil {
		w.MaxTokens = most
	}
	return w, err
}

// demoWorkload is the screen's default workload for the embedded endpoint:
// about 0.3 s of prefill, then a lively decode.
const demoWorkload = "10k in"

// firstAnswer is the output limit of the first minute, in tokens: about 21 s on
// the default model. A person reads three captions during one answer.
const firstAnswer = 3000

// FirstRun returns w, but at the embedded endpoint a prompt that is long enough for a
// visible prefill, unless the person chose a workload. minute reports that on a screen Live
// is shown to a newcomer, with a long answer: where nothing names the workload or its length.
func (c *Common) FirstRun(w metrics.Workload, j *Job, screen bool) (_ metrics.Workload, minute bool) {
	p, ok := prompts.ByName(demoWorkload)
	if !ok || j.Endpoint.Kind != metrics.EndpointEmbedded || !j.Settings.IsDefault("defaults.workload") ||
		w.Name != prompts.Default().Name || c.Given("input-tokens") {
		return w, false
	}
	p.Work.Connection, p.Work.System, p.Work.Temperature, p.Work.Seed = w.Connection, w.System, w.Temperature, w.Seed
	if most := j.Settings.Int("defaults.max_tokens"); most > 0 {
		p.Work.MaxTokens = most
	} else if minute = screen && !c.NamesWork(); minute {
		p.Work.MaxTokens = firstAnswer
	}
	return p.Work, minute
}

// NamesWork reports whether a flag names the workload. A load then uses it
// too, in place of its own.
func (c *Common) NamesWork() bool {
	names := []string{"prompt", "prompt-file", "workload", "input-tokens", "max-tokens", "curl", "messages"}
	return slices.ContainsFunc(names, c.Given)
}
