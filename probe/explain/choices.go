package explain

import (
	"cmp"
	"slices"

	"tokscope/metrics/serving"
	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// Usual positions of the knobs.
var (
	offOn         = []bool{false, true}
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
		if to.Hardware != k.Hardware || to.Model != k.Model || to.TP != k.TP { // a device has another load
			to, cpu = withCPU(cat, to)
		}
		c := serving.KnobChoice{Name: name, Knobs: to, CPU: cpu, Now: to == k}
		if r, err := NewEngineConfig(cat, to); err != nil {
			c.Why = err.Error()
		} else {
			c.Auto = automatic(knob, &to, r)
		}
		out = append(out, c)
	}
	set := func(name string, change func(*serving.Knobs)) {
		to := k
		change(&to)
		add(name, to)
	}
	switch knob {
	case serving.KnobHardware:
		for _, h := range cat.Machines() {
			set(h.Name, func(k *serving.Knobs) { k.Hardware = h.Key })
		}
	case serving.KnobModel:
		for _, m := range cat.Models() {
			add(m.Name, withModel(cat, k, m.Key))
		}
	case serving.KnobPrecision:
		for _, p := range physics.Precisions {
			set(p.Name, func(k *serving.Knobs) { k.Precision = p.Key })
		}
	case serving.KnobTP:
		setEach(set, degrees(cat, k), func(k *serving.Knobs) *int { return &k.TP })
	case serving.KnobUsers:
		setEach(set, around(userChoices, k.Users), func(k *serving.Knobs) *int { return &k.Users })
	case serving.KnobPrompt:
		setEach(set, around(promptChoices, k.Prompt), func(k *serving.Knobs) *int { return &k.Prompt })
	case serving.KnobOutput:
		setEach(set, around(outputChoices, k.Output), func(k *serving.Knobs) *int { return &k.Output })
	case serving.KnobMode:
		for m := engine.Continuous; m <= engine.Disaggregated; m++ {
			set("", func(k *serving.Knobs) { k.Mode = m.String() })
		}
	case serving.KnobBudget:
		setEach(set, around(budgetChoices, k.Budget), func(k *serving.Knobs) *int { return &k.Budget })
	case serving.KnobPrefixCache:
		setEach(set, offOn, func(k *serving.Knobs) *bool { return &k.PrefixCache })
	case serving.KnobDraft:
		for n := range maxDraft + 1 {
			set("", func(k *serving.Knobs) { k.DraftK = n })
		}
	case serving.KnobAccept:
		setEach(set, around(acceptChoices, k.Accept), func(k *serving.Knobs) *float64 { return &k.Accept })
	case serving.KnobSoftware:
		for _, key := range softwareChoices {
			add("", withSoftware(k, key))
		}
	case serving.KnobSharing:
		setEach(set, sharingChoices, func(k *serving.Knobs) *string { return &k.Sharing })
	case serving.KnobKV:
		set("", func(k *serving.Knobs) { k.KV = "" })
		for _, f := range physics.KVFormats {
			set("", func(k *serving.Knobs) { k.KV = f.Key })
		}
	case serving.KnobCPU:
		setEach(set, around(cpuChoices(cat, k), k.CPULayers), func(k *serving.Knobs) *int { return &k.CPULayers })
	case serving.KnobDraftHead:
		add("", withHead(k, ""))
		add("", withHead(k, eagle3))
	case serving.KnobAsync:
		setEach(set, offOn, func(k *serving.Knobs) *bool { return &k.Async })
	case serving.KnobTime:
		setEach(set, around(timeChoices, k.Time), func(k *serving.Knobs) *float64 { return &k.Time })
	}
	return out
}

// setEach sets a knob to all positions of a list.
func setEach[T any](set func(string, func(*serving.Knobs)), list []T, field func(*serving.Knobs) *T) {
	for _, to := range list {
		set("", func(k *serving.Knobs) { *field(k) = to })
	}
}

// withModel changes the model. If the old model had its default precision,
// the new one gets its own default precision.
func withModel(cat *physics.Catalogue, k serving.Knobs, key string) serving.Knobs {
	usual := func(key string) string {
		m, _ := cat.Model(key)
		return sim.NativePrecision(&m)
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
	return around(out, k.TP)
}

// around returns the usual positions and the current one, rising.
func around[T cmp.Ordered](usual []T, now T) []T {
	all := append(slices.Clone(usual), now)
	slices.Sort(all)
	return slices.Compact(all)
}
