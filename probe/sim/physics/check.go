package physics

import (
	"fmt"
	"math"
)

// FieldError reports a field of a machine or model that cannot be computed
// with. Field is the name of the Go field.
type FieldError struct{ Field, Why string }

func (e *FieldError) Error() string { return e.Why }

// Bounds of what a person may define. They are wide: they catch a wrong unit,
// not an unusual machine.
const (
	maxTFLOPs    = 1e6
	maxBandwidth = 1e8  // GB/s
	maxMemory    = 1e6  // GiB
	maxGroup     = 4096 // devices
	maxWidth     = 1 << 20
	maxLayers    = 1024
	maxContext   = 1 << 27
	maxTotal     = 1e14 // parameters
)

// Check returns a *FieldError for the first field with which no step can be
// computed, or nil.
func (h *Hardware) Check() error {
	within := func(field, what string, v, least, most float64) error {
		if !(v >= least && v <= most) || math.IsInf(v, 0) {
			return &FieldError{field, fmt.Sprintf("%s of %v: %v to %v", what, v, least, most)}
		}
		return nil
	}
	for _, f := range []struct {
		field, what    string
		v, least, most float64
	}{
		{"Mem", "a memory in GB", h.Mem, 0.01, maxMemory},
		{"BW", "a bandwidth in GB/s", h.BW, 0.1, maxBandwidth},
		{"BF16", "a bf16 peak in TFLOP/s", h.BF16, 0.001, maxTFLOPs},
		{"FP16", "an fp16 peak in TFLOP/s", h.FP16, 0, maxTFLOPs},
		{"FP8", "an fp8 peak in TFLOP/s", h.FP8, 0, maxTFLOPs},
		{"FP4", "an fp4 peak in TFLOP/s", h.FP4, 0, maxTFLOPs},
		{"EffBW", "a share of the bandwidth", h.EffBW, 0, 1},
		{"EffFLOP", "a share of the peak", h.EffFLOP, 0, 1},
		{"Narrow", "a share of the peak in 8 bits", h.Narrow, 0, 1},
		{"MaxTP", "a group of devices", float64(h.MaxTP), 1, maxGroup},
	} {
		if err := within(f.field, f.what, f.v, f.least, f.most); err != nil {
			return err
		}
	}
	if h.MaxTP > 1 && h.Flow == nil && h.Link == (Link{}) {
		return &FieldError{"Link", "a group of devices needs a link"}
	}
	if _, ok := StackOf(h.Stack); h.Stack != "" && !ok {
		return &FieldError{"Stack", fmt.Sprintf("no software %q", h.Stack)}
	}
	return nil
}

// Check returns a *FieldError for the first field with which no step can be
// computed, or nil.
func (m *Model) Check() error {
	for _, f := range []struct {
		field, what string
		v           int
		least, most int
	}{
		{"Layers", "layers", m.Layers, 1, maxLayers},
		{"Hidden", "hidden values", m.Hidden, 1, maxWidth},
		{"Heads", "attention heads", m.Heads, 1, maxWidth},
		{"KVHeads", "KV heads", m.KVHeads, 1, m.Heads},
		{"HeadDim", "values of a head", m.HeadDim, 1, maxWidth},
		{"FFN", "values of a feed-forward layer", m.FFN, 0, maxWidth},
		{"Vocab", "tokens in the vocabulary", m.Vocab, 1, 1 << 24},
		{"Experts", "experts", m.Experts, 0, maxWidth},
		{"Shared", "shared experts", m.Shared, 0, maxLayers},
		{"Dense", "layers without experts", m.Dense, 0, m.ffnLayers()},
		{"Window", "tokens of a window", m.Window, 0, maxContext},
		{"Windowed", "layers with a window", m.Windowed, 0, m.Layers - 1},
		{"FFNLayers", "feed-forward layers", m.FFNLayers, 0, maxLayers},
		{"Context", "tokens of context", m.Context, 1, maxContext},
	} {
		if f.v < f.least || f.v > f.most {
			return &FieldError{f.field, fmt.Sprintf("%d %s: %d to %d", f.v, f.what, f.least, f.most)}
		}
	}
	switch {
	case m.Experts == 0 && m.FFN == 0:
		return &FieldError{"FFN", "a model needs a feed-forward width or experts"}
	case m.Experts > 0 && (m.TopK < 1 || m.TopK > m.Experts):
		return &FieldError{"TopK", fmt.Sprintf("%d of %d experts per token", m.TopK, m.Experts)}
	case m.Experts > 0 && (m.ExpertFFN < 1 || m.ExpertFFN > maxWidth):
		return &FieldError{"ExpertFFN", fmt.Sprintf("experts of %d values: 1 to %d", m.ExpertFFN, maxWidth)}
	case m.Dense > 0 && m.Experts > 0 && m.FFN == 0:
		return &FieldError{"FFN", "layers without experts need a feed-forward width"}
	}
	if err := m.checkAttention(); err != nil {
		return err
	}
	if _, ok := PrecisionOf(m.Native); m.Native != "" && !ok {
		return &FieldError{"Native", fmt.Sprintf("no precision %q", m.Native)}
	}
	if p := m.Params(); p.Total() > maxTotal {
		return &FieldError{"Layers", fmt.Sprintf("%.3g parameters: at most %.0g", p.Total(), maxTotal)}
	}
	return nil
}

// checkAttention checks layers without a cache of the whole context. One layer
// at least has such a cache.
func (m *Model) checkAttention() error {
	if a := m.Linear; a != nil {
		for _, v := range []int{a.Layers, a.KeyHeads, a.ValueHeads, a.KeyDim, a.ValueDim} {
			if v < 1 || v > maxWidth {
				return &FieldError{"Linear", fmt.Sprintf("linear attention of %d: 1 to %d", v, maxWidth)}
			}
		}
	}
	if x := m.Sparse; x != nil {
		for _, v := range []int{x.TopK, x.Heads, x.Dim} {
			if v < 1 || v > maxWidth {
				return &FieldError{"Sparse", fmt.Sprintf("sparse attention of %d: 1 to %d", v, maxWidth)}
			}
		}
	}
	if m.full() < 1 {
		return &FieldError{"Layers", "a model needs a layer that keeps the whole context"}
	}
	return nil
}
