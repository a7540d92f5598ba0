package explain

import (
	"slices"

	"tokscope/metrics/serving"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// Usual positions of the numeric knobs.
var (
	userChoices   = []int{1, 2, 4, 8, 16, 32, 64, 128, 256}
	promptChoices = []int{16, 32, 64, 125, 250, 500, 1000, 2000, 4000, 8000, 16000, 32000}
	outputChoices = []int{8, 16, 32, 64, 100, 200, 400, 800, 1600, 3200}
	budgetChoices = []int{0, 128, 256, 512, 1024, 2048, 4096, 8192}
	acceptChoices = []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95}
	timeChoices   = []float64{1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01}
)

// Choices returns the positions of a knob, with the other knobs as in k. An
// unavailable position has its reason. Machines and models are those of cat; nil
// has the built-in ones.
func Choices(cat *physics.Catalogue, knob serving.Knob, k serving.Knobs) []serving.KnobChoice {
	var out []serving.KnobChoice
	add := func(name string, to serving.Knobs) {
		var cpu int
		if fillsDevice(knob, &to, &k) {
			to, cpu = withCPU(cat, to)
		}
		c := serving.KnobChoice{Name: name, Knobs: to, CPU: cpu, Now: to == k}
		if r, err := NewEngineConfigOf(cat, to); err != nil {
			c.Why = err.Error()
		} else {
			c.Auto = automatic(knob, &to, r)
		}
		out = append(out, c)
	}
	with := func(change func(*serving.Knobs)) serving.Knobs {
		to := k
		change(&to)
		return to
	}
	switch knob {
	case serving.KnobHardware:
		for _, h := range cat.Machines() {
			to := with(func(k *serving.Knobs) { k.Hardware = h.Key })
			add(h.Name, to)
		}
	case serving.KnobModel:
		for _, m := range cat.Models() {
			to := withModel(cat, k, m.Key)
			add(m.Name, to)
		}
	case serving.KnobPrecision:
		for _, p := range physics.Precisions {
			to := with(func(k *serving.Knobs) { k.Precision = p.Key })
			add(p.Name, to)
		}
	case serving.KnobTP:
		for _, n := range degrees(cat, k) {
			add("", with(func(k *serving.Knobs) { k.TP = n }))
		}
	case serving.KnobUsers:
		counts(userChoices, k.Users, func(n int) { add("", with(func(k *serving.Knobs) { k.Users = n })) })
	case serving.KnobPrompt:
		counts(promptChoices, k.Prompt, func(n int) { add("", with(func(k *serving.Knobs) { k.Prompt = n })) })
	case serving.KnobOutput:
		counts(outputChoices, k.Output, func(n int) { add("", with(func(k *serving.Knobs) { k.Output = n })) })
	case serving.KnobMode:
		for m := engine.Continuous; m <= engine.Disaggregated; m++ {
			add("", with(func(k *serving.Knobs) { k.Mode = m.String() }))
		}
	case serving.KnobBudget:
		counts(budgetChoices, k.Budget, func(n int) {
			add("", with(func(k *serving.Knobs) { k.Budget = n }))
		})
	case serving.KnobPrefixCache:
		add("", with(func(k *serving.Knobs) { k.PrefixCache = false }))
		add("", with(func(k *serving.Knobs) { k.PrefixCache = true }))
	case serving.KnobDraft:
		for n := range maxDraft + 1 {
			add("", with(func(k *serving.Knobs) { k.DraftK = n }))
		}
	case serving.KnobAccept:
		shares(acceptChoices, k.Accept, func(a float64) { add("", with(func(k *serving.Knobs) { k.Accept = a })) })
	case serving.KnobSoftware:
		for _, key := range softwareChoices {
			add("", withSoftware(cat, k, key))
		}
	case serving.KnobSharing:
		for s := physics.Tensor; s < physics.NumSharings; s++ {
			add("", with(func(k *serving.Knobs) { k.Sharing = sharingWord(s) }))
		}
	case serving.KnobKV:
		add("", with(func(k *serving.Knobs) { k.KV = "" }))
		for _, f := range physics.KVFormats {
			add("", with(func(k *serving.Knobs) { k.KV = f.Key }))
		}
	case serving.KnobCPU:
		counts(cpuChoices(cat, k), k.CPULayers, func(n int) { add("", with(func(k *serving.Knobs) { k.CPULayers = n })) })
	case serving.KnobDraftHead:
		for _, h := range []string{"", eagle3} {
			add("", withHead(k, h))
		}
	case serving.KnobAsync:
		add("", with(func(k *serving.Knobs) { k.Async = false }))
		add("", with(func(k *serving.Knobs) { k.Async = true }))
	case serving.KnobTime:
		shares(timeChoices, k.Time, func(f float64) { add("", with(func(k *serving.Knobs) { k.Time = f })) })
	}
	return out
}

// withModel changes the model. If the old model had its default precision,
// the new one gets its own default precision.
func withModel(cat *physics.Catalogue, k serving.Knobs, key string) serving.Knobs {
	usual := func(key string) string {
		if m, ok := cat.Model(key); ok && m.Native != "" {
			return m.Native
		}
		return "bf16"
	}
	if k.Precision == usual(k.Model) {
		k.Precision = usual(key)
	}
	k.Model = key
	return k
}

// unboundedBudget is a budget of tokens a step that bounds nothing.
const unboundedBudget = 1 << 20

// automatic returns what the engine of r chooses in a position of a knob: the
// devices of a group without a degree, or the tokens in a step without a
// budget. It is 0 where the position leaves it no choice.
func automatic(knob serving.Knob, k *serving.Knobs, r *EngineConfig) int {
	switch knob {
	case serving.KnobHardware, serving.KnobModel, serving.KnobPrecision, serving.KnobTP:
		if k.TP == 0 {
			return r.Setup.TP
		}
	case serving.KnobBudget:
		if k.Budget == 0 && r.Setup.Budget < unboundedBudget {
			return r.Setup.Budget
		}
	}
	return 0
}

// degrees returns the tensor parallel degrees of the hardware: 0 for
// automatic, then doubling.
func degrees(cat *physics.Catalogue, k serving.Knobs) []int {
	out := []int{0}
	h, _ := cat.Machine(k.Hardware)
	for n := 1; n <= min(h.MaxTP, 64); n *= 2 {
		out = append(out, n)
	}
	if !slices.Contains(out, k.TP) {
		out = append(out, k.TP)
		slices.Sort(out)
	}
	return out
}

// counts calls f with the usual positions and the current one, rising.
func counts(usual []int, now int, f func(int)) {
	all := append(slices.Clone(usual), now)
	slices.Sort(all)
	for _, n := range slices.Compact(all) {
		f(n)
	}
}

// shares is counts for fractions.
func shares(usual []float64, now float64, f func(float64)) {
	all := append(slices.Clone(usual), now)
	slices.Sort(all)
	for _, x := range slices.Compact(all) {
		f(x)
	}
}
