package sim

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// idOptions are the words of an id after its hardware, each behind a plus.
const idOptions = "a software, a mode of batching, ep, pp, async, kv-FORMAT, cpu-moe-LAYERS or draft:WHAT:GUESSES"

// applyOptions applies the words of an id to c, and returns the mode of
// batching. Later words win.
func applyOptions(cat *physics.Catalogue, c *physics.Config, words string) (mode engine.Mode, err error) {
	named, moded, async := false, false, false
	for word := range strings.SplitSeq(strings.ToLower(words), "+") {
		if s, ok := physics.StackOf(word); ok {
			c.Stack, named = s, true
			continue
		}
		if m, err := engine.ModeOf(clip(word)); err == nil && word != "" {
			mode, moded = m, true
			continue
		}
		if word == "async" {
			async = true
		} else if err := option(cat, c, word); err != nil {
			return mode, err
		}
	}
	if c.CPULayers > 0 && !named {
		c.Stack, _ = physics.StackOf("llama.cpp")
	}
	c.Stack.Async = c.Stack.Async || async
	if !moded {
		mode = UsualMode(&c.Stack)
	}
	return mode, nil
}

// UsualMode returns the mode of batching of a software: SGLang reads prompts
// before it decodes.
func UsualMode(s *physics.Stack) engine.Mode {
	if s.Key == "sglang" {
		return engine.PrefillFirst
	}
	return engine.Continuous
}

// option applies a word that is neither a software nor a mode nor async.
func option(cat *physics.Catalogue, c *physics.Config, word string) error {
	switch word {
	case "ep":
		c.Sharing = physics.Expert
		return nil
	case "pp":
		c.Sharing = physics.Pipeline
		return nil
	case "cpu-moe":
		c.CPULayers = cmp.Or(c.Model.MoELayers(), c.Model.Layers) // those of a model without experts are refused
		return nil
	}
	if key, ok := strings.CutPrefix(word, "kv-"); ok {
		if slices.ContainsFunc(physics.KVFormats, func(f physics.KVFormat) bool { return f.Key == key }) {
			c.KV = key
			return nil
		}
		return fmt.Errorf("format %q of the cache: known are %s", clip(key),
			keys(physics.KVFormats, func(f physics.KVFormat) string { return f.Key }))
	}
	if n, ok := strings.CutPrefix(word, "cpu-moe-"); ok {
		k, err := strconv.Atoi(n)
		if err != nil || k < 1 {
			return fmt.Errorf("%q: give the layers whose experts are on the CPU, such as cpu-moe-24", clip(word))
		}
		c.CPULayers = k
		return nil
	}
	if spec, ok := strings.CutPrefix(word, "draft:"); ok {
		d, err := ParseDraft(cat, c, spec)
		c.Draft = d
		return err
	}
	return fmt.Errorf("%q is none of %s; software: %s", clip(word), idOptions,
		keys(physics.Stacks, func(s physics.Stack) string { return s.Key }))
}

// ParseDraft reads a draft for the model of c: WHAT:GUESSES, or
// WHAT:GUESSES:ACCEPTANCE. WHAT is eagle3, mtp, or the name of a model, which
// runs in the precision of the target. Without an acceptance it is
// physics.UsualAccept.
func ParseDraft(cat *physics.Catalogue, c *physics.Config, spec string) (*physics.Draft, error) {
	what, rest, _ := strings.Cut(spec, ":")
	count, share, given := strings.Cut(rest, ":")
	k, err := strconv.Atoi(count)
	if err != nil || k < 1 {
		return nil, fmt.Errorf("draft %q: give WHAT:GUESSES, such as eagle3:3 or llama-3.2-1b:4", clip(spec))
	}
	d := &physics.Draft{K: k, Accept: []float64{physics.UsualAccept}}
	if given {
		a, err := strconv.ParseFloat(share, 64)
		if err != nil || !(a >= 0 && a <= 1) {
			return nil, fmt.Errorf("draft %q: an acceptance lies between 0 and 1", clip(spec))
		}
		d.Accept = []float64{a}
	}
	switch what {
	case "eagle3":
		d.Head = physics.EAGLE3Head(c)
	case "mtp":
		d.Head = 2 / float64(c.Model.Layers)
	default:
		m, ok := cat.Model(what)
		if !ok {
			return nil, fmt.Errorf("draft %q: eagle3, mtp or a model", clip(what))
		}
		d.Model, d.Precision = &m, c.Precision
	}
	return d, nil
}
