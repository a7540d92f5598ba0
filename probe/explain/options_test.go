package explain

import (
	"context"
	"testing"

	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
)

// predicted is the prediction for some knobs, which must be available.
func predicted(t *testing.T, k serving.Knobs) serving.Prediction {
	t.Helper()
	p, err := Predict(context.Background(), nil, k)
	if err != nil || p.Err != "" {
		t.Fatal(err, p.Err)
	}
	return p
}

// Software differs in more than its name. What other options change is tested where
// it is seen: on the screen.
func TestSoftwareHasAnEffect(t *testing.T) {
	k := Default()
	k.Hardware, k.Precision, k.Software = "rtx4090", "q4", "llama.cpp"
	was := predicted(t, k)
	k.Software = "ollama" // one request at a time
	if is := predicted(t, k); is.Queue.V <= was.Queue.V {
		t.Errorf("the queue of Ollama takes %v, that of llama.cpp %v", is.Queue, was.Queue)
	}
	k = Default()
	k.Precision = "fp8"
	was = predicted(t, k)
	k.Software = "trtllm"
	if is := predicted(t, k); is.TTFT.V >= was.TTFT.V || is.Machine.KVToken*2 != was.Machine.KVToken {
		t.Errorf("TensorRT-LLM: %+v, before %+v", is, was)
	}
}

// The software of SGLang brings its mode of batching, and takes it away again.
func TestSoftwareBringsItsMode(t *testing.T) {
	sglang := withSoftware(Default(), "sglang")
	testkit.That(t, sglang.Mode == "prefill-first" && withSoftware(sglang, "").Mode == "continuous", "%+v", sglang)
	k := Default()
	k.Mode = "static"
	testkit.Is(t, withSoftware(k, "sglang").Mode, "static", "a chosen mode of batching is lost")
}

// A model that one card cannot hold is a choice, not a refusal: the experts of as
// few layers as it takes are on the CPU, and it has a speed. A machine that holds
// the model takes them back, and a model without experts is refused as before.
func TestExpertsGoToTheCPU(t *testing.T) {
	k := Default()
	k.Hardware, k.TP, k.Model, k.Precision = "rtx4090", 1, "gpt-oss-20b", "mxfp4"
	large := choice(t, serving.KnobModel, k, "gpt-oss 120B")
	testkit.Given(t, large.Why == "" && large.CPU >= 20 && large.CPU <= 35 && large.Knobs.CPULayers == large.CPU,
		"gpt-oss 120B on one card: %+v", large)
	fewer := large.Knobs
	fewer.CPULayers--
	_, err := NewEngineConfig(nil, fewer)
	testkit.That(t, err != nil, "%d layers suffice, %d were chosen", fewer.CPULayers, large.CPU)
	is, all := predicted(t, large.Knobs), large.Knobs
	all.CPULayers = 36
	slower := predicted(t, all)
	testkit.That(t, is.Speed.V >= 2 && slower.Speed.V < is.Speed.V,
		"%v tok/s with the experts of %d layers on the CPU, %v with all", is.Speed.V, large.CPU, slower.Speed.V)
	testkit.Has(t, is.Machine.Name, "+ CPU")
	for _, c := range []serving.KnobChoice{choice(t, serving.KnobHardware, large.Knobs, "H100"),
		choice(t, serving.KnobModel, large.Knobs, "Qwen3 14B"), choice(t, serving.KnobTP, withTP(large.Knobs, 1), "")} {
		if c.Knobs.TP == 1 && c.Now {
			continue // the present position stays as it is
		}
		testkit.That(t, c.CPU == 0 && c.Knobs.CPULayers == 0, "%+v keeps experts on the CPU", c)
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
