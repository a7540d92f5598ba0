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
	TopKToken     int      `json:"num_experts_per_token"` // Kimi Linear
	ExpertFFN     int      `json:"moe_intermediate_size"`
	ExpertHidden  int      `json:"routed_expert_hidden_size"`
	Shared        int      `json:"n_shared_experts"`
	SharedCount   int      `json:"num_shared_experts"`
	SharedFFN     int      `json:"shared_expert_intermediate_size"`
	SharedMoEFFN  int      `json:"moe_shared_expert_intermediate_size"` // Nemotron
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
	IndexHeads    int      `json:"index_n_heads"`
	IndexDim      int      `json:"index_head_dim"`
	Window        int      `json:"sliding_window"`
	UseWindow     *bool    `json:"use_sliding_window"`
	WindowPattern int      `json:"sliding_window_pattern"`
	ChunkSize     int      `json:"attention_chunk_size"`
	FullEvery     int      `json:"full_attention_interval"`
	LayerTypes    []string `json:"layer_types"`

	Gate             *bool `json:"attn_output_gate"`
	LinearKeyHeads   int   `json:"linear_num_key_heads"`
	LinearValueHeads int   `json:"linear_num_value_heads"`
	LinearKeyDim     int   `json:"linear_key_head_dim"`
	LinearValueDim   int   `json:"linear_value_head_dim"`
	LinearConv       int   `json:"linear_conv_kernel_dim"`
	Kimi             *kimi `json:"linear_attn_config"`
	// Nemotron: M state space, * attention, - feed-forward, E experts
	Pattern      string `json:"hybrid_override_pattern"`
	MambaHeads   int    `json:"mamba_num_heads"`
	MambaHeadDim int    `json:"mamba_head_dim"`
	MambaState   int    `json:"ssm_state_size"`
	MambaGroups  int    `json:"n_groups"`
	MambaConv    int    `json:"conv_kernel"`

	Quantization *quantization   `json:"quantization_config"`
	Text         json.RawMessage `json:"text_config"`

	// Keys of kinds of layers that the physics does not have.
	CompressRatios json.RawMessage `json:"compress_ratios"`
	GlobalHeadDim  json.RawMessage `json:"global_head_dim"`
	AttentionEvery json.RawMessage `json:"attn_layer_period"`
}

// kimi is the linear attention of Kimi Linear.
type kimi struct {
	Layers []int `json:"kda_layers"`
	Heads  int   `json:"num_heads"`
	Dim    int   `json:"head_dim"`
	Conv   int   `json:"short_conv_kernel_size"`
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
	m.Blocks = strings.HasPrefix(s.ModelType, "qwen3") || strings.HasPrefix(s.ModelType, "minimax")
	if strings.HasPrefix(s.ModelType, "gemma3") || strings.HasPrefix(s.ModelType, "gemma4") {
		m.Norms = physics.GemmaNorms
	}
	s.pattern(&m)
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
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("line %d: %v", lineAt(data, syntax.Offset), err)
	}
	if typ, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
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
	s.TopK, s.Shared = cmp.Or(s.TopK, s.TopKToken), cmp.Or(s.Shared, s.SharedCount)
	s.SharedFFN = cmp.Or(s.SharedFFN, s.SharedMoEFFN)
}

// matrices of a feed-forward layer, for models whose layers are not gated.
var matrices = map[string]int{"gpt_neox": 2, "gptj": 2, "falcon": 2,
	"phi": 2, "starcoder2": 2, "opt": 2, "nemotron": 2, "bloom": 2}

// refused returns why the physics cannot compute the model, or nil.
func (s *shape) refused() error {
	for _, k := range []struct {
		key string
		raw json.RawMessage
		why string
	}{
		{"attn_layer_period", s.AttentionEvery, "state space layers"},
		{"compress_ratios", s.CompressRatios, "a compressed cache"},
		{"global_head_dim", s.GlobalHeadDim, "layers with different heads"},
	} {
		if len(k.raw) > 0 && string(k.raw) != "null" {
			return fmt.Errorf("%s: %s cannot be computed", k.key, k.why)
		}
	}
	for _, k := range []struct {
		key string
		v   int
	}{{"num_hidden_layers", s.Layers}, {"hidden_size", s.Hidden}, {"num_attention_heads", s.Heads},
		{"vocab_size", s.Vocab}, {"max_position_embeddings", s.Context}} {
		if k.v == 0 {
			return fmt.Errorf("%s is missing", k.key)
		}
		if k.v < 0 {
			return fmt.Errorf("%s is negative", k.key)
		}
	}
	if s.MambaHeads > 0 && s.Pattern == "" {
		return errors.New("mamba_num_heads: state space layers need hybrid_override_pattern")
	}
	if s.KVRank > 0 && (s.QueryRank < 0 || s.Rope <= 0 || s.Nope <= 0 || s.Value <= 0) {
		return errors.New("kv_lora_rank: latent attention needs qk_rope_head_dim, qk_nope_head_dim and v_head_dim")
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
	m.ExpertFFN, m.ExpertHidden = cmp.Or(s.ExpertFFN, s.FFN), s.ExpertHidden
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
