package physics

import (
	"fmt"
	"math"
)

// Sharing says how the devices of a group share a model.
type Sharing uint8

const (
	// Tensor splits every layer over all devices.
	Tensor Sharing = iota
	// Expert gives every device all attention and some of the experts. Each
	// sequence lives on one device (data-parallel attention), and its tokens
	// travel to their experts and back.
	Expert
	// Pipeline gives every device some of the layers. The batch is cut into as
	// many parts as there are devices, which follow each other.
	Pipeline
	NumSharings
)

var sharings = [NumSharings]string{"tensor", "expert", "pipeline"}

// String returns the word on screen.
func (s Sharing) String() string { return sharings[s] }

// mostParts bounds the devices of a group that does not split its layers.
const mostParts = 128

// shareOut checks the sharing and prepares the view of one device.
func (s *Setup) shareOut() error {
	if s.Sharing == Tensor {
		return nil
	}
	m := &s.Model
	switch {
	case s.Hardware.Flow != nil:
		return &FitError{"the chips of a dataflow machine share every layer"}
	case s.Sharing == Expert && m.Experts == 0:
		return &FitError{fmt.Sprintf("expert parallelism needs experts, %s has none", m.Name)}
	case s.TP == 1:
		return &FitError{"one device shares nothing: give two or more"}
	case s.Sharing == Expert && m.Experts%s.TP != 0:
		return &FitError{fmt.Sprintf("%d experts do not divide over %d devices", m.Experts, s.TP)}
	case s.Sharing == Pipeline && m.Layers < s.TP:
		return &FitError{fmt.Sprintf("%d layers for %d stages", m.Layers, s.TP)}
	case s.TP > mostParts:
		return &FitError{fmt.Sprintf("%d devices: at most %d share by %s", s.TP, mostParts, s.Sharing)}
	case s.Draft != nil && s.Draft.Model != nil:
		return &FitError{"a draft model needs tensor parallelism here"}
	case s.CPULayers > 0:
		return &FitError{"experts in the memory of the CPU need one device here"}
	}
	s.shards = float64(s.TP) // a token's cache is on one device, and the sequences are spread
	if s.Sharing == Expert {
		s.Weights += float64(s.TP-1) * (s.Weights - s.Params.Routed*s.Precision.Expert)
	}
	s.Budget, s.MaxSeqs = min(s.Budget*s.TP, 1<<30), s.MaxSeqs*s.TP
	one := *s
	one.TP, one.shards, one.Sharing, one.one = 1, 1, Tensor, nil
	one.Budget, one.MaxSeqs = s.Budget/s.TP, s.MaxSeqs/s.TP
	s.one = &one
	return nil
}

// part is the share of a load that one device takes.
type part struct {
	seqs, tokens int
	prompts      bool
}

// parts divides a load over n devices: the sequences evenly, and each prompt to
// the device with the fewest tokens so far. owner gets the device of each
// prompt, and needs room for all of them.
func (l *Load) parts(n, k int, owner []uint8) (list [mostParts]part) {
	for i := range min(n, l.Seqs) {
		seqs := (l.Seqs - i + n - 1) / n
		list[i] = part{seqs: seqs, tokens: (1 + k) * seqs}
	}
	for j := range l.Chunks {
		least := 0
		for i := range n {
			if list[i].tokens < list[least].tokens {
				least = i
			}
		}
		list[least].tokens += l.Chunks[j].New
		list[least].prompts = true
		owner[j] = uint8(least)
	}
	return list
}

// of returns the load of a device that has seqs of the sequences.
func (l *Load) of(seqs int) (p Load) {
	if seqs > 0 {
		p = Load{Seqs: seqs, Ctx: l.Ctx * int64(seqs) / int64(l.Seqs), WinCtx: l.WinCtx * int64(seqs) / int64(l.Seqs)}
	}
	return p
}

// divided adds the terms of a step of devices that do not split their layers.
// The times are those of the slowest device, which the others wait for. The parts
// of a pipeline do not wait for the one with a prompt: every stage works on one
// after the other, so a round costs their mean, and at least what a part with
// decodes alone takes through all stages. A prompt beside decodes ends with the
// round here, which is earlier than it leaves the last stage. Bytes
// and FLOPs are sums over the devices. A device without a prompt costs as much
// as any other that has as many sequences.
func (s *Setup) divided(c *Cost, l *Load, k int) {
	var chunks [64]Chunk
	var owners [64]uint8
	buf, owner := chunks[:0], owners[:]
	if len(l.Chunks) > len(owner) {
		owner = make([]uint8, len(l.Chunks))
	}
	list := l.parts(s.TP, k, owner)
	var cost, plain Cost
	longest, sum, tokens, plainSeqs := -1.0, 0.0, 0, 0
	for i := range s.TP {
		p := &list[i]
		if p.tokens == 0 {
			continue
		}
		tokens = max(tokens, p.tokens)
		if !p.prompts && p.seqs == plainSeqs {
			c.add(&plain)
			sum += plain.Device()
			continue
		}
		one := l.of(p.seqs)
		one.Chunks = buf[:0]
		for j := range l.Chunks {
			if owner[j] == uint8(i) {
				one.Chunks = append(one.Chunks, l.Chunks[j])
			}
		}
		cost = Cost{Tokens: one.tokens(k), Rows: one.rows(k)}
		s.one.device(&cost, &one, k)
		if !p.prompts {
			plain, plainSeqs = cost, p.seqs
		}
		c.add(&cost)
		sec := cost.Device()
		sum += sec
		if s.Sharing == Expert {
			sec -= cost.Terms[Experts].Seconds // all devices share them
		}
		if sec > longest {
			longest = sec
			for j, t := range cost.Terms {
				c.Terms[j].Seconds, c.Terms[j].Limit = t.Seconds, t.Limit
			}
		}
	}
	if s.Sharing == Expert {
		c.Terms[Experts] = s.spread(float64(c.Tokens))
		c.Terms[Exchange] = Term{Seconds: float64(s.Model.MoELayers()) * s.exchange(float64(tokens))}
		return
	}
	if len(l.Chunks) > 0 && l.Seqs > 0 {
		one := l.of(list[0].seqs)
		plain = Cost{Tokens: one.tokens(k), Rows: one.rows(k)}
		s.one.device(&plain, &one, k)
		by := min(1, max(sum/float64(s.TP), plain.Device())/longest)
		for i := range c.Terms {
			c.Terms[i].Seconds *= by
		}
	}
	hop := s.Hardware.Link.A1 + float64(tokens*s.Model.Hidden)*2/s.Hardware.Link.oneWay(s.TP)
	c.Terms[Exchange] = Term{Seconds: float64(s.TP-1) * hop}
}

// add adds the bytes and FLOPs of another device.
func (c *Cost) add(o *Cost) {
	for i := range c.Terms {
		c.Terms[i].Bytes += o.Terms[i].Bytes
		c.Terms[i].FLOPs += o.Terms[i].FLOPs
	}
}

// unevenness is how much experts differ in their tokens: their standard
// deviation over their mean. It is derived from the tokens that each of 32 devices
// with 8 experts of DeepSeek R1 gets: 0.48 of their mean in an iteration of a layer
// (TensorRT-LLM, examples/ep_load_balancer, without a balancer), times √8.
const unevenness = 1.36

// fullest returns how many times the mean of all devices the one with the most
// tokens gets, for E experts over n devices:
//
//	1 + unevenness·√(n/E)·√(2·ln n)
func (m *Model) fullest(devices int) float64 {
	n := float64(devices)
	return min(n, 1+unevenness*math.Sqrt(n/float64(m.Experts))*math.Sqrt(2*math.Log(n)))
}

// spread returns the experts of all devices for t tokens. The device with the
// most tokens decides. If some experts are read only, the one with the most of
// these reads longest: of balls thrown at random into n bins, the fullest gets
// about
//
//	mean + sqrt(2·mean·ln n)
//
// and never more than all of its experts.
func (s *Setup) spread(t float64) Term {
	m, q, n := &s.Model, s.Precision, float64(s.TP)
	k, layers := float64(m.TopK), float64(m.MoELayers())
	active := m.activeExperts(t)
	mean := active / n
	most := min(float64(m.Experts)/n, mean+math.Sqrt(2*mean*math.Log(n)))
	flops, bytes := 2*t*k*s.Params.Expert*layers, active*s.Params.Expert*layers*q.Expert
	x := s.gemm(flops*m.fullest(s.TP), bytes*max(1, most/mean), q.Expert, s.grouped(t*k/active, q.Expert))
	x.Bytes, x.FLOPs = bytes, flops
	s.gather(&x, t*k*layers*m.fullest(s.TP)/n)
	return x
}

// sent returns the bytes of a value on its way to its expert: in the format of
// the product where the device has units for it. DeepEP and TensorRT-LLM convert
// before they send. All comes back in 16 bits.
func (h *Hardware) sent(q *Precision) float64 {
	if h.quantizes(q.Class) && q.Expert < 2 {
		return q.Expert
	}
	return 2
}

// exchange returns the time in seconds that the t tokens of a device take to
// their experts and back, in one layer.
func (s *Setup) exchange(t float64) float64 {
	n, l := float64(s.TP), &s.Hardware.Link
	values := t * min(float64(s.Model.TopK), n) * (n - 1) / n * s.Model.expertHidden()
	return l.gather(values*s.Hardware.sent(&s.Precision), s.TP) + l.gather(2*values, s.TP)
}

// gather returns the time in seconds in which each of n devices gets b bytes of
// the others: half of a reduction. On a link with a switch it is
//
//	min(A1·(1 + 0.18·(n − 2)) + b/(2·B1), A2 + b/one way)
//
// with n of at most 8. NCCL's gather of some bytes over two, four and eight H100
// takes 5.2, 7.1 and 10.2 µs. Over eight it takes 22, 45, 69, 125 and 208 µs for
// 2, 8, 17, 34 and 67 MB (aiconfigurator 095f58a, NCCL 2.29), DeepEP on an H200 48
// µs for 6 MB and 156 µs for 51 MB.
func (l Link) gather(b float64, n int) float64 {
	if l.Bus > 0 {
		return l.A1 + float64(n-1)*l.Hop + b/l.Bus
	}
	t := l.A1*(1+0.18*float64(min(n, 8)-2)) + b/(2*l.B1)
	if l.B2 > 0 {
		t = min(t, l.A2+b/l.oneWay(n))
	}
	return t
}

// oneWay returns the bytes per second that a device of n sends while it
// receives as many: the bus bandwidth behind the all-reduce.
func (l Link) oneWay(n int) float64 {
	if l.Bus > 0 {
		return l.Bus
	}
	return max(l.B1, l.B2) * 2 * float64(n-1) / float64(n)
}
