package physics

import (
	"cmp"
	"math"
)

// Fixed times of a layer in seconds, from kernel timings. They are the
// intercept of a GEMM, that of decode attention, and norms, rotary and
// activation together. Expert routing, latent and sparse attention add theirs.
// That of sparse attention is what its module takes on an H200 beyond latent
// attention (vLLM 0.20 in aiconfigurator: 220 µs with one sequence, 164 µs). mlaFixed
// and dsaFixed are those of early 2025, fusedMoE that of Stack.Fused.
const (
	gemmFixed = 3.4e-6
	attnFixed = 12e-6
	restFixed = 9e-6
	moeFixed  = 35e-6
	mlaFixed  = 45e-6
	dsaFixed  = 60e-6
	headFixed = 30e-6
	fusedMoE  = 20e-6
	// Layers of DeepSeek V4, with one sequence of Flash on a B200 over eight devices:
	// 61 to 79 µs with an indexer, 46 to 55 without, less the 30 that any layer has
	// here, and 23 to 28 to mix the streams. Of long prompts that moves nine values
	// for each of a stream (TensorRT-LLM 1.3, SGLang 0.5.14 and vLLM 0.24 in
	// aiconfigurator 095f58a).
	fineFixed, coarseFixed, streamFixed = 40e-6, 20e-6, 26e-6
	// metalFixed is all of a layer in llama.cpp on an Apple chip. It is derived from
	// two published rows: Llama 3 8B and 70B in Q4_K_M on an M2 Ultra take 13.1 and
	// 82.4 ms a token.
	metalFixed = 150e-6
)

// Shares of the rate of a large product that a grouped one reaches with very
// many rows per expert. Those on matrix units are medians of the expert layers
// of DeepSeek R1, Qwen3 30B and 235B, gpt-oss and Mixtral, timed with tokens that
// share experts (aiconfigurator 095f58a, power_law_1.01; TensorRT-LLM 1.2 and 1.3,
// vLLM 0.14 and 0.24, on A100, H100, H200, B200 and RTX PRO 6000):
//
//   - 0.80 in 16, 8 and 4 bits, without the bytes of gather; 0.72 with them
//   - 0.40 with scales for blocks (0.35 on an H100, 0.40 on an H200)
//   - 0.45 where 4 bits are widened to 16 in the kernel (0.45 to 0.50 in
//     TensorRT-LLM, 0.75 in Triton), 0.30 in Marlin, on devices older than fp8
//   - 0.40 in 16 bits on these older devices (Triton on an A100)
//
// llama.cpp's own kernels have the 0.60 of an earlier fit. Vector units wait less
// for their operands: their share is derived from a published row, gpt-oss-20b
// on an M4 Max, a prompt of 2,048 tokens in MLX in 1,289 ms.
const (
	groupedMatrix  = 0.80
	groupedBlocks  = 0.40
	groupedWidened = 0.45
	groupedMarlin  = 0.30
	groupedOld     = 0.40
	groupedOwn     = 0.60
	groupedVector  = 0.77
)

// pnorm is a softened maximum. Measured products bend before the ridge of the
// roofline.
//
//	(a³ + b³)^(1/3)
func pnorm(a, b float64) float64 {
	if a == 0 {
		return b
	}
	if b == 0 {
		return a
	}
	return math.Cbrt(a*a*a + b*b*b)
}

// Step returns the cost of a step with load l.
func (s *Setup) Step(l *Load) Cost {
	k := 0
	if s.Draft != nil {
		k = s.Draft.K
	}
	var c Cost
	c.Tokens, c.Rows = l.tokens(k), l.rows(k)
	if c.Tokens == 0 {
		return c
	}
	seqs := l.Seqs + len(l.Chunks)
	switch {
	case s.Hardware.Flow != nil:
		s.flow(&c, l)
	case s.one != nil:
		s.divided(&c, l, k)
		seqs = (seqs + s.TP - 1) / s.TP // every part has its own scheduler
	default:
		s.passes(&c, l, k)
	}
	if floor := s.launch(c.Tokens); len(l.Chunks) > 0 && s.Hardware.Flow == nil && floor > c.Device() {
		c.Terms[Launch].Seconds = floor - c.Device()
	}
	c.Terms[Engine].Seconds = s.Stack.Step + s.Stack.Seq*float64(seqs)
	if k > 0 && l.Seqs > 0 {
		c.Terms[Engine].Seconds += s.Stack.Draft + s.Stack.Guess*float64(k)
	}
	if s.Stack.Async {
		c.Terms[Engine].Seconds = max(0, c.Terms[Engine].Seconds-c.Device()-c.Terms[Launch].Seconds)
	}
	out := float64(c.Rows)
	if s.Draft != nil {
		out = float64(c.Rows) * s.Draft.Expected() / float64(1+k)
	}
	if fe := out * s.Stack.Token; fe > c.Seconds() {
		c.Terms[FrontEnd].Seconds = fe - c.Seconds()
	}
	return c
}

// launch returns the seconds in which the host launches the kernels of a step with
// prompts, of so many tokens in all.
func (s *Setup) launch(tokens int) float64 {
	moe, st := float64(s.Model.MoELayers()), &s.Stack
	if tokens <= st.Graphs {
		moe = 0
	}
	return (float64(s.Model.Layers)-moe)*st.Launch + moe*cmp.Or(st.LaunchMoE, st.Launch)
}

// passes adds the terms of devices that split every layer. Software with a bound
// of the tokens that go through the weights at once reads them again for every
// such piece. The decodes are in the first.
func (s *Setup) passes(c *Cost, l *Load, k int) {
	most := s.Stack.Pass
	if most == 0 || c.Tokens <= most {
		s.device(c, l, k)
		return
	}
	var room [16]Chunk
	one := Load{Seqs: l.Seqs, Ctx: l.Ctx, WinCtx: l.WinCtx, Chunks: room[:0]}
	left := max(0, most-l.Seqs*(1+k))
	for _, ch := range l.Chunks {
		for ch.New > 0 {
			if left == 0 {
				s.pass(c, &one, k)
				one, left = Load{Chunks: room[:0]}, most
			}
			part := ch
			part.New = min(ch.New, left)
			part.Last = ch.Last && part.New == ch.New
			one.Chunks = append(one.Chunks, part)
			left -= part.New
			ch.New -= part.New
			ch.Cached += part.New
		}
	}
	s.pass(c, &one, k)
}

// pass adds one piece of a step.
func (s *Setup) pass(c *Cost, l *Load, k int) {
	one := Cost{Tokens: l.tokens(k), Rows: l.rows(k)}
	if one.Tokens == 0 {
		return
	}
	s.device(&one, l, k)
	for i, t := range one.Terms {
		sum := &c.Terms[i]
		if t.Seconds > sum.Seconds/2 {
			sum.Limit = t.Limit
		}
		sum.plus(&t)
	}
}

// device adds the terms of devices that split every layer.
func (s *Setup) device(c *Cost, l *Load, k int) {
	s.linear(c)
	s.decodeAttention(c, l, k)
	s.prefillAttention(c, l)
	s.states(c, l)
	s.comm(c)
	s.kernels(c)
	s.head(c)
	s.drafting(c, l)
}

// gemm returns the cost of a group of products. flops is their arithmetic,
// read their bytes from memory, b the bytes per parameter. share scales the
// device's rate.
func (s *Setup) gemm(flops, read, b, share float64) Term {
	tp := float64(s.TP)
	cmp := flops / (tp * s.rate(b) * share)
	mem := read / (tp * s.Hardware.stream(b))
	t := Term{Seconds: pnorm(cmp, mem), Bytes: read, FLOPs: flops, Limit: Bandwidth}
	if cmp > mem {
		t.Limit = Compute
	}
	return t
}

// vectorRows is the number of rows up to which llama.cpp multiplies quantized
// weights by vectors, without a tile (MMVQ_MAX_BATCH_SIZE).
const vectorRows = 8

// dense is gemm for products that all rows share. The kernels of llama.cpp for
// quantized weights read and multiply by turns, so that the times add up:
// Llama 3 8B in Q4_0 takes 8.3, 9.3, 11.8, 17.2, 26.7 and 49.4 ms for 16, 32, 64,
// 128, 256 and 512 tokens on an RTX 4090 (pull request 7676), and Q6_K on an RTX
// 3090 follows a line too (pull request 8062). Weights that are widened first are
// read, written in 16 bits, and multiplied as such.
func (s *Setup) dense(flops, read, b float64) Term {
	t := s.gemm(flops, read, b, 1)
	if s.Stack.Kernel16 == 0 || b >= 2 || s.Hardware.NoMatrix || flops*b <= 2*vectorRows*read {
		return t
	}
	tp := float64(s.TP)
	if s.Stack.Widens && flops*b > 2*64*read {
		params := read / b
		t = s.gemm(flops, 2*params, 2, 1)
		t.Bytes += (b + 2) * params
		t.Seconds += (b + 2) * params / (tp * s.Hardware.stream(2))
		return t
	}
	t.Seconds = flops/(tp*s.rate(b)) + read/(tp*s.Hardware.stream(b))
	return t
}

// rate returns the FLOP/s of large products with weights of b bytes per
// parameter, on one device.
func (s *Setup) rate(b float64) float64 {
	h, st := &s.Hardware, &s.Stack
	if st.Kernel16 > 0 && !h.NoMatrix {
		peak := max(h.BF16, h.FP16) * 1e12
		switch {
		case b >= 2:
			return peak * st.Kernel16
		case h.OwnQ > 0:
			return peak * h.OwnQ
		case h.FP16 > 0 && st.KernelG > 0:
			return peak * st.KernelG
		}
		return peak * st.KernelQ
	}
	class := s.Precision.Class
	switch {
	case b >= 2:
		class = BF16
	case s.Precision.Act8 && h.FP4 > 0, b >= 1 && class == FP4:
		class = FP8
	}
	r := h.rate(class)
	if s.Precision.Blocks && class == FP8 && b == s.Precision.Attn { // the output head has none
		r *= cmp.Or(h.BlockRate, 1)
	}
	if w := s.Precision.Widen; w > 0 {
		r *= w
	}
	return r
}

// grouped returns the share of the rate of a large product that a grouped one
// reaches, with rows rows per expert and weights of b bytes per parameter.
//
//	most·rows/(rows + tile), tile = 0.24·rate·b/(2·bandwidth)
//
// The tile is a share of the rows at which arithmetic takes as long as reading
// the weights. 0.24 makes it 64 rows for 16 bits on an H100, as the timings of
// its expert layers show. A device with less arithmetic per byte wastes less.
func (s *Setup) grouped(rows, b float64) float64 {
	h, most := &s.Hardware, groupedMatrix
	switch {
	case h.NoMatrix:
		most = groupedVector
	case s.Stack.Kernel16 > 0:
		most = groupedOwn
	case h.FP8 == 0 && s.widens(b):
		most = groupedMarlin
	case h.FP8 == 0:
		most = groupedOld
	case s.Precision.Blocks:
		most = groupedBlocks
	case s.widens(b):
		most = groupedWidened * cmp.Or(s.Stack.Grouped, 1)
	default:
		most *= cmp.Or(s.Stack.Grouped, 1)
	}
	tile := 0.24 * s.rate(b) * b / (2 * h.stream(b))
	if s.Stack.Kernel16 > 0 && rows > 2 { // about what vectorRows tokens have for each expert
		tile = max(tile, h.OwnTile)
	}
	return most * rows / (rows + tile)
}

// gather adds what moves besides the weights of a grouped product, for so many
// pairs of a token and an expert on every device. A pair's input is read in 16
// bits and written beside those of its expert, its output is written, and read to
// be summed:
//
//	(6 + bytes of the product's operand)·hidden
//
// With it the same share fits whole experts and eighths of them: R1's reach 0.43
// of the peak in 8 bits whole and 0.17 in eighths on an H100, those of Qwen3 235B
// 0.55 and 0.22 in 16 bits (TensorRT-LLM 1.3, 16,384 tokens). The shares of
// llama.cpp and of vector units have these bytes in them.
func (s *Setup) gather(x *Term, pairs float64) {
	h := &s.Hardware
	if s.Stack.Kernel16 > 0 || h.NoMatrix || s.Stack.Key == "ideal" {
		return
	}
	bytes := (6 + h.sent(&s.Precision)) * pairs * s.Model.expertHidden()
	x.Seconds += bytes / h.stream(2)
	x.Bytes += bytes * float64(s.TP)
}

// widens reports whether the kernel of a grouped product widens weights of b
// bytes per parameter from 4 to 16 bits.
func (s *Setup) widens(b float64) bool {
	return b < 0.75 && s.Hardware.FP4 == 0 && s.Stack.Kernel16 == 0 && !s.Hardware.NoMatrix
}

// linear adds every product with weights except the output head. Weights are
// read once per step, for any number of sequences: that is why batching pays.
func (s *Setup) linear(c *Cost) {
	t, p, q, m := float64(c.Tokens), s.Params, s.Precision, &s.Model
	c.Terms[Projections] = s.dense(2*t*p.Attn, p.Attn*q.Attn, q.Attn)
	ffn := s.dense(2*t*p.FFN, p.FFN*q.FFN, q.FFN)
	if p.Shared > 0 {
		sh := s.dense(2*t*p.Shared, p.Shared*q.shared(), q.shared())
		ffn.plus(&sh)
		if p.FFN == 0 {
			ffn.Limit = sh.Limit
		}
	}
	c.Terms[FeedForward] = ffn
	width := 3 * float64(m.FFN)
	if m.Experts > 0 {
		k, layers := float64(m.TopK), float64(m.MoELayers())
		active := m.activeExperts(t)
		rows := t * k / active
		if s.CPULayers > 0 {
			c.Terms[CPUExperts] = s.cpuExperts(t, active)
			layers -= float64(s.CPULayers)
		}
		x := s.gemm(2*t*k*p.Expert*layers, active*p.Expert*layers*q.Expert, q.Expert, s.grouped(rows, q.Expert))
		pairs := t * k * layers
		if s.Stack.Spread {
			pairs /= float64(s.TP)
		}
		s.gather(&x, pairs)
		c.Terms[Experts] = x
		width = 3 * float64(m.ExpertFFN*(m.TopK+m.Shared))
	}
	tp := float64(s.TP)
	wide := 2.0
	if s.Stack.GGUF {
		wide = 4 // llama.cpp passes 32 bits between its layers
	}
	act := wide * t * float64(m.Layers) * (float64((10+9*m.Streams)*m.Hidden)*tp + width)
	if s.Hardware.quantizes(q.Class) {
		act += t * s.converted()
	}
	c.Terms[Activations] = Term{Seconds: act / tp / s.Hardware.stream(2), Bytes: act, Limit: Bandwidth}
}

// quantized returns how many of the four products of a layer convert their
// activations first: one more kernel each.
func (p *Precision) quantized() float64 {
	n := 0.0
	if p.Attn < 2 {
		n = 2
	}
	if min(p.FFN, p.Expert) < 2 {
		n += 2
	}
	return n
}

// converted returns the bytes per token, over the whole group, that products in
// 8 and 4 bits move besides their weights. They read their inputs in 16 bits,
// write them narrow, and widen their outputs:
//
//	3·inputs + 2·outputs
//
// Products so timed fit within 8 % on H100, H200 and B200 from 64 to 16,384 rows
// (aiconfigurator 095f58a); without these bytes a quarter is missing. The timings
// of expert layers have them already.
func (s *Setup) converted() float64 {
	m, q := &s.Model, s.Precision
	h, tp := float64(m.Hidden), float64(s.TP)
	bytes := 0.0
	if q.Attn < 2 && m.MLA == nil {
		heads, kv := float64(m.Heads*m.HeadDim), float64(2*m.KVHeads*m.HeadDim)
		bytes = float64(m.Layers-m.linear()) * (3*(h*tp+heads) + 2*(heads+kv+h*tp))
	}
	if q.FFN < 2 && m.FFN > 0 {
		f := float64(m.FFN)
		bytes += float64(m.ffnLayers()-m.MoELayers()) * (3*(h*tp+f) + 2*(2*f+h*tp))
	}
	return bytes
}

// comm adds two reductions per layer over the group.
func (s *Setup) comm(c *Cost) {
	if s.TP < 2 {
		return
	}
	b := float64(c.Tokens) * float64(s.Model.Hidden) * 2
	once := s.Hardware.Link.AllReduce(b, s.TP)
	if s.Stack.Ring {
		once = s.Hardware.Link.Ring(b, s.TP)
	}
	c.Terms[AllReduce] = Term{Seconds: 2 * float64(s.Model.Layers) * once}
}

// kernels adds the fixed times, which remain without reads and arithmetic.
func (s *Setup) kernels(c *Cost) {
	if s.Stack.Key == "ideal" {
		return
	}
	m := &s.Model
	l := float64(m.Layers)
	t := l * (4*gemmFixed + attnFixed + restFixed + m.Norms)
	if s.Hardware.NoMatrix && s.Stack.GGUF && s.Hardware.Key != "laptop" {
		t = l * metalFixed
	}
	moe := moeFixed
	if s.Stack.Fused && s.Precision.Expert < 0.75 && s.Hardware.FP4 > 0 {
		moe = fusedMoE
	}
	t += float64(m.MoELayers()) * moe
	switch st := &s.Stack; {
	case m.strided():
		some := float64(m.full() - m.Sparse.Full)
		t += some*fineFixed + (l-some)*coarseFixed + l*streamFixed
	case m.Sparse != nil:
		t += (l - float64(m.Sparse.Full)) * cmp.Or(st.Sparse, mlaFixed+dsaFixed)
	case m.MLA != nil:
		t += float64(m.Layers-m.linear()) * cmp.Or(st.Latent, mlaFixed)
	}
	c.Terms[Kernels].Seconds = t*cmp.Or(s.Hardware.Fixed, 1) + l*s.Precision.quantized()*s.converting()
}

// converting returns the fixed time that a product in 8 or 4 bits takes beyond one in
// 16, in seconds: the kernel that converts its operands, and scales for blocks.
func (s *Setup) converting() float64 {
	h, st := &s.Hardware, &s.Stack
	if !h.quantizes(s.Precision.Class) {
		return 0
	}
	t := gemmFixed * cmp.Or(h.Fixed, 1)
	switch {
	case !s.Precision.Blocks:
	case h.FP4 > 0:
		t += st.Blocks4
	default:
		t += cmp.Or(h.Blocks, st.Blocks)
	}
	return t
}

// head adds the output head, for the rows that sample.
func (s *Setup) head(c *Cost) {
	if c.Rows == 0 {
		return
	}
	t := s.dense(2*float64(c.Rows)*s.Params.Head, s.Params.Head*s.Precision.Head, s.Precision.Head)
	if s.Stack.Key != "ideal" {
		t.Seconds += headFixed
	}
	c.Terms[Head] = t
}

// drafting adds k guesses for every decoding sequence.
func (s *Setup) drafting(c *Cost, l *Load) {
	d := s.Draft
	if d == nil || l.Seqs == 0 {
		return
	}
	if s.draft == nil {
		// A share of the step's time is a share of its reads. A guess is one
		// token, where the step verifies 1+k.
		k := float64(d.K)
		c.Terms[Drafting] = Term{Seconds: k * d.Head * c.Device(),
			Bytes: k * d.Head * c.Bytes(), FLOPs: k * d.Head * c.FLOPs() / (1 + k), Limit: Bandwidth}
		return
	}
	win := l.WinCtx
	if r := s.draft.Model.Reach(); r != s.Model.Reach() {
		win = min(l.Ctx, int64(l.Seqs)*int64(r))
	}
	one := s.draft.Step(&Load{Seqs: l.Seqs, Ctx: l.Ctx, WinCtx: win})
	k := float64(d.K)
	c.Terms[Drafting] = Term{Seconds: k * one.Seconds(), Bytes: k * one.Bytes(), FLOPs: k * one.FLOPs(), Limit: Bandwidth}
}

// flow adds a step of a dataflow machine. Its weights lie beside the
// arithmetic, so a token costs a fixed time per layer.
func (s *Setup) flow(c *Cost, l *Load) {
	f, n := s.Hardware.Flow, l.Prefilled()
	if l.Seqs > 0 || f.Bytes == 0 {
		// The arithmetic of the decodes is hidden in the time of the layers.
		c.Terms[Kernels] = Term{Seconds: float64(s.Model.Layers) * f.Layer, FLOPs: 2 * float64(c.Tokens-n) * s.Model.Active()}
	}
	if f.Bytes > 0 {
		b := s.ActiveBytes()
		c.Terms[FeedForward] = Term{Seconds: b / f.Bytes, Bytes: b, Limit: Bandwidth}
	}
	if n > 0 {
		fl := 2 * float64(n) * s.Model.Active()
		c.Terms[Projections] = Term{Seconds: fl / f.Prefill, FLOPs: fl, Limit: Compute}
	}
}
