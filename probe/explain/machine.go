package explain

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// Machine is the config's hardware and model as the screen shows them.
func (r *EngineConfig) Machine() serving.Machine {
	m := machineOf(r.Setup)
	m.Name, m.Budget = name(r), r.Setup.Budget
	if r.Budget > 0 {
		m.Budget = r.Budget
	}
	return m
}

// machineOf returns the hardware and model of a setup, without a name and a
// budget.
func machineOf(s *physics.Setup) serving.Machine {
	tp := float64(s.TP)
	m := serving.Machine{
		Bandwidth: s.Hardware.BW * 1e9 * tp, Peak: s.Hardware.BF16 * 1e12 * tp,
		Weights: s.Weights, StepBytes: s.ActiveBytes(),
		PromptParameters: s.Model.Active() - s.Params.Head,
		KVToken:          s.KVToken, KVUser: s.UserBytes(s.Model.Window), KVCapacity: s.Capacity, KVBlock: physics.Block,
		Dataflow: s.Hardware.Flow != nil, Divided: s.Sharing != physics.Tensor || s.CPULayers > 0,
	}
	m.Format, m.FormatPeak = format(s)
	return m
}

// format returns the number format of the products, and the group's dense
// peak in it. A device without units for a format computes in the next wider
// one.
func format(s *physics.Setup) (name string, peak float64) {
	h, tp := &s.Hardware, float64(s.TP)
	switch {
	case s.Precision.Class == physics.FP4 && h.FP4 > 0:
		return "fp4", h.FP4 * 1e12 * tp
	case s.Precision.Class >= physics.FP8 && h.FP8 > 0:
		return "fp8", h.FP8 * 1e12 * tp
	}
	return "bf16", h.BF16 * 1e12 * tp
}

// name is the config for people: "Llama 3.3 70B fp8 on 2 x H100". A disaggregated
// engine has two such groups.
func name(r *EngineConfig) string {
	s := r.Setup
	on := s.Group()
	if s.Sharing != physics.Tensor {
		on = fmt.Sprintf("%s (%s)", on, s.Sharing)
	}
	if s.CPULayers > 0 {
		on += " + CPU"
	}
	if r.Mode == engine.Disaggregated {
		on = "two groups of " + on
	}
	return fmt.Sprintf("%s %s on %s", s.Model.Name, s.Precision.Name, on)
}

// mostUsers is how many users the cache holds at once, each at its fullest.
func (r *EngineConfig) mostUsers() int {
	return r.Setup.Capacity / physics.Block / r.Setup.Blocks(r.Knobs.Prompt+r.Knobs.Output+r.Knobs.DraftK)
}

// ceiling returns the upper bound of a user's speed without a draft model,
// tok/s:
//
//	bandwidth / bytes of weights that a step reads
func ceiling(m *serving.Machine) metrics.Value {
	if m.Dataflow {
		return metrics.Unknown(metrics.WhyDataflowWeights)
	}
	if m.Divided {
		return metrics.Unknown(metrics.WhyDividedWeights)
	}
	return metrics.Known(m.Bandwidth/m.StepBytes, 0)
}

// floor returns the lower bound of the time of a prefill of that many tokens,
// ms:
//
//	2 · parameters · tokens / peak in the format of the products
//
// The parameters are those used for every token of a prompt. Only the last
// token needs the output head, so it is left out, as in a calculation by
// hand.
func floor(m *serving.Machine, tokens int) metrics.Value {
	if m.Dataflow {
		return metrics.Unknown(metrics.WhyDataflowPeak)
	}
	return metrics.Known(1e3*2*m.PromptParameters*float64(tokens)/m.FormatPeak, 0)
}
