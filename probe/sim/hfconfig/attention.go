package hfconfig

import (
	"cmp"
	"fmt"
	"strings"

	"tokscope/probe/sim/physics"
)

// attention sets windows, linear and sparse attention, and returns what is
// computed otherwise than the model does it.
func (s *shape) attention(m *physics.Model) (notes []string) {
	linear, windowed := 0, 0
	for _, t := range s.LayerTypes {
		switch t {
		case "linear_attention":
			linear++
		case "sliding_attention", "chunked_attention":
			windowed++
		}
	}
	if s.FullEvery > 1 && linear == 0 {
		linear = s.Layers - s.Layers/s.FullEvery
	}
	if linear > 0 {
		m.Linear = &physics.Linear{Layers: linear, KeyHeads: s.LinearKeyHeads,
			ValueHeads: s.LinearValueHeads, KeyDim: s.LinearKeyDim, ValueDim: s.LinearValueDim, Conv: s.LinearConv}
		m.Gated = s.ModelType == "qwen3_next"
	}
	if k := s.Kimi; k != nil && len(k.Layers) > 0 {
		m.Linear = &physics.Linear{Layers: len(k.Layers), KeyHeads: k.Heads,
			ValueHeads: k.Heads, KeyDim: k.Dim, ValueDim: k.Dim, Conv: k.Conv, Rank: k.Dim}
	}
	if s.Gate != nil {
		m.Gated = *s.Gate
	}
	used := s.Window > 0 && s.Window < s.Context && (s.UseWindow == nil || *s.UseWindow)
	if used && len(s.LayerTypes) == 0 {
		windowed = s.Layers
		if s.WindowPattern > 1 {
			windowed = s.Layers - s.Layers/s.WindowPattern
		}
	}
	if used && windowed > 0 {
		if windowed >= s.Layers {
			notes = append(notes, fmt.Sprintf("all %d layers have the window; computed as all but one", s.Layers))
			windowed = s.Layers - 1
		}
		m.Window, m.Windowed = s.Window, windowed
		if windowed == s.Layers/2 {
			m.Windowed = 0 // the usual pattern
		}
	}
	if s.ChunkSize > 0 && m.Window == 0 {
		m.Window, m.Windowed = s.ChunkSize, cmp.Or(windowed, s.Layers-s.Layers/4)
		notes = append(notes,
			fmt.Sprintf("attention within chunks of %d tokens is computed as a window, which reads up to twice as much",
				s.ChunkSize))
	}
	if s.IndexTopK > 0 {
		m.Sparse = &physics.Sparse{TopK: s.IndexTopK, Heads: s.IndexHeads, Dim: s.IndexDim}
	}
	return notes
}

// pattern sets the layers of a model whose layers have either a mixer of tokens
// or a feed-forward part.
func (s *shape) pattern(m *physics.Model) {
	if s.Pattern == "" {
		return
	}
	of := func(kind string) int { return strings.Count(s.Pattern, kind) }
	m.Layers, m.FFNLayers = of("M")+of("*"), of("-")+of("E")
	m.FFNMats = 2 // squared ReLU, without a gate
	m.Linear = &physics.Linear{Layers: of("M"), KeyHeads: s.MambaGroups,
		ValueHeads: s.MambaHeads, KeyDim: s.MambaState, ValueDim: s.MambaHeadDim, Conv: s.MambaConv}
	if m.Experts > 0 {
		m.Dense = of("-")
		if m.Dense == 0 {
			m.FFN = 0
		}
	}
}
