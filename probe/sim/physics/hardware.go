package physics

import "cmp"

// Link describes how the devices of a group reduce their partial sums. An
// all-reduce of b bytes takes, in seconds,
//
//	min(A1 + b/B1, A2 + b/B2)
//
// The first pair is the one-shot kernel (low latency), the second the ring or
// switch reduction (high rate). A is in seconds, B in bytes per second.
//
// Over PCIe every byte passes the bus of each device, and each device adds a
// hop. A ring over n devices takes
//
//	A1 + 2·(n − 1)·Hop + 2·(n − 1)/n·b/Bus
type Link struct {
	A1, B1, A2, B2 float64
	// Bus is the bus bandwidth as nccl-tests define it, bytes per second; 0 for
	// links with a switch. Hop is in seconds.
	Bus, Hop float64
}

// AllReduce returns the time in seconds of one reduction of b bytes over n
// devices.
func (l Link) AllReduce(b float64, n int) float64 {
	if l.Bus > 0 {
		r := 2 * float64(n-1)
		return l.A1 + r*l.Hop + r/float64(n)*b/l.Bus
	}
	t := l.A1 + b/l.B1
	if l.B2 > 0 {
		t = min(t, l.A2+b/l.B2)
	}
	return t
}

// Ring returns the time in seconds of one reduction of b bytes over n devices
// by NCCL's ring, on a link with a switch:
//
//	2·(n − 1)·hop + b/B2
//
// The hop of 3.3 µs is derived from a published row: Llama 3 70B on eight A100
// takes 24.2 ms a token in NIM of 2024, 15.6 ms without the hops' time.
func (l Link) Ring(b float64, n int) float64 {
	if l.Bus > 0 {
		return l.AllReduce(b, n)
	}
	const hop = 3.3e-6
	rate := cmp.Or(l.B2, l.B1)
	return 2*float64(n-1)*hop + b/rate
}

// Hardware is one device: a GPU, a whole personal computer, or a dataflow
// machine. Peaks are dense and from the datasheet.
type Hardware struct {
	Key  string // as typed: "h100"
	Name string // as shown: "H100"
	// Peak arithmetic in TFLOP/s by operand. 0 means that the device has no
	// such units and computes in the next wider format.
	BF16, FP8, FP4 float64
	// FP16 is the peak with sums in 16 bits, in TFLOP/s, where that is more than
	// BF16: GeForce cards halve their rate for sums in 32 bits. 0 means BF16.
	FP16 float64
	// NoMatrix marks a device without matrix units: its peaks are those of its
	// vector units, or what llama.cpp reaches.
	NoMatrix bool
	BW       float64 // memory bandwidth, GB/s
	Mem      float64 // memory, GiB; of a dataflow machine GB
	// EffBW and EffFLOP are the shares of the peaks that large kernels reach. 0
	// uses the values that fit every GPU: 0.80 and 0.75.
	EffBW, EffFLOP float64
	// Narrow is the part of EffFLOP that products in 8 bits reach. 0 uses the value
	// of HBM devices: 0.86. Ada and GeForce's Blackwell reach all of it.
	Narrow float64
	// Eff4 is the extra factor on EffBW for 4-bit weights; 0 uses 0.85.
	Eff4 float64
	// Eff8 is that for 8-bit weights; 0 uses 0.92.
	Eff8 float64
	// OwnAttn is the share of the 16-bit peak that llama.cpp's own attention over a
	// very long prompt reaches, OwnQ that of its products of quantized weights. 0
	// uses the values of NVIDIA's devices: 0.30, and KernelQ or KernelG of the stack.
	OwnAttn, OwnQ float64
	// OwnTile is the least tile of rows of llama.cpp's products of experts; 0 means the
	// share of any device (grouped).
	OwnTile float64
	// OwnDelta is what a token of a prompt takes in a layer of linear attention in
	// llama.cpp, in seconds, beyond the time of others: its kernel takes one after the other.
	OwnDelta float64
	// OwnBW is the share of the bandwidth that llama.cpp's kernels reach, in any
	// format. 0 uses EffBW and Eff4.
	OwnBW float64
	// Emulated is the part of BF16 that software whose files have bfloat16 reaches, on
	// chips that compute in float16 only; 0 means all of it.
	Emulated float64
	// Fixed is how much longer than NVIDIA's the fixed times of its kernels are; 0
	// means as long.
	Fixed float64
	// Blocks is Stack.Blocks where it was seen on this device only; 0 means the software's.
	// BlockRate is the part of the rate of products in 8 bits that those with scales for
	// blocks reach; 0 means all of it.
	Blocks, BlockRate float64
	Link              Link
	// MaxTP is the largest group of these devices in one link domain. It is 1
	// where no all-reduce timing is published.
	MaxTP int
	// Stack is the key of the usual serving software; "" derives it from the
	// other fields.
	Stack string
	// Source says where the peaks come from. Note says what the computation
	// leaves out on this device; "" if nothing.
	Source, Note string
	// Flow is set for dataflow machines. Their time per token is not bytes over
	// bandwidth but a time per layer. nil for all others.
	Flow *Flow
}

// Flow describes a dataflow machine as a whole, all its chips. A token takes,
// in seconds,
//
//	layers*Layer + bytes/Bytes
//
// A prompt streams through at Prefill FLOP per second.
type Flow struct {
	Layer   float64 // seconds per layer and step
	Bytes   float64 // bytes per second; 0 if the weights do not move
	Prefill float64 // FLOP/s reached by a prompt
}

// Bytes returns the memory of the device. DRAM comes in powers of two, also
// where the data sheet says GB: an H100 reports 81,559 MiB. B300 and GB300 have
// less than their sheets say, so Mem is what they report. The SRAM of a
// dataflow machine does not.
func (h *Hardware) Bytes() float64 {
	if h.Flow != nil {
		return h.Mem * 1e9
	}
	return h.Mem * gib
}

// The shares for devices without values of their own hold for every GPU within one
// percentage point of TPOT error.
func (h *Hardware) effBW() float64   { return cmp.Or(h.EffBW, 0.80) }
func (h *Hardware) effFLOP() float64 { return cmp.Or(h.EffFLOP, 0.75) }

// ownAttn returns the share of the 16-bit peak that llama.cpp's attention over a
// very long prompt reaches. 512 tokens of Llama 8B behind 32,768 reach 0.27 on an
// RTX 3090 (1,471 tok/s, pull request 17505). 2,048 tokens of gpt-oss-20b behind
// 16,384 reach 0.34 on a DGX Spark, with heads of 64 values counted as of 128 (2,686
// tok/s, and 3,611 at the start; jetsonhacks.com, October 2025).
func (h *Hardware) ownAttn() float64 { return cmp.Or(h.OwnAttn, 0.30) }
func (h *Hardware) narrow() float64  { return cmp.Or(h.Narrow, 0.86) }

// rate returns the FLOP/s of large matrix products with operands of class c,
// without the conversion of the operands. FP8 kernels reach 0.86 of the share
// that bf16 kernels reach on H100, H200 and B200, 1.00 on L40S and RTX PRO
// 6000. FP4 kernels reach 0.965 of that of FP8 (medians of TensorRT-LLM, vLLM and
// SGLang, aiconfigurator 095f58a). A device without
// units for c keeps the weights in c and widens them when read: fp8 and fp4
// weights both meet 16-bit activations then.
func (h *Hardware) rate(c Class) float64 {
	switch {
	case c == FP4 && h.FP4 > 0:
		return h.FP4 * 1e12 * h.effFLOP() * h.narrow() * 0.965
	case c == FP8 && h.FP8 > 0:
		return max(h.BF16, h.FP8*h.narrow()) * 1e12 * h.effFLOP()
	}
	return h.BF16 * 1e12 * h.effFLOP()
}

// quantizes reports whether products of class c convert their activations
// first, which costs extra kernels.
func (h *Hardware) quantizes(c Class) bool {
	return c == FP4 && h.FP4 > 0 || c == FP8 && h.FP8 > 0
}

// under returns h as software reaches it that has kernels of its own, or files in bfloat16. llama.cpp before
// June 2024 read no faster than others.
func (h Hardware) under(st *Stack) Hardware {
	if h.OwnBW > 0 && st.Kernel16 > 0 && !st.Widens {
		h.EffBW, h.Eff4, h.Eff8 = h.OwnBW, 1, 1
	}
	if st.Key == "mlx" {
		h.BF16, h.Emulated = h.BF16*cmp.Or(h.Emulated, 1), 0
	}
	return h
}

// stream returns the bytes per second at which weights of b bytes per
// parameter are read. 8-bit kernels reach 0.92 and 4-bit kernels 0.85 of the
// 16-bit share.
func (h *Hardware) stream(b float64) float64 {
	e := h.effBW()
	switch {
	case b < 0.75:
		e *= cmp.Or(h.Eff4, 0.85)
	case b < 1.5:
		e *= cmp.Or(h.Eff8, 0.92)
	}
	return h.BW * 1e9 * e
}
