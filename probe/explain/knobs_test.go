package explain

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/probe/sim/physics"
)

// with returns the default knobs with a change.
func with(change func(*serving.Knobs)) serving.Knobs {
	k := Default()
	change(&k)
	return k
}

func TestRigOfTheDefault(t *testing.T) {
	r := testkit.Must(NewEngineConfig(nil, Default()))(t)
	m := r.Machine()
	if m.Name != "Llama 3.1 8B bf16 on H100" || m.Bandwidth != 3350e9 || m.Peak != 989e12 || m.FormatPeak != m.Peak ||
		m.Budget != 8192 || m.KVBlock != 16 {
		t.Errorf("%+v", m)
	}
	if got := ceiling(&m); got.V < 222 || got.V > 224 { // 3350 / 15.0
		t.Errorf("ceiling %v", got.V)
	}
}

// Unavailable knobs have a reason with the deciding figures.
func TestKnobsThatCannotBeTaken(t *testing.T) {
	for _, c := range []struct {
		change func(*serving.Knobs)
		why    string
	}{
		{func(k *serving.Knobs) { k.Model, k.TP = "llama-3.3-70b", 1 },
			"131 GiB of weights, 80 GiB of memory (Llama 3.3 70B bf16 on H100); 2 x H100 would hold it"},
		{func(k *serving.Knobs) { k.Precision = "mxfp4" }, "mxfp4 packs experts, Llama 3.1 8B has none"},
		{func(k *serving.Knobs) { k.Model, k.Prompt = "llama-2-7b", 8000 },
			"8000 + 200 tokens, Llama 2 7B is served with a context of 4096"},
		{func(k *serving.Knobs) {
			k.Model, k.Precision, k.Hardware, k.Prompt, k.Output = "qwen3-14b", "fp8", "rtx4090", 32000, 1600
		}, "the cache has room for "},
		{func(k *serving.Knobs) { k.Users = 257 }, "257 users"},
		{func(k *serving.Knobs) { k.Users = 0 }, "0 users"},
		{func(k *serving.Knobs) { k.Time = 2 }, "time 2x"},
		{func(k *serving.Knobs) { k.DraftK = 9 }, "9 guesses"},
		{func(k *serving.Knobs) { k.DraftK, k.Accept = 3, 1.5 }, "acceptance of 1.5"},
		{func(k *serving.Knobs) { k.Hardware, k.DraftK = "cerebras", 3 }, "dataflow"},
		{func(k *serving.Knobs) { k.Mode = "magic" }, `batching mode "magic"`},
		{func(k *serving.Knobs) { k.Model = "gpt-9" }, `"gpt-9`},
	} {
		_, err := NewEngineConfig(nil, with(c.change))
		testkit.Refuses(t, err, c.why)
	}
	var fit *physics.FitError
	if _, err := NewEngineConfig(nil,
		with(func(k *serving.Knobs) { k.Model, k.TP = "llama-3.3-70b", 1 })); !errors.As(err, &fit) {
		t.Errorf("%T is no fit error", err)
	}
}

// A model that is too large for one device takes the smallest group, and the
// position names it.
func TestAutomaticGroup(t *testing.T) {
	r, err := NewEngineConfig(nil, with(func(k *serving.Knobs) { k.Model = "llama-3.3-70b" }))
	testkit.Given(t, err == nil && r.Setup.TP == 2, "%v, %+v", err, r)
	for _, c := range Choices(nil, serving.KnobModel, Default()) {
		testkit.That(t, c.Knobs.Model != "llama-3.3-70b" || c.Name == "Llama 3.3 70B" && c.Auto == 2 && c.Why == "", "%+v", c)
		testkit.That(t, c.Knobs.Model != "gpt-oss-120b" || c.Knobs.Precision == "mxfp4",
			"gpt-oss comes in %s, not in its usual precision", c.Knobs.Precision)
	}
}

// After any changes in any order every knob has positions, exactly one is the
// current one, and available ones give an engine.
func TestChoices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := Default()
		for range rapid.IntRange(0, 12).Draw(t, "turns") {
			knob := serving.Knob(rapid.IntRange(0, int(serving.NumKnobs)-1).Draw(t, "knob"))
			all := Choices(nil, knob, k)
			now, free := 0, 0
			for _, c := range all {
				_, err := NewEngineConfig(nil, c.Knobs)
				testkit.Given(t, (err == nil) == (c.Why == "") && (c.Name == "") == (knob > serving.KnobPrecision),
					"%v %q: %v but %q", knob, c.Name, err, c.Why)
				if c.Now {
					now++
				}
				if c.Why == "" {
					free++
				}
			}
			testkit.Given(t, now == 1 && free != 0,
				"%v of %+v: %d of %d positions are the present one, %d can be taken", knob, k, now, len(all), free)
			c := all[rapid.IntRange(0, len(all)-1).Draw(t, "position")]
			if c.Why == "" {
				if changed := serving.Changed(&k, &c.Knobs); (len(changed) == 0) != (c.Knobs == k) &&
					(knob != serving.KnobAccept || k.DraftK > 0) {
					t.Fatalf("from %+v to %+v: %v", k, c.Knobs, changed)
				}
				k = c.Knobs
			}
		}
	})
}
