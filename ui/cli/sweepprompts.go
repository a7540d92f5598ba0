package cli

import (
	"context"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/prompts"
)

// maxPrompts limits the prompts of a sweep. More would be a data set, and
// show no more about a server.
const maxPrompts = 10_000

// readWork reads the workload's flags beyond those of Common.
func (o *Sweep) readWork(ctx context.Context, l *sweepLists) (err error) {
	if o.Given("input-tokens") {
		if o.Input, err = parseLengths("input-tokens", l.input); err != nil {
			return err
		}
	}
	if o.Given("output-tokens") {
		if o.Output, err = parseLengths("output-tokens", l.output); err != nil {
			return err
		}
		if o.Given("max-tokens") {
			return Usage("--output-tokens and --max-tokens exclude each other: both limit the output")
		}
	}
	if o.PromptsFile == "" {
		return nil
	}
	if o.Given("prompt") || o.Given("prompt-file") || o.Given("workload") {
		return Usage("--prompts takes the place of --prompt, --prompt-file and --workload: choose one")
	}
	o.Prompts, err = readPrompts(ctx, o.PromptsFile)
	return err
}

// readPrompts reads one prompt from each line and skips blank lines. The end of
// ctx ends the wait for the file.
func readPrompts(ctx context.Context, path string) ([]string, error) {
	data, err := readFile(ctx, path, maxPrompt)
	switch {
	case CodeOf(err) == ExitInterrupted:
		return nil, err
	case err != nil:
		return nil, Usage("--prompts cannot be read: %v", err)
	case len(data) > maxPrompt:
		return nil, Usage("--prompts: the file is larger than %d MiB", maxPrompt>>20)
	}
	var out []string
	for l := range strings.Lines(string(data)) {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	if len(out) == 0 || len(out) > maxPrompts {
		return nil, Usage("--prompts: %s holds %d prompts, give 1 to %d, one a line", path, len(out), maxPrompts)
	}
	return out, nil
}

// rotate returns w with the file's prompts in rotation. Its own prompt is the
// first of them.
func (o *Sweep) rotate(w metrics.Workload) metrics.Workload {
	if len(o.Prompts) == 0 {
		return w
	}
	w.Name, w.Prompt = prompts.Custom, o.Prompts[0]
	if !o.Given("input-tokens") {
		w.InputTokens = 0
	}
	return w
}
