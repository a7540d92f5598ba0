package explain

import (
	"tokscope/metrics/serving"
	"tokscope/probe/sim"
	"tokscope/probe/sim/physics"
)

// eagle3 is the draft head of that name.
const eagle3 = "eagle3"

// softwareChoices are the positions of the software: the usual one first.
var softwareChoices = []string{"", "vllm", "sglang", "trtllm", "nim", "llama.cpp", "ollama", "mlx"}

// sharingChoices are the words of a sharing as the knobs have it: "" is the usual one.
var sharingChoices = []string{"", physics.Expert.String(), physics.Pipeline.String()}

// withSoftware changes the software. A usual mode of batching becomes that of
// the new software.
func withSoftware(k serving.Knobs, key string) serving.Knobs {
	usual := func(key string) string {
		s, _ := physics.StackOf(key)
		return sim.UsualMode(&s).String()
	}
	if k.Mode == usual(k.Software) {
		k.Mode = usual(key)
	}
	k.Software = key
	return k
}

// withCPU returns the knobs with the experts of as few layers on the CPU as the
// device needs, and how many those are. Knobs that fit no such way keep all
// experts on the device.
func withCPU(cat *physics.Catalogue, k serving.Knobs) (serving.Knobs, int) {
	k.CPULayers = 0
	m, _ := cat.Model(k.Model)
	h, _ := cat.Machine(k.Hardware)
	software, named := physics.StackOf(k.Software)
	if m.Experts == 0 || h.Link.Bus == 0 || k.TP > 1 || named && !software.GGUF {
		return k, 0
	}
	if _, err := NewEngineConfig(cat, k); err == nil {
		return k, 0
	}
	layers := cpuChoices(cat, k)
	for n := 1; n <= layers[len(layers)-1]; n++ {
		to := k
		to.CPULayers = n
		if _, err := NewEngineConfig(cat, to); err == nil {
			return to, n
		}
	}
	return k, 0
}

// cpuChoices returns the positions of the layers with experts on the CPU.
func cpuChoices(cat *physics.Catalogue, k serving.Knobs) []int {
	out := []int{0}
	m, _ := cat.Model(k.Model)
	for n := 4; n < m.MoELayers(); n += 4 {
		out = append(out, n)
	}
	return append(out, m.MoELayers())
}

// applyOptions sets the options of the knobs.
func applyOptions(c *physics.Config, k *serving.Knobs) error {
	software := k.Software
	if software == "" && k.CPULayers > 0 {
		software = "llama.cpp"
	}
	if software != "" {
		s, ok := physics.StackOf(software)
		if !ok || c.Hardware.Flow != nil {
			return &physics.FitError{Reason: c.Hardware.Name + " does not run the software " + software}
		}
		c.Stack = s
	}
	c.Stack.Async = c.Stack.Async || k.Async
	for s := range physics.NumSharings {
		if s.String() == k.Sharing {
			c.Sharing = s
		}
	}
	c.KV, c.CPULayers = k.KV, k.CPULayers
	return nil
}

// withHead changes the draft head. A head without guesses has no effect, so it
// gets some.
func withHead(k serving.Knobs, head string) serving.Knobs {
	if head == eagle3 && k.DraftHead != head && k.DraftK == 0 {
		k.DraftK, k.Accept = 3, physics.UsualAccept
	}
	k.DraftHead = head
	return k
}
