package hfconfig

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/physics"
)

// The files are those of the checkpoints, with only the keys that are read:
// Hugging Face, as kept by aiconfigurator @095f58a; Gemma 3 and GLM-4.5-Air as
// quoted by transformers' users in 2025. Each gives the line of the catalogue.
func TestConfigsGiveTheCatalogue(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		data := testkit.Must(os.ReadFile(name))(t)
		got, err := Model(data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		key := strings.TrimSuffix(filepath.Base(name), ".json")
		want, ok := physics.ModelOf(key)
		if !ok {
			t.Errorf("%s is not in the catalogue", key)
			continue
		}
		testkit.That(t, (got.MLA == nil) == (want.MLA == nil) && (got.MLA == nil || *got.MLA == *want.MLA),
			"%s: MLA %v, want %v", key, got.MLA, want.MLA)
		testkit.That(t, reflect.DeepEqual(got.Linear, want.Linear) && reflect.DeepEqual(got.Sparse, want.Sparse),
			"%s: linear %v, sparse %v, want %v, %v", key, got.Linear, got.Sparse, want.Linear, want.Sparse)
		got.Linear, got.Sparse = want.Linear, want.Sparse
		testkit.Is(t, got.Note == "", want.Note == "", key, "note", got.Note, "in the catalogue", want.Note)
		got.Key, got.Name, got.Source, got.Note, got.MLA, got.Reasoning = want.Key, want.Name, want.Source, want.Note,
			want.MLA, want.Reasoning
		if key == "llama-4-maverick" || key == "glm-4.5-air" { // the fp8 release is another checkpoint
			got.Native = want.Native
		}
		testkit.Is(t, got, want, key)
	}
}

const sizes = `"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100, "max_position_embeddings": 512, "intermediate_size": 128`

func TestQuantizations(t *testing.T) {
	for q, want := range map[string]string{
		`{"quant_method": "fp8"}`: "fp8", `{"quant_method": "mxfp4"}`: "mxfp4",
		`{"quant_method": "modelopt", "quant_algo": "NVFP4"}`: "nvfp4",
		`{"quant_method": "awq", "bits": 4}`:                  "int4", `{"quant_method": "gptq", "bits": 8}`: "",
		`{"quant_method": "bitsandbytes", "load_in_4bit": true}`:                                                              "int4",
		`{"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int"}}}}`:   "int4",
		`{"quant_method": "compressed-tensors", "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float"}}}}`: "fp8",
	} {
		m, err := Model([]byte(`{` + sizes + `, "quantization_config": ` + q + `}`))
		testkit.That(t, err == nil && m.Native == want && (want == "") == strings.Contains(m.Note, "computed as bf16"),
			"%s: %q, note %q, %v", q, m.Native, m.Note, err)
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	for text, words := range map[string]string{
		"":                               "line 1: unexpected end",
		"{\n\"hidden_size\": 3,\n}":      "line 3: invalid character",
		"{\n\"hidden_size\": \"big\"\n}": "line 2: hidden_size is a string, expected int",
		"[]":                             "line 1",
		"{}":                             "num_hidden_layers is missing",
		`{"n_layer": 12, "n_embd": 768}`: "num_hidden_layers is missing",
		`{` + strings.Replace(sizes, "64", "-64", 1) + `}`:                          "hidden_size is negative",
		`{` + sizes + `, "num_key_value_heads": 8}`:                                 "8 KV heads: 1 to 4",
		`{` + sizes + `, "num_experts": 8}`:                                         "num_experts_per_tok is missing",
		`{` + sizes + `, "kv_lora_rank": 512}`:                                      "needs qk_rope_head_dim",
		`{` + sizes + `, "hybrid_override_pattern": "M-M*"}`:                        "linear attention of 0",
		`{` + sizes + `, "mamba_num_heads": 8}`:                                     "need hybrid_override_pattern",
		`{` + sizes + `, "attn_layer_period": 8}`:                                   "state space layers cannot be computed",
		`{` + sizes + `, "compress_ratios": [0, 4]}`:                                "a compressed cache cannot be computed",
		`{"text_config": {"hidden_size": true}}`:                                    "text_config: line 1",
		`{` + strings.Replace(sizes, `"intermediate_size": 128`, `"x": 1`, 1) + `}`: "a feed-forward width",
	} {
		m, err := Model([]byte(text))
		testkit.That(t, err != nil && strings.Contains(err.Error(), words), "%s: %v %+v, want %q", text, err, m, words)
	}
}

func FuzzModel(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.json")
	for _, name := range files {
		data := testkit.Must(os.ReadFile(name))(f)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Model(data)
		if err == nil && m.Check() != nil {
			t.Errorf("%+v: %v", m, m.Check())
		}
	})
}
