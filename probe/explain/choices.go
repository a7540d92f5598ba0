package explain

import (
	"fmt"
	"slices"
	"strconv"

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
// unavailable position has its reason.
func Choices(knob serving.Knob, k serving.Knobs) []serving.KnobChoice {
	var out []serving.KnobChoice
	add := func(label string, to serving.Knobs) {
		c := serving.KnobChoice{Label: label, Knobs: to, Now: to == k}
		if _, err := NewEngineConfig(to); err != nil {
			c.Why = err.Error()
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
		for _, h := range physics.Machines {
			to := with(func(k *serving.Knobs) { k.Hardware = h.Key })
			add(grouped(h.Name, to), to)
		}
	case serving.KnobModel:
		for _, m := range physics.Models {
			to := withModel(k, m.Key)
			add(grouped(m.Name, to), to)
		}
	case serving.KnobPrecision:
		for _, p := range physics.Precisions {
			to := with(func(k *serving.Knobs) { k.Precision = p.Key })
			add(grouped(p.Name, to), to)
		}
	case serving.KnobTP:
		for _, n := range degrees(k) {
			to := with(func(k *serving.Knobs) { k.TP = n })
			label := strconv.Itoa(n)
			if n == 0 {
				label = "automatic"
				if r, err := NewEngineConfig(to); err == nil {
					label = fmt.Sprintf("automatic (%d)", r.Setup.TP)
				}
			}
			add(label, to)
		}
	case serving.KnobUsers:
		counts(userChoices, k.Users, func(n int) { add(strconv.Itoa(n), with(func(k *serving.Knobs) { k.Users = n })) })
	case serving.KnobPrompt:
		counts(promptChoices, k.Prompt, func(n int) { add(strconv.Itoa(n), with(func(k *serving.Knobs) { k.Prompt = n })) })
	case serving.KnobOutput:
		counts(outputChoices, k.Output, func(n int) { add(strconv.Itoa(n), with(func(k *serving.Knobs) { k.Output = n })) })
	case serving.KnobMode:
		for m := engine.Continuous; m <= engine.Disaggregated; m++ {
			add(m.String(), with(func(k *serving.Knobs) { k.Mode = m.String() }))
		}
	case serving.KnobBudget:
		counts(budgetChoices, k.Budget, func(n int) {
			to := with(func(k *serving.Knobs) { k.Budget = n })
			label := strconv.Itoa(n)
			if n == 0 {
				label = "auto"
				if r, err := NewEngineConfig(to); err == nil && r.Setup.Budget < 1<<20 {
					label = fmt.Sprintf("auto (%d)", r.Setup.Budget)
				}
			}
			add(label, to)
		})
	case serving.KnobPrefixCache:
		add("off", with(func(k *serving.Knobs) { k.PrefixCache = false }))
		add("on", with(func(k *serving.Knobs) { k.PrefixCache = true }))
	case serving.KnobDraft:
		for n := range maxDraft + 1 {
			add(orWord(n, "off"), with(func(k *serving.Knobs) { k.DraftK = n }))
		}
	case serving.KnobAccept:
		shares(acceptChoices, k.Accept, func(a float64) { add(percent(a), with(func(k *serving.Knobs) { k.Accept = a })) })
	case serving.KnobTime:
		shares(timeChoices, k.Time, func(f float64) { add(factor(f), with(func(k *serving.Knobs) { k.Time = f })) })
	}
	return out
}

// withModel changes the model. If the old model had its default precision,
// the new one gets its own default precision.
func withModel(k serving.Knobs, key string) serving.Knobs {
	usual := func(key string) string {
		if m, ok := physics.ModelOf(key); ok && m.Native != "" {
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

// grouped adds the number of devices of an automatic degree, when it is more
// than one.
func grouped(name string, k serving.Knobs) string {
	if k.TP != 0 {
		return name
	}
	if r, err := NewEngineConfig(k); err == nil && r.Setup.TP > 1 {
		return fmt.Sprintf("%s (on %d)", name, r.Setup.TP)
	}
	return name
}

// degrees returns the tensor parallel degrees of the hardware: 0 for
// automatic, then doubling.
func degrees(k serving.Knobs) []int {
	out := []int{0}
	h, _ := physics.Machine(k.Hardware)
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
