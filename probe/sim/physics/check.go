package physics

import (
	"fmt"
	"math"
)

// FieldError reports a field of a machine or model that cannot be computed
// with. Key is its key in the configuration, "" where it has none.
type FieldError struct{ Key, Why string }

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
	for _, f := range []struct {
		field, what    string
		v, least, most float64
	}{
		{"memory_gb", "a memory in GB", h.Mem, 0.01, maxMemory},
		{"bandwidth_gbs", "a bandwidth in GB/s", h.BW, 0.1, maxBandwidth},
		{"bf16_tflops", "a bf16 peak in TFLOP/s", h.BF16, 0.001, maxTFLOPs},
		{"", "an fp16 peak in TFLOP/s", h.FP16, 0, maxTFLOPs},
		{"fp8_tflops", "an fp8 peak in TFLOP/s", h.FP8, 0, maxTFLOPs},
		{"fp4_tflops", "an fp4 peak in TFLOP/s", h.FP4, 0, maxTFLOPs},
		{"bandwidth_share", "a share of the bandwidth", h.EffBW, 0, 1},
		{"compute_share", "a share of the peak", h.EffFLOP, 0, 1},
		{"", "a share of the peak in 8 bits", h.Narrow, 0, 1},
		{"devices", "a group of devices", float64(h.MaxTP), 1, maxGroup},
	} {
		if !(f.v >= f.least && f.v <= f.most) || math.IsInf(f.v, 0) {
			return &FieldError{f.field, fmt.Sprintf("%s of %v: %v to %v", f.what, f.v, f.least, f.most)}
		}
	}
	if h.MaxTP > 1 && h.Flow == nil && h.Link == (Link{}) {
		return &FieldError{"link", "a group of devices needs a link"}
	}
	if _, ok := StackOf(h.Stack); h.Stack != "" && !ok {
		return &FieldError{"software", fmt.Sprintf("no software %q", h.Stack)}
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
		{"layers", "layers", m.Layers, 1, maxLayers},
		{"hidden", "hidden values", m.Hidden, 1, maxWidth},
		{"heads", "attention heads", m.Heads, 1, maxWidth},
		{"kv_heads", "KV heads", m.KVHeads, 1, m.Heads},
		{"head_dim", "values of a head", m.HeadDim, 1, maxWidth},
		{"ffn", "values of a feed-forward layer", m.FFN, 0, maxWidth},
		{"vocab", "tokens in the vocabulary", m.Vocab, 1, 1 << 24},
		{"experts", "experts", m.Experts, 0, maxWidth},
		{"shared_experts", "shared experts", m.Shared, 0, maxLayers},
		{"", "values that routed experts work on", m.ExpertHidden, 0, maxWidth},
		{"dense_layers", "layers without experts", m.Dense, 0, m.ffnLayers()},
		{"window", "tokens of a window", m.Window, 0, maxContext},
		{"", "layers with a window", m.Windowed, 0, m.Layers - 1},
		{"", "feed-forward layers", m.FFNLayers, 0, maxLayers},
		{"context", "tokens of context", m.Context, 1, maxContext},
	} {
		if f.v < f.least || f.v > f.most {
			return &FieldError{f.field, fmt.Sprintf("%d %s: %d to %d", f.v, f.what, f.least, f.most)}
		}
	}
	switch {
	case m.Experts == 0 && m.FFN == 0:
		return &FieldError{"ffn", "a model needs a feed-forward width or experts"}
	case m.Experts > 0 && (m.TopK < 1 || m.TopK > m.Experts):
		return &FieldError{"experts_per_token", fmt.Sprintf("%d of %d experts per token", m.TopK, m.Experts)}
	case m.Experts > 0 && (m.ExpertFFN < 1 || m.ExpertFFN > maxWidth):
		return &FieldError{"expert_ffn", fmt.Sprintf("experts of %d values: 1 to %d", m.ExpertFFN, maxWidth)}
	case m.Dense > 0 && m.Experts > 0 && m.FFN == 0:
		return &FieldError{"ffn", "layers without experts need a feed-forward width"}
	}
	if err := m.checkAttention(); err != nil {
		return err
	}
	if _, ok := PrecisionOf(m.Native); m.Native != "" && !ok {
		return &FieldError{"precision", fmt.Sprintf("no precision %q", m.Native)}
	}
	if p := m.Params(); p.Total() > maxTotal {
		return &FieldError{"layers", fmt.Sprintf("%.3g parameters: at most %.0g", p.Total(), maxTotal)}
	}
	return nil
}

// checkAttention checks layers without a cache of the whole context. One layer
// at least has such a cache.
func (m *Model) checkAttention() error {
	if a := m.Linear; a != nil {
		for _, v := range []int{a.Layers, a.KeyHeads, a.ValueHeads, a.KeyDim, a.ValueDim} {
			if v < 1 || v > maxWidth {
				return &FieldError{"", fmt.Sprintf("linear attention of %d: 1 to %d", v, maxWidth)}
			}
		}
	}
	if x := m.Sparse; x != nil {
		for _, v := range []int{x.TopK, x.Heads, x.Dim} {
			if v < 1 || v > maxWidth {
				return &FieldError{"", fmt.Sprintf("sparse attention of %d: 1 to %d", v, maxWidth)}
			}
		}
	}
	if m.full() < 1 {
		return &FieldError{"layers", "a model needs a layer that keeps the whole context"}
	}
	return nil
}
