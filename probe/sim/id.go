package sim

import (
	"fmt"
	"strconv"
	"strings"

	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// ParseID parses the id of a model on hardware:
//
//	model[-precision]@[count x]hardware[+software][+mode]
//
// Examples are "llama-3.1-8b@h100", "llama-3.3-70b-fp8@2xh100+nim" and
// "llama-2-7b@a100+static". The default precision is the model's usual one.
// The default count is one device, or for a dataflow machine as many as hold
// the model. The error names the unknown part and the known values.
func ParseID(id string) (c physics.Config, mode engine.Mode, err error) {
	id, rest, _ := strings.Cut(id, "+")
	if c, err = parsePair(id); err != nil || rest == "" {
		return c, mode, err
	}
	for word := range strings.SplitSeq(strings.ToLower(rest), "+") {
		if s, ok := physics.StackOf(word); ok {
			c.Stack = s
		} else if mode, err = engine.ModeOf(clip(word)); err != nil || word == "" {
			return c, mode, fmt.Errorf("%q is neither a software (%s) nor a mode of batching: %w", clip(word), keys(physics.Stacks, func(s physics.Stack) string { return s.Key }), err)
		}
	}
	return c, mode, nil
}

func parsePair(id string) (physics.Config, error) {
	var c physics.Config
	name, on, ok := strings.Cut(strings.ToLower(strings.TrimSpace(id)), "@")
	if !ok {
		return c, fmt.Errorf("model %q: expected model@hardware, as in %s", clip(id), DefaultModel)
	}
	if n, rest, ok := strings.Cut(on, "x"); ok {
		if k, err := strconv.Atoi(n); err == nil && k > 0 {
			c.TP, on = k, rest
		}
	}
	if c.Hardware, ok = physics.Machine(on); ok && c.TP == 0 && c.Hardware.Flow == nil {
		c.TP = 1
	}
	if !ok {
		return c, fmt.Errorf("hardware %q: known are %s", clip(on), keys(physics.Machines, func(h physics.Hardware) string { return h.Key }))
	}
	precision := ""
	if c.Model, ok = physics.ModelOf(name); !ok {
		i := strings.LastIndexByte(name, '-')
		if i > 0 {
			c.Model, ok = physics.ModelOf(name[:i])
			precision = name[i+1:]
		}
		if !ok {
			return c, fmt.Errorf("model %q: known are %s", clip(name), keys(physics.Models, func(m physics.Model) string { return m.Key }))
		}
	}
	if precision == "" {
		precision = c.Model.Native
	}
	if precision == "" {
		precision = "bf16"
	}
	if c.Precision, ok = physics.PrecisionOf(precision); !ok {
		return c, fmt.Errorf("precision %q: known are %s", clip(precision), keys(physics.Precisions, func(p physics.Precision) string { return p.Key }))
	}
	c.Stack, _ = physics.StackOf(stackFor(&c))
	return c, nil
}

// stackFor returns the usual serving software for c's hardware.
func stackFor(c *physics.Config) string {
	switch {
	case c.Hardware.Key == "1tb":
		return "ideal"
	case c.Hardware.Flow != nil:
		return "flow"
	case c.Hardware.MaxTP == 1, c.Precision.Key == "q4", c.Precision.Key == "q8":
		return "llama.cpp"
	}
	return "vllm"
}

func keys[T any](all []T, key func(T) string) string {
	var l []string
	for _, x := range all {
		l = append(l, key(x))
	}
	return strings.Join(l, ", ")
}

// clip bounds text from outside before a message repeats it.
func clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}
