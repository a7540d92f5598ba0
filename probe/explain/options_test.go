package explain

import (
	"context"
	"strings"
	"testing"

	"tokscope/metrics/serving"
	"tokscope/probe/sim/engine"
)

// seen is what a play of knobs shows.
type seen struct {
	serving.Prediction
	terms   map[string]float64 // seconds by name, over all steps
	running int                // most requests of a step
}

// terms watches the parts of the steps.
type terms struct {
	*enough
	s *seen
	r *EngineConfig
}

func (w terms) Step(s *engine.Step) {
	x := stepOf(w.r.Setup, s)
	for _, t := range x.Cost() {
		w.s.terms[t.Name] += t.Seconds
	}
	w.s.running = max(w.s.running, s.Running)
	w.enough.Step(s)
}

func look(t *testing.T, k serving.Knobs) seen {
	t.Helper()
	r, err := NewEngineConfig(k)
	if err != nil {
		t.Fatal(err)
	}
	s := seen{terms: map[string]float64{}}
	w := &enough{Meter: newMeter(r.Setup, k.Users, 0, Objectives{}), users: k.Users}
	if _, err := r.Play(context.Background(), terms{w, &s, r}); err != nil {
		t.Fatal(err)
	}
	o := NewOutcome(r, w.Figures())
	s.Prediction = o.Prediction()
	return s
}

// Every option has an effect that the screen shows: a part of the step, a figure
// or the cache.
func TestEveryOptionHasAnEffect(t *testing.T) {
	for name, c := range map[string]struct {
		from, to func(*serving.Knobs)
		shows    func(was, is *seen) bool
	}{
		"linear attention": {func(k *serving.Knobs) { k.Model, k.Precision, k.Hardware = "qwen3-30b-a3b", "fp8", "h200" }, func(k *serving.Knobs) { k.Model = "qwen3-next-80b-a3b" },
			func(was, is *seen) bool {
				return is.terms["states"] > 0 && was.terms["states"] == 0 && is.Machine.KVUser > 70e6 && is.Machine.KVToken < was.Machine.KVToken/3
			}},
		"windows": {func(k *serving.Knobs) { k.Model, k.Prompt = "qwen3-14b", 8000 }, func(k *serving.Knobs) { k.Model = "gemma-3-12b" },
			func(was, is *seen) bool { return is.Machine.KVUser > 0 && is.Machine.KVToken < was.Machine.KVToken/2 }},
		"sparse attention": {func(k *serving.Knobs) {
			k.Model, k.Precision, k.Hardware, k.TP, k.Prompt = "deepseek-v3.1", "fp8", "h200", 8, 32000
		}, func(k *serving.Knobs) { k.Model = "deepseek-v3.2" },
			func(was, is *seen) bool { return is.terms["KV read"] < was.terms["KV read"]/2 }},
		"KV format": {func(*serving.Knobs) {}, func(k *serving.Knobs) { k.KV = "fp8" },
			func(was, is *seen) bool {
				return is.Machine.KVToken*2 == was.Machine.KVToken && is.MostUsers.V >= 2*was.MostUsers.V && is.TPOT.V < was.TPOT.V
			}},
		"expert parallel": {func(k *serving.Knobs) { k.Model, k.Precision, k.Hardware, k.TP = "deepseek-r1", "fp8", "h200", 8 }, func(k *serving.Knobs) { k.Sharing = "expert" },
			func(was, is *seen) bool {
				return is.terms["exchange"] > 0 && is.terms["all-reduce"] == 0 && was.terms["all-reduce"] > 0 && is.MostUsers.V > 4*was.MostUsers.V && !is.Ceiling.OK
			}},
		"pipeline": {func(k *serving.Knobs) { k.Hardware, k.TP, k.Precision = "rtx4090", 4, "bf16" }, func(k *serving.Knobs) { k.Sharing = "pipeline" },
			func(was, is *seen) bool { return is.terms["exchange"] > 0 && is.TPOT.V > was.TPOT.V }},
		"CPU experts": {func(k *serving.Knobs) {
			k.Model, k.Precision, k.Hardware, k.Software = "qwen3-30b-a3b", "q4", "rtx4090", "llama.cpp"
		}, func(k *serving.Knobs) { k.CPULayers = 24 },
			func(was, is *seen) bool {
				return is.terms["CPU experts"] > 0 && is.TPOT.V > was.TPOT.V && is.Machine.Weights < was.Machine.Weights
			}},
		"async scheduling": {func(*serving.Knobs) {}, func(k *serving.Knobs) { k.Async = true },
			func(was, is *seen) bool {
				return is.terms["engine"] == 0 && was.terms["engine"] > 0 && is.TPOT.V < was.TPOT.V
			}},
		"EAGLE-3": {func(*serving.Knobs) {}, func(k *serving.Knobs) { k.DraftK, k.DraftHead, k.Accept = 3, "eagle3", 0.7 },
			func(was, is *seen) bool { return is.terms["draft"] > 0 && is.Speed.V > 1.4*was.Speed.V }},
		"Ollama": {func(k *serving.Knobs) { k.Hardware, k.Precision, k.Software = "rtx4090", "q4", "llama.cpp" }, func(k *serving.Knobs) { k.Software = "ollama" },
			func(was, is *seen) bool { return is.running == 1 && was.running == 8 && is.Queue.V > was.Queue.V }},
		"TensorRT-LLM": {func(k *serving.Knobs) { k.Precision = "fp8" }, func(k *serving.Knobs) { k.Software = "trtllm" },
			func(was, is *seen) bool { return is.TTFT.V < was.TTFT.V && is.Machine.KVToken*2 == was.Machine.KVToken }},
	} {
		from := Default()
		c.from(&from)
		to := from
		c.to(&to)
		was, is := look(t, from), look(t, to)
		if !c.shows(&was, &is) {
			t.Errorf("%s:\n%+v %v\n%+v %v", name, was.Prediction, was.terms, is.Prediction, is.terms)
		}
	}
}

// The software of SGLang brings its mode of batching, and takes it away again.
func TestSoftwareBringsItsMode(t *testing.T) {
	sglang := withSoftware(nil, Default(), "sglang")
	if sglang.Mode != "prefill-first" || withSoftware(nil, sglang, "").Mode != "continuous" {
		t.Errorf("%+v", sglang)
	}
	k := Default()
	k.Mode = "static"
	if withSoftware(nil, k, "sglang").Mode != "static" {
		t.Error("a chosen mode of batching is lost")
	}
}

// A model that one card cannot hold is a choice, not a refusal: the experts of as
// few layers as it takes are on the CPU, and it has a speed. A machine that holds
// the model takes them back, and a model without experts is refused as before.
func TestExpertsGoToTheCPU(t *testing.T) {
	k := Default()
	k.Hardware, k.TP, k.Model, k.Precision = "rtx4090", 1, "gpt-oss-20b", "mxfp4"
	large := choice(t, serving.KnobModel, k, "gpt-oss 120B")
	if large.Why != "" || large.CPU < 20 || large.CPU > 35 || large.Knobs.CPULayers != large.CPU {
		t.Fatalf("gpt-oss 120B on one card: %+v", large)
	}
	fewer := large.Knobs
	fewer.CPULayers--
	if _, err := NewEngineConfig(fewer); err == nil {
		t.Errorf("%d layers suffice, %d were chosen", fewer.CPULayers, large.CPU)
	}
	is, all := look(t, large.Knobs), large.Knobs
	all.CPULayers = 36
	slower := look(t, all)
	if is.terms["CPU experts"] <= 0 || is.Speed.V < 2 || slower.Speed.V >= is.Speed.V {
		t.Errorf("%v tok/s with the experts of %d layers on the CPU, %v with all", is.Speed.V, large.CPU, slower.Speed.V)
	}
	if !strings.Contains(is.Machine.Name, "+ CPU") {
		t.Errorf("named %q", is.Machine.Name)
	}
	for _, c := range []serving.KnobChoice{choice(t, serving.KnobHardware, large.Knobs, "H100"), choice(t, serving.KnobModel, large.Knobs, "Qwen3 14B"), choice(t, serving.KnobTP, withTP(large.Knobs, 1), "")} {
		if c.Knobs.TP == 1 && c.Now {
			continue // the present position stays as it is
		}
		if c.CPU != 0 || c.Knobs.CPULayers != 0 {
			t.Errorf("%+v keeps experts on the CPU", c)
		}
	}
	if c := choice(t, serving.KnobModel, k, "Llama 3.3 70B"); c.Why == "" || c.CPU != 0 {
		t.Errorf("a dense model of 70B on one card: %+v", c)
	}
	k.Software = "vllm"
	if c := choice(t, serving.KnobModel, k, "gpt-oss 120B"); c.Why == "" || c.CPU != 0 {
		t.Errorf("vLLM keeps experts on the CPU: %+v", c)
	}
}

func withTP(k serving.Knobs, n int) serving.Knobs {
	k.TP = n
	return k
}

// choice returns the position of a knob with that name; of a knob without names
// the present one.
func choice(t *testing.T, knob serving.Knob, k serving.Knobs, name string) serving.KnobChoice {
	t.Helper()
	for _, c := range Choices(nil, knob, k) {
		if c.Name == name && (name != "" || c.Now) {
			return c
		}
	}
	t.Fatalf("no position %q", name)
	return serving.KnobChoice{}
}
