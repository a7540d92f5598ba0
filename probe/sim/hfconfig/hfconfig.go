// Package hfconfig reads the shape of a model from the config.json of a
// Hugging Face checkpoint. It reads the keys that decide weights, cache and
// arithmetic, and refuses what the physics cannot compute.
//
// Where to add what: a further name of a key in shape (below), another kind of
// model in refused or notes.
package hfconfig

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tokscope/probe/sim/physics"
)

// shape holds the keys that are read. A null, or a missing key, is zero.
type shape struct {
	ModelType string `json:"model_type"`
	Layers    int    `json:"num_hidden_layers"`
	Hidden    int    `json:"hidden_size"`
	Heads     int    `json:"num_attention_heads"`
	KVHeads   int    `json:"num_key_value_heads"`
	HeadDim   int    `json:"head_dim"`
	FFN       int    `json:"intermediate_size"`
	FFNMLP    int    `json:"intermediate_size_mlp"` // Llama 4: of the layers without experts
	Vocab     int    `json:"vocab_size"`
	Context   int    `json:"max_position_embeddings"`
	Tied      *bool  `json:"tie_word_embeddings"`

	Experts       int      `json:"num_experts"`
	LocalExperts  int      `json:"num_local_experts"`
	RoutedExperts int      `json:"n_routed_experts"`
	TopK          int      `json:"num_experts_per_tok"`
	ExpertFFN     int      `json:"moe_intermediate_size"`
	Shared        int      `json:"n_shared_experts"`
	SharedFFN     int      `json:"shared_expert_intermediate_size"`
	DenseFirst    int      `json:"first_k_dense_replace"`
	DenseOnly     []int    `json:"mlp_only_layers"`
	SparseStep    int      `json:"decoder_sparse_step"`
	Interleave    int      `json:"interleave_moe_layer_step"`
	KVRank        int      `json:"kv_lora_rank"`
	QueryRank     int      `json:"q_lora_rank"`
	Rope          int      `json:"qk_rope_head_dim"`
	Nope          int      `json:"qk_nope_head_dim"`
	Value         int      `json:"v_head_dim"`
	IndexTopK     int      `json:"index_topk"`
	Window        int      `json:"sliding_window"`
	UseWindow     *bool    `json:"use_sliding_window"`
	WindowPattern int      `json:"sliding_window_pattern"`
	ChunkSize     int      `json:"attention_chunk_size"`
	FullEvery     int      `json:"full_attention_interval"`
	LayerTypes    []string `json:"layer_types"`

	Quantization *quantization   `json:"quantization_config"`
	Text         json.RawMessage `json:"text_config"`

	// Keys of kinds of layers that the physics does not have.
	Mamba          json.RawMessage `json:"mamba_num_heads"`
	HybridPattern  json.RawMessage `json:"hybrid_override_pattern"`
	CompressRatios json.RawMessage `json:"compress_ratios"`
	GlobalHeadDim  json.RawMessage `json:"global_head_dim"`
	AttentionEvery json.RawMessage `json:"attn_layer_period"`
}

type quantization struct {
	Method string `json:"quant_method"`
	Algo   string `json:"quant_algo"`
	Bits   int    `json:"bits"`
	In4    bool   `json:"load_in_4bit"`
	Groups map[string]struct {
		Weights struct {
			Bits int    `json:"num_bits"`
			Type string `json:"type"`
		} `json:"weights"`
	} `json:"config_groups"`
}

// Model reads a config.json. The result has no Key and no Name, and passes
// physics.Model.Check. The error is text for a person; it names the line of a
// syntax error, or the key.
func Model(data []byte) (physics.Model, error) {
	var s shape
	if err := decode(data, &s); err != nil {
		return physics.Model{}, err
	}
	if len(s.Text) > 0 && string(s.Text) != "null" {
		outer := s
		if err := decode(s.Text, &s); err != nil {
			return physics.Model{}, fmt.Errorf("text_config: %w", err)
		}
		if s.Quantization == nil {
			s.Quantization = outer.Quantization
		}
	}
	s.defaults()
	if err := s.refused(); err != nil {
		return physics.Model{}, err
	}
	m := physics.Model{
		Layers: s.Layers, Hidden: s.Hidden, Heads: s.Heads, KVHeads: cmp.Or(s.KVHeads, s.Heads), HeadDim: s.HeadDim,
		FFN: s.FFN, Vocab: s.Vocab, Context: s.Context, Tied: s.Tied != nil && *s.Tied, FFNMats: matrices[s.ModelType],
	}
	if m.HeadDim == 0 {
		m.HeadDim = s.Hidden / s.Heads
	}
	if s.KVRank > 0 {
		m.MLA = &physics.MLA{Latent: s.KVRank, Rope: s.Rope, Query: s.QueryRank, Nope: s.Nope, Value: s.Value}
		m.HeadDim = s.Value
	}
	s.experts(&m)
	notes := s.attention(&m)
	native, note := s.precision()
	m.Native = native
	if note != "" {
		notes = append(notes, note)
	}
	m.Note = strings.Join(notes, "; ")
	if err := m.Check(); err != nil {
		return physics.Model{}, err
	}
	return m, nil
}

// decode is json.Unmarshal with the line of an error.
func decode(data []byte, s *shape) error {
	err := json.Unmarshal(data, s)
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("line %d: %v", lineAt(data, syntax.Offset), err)
	case errors.As(err, &typ):
		return fmt.Errorf("line %d: %s is a %s, expected %s", lineAt(data, typ.Offset), typ.Field, typ.Value, typ.Type)
	}
	return err
}

func lineAt(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte{'\n'})
}

// defaults fills in what transformers has as the default of a class, where
// published files leave it out.
func (s *shape) defaults() {
	gemma := strings.HasPrefix(s.ModelType, "gemma")
	if s.Tied == nil && gemma {
		tied := true
		s.Tied = &tied
	}
	if s.ModelType == "gemma3_text" { // transformers, configuration_gemma3.py
		s.Vocab, s.Heads, s.KVHeads = cmp.Or(s.Vocab, 262208), cmp.Or(s.Heads, 8), cmp.Or(s.KVHeads, 4)
		s.HeadDim, s.Context = cmp.Or(s.HeadDim, 256), cmp.Or(s.Context, 131072)
		s.WindowPattern = cmp.Or(s.WindowPattern, 6)
	}
	s.Experts = cmp.Or(s.Experts, s.LocalExperts, s.RoutedExperts)
}

// matrices of a feed-forward layer, for models whose layers are not gated.
var matrices = map[string]int{"gpt_neox": 2, "gptj": 2, "falcon": 2, "phi": 2, "starcoder2": 2, "opt": 2, "nemotron": 2, "bloom": 2}

// refused returns why the physics cannot compute the model, or nil.
func (s *shape) refused() error {
	for _, k := range []struct {
		key string
		raw json.RawMessage
		why string
	}{
		{"mamba_num_heads", s.Mamba, "state space layers"}, {"hybrid_override_pattern", s.HybridPattern, "state space layers"},
		{"attn_layer_period", s.AttentionEvery, "state space layers"}, {"compress_ratios", s.CompressRatios, "a compressed cache"},
		{"global_head_dim", s.GlobalHeadDim, "layers with different heads"},
	} {
		if len(k.raw) > 0 && string(k.raw) != "null" {
			return fmt.Errorf("%s: %s cannot be computed", k.key, k.why)
		}
	}
	for _, k := range []struct {
		key string
		v   int
	}{{"num_hidden_layers", s.Layers}, {"hidden_size", s.Hidden}, {"num_attention_heads", s.Heads}, {"vocab_size", s.Vocab}, {"max_position_embeddings", s.Context}} {
		if k.v == 0 {
			return fmt.Errorf("%s is missing", k.key)
		}
		if k.v < 0 {
			return fmt.Errorf("%s is negative", k.key)
		}
	}
	if s.KVRank > 0 && (s.QueryRank <= 0 || s.Rope <= 0 || s.Nope <= 0 || s.Value <= 0) {
		return errors.New("kv_lora_rank: latent attention needs q_lora_rank, qk_rope_head_dim, qk_nope_head_dim and v_head_dim")
	}
	if s.Experts > 0 && s.TopK == 0 {
		return errors.New("num_experts_per_tok is missing")
	}
	return nil
}

// experts sets the layers with and without experts.
func (s *shape) experts(m *physics.Model) {
	if s.Experts <= 0 {
		return
	}
	m.Experts, m.TopK, m.Shared = s.Experts, s.TopK, s.Shared
	m.ExpertFFN = cmp.Or(s.ExpertFFN, s.FFN)
	m.Dense = max(s.DenseFirst, len(s.DenseOnly))
	if step := max(s.SparseStep, s.Interleave); step > 1 {
		m.Dense = s.Layers - s.Layers/step
	}
	if s.ModelType == "llama4_text" {
		m.Shared, m.FFN = 1, s.FFNMLP
	}
	if s.SharedFFN > 0 && m.ExpertFFN > 0 {
		m.Shared = (s.SharedFFN + m.ExpertFFN - 1) / m.ExpertFFN
	}
	if m.Dense == 0 {
		m.FFN = 0
	}
}

// attention sets the window and returns what is computed otherwise than the
// model does it.
func (s *shape) attention(m *physics.Model) (notes []string) {
	linear, windowed := 0, 0
	for _, t := range s.LayerTypes {
		switch t {
		case "linear_attention":
			linear++
		case "sliding_attention":
			windowed++
		}
	}
	if s.FullEvery > 1 && linear == 0 {
		linear = s.Layers - s.Layers/s.FullEvery
	}
	used := s.Window > 0 && s.Window < s.Context && (s.UseWindow == nil || *s.UseWindow)
	if used && len(s.LayerTypes) == 0 {
		windowed = s.Layers
		if s.WindowPattern > 1 {
			windowed = s.Layers - s.Layers/s.WindowPattern
		}
	}
	if used && windowed > 0 {
		m.Window = s.Window
		if windowed != s.Layers/2 {
			notes = append(notes, fmt.Sprintf("%d of %d layers have the window; computed as every second one", windowed, s.Layers))
		}
	}
	if linear > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d layers have linear attention; computed as full attention", linear, s.Layers))
	}
	if s.ChunkSize > 0 {
		notes = append(notes, fmt.Sprintf("attention within chunks of %d tokens is computed as full attention", s.ChunkSize))
	}
	if s.IndexTopK > 0 {
		notes = append(notes, fmt.Sprintf("attention to %d chosen tokens is computed as full attention", s.IndexTopK))
	}
	return notes
}

// precision returns the key of the precision of the checkpoint, "" for bf16,
// and a note when its quantization has no equivalent.
func (s *shape) precision() (native, note string) {
	q := s.Quantization
	if q == nil || q.Method == "" && q.Algo == "" {
		return "", ""
	}
	method := strings.ToLower(cmp.Or(q.Algo, q.Method))
	bits, float := q.Bits, false
	for _, g := range q.Groups {
		bits, float = g.Weights.Bits, g.Weights.Type == "float"
	}
	switch {
	case slices.Contains([]string{"fp8", "mxfp4", "nvfp4"}, method):
		return method, ""
	case float && bits == 8:
		return "fp8", ""
	case float && bits == 4:
		return "nvfp4", ""
	case bits == 4, q.In4:
		return "int4", ""
	}
	return "", fmt.Sprintf("the quantization %.20q is computed as bf16", method)
}
