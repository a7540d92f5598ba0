package physics

import "fmt"

// A desktop computer around a card: two channels of DDR5-5600, of which a CPU
// reads 0.70 as the machine "laptop" does. Prompts are computed on the card, and
// every piece of at most hostPiece tokens copies all experts there first, as
// llama.cpp does from hostBatch tokens on. The copy is derived from a published
// row: gpt-oss-120b with all experts on an i9-14900K reads 12,717 tokens at
// 134 tok/s (llama.cpp --n-cpu-moe 36, August 2025).
const (
	hostBytes = 89.6e9 * 0.70 // per second
	hostFLOPs = 1e12 * 0.75   // per second, as "laptop"
	hostMem   = 128 * gib
	hostCopy  = 16e9 // bytes per second over PCIe
	hostPiece = 512
	hostBatch = 32
)

// offload checks the layers whose experts are in the memory of the CPU, and
// takes their weights off the devices.
func (s *Setup) offload() error {
	n := s.CPULayers
	if n == 0 {
		return nil
	}
	m := &s.Model
	bytes := s.Params.Expert * float64(m.Experts*n) * s.Precision.Expert
	switch {
	case n < 0 || n > m.MoELayers():
		return &FitError{fmt.Sprintf("experts of %d layers on the CPU: %s has %d such layers", n, m.Name, m.MoELayers())}
	case s.Hardware.Link.Bus == 0:
		return &FitError{fmt.Sprintf("experts on the CPU need a card in a desktop computer, not %s", s.Hardware.Name)}
	case !s.Stack.GGUF:
		return &FitError{fmt.Sprintf("experts on the CPU need llama.cpp or Ollama, not %s", s.Stack.Name)}
	case s.TP > 1:
		return &FitError{"experts on the CPU need one device here"}
	case bytes > hostMem:
		return &FitError{fmt.Sprintf("%s of experts, the computer has %s of memory", gb(bytes), gb(hostMem))}
	}
	s.Weights -= bytes
	return nil
}

// cpuExperts returns the cost of the experts on the CPU for a step with t
// tokens, of which active are read per layer.
func (s *Setup) cpuExperts(t, active float64) Term {
	m, p, b := &s.Model, s.Params, s.Precision.Expert
	layers := float64(s.CPULayers)
	x := Term{FLOPs: 2 * t * float64(m.TopK) * p.Expert * layers, Bytes: active * p.Expert * layers * b, Limit: Bandwidth}
	if t < hostBatch {
		x.Seconds = pnorm(x.FLOPs/hostFLOPs, x.Bytes/hostBytes)
		if x.FLOPs/hostFLOPs > x.Bytes/hostBytes {
			x.Limit = Compute
		}
		return x
	}
	pieces := float64((int(t) + hostPiece - 1) / hostPiece)
	x.Bytes = pieces * float64(m.Experts) * p.Expert * layers * b
	x.Seconds = x.Bytes/hostCopy + x.FLOPs/(s.rate(b)*s.grouped(t*float64(m.TopK)/active, b))
	return x
}
