package sim

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/physics"
)

// custom is a catalogue with a machine and a model of a person.
func custom(t *testing.T) *physics.Catalogue {
	t.Helper()
	h, _ := physics.Machine("rtx4090")
	h.Key, h.Name, h.Mem = "mybox", "My box", 48
	m, _ := physics.ModelOf("qwen3-8b")
	m.Key, m.Name = "mine", "Mine 8B"
	c := testkit.Must(physics.NewCatalogue([]physics.Hardware{h}, []physics.Model{m}))(t)
	return c
}

func TestIDsOfACatalogue(t *testing.T) {
	cat := custom(t)
	for id, want := range map[string][4]string{
		"mine@mybox": {"mine", "bf16", "mybox", "vllm"}, "MINE-q4@2xMyBox": {"mine", "q4", "mybox", "llama.cpp"},
		"r1-q4@m3-ultra":   {"deepseek-r1", "q4", "m3ultra", "llama.cpp"},
		"gpt-oss:20b@4090": {"gpt-oss-20b", "mxfp4", "rtx4090", "vllm"}, "llama-3.1-8b-q4@7900xtx": {"llama-3.1-8b", "q4",
			"rx7900xtx", "llama.cpp"},
		"llama-3.1-8b-fp8@2x7900xtx": {"llama-3.1-8b", "fp8", "rx7900xtx", "vllm"}, "llama-3.1-8b@tpu-v5p": {"llama-3.1-8b",
			"bf16", "tpu-v5p", "vllm"},
	} {
		c, _, err := ParseID(cat, id)
		got := [4]string{c.Model.Key, c.Precision.Key, c.Hardware.Key, c.Stack.Key}
		testkit.That(t, err == nil && got == want, "%s: %v %v, want %v", id, got, err, want)
	}
	for id, words := range map[string]string{"mine@mybx": "did you mean mybox?", "mnie@h100": "did you mean mine?",
		"qwen3-codr@h100": "did you mean qwen3-coder?", "mine-q5@mybox": `precision "q5": known are bf16, fp8`} {
		if _, _, err := ParseID(cat, id); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, _, err := ParseID(nil, "mine@mybox"); err == nil {
		t.Error("the built-in catalogue knows somebody's machine")
	}
}

// What a person defined is listed and served like a preset.
func TestServesACatalogue(t *testing.T) {
	s := start(t, Options{Catalogue: custom(t), Model: "mine@mybox"})
	resp := testkit.Must(http.Get(s.URL() + "/models"))(t)
	defer resp.Body.Close()
	var l struct{ Data []modelCard }
	testkit.OK(t, json.NewDecoder(resp.Body).Decode(&l))
	var ids []string
	for _, m := range l.Data {
		ids = append(ids, m.ID)
	}
	testkit.Is(t, strings.Join(ids[:3], " "), "mine@mybox llama-3.1-8b@mybox "+DefaultModel, "listed first")
	code, _, body := post(t, s, "/chat/completions",
		`{"model":"mine-q4@mybox","messages":[{"role":"user","content":"x"}],"max_tokens":2}`)
	testkit.That(t, code == 200 && strings.Contains(body, "mine-q4@mybox"), "%d %s", code, body)
	testkit.Refuses(t, Check(custom(t), "llama-3.3-70b@mybox"), "4 x My box would hold it")
}
