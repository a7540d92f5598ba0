package sim

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/probe/endpoint"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// ParseID parses the id of a model on hardware:
//
//	model[-precision]@[count x]hardware[+software][+mode][+option …]
//
// Model and hardware are names or aliases of the catalogue; nil has the built-in ones.
// Examples are "llama-3.1-8b@h100", "llama-3.3-70b-fp8@2xh100+nim",
// "llama-2-7b@a100+static" and "deepseek-r1@8xh200+ep+kv-fp8". The options are ep and
// pp (how a group shares the model), async, kv-FORMAT, cpu-moe-LAYERS and
// draft:WHAT:GUESSES. The default precision is the model's usual one.
// The default count is one device, or for a dataflow machine as many as hold
// the model. The error names the unknown part and the known values.
func ParseID(cat *physics.Catalogue, id string) (c physics.Config, mode engine.Mode, err error) {
	id, rest, _ := strings.Cut(id, "+")
	if c, err = parsePair(cat, id); err != nil || rest == "" {
		return c, mode, err
	}
	mode, err = applyOptions(cat, &c, rest)
	return c, mode, err
}

func parsePair(cat *physics.Catalogue, id string) (physics.Config, error) {
	var c physics.Config
	name, on, ok := strings.Cut(strings.ToLower(strings.TrimSpace(id)), "@")
	if !ok {
		return c, fmt.Errorf("model %q: expected model@hardware, as in %s", clip(id), DefaultModel)
	}
	if c.Hardware, ok = cat.Machine(on); !ok {
		if n, rest, cut := strings.Cut(on, "x"); cut {
			if k, err := strconv.Atoi(n); err == nil && k > 0 {
				c.TP, on = k, rest
			}
		}
		c.Hardware, ok = cat.Machine(on)
	}
	if !ok {
		names, _ := cat.Names()
		return c, unknown("hardware", on, names, keys(cat.Machines(), func(h physics.Hardware) string { return h.Key }))
	}
	if c.TP == 0 && c.Hardware.Flow == nil {
		c.TP = 1
	}
	precision := ""
	if c.Model, ok = cat.Model(name); !ok {
		i := strings.LastIndexByte(name, '-')
		if i > 0 {
			c.Model, ok = cat.Model(name[:i])
			precision = name[i+1:]
		}
		if !ok {
			_, names := cat.Names()
			return c, unknown("model", name, names, keys(cat.Models(), func(m physics.Model) string { return m.Key }))
		}
	}
	precision = cmp.Or(precision, NativePrecision(&c.Model))
	if c.Precision, ok = physics.PrecisionOf(precision); !ok {
		all := keys(physics.Precisions, func(p physics.Precision) string { return p.Key })
		return c, fmt.Errorf("precision %q: known are %s", clip(precision), all)
	}
	c.Stack, _ = physics.StackOf(stackFor(&c))
	return c, nil
}

// Known reports whether id names a known model or a known machine, so that a
// person who typed it means the embedded endpoint.
func Known(cat *physics.Catalogue, id string) bool {
	pair, _, _ := strings.Cut(strings.ToLower(id), "+")
	name, on, ok := strings.Cut(pair, "@")
	if !ok {
		return false
	}
	// One half is replaced by what is known, to test the other.
	_, modelErr := parsePair(cat, name+"@h100")
	_, machineErr := parsePair(cat, "llama-3.1-8b@"+on)
	return modelErr == nil || machineErr == nil
}

// mostKnown is how many names an error lists.
const mostKnown = 10

// unknown returns the error for a name without a match. It suggests the
// nearest of names, else it lists the first of the known keys.
func unknown(kind, name string, names []string, known string) error {
	if near := endpoint.Closest(name, names); near != "" {
		return fmt.Errorf("%s %q: did you mean %s?", kind, clip(name), near)
	}
	few := strings.SplitN(known, ", ", mostKnown+1)
	if len(few) > mostKnown {
		rest := strings.Count(few[mostKnown], ", ") + 1
		known = strings.Join(few[:mostKnown], ", ") + fmt.Sprintf(" and %d more", rest)
	}
	return fmt.Errorf("%s %q: known are %s", kind, clip(name), known)
}

// NativePrecision returns the key of the precision in which a model is usually
// served.
func NativePrecision(m *physics.Model) string { return cmp.Or(m.Native, "bf16") }

// IDOf returns the id of a model in a precision on a group of devices.
func IDOf(m *physics.Model, precision string, devices int, h *physics.Hardware) string {
	id := m.Key
	if precision != NativePrecision(m) {
		id += "-" + precision
	}
	if devices > 1 {
		return fmt.Sprintf("%s@%dx%s", id, devices, h.Key)
	}
	return id + "@" + h.Key
}

// stackFor returns the usual serving software for c's hardware.
func stackFor(c *physics.Config) string {
	gguf := c.Precision.Key == "q4" || c.Precision.Key == "q8"
	switch {
	case c.Hardware.Stack == "llama.cpp" && c.TP > 1 && !gguf:
		return "vllm" // linked computers
	case c.Hardware.Stack != "" && !gguf:
		return c.Hardware.Stack
	case c.Hardware.Key == "1tb":
		return "ideal"
	case c.Hardware.Flow != nil:
		return "flow"
	case c.Hardware.MaxTP == 1, gguf:
		return "llama.cpp"
	}
	return "vllm"
}

func keys[T any](all []T, key func(T) string) string {
	return strings.Join(pick.Each(all, func(x *T) string { return key(*x) }), ", ")
}

// clip bounds text from outside before a message repeats it.
func clip(s string) string { return metrics.Shortened(s, 80) }
