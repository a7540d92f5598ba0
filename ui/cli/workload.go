package cli

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/ui/prompts"
)

// Defaults are the settings that shape a workload, merged from flags,
// environment and file.
type Defaults struct {
	Preset     string                        // name of the workload; "": the first preset
	MaxTokens  int                           // output limit; 0: the target's, else the preset's
	TargetMax  int                           // output limit of the target's profile; 0: none
	Connection string                        // "cold", "warm"; anything else: as it comes
	Pasted     *metrics.Workload             // of --curl or --messages, in place of the other defaults; nil without them
	Check      func(*metrics.Workload) error // refuses what must not be sent; nil: nothing
}

// Workload returns the workload of the flags: a preset, changed by them. It
// reads stdin or a file when a flag requests that, until ctx ends.
func (c *Common) Workload(ctx context.Context, d Defaults, stdin io.Reader) (metrics.Workload, error) {
	w := prompts.Default()
	if d.Pasted != nil && !c.Given("workload") {
		if w = *d.Pasted; !c.Given("max-tokens") {
			d.MaxTokens, d.TargetMax = 0, 0
		}
	} else if d.Preset != "" {
		p, ok := prompts.ByName(d.Preset)
		if !ok {
			names := pick.Each(prompts.All(), func(p *prompts.Preset) string { return strconv.Quote(p.Name) })
			return w, Usage("workload %q: give one of %s", d.Preset, strings.Join(names, ", "))
		}
		w = p.Work
	}
	text, ok, err := c.ReadPrompt(ctx, stdin)
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
	w.MaxTokens = cmp.Or(max(d.MaxTokens, 0), max(d.TargetMax, 0), w.MaxTokens)
	if c.Given("temperature") {
		w.Temperature = &c.Temperature
	}
	if c.Given("seed") {
		w.Seed = &c.Seed
	}
	switch d.Connection {
	case "cold":
		w.Connection = metrics.ReuseCold
	case "warm":
		w.Connection = metrics.ReuseWarm
	}
	if d.Check != nil {
		err = d.Check(&w)
	}
	return w, err
}

// short is Workload with answers of at most that many tokens, unless a length or a
// workload is given.
func (c *Common) short(ctx context.Context, j *Job, most int) (metrics.Workload, error) {
	d := j.defaults()
	w, err := c.Workload(ctx, d, j.In)
	if d.MaxTokens == 0 && d.Preset == "" && !c.Given("workload") && d.Pasted == nil {
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

// FirstRun returns the workload of the embedded endpoint's first run: w with a prompt
// that is long enough for a visible prefill, unless the person chose a workload. chosen
// reports that a setting names it. minute reports that on a screen Live is shown to a
// newcomer, with a long answer: where nothing names the workload or its length.
func (c *Common) FirstRun(w metrics.Workload, d Defaults, chosen, screen bool) (_ metrics.Workload, minute bool) {
	p, ok := prompts.ByName(demoWorkload)
	if !ok || chosen || w.Name != prompts.Default().Name || c.Given("input-tokens") {
		return w, false
	}
	p.Work.Connection, p.Work.System, p.Work.Temperature, p.Work.Seed = w.Connection, w.System, w.Temperature, w.Seed
	if d.MaxTokens > 0 {
		p.Work.MaxTokens = d.MaxTokens
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
