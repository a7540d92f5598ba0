package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/probe/config"
	"tokscope/probe/endpoint"
	"tokscope/probe/explain"
	"tokscope/probe/sim/physics"
)

// configFile writes a configuration and the files beside it.
func configFile(t *testing.T, text string, beside map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range beside {
		testkit.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
	}
	path := filepath.Join(dir, "config.toml")
	testkit.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func catalogueOf(t *testing.T, text string, beside map[string]string) (*physics.Catalogue, error) {
	t.Helper()
	c, err := config.Load(configFile(t, text, beside))
	if err != nil {
		return nil, err
	}
	return Catalogue(c, func(string) string { return "" })
}

const tiny = `{"model_type": "llama", "num_hidden_layers": 16, "hidden_size": 2048, "num_attention_heads": 32, "num_key_value_heads": 8,
"intermediate_size": 8192, "vocab_size": 128256, "max_position_embeddings": 131072, "tie_word_embeddings": true}`

// What stands in the file is what the physics gets: from nothing, from a base,
// and from a config.json.
func TestCatalogueOfAConfiguration(t *testing.T) {
	cat, err := catalogueOf(t, `
[machine.scratch]
memory_gb = 48
bandwidth_gbs = 900.5
bf16_tflops = 90
fp8_tflops = 180
devices = 2
link = "pcie5"

[machine.mybox]
base = "4090"
name = "My box"
memory_gb = 48
fp8_tflops = 0

[model.mine]
config = "tiny.json"
name = "Mine"
precision = "q4"

[model."r1.short"]
base = "r1"
context = 8192

[model.sizes]
layers = 8
hidden = 1024
heads = 16
ffn = 4096
vocab = 32000
context = 4096
`, map[string]string{"tiny.json": tiny})
	testkit.OK(t, err)
	want := physics.Hardware{Key: "scratch", Name: "scratch", Source: "the configuration", Mem: 48, BW: 900.5, BF16: 90,
		FP8: 180, MaxTP: 2, Link: physics.Links["pcie5"]}
	if h, _ := cat.Machine("scratch"); h != want {
		t.Errorf("%+v", h)
	}
	base, _ := physics.Machine("rtx4090")
	base.Key, base.Name, base.Source, base.Mem, base.FP8 = "mybox", "My box", "the configuration", 48, 0
	if h, _ := cat.Machine("mybox"); h != base {
		t.Errorf("%+v, want %+v", h, base)
	}
	m, _ := cat.Model("mine")
	like, _ := physics.ModelOf("llama-3.2-1b")
	like.Key, like.Name, like.Source, like.Native = "mine", "Mine", "the configuration", "q4"
	testkit.Is(t, m, like)
	if m, _ := cat.Model("r1.short"); m.Context != 8192 || m.MLA == nil || m.Native != "fp8" || !m.Reasoning {
		t.Errorf("%+v", m)
	}
	if m, _ := cat.Model("sizes"); m.KVHeads != 16 || m.HeadDim != 64 {
		t.Errorf("%+v", m)
	}
	if h, mod := cat.Custom(); len(h) != 2 || len(mod) != 3 {
		t.Errorf("%d machines, %d models", len(h), len(mod))
	}
	k := explain.Default()
	k.Hardware, k.Model, k.Precision = "mybox", "mine", "q4"
	found := 0
	for _, c := range explain.Choices(cat, serving.KnobHardware, k) {
		if c.Name == "My box" && c.Now && c.Why == "" {
			found++
		}
	}
	if p, err := explain.Predict(t.Context(), cat, k); err != nil || p.Err != "" || !strings.Contains(p.Machine.Name,
		"Mine Q4_K_M on My box") || found != 1 {
		t.Errorf("%q %q %v, %d positions", p.Err, p.Machine.Name, err, found)
	}
}

// Every error names the file, the line and the key, and the next step.
func TestCatalogueErrors(t *testing.T) {
	machine := "memory_gb = 24\nbandwidth_gbs = 900\nbf16_tflops = 70\n"
	for _, c := range []struct{ name, text, say, next string }{
		{"nothing", "[machine.a]", "config.toml:1: machine.a: memory_gb: a memory in GB of 0", "data sheet"},
		{"negative", "[machine.a]\n" + machine + "fp8_tflops = -1", "config.toml:5: machine.a: fp8_tflops: an fp8 peak", ""},
		{"wrong unit", "[machine.a]\n" + strings.Replace(machine, "900", "9e11", 1),
			"config.toml:3: machine.a: bandwidth_gbs: a bandwidth in GB/s of 9e+11", ""},
		{"nan", "[machine.a]\n" + strings.Replace(machine, "70", "nan", 1), "config.toml:4: machine.a: bf16_tflops:", ""},
		{"share", "[machine.a]\nbase = \"h100\"\nbandwidth_share = 86.0",
			"config.toml:3: machine.a: bandwidth_share: a share of the bandwidth of 86", ""},
		{"base", "[machine.a]\n\nbase = \"h10\"", "config.toml:3: machine.a: no machine \"h10\"", "did you mean h100?"},
		{"dataflow", "[machine.a]\nbase = \"groq\"", "config.toml:2: machine.a: Groq LPU is a dataflow machine", "another"},
		{"no link", "[machine.a]\n" + machine + "devices = 4",
			"config.toml:1: machine.a: link: a group of devices needs a link", `link = "pcie5"`},
		{"link", "[machine.a]\n" + machine + "link = \"nvlink-hoper\"", "config.toml:5: machine.a: no link",
			"did you mean nvlink-hopper?"},
		{"software", "[machine.a]\n" + machine + "software = \"triton\"", "config.toml:5: machine.a: software: no software",
			"vllm, nim"},
		{"taken", "[machine.h100]\nbase = \"h100\"", "config.toml:1: machine.h100: this name is built in", "rename"},
		{"malformed", "[machine.\"2x box\"]\nbase = \"h100\"", "config.toml:1: machine.2x box: a name has up to 40",
			"rename"},
		{"twice", "[machine.a]\nbase = \"h100\"\n[model.a]\nbase = \"r1\"",
			"config.toml:3: model.a: this name is used twice", "rename"},
		{"key", "[machine.a]\nbandwith_gbs = 3", "config.toml:2: unknown key machine.a.bandwith_gbs",
			"did you mean bandwidth_gbs?"},
		{"type", "[machine.a]\nmemory_gb = \"24\"", "config.toml:2: machine.a.memory_gb must be a number", ""},
		{"no shape", "[model.a]\nname = \"x\"", "config.toml:1: model.a: no shape", "config.json"},
		{"two shapes", "[model.a]\nbase = \"r1\"\nconfig = \"x\"",
			"config.toml:2: model.a: config and base exclude each other", "keep one"},
		{"no file", "[model.a]\n\nconfig = \"none.json\"", "config.toml:3: model.a: read none.json: ",
			"path of the config.json"},
		{"a folder", "[model.a]\nconfig = \".\"", "config.toml:2: model.a: read .: not a file", ""},
		{"syntax", "[model.a]\nconfig = \"bad.json\"", "config.toml:2: model.a: bad.json: line 2: ", "another file"},
		{"mamba", "[model.a]\nconfig = \"mamba.json\"",
			"config.toml:2: model.a: mamba.json: attn_layer_period: state space layers cannot be computed", ""},
		{"sizes", "[model.a]\nlayers = 2\nhidden = 64\nheads = 4\nkv_heads = 8\nvocab = 10\ncontext = 10\nffn = 4",
			"config.toml:5: model.a: kv_heads: 8 KV heads: 1 to 4", ""},
		{"missing size", "[model.a]\nlayers = 2", "config.toml:1: model.a: hidden: 0 hidden values", "give layers, hidden"},
		{"precision", "[model.a]\nbase = \"r1\"\nprecision = \"fp6\"", "config.toml:3: model.a: precision: no precision",
			"bf16, fp8"},
		{"model base", "[model.a]\nbase = \"qwen3-codr\"", "config.toml:2: model.a: no model", "did you mean qwen3-coder?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := catalogueOf(t, c.text, map[string]string{"bad.json": "{\n x", "mamba.json": `{"attn_layer_period": 8}`})
			var f *metrics.Fault
			testkit.Given(t, errors.As(err, &f) && f.Kind == metrics.FaultConfig, "%T %v", err, err)
			testkit.That(t, strings.Contains(f.Message, c.say) && strings.Contains(f.Next, c.next) && f.Next != "",
				"%q, next %q; want %q and %q", f.Message, f.Next, c.say, c.next)
		})
	}
}

// config show lists what was defined, with its place.
func TestShowsTheCatalogue(t *testing.T) {
	path := configFile(t, "[machine.mybox]\nbase = \"4090\"\nmemory_gb = 48\n[model.mine]\nbase = \"r1\"\nreasoning = "+
		"false\n", nil)
	_, rows, err := InForce(path, nil, func(string) string { return "" })
	testkit.OK(t, err)
	var got []string
	for _, r := range rows {
		if strings.HasPrefix(r[0], "mach") || strings.HasPrefix(r[0], "model.") {
			got = append(got, strings.Join(r[:], " "))
		}
	}
	want := "machine.mybox.base 4090 file config.toml:2\nmachine.mybox.memory_gb 48 file " +
		"config.toml:3\nmodel.mine.base r1 file config.toml:5\nmodel.mine.reasoning false file config.toml:6"
	testkit.Is(t, strings.Join(got, "\n"), want)
}

// config show names the variables that become headers, without their values.
func TestShowsTheAccount(t *testing.T) {
	_, rows, err := InForce(configFile(t, "", nil), nil, func(name string) string {
		return map[string]string{"OPENAI_ORG_ID": "org-hunter2"}[name]
	})
	last := strings.Join(rows[len(rows)-1][:], " ")
	testkit.That(t, err == nil && last == "header Openai-Organization [redacted] env OPENAI_ORG_ID", "%s, %v", last, err)
}

// Messages of the command line are the workload, and the rest of a body is settings.
func TestMessagesOfTheCommandLine(t *testing.T) {
	open := func(text string) (*App, error) {
		return Open(t.Context(), CommandLine{ConfigPath: configFile(t, "[defaults]\nrecord = false\n", nil),
			Target:   "https://h.example",
			Messages: []byte(text), Flags: endpoint.Flags{Extra: []string{"n=2"}}, Env: func(string) string { return "" }})
	}
	a, err := open(`{"model":"m","messages":[{"role":"user"}],"max_tokens":7,"n":1,"top_k":4}`)
	testkit.OK(t, err)
	defer func() { _ = a.Close() }()
	if a.Pasted.MaxTokens != 7 || a.Pasted.Messages.Count() != 1 || a.Target.Model != "m" ||
		a.Target.Settings != "extra.n=2, extra.top_k=4" {
		t.Errorf("%+v for %s with %s", a.Pasted, a.Target.Model, a.Target.Settings)
	}
	if _, err = open("[{}"); err == nil || !strings.Contains(err.Error(), "--messages: line 1, column 3") {
		t.Error(err)
	}
}

// MODEL@MACHINE is a target like any other, with names of the configuration
// too.
func TestModelOnMachineIsATarget(t *testing.T) {
	path := configFile(t, "[machine.mybox]\nbase = \"4090\"\n[profile.p]\nurl = "+
		"\"http://127.0.0.1:9/v1\"\n[defaults]\nrecord = false\n", nil)
	open := func(target string) (*App, error) {
		return Open(context.Background(), CommandLine{ConfigPath: path, Target: target,
			Env: func(string) string { return "" }})
	}
	for target, want := range map[string]string{
		"llama-3.1-8b-q4@mybox": "llama-3.1-8b-q4@mybox", "R1-q4@m3ultra": "r1-q4@m3ultra",
		"llama-3.3-70b@4xh100+draft": "llama-3.3-70b@4xh100+draft", "qwen3-coder@2xH100+static": "qwen3-coder@2xh100+static",
	} {
		a, err := open(target)
		if err != nil {
			t.Errorf("%s: %v", target, err)
			continue
		}
		testkit.That(t, a.Target.Kind == metrics.EndpointEmbedded && a.Target.Model == want,
			"%s: %s %s", target, a.Target.Kind, a.Target.Model)
		_ = a.Close()
	}
	for target, words := range map[string]string{
		"llama-3.1-8b@mybx": "did you mean mybox?", "lama-3.1-8b@h100": "did you mean llama-3.1-8b?",
		"llama-3.3-70b@h100": "2 x H100 would hold it", "me:pass@example.com": "user name or key",
	} {
		_, err := open(target)
		var f *metrics.Fault
		testkit.That(t, errors.As(err, &f) && f.Kind == metrics.FaultConfig && strings.Contains(f.Message+f.Next, words),
			"%s: %v", target, err)
	}
}
