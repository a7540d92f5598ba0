package result

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
)

// A pair that does not fit has no figures, and one that fits has all.
func TestWriteModels(t *testing.T) {
	s := &serving.Survey{Prompt: 1000, Output: 200, Speed: 20,
		Machines: []serving.SurveyMachine{{Key: "box", Name: "Box", Custom: true, Memory: 24e9, Bandwidth: 1e12, BF16: 1e14, Group: 1, Source: "s"}},
		Models:   []serving.SurveyModel{{Key: "a", Name: "A", Source: "s", Aliases: []string{"b"}}, {Key: "c", Source: "s", Note: "n"}},
		Pairs: []serving.SurveyPair{{Model: "a", Machine: "box", Target: "a@box", Precision: "bf16", Software: "vLLM", Devices: 1, Weights: 16e9, One: metrics.Known(50, 0), Users: 0},
			{Model: "c", Machine: "box", Why: "too large"}},
	}
	var b bytes.Buffer
	testkit.OK(t, WriteModels(&b, s, "v"))
	var d map[string]any
	testkit.OK(t, json.Unmarshal(b.Bytes(), &d))
	want := []any{
		map[string]any{"model": "a", "machine": "box", "fits": true, "target": "a@box", "precision": "bf16", "software": "vLLM", "devices": 1., "weights_bytes": 16e9, "one_user_tok_s": 50., "users_at_speed": 0.},
		map[string]any{"model": "c", "machine": "box", "fits": false, "why": "too large", "devices": nil, "weights_bytes": nil, "one_user_tok_s": nil, "users_at_speed": nil},
	}
	if diff := cmp.Diff(want, d["pairs"]); diff != "" || d["schema"] != ModelsSchema {
		t.Error(diff)
	}
	m := d["machines"].([]any)[0].(map[string]any)
	if m["fp8_flop_per_s"] != nil || m["custom"] != true || len(m["aliases"].([]any)) != 0 {
		t.Errorf("%v", m)
	}
}
