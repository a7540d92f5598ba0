package physics

import "math"

// Fixed times of a layer in seconds, from kernel timings. They are the
// intercept of a GEMM, that of decode attention, and norms, rotary and
// activation together. Expert routing and latent attention add theirs.
const (
	gemmFixed = 3.4e-6
	attnFixed = 12e-6
	restFixed = 9e-6
	moeFixed  = 35e-6
	mlaFixed  = 45e-6
	headFixed = 30e-6
)

// widened4 is the share of a grouped product's rate that remains when its
// 4-bit weights are widened to 16 bits in the kernel, on devices without fp4
// units. It is derived from a published row: gpt-oss-120b on an A100, 4 users
// with 32,000 tokens, vLLM 0.10 (gpustack), 4,337 tok/s.
const widened4 = 0.60

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
	if s.Hardware.Flow != nil {
		s.flow(&c, l)
	} else {
		s.linear(&c)
		s.decodeAttention(&c, l, k)
		s.prefillAttention(&c, l)
		s.comm(&c)
		s.kernels(&c)
		s.head(&c)
		s.drafting(&c, l)
		if len(l.Chunks) > 0 {
			if floor := float64(s.Model.Layers) * s.Stack.Launch; floor > c.Device() {
				c.Terms[Launch].Seconds = floor - c.Device()
			}
		}
	}
	c.Terms[Engine].Seconds = s.Stack.Step + s.Stack.Seq*float64(l.Seqs+len(l.Chunks))
	out := float64(c.Rows)
	if s.Draft != nil {
		out = float64(c.Rows) * s.Draft.Expected() / float64(1+k)
	}
	if fe := out * s.Stack.Token; fe > c.Seconds() {
		c.Terms[FrontEnd].Seconds = fe - c.Seconds()
	}
	return c
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

// rate returns the FLOP/s of large products with weights of b bytes per
// parameter, on one device.
func (s *Setup) rate(b float64) float64 {
	h, st := &s.Hardware, &s.Stack
	if st.Kernel16 > 0 && !h.NoMatrix {
		peak := max(h.BF16, h.FP16) * 1e12
		if b >= 2 {
			return peak * st.Kernel16
		}
		return peak * st.KernelQ
	}
	class := s.Precision.Class
	if b >= 2 {
		class = BF16
	}
	r := h.rate(class)
	if w := s.Precision.Widen; w > 0 {
		r *= w
	}
	return r
}

// grouped returns the share of the rate of a large product that a grouped one
// reaches, with rows rows per expert and weights of b bytes per parameter.
//
//	0.60·rows/(rows + tile), tile = 0.23·rate·b/(2·bandwidth)
//
// The tile is a share of the rows at which arithmetic takes as long as reading
// the weights. 0.23 makes it 64 rows for 16 bits on an H100, as the timings of
// its expert layers show. A device with less arithmetic per byte wastes less.
func (s *Setup) grouped(rows, b float64) float64 {
	tile := 0.23 * s.rate(b) * b / (2 * s.Hardware.stream(b))
	e := 0.60 * rows / (rows + tile)
	if b < 0.75 && s.Hardware.FP4 == 0 && s.Stack.Kernel16 == 0 && !s.Hardware.NoMatrix {
		e *= widened4
	}
	return e
}

// linear adds every product with weights except the output head. Weights are
// read once per step, for any number of sequences: that is why batching pays.
// Of E experts with k chosen per token, T tokens reach
//
//	E·(1 − (1 − k/E)^T)
func (s *Setup) linear(c *Cost) {
	t, p, q, m := float64(c.Tokens), s.Params, s.Precision, &s.Model
	c.Terms[Projections] = s.gemm(2*t*p.Attn, p.Attn*q.Attn, q.Attn, 1)
	ffn := s.gemm(2*t*p.FFN, p.FFN*q.FFN, q.FFN, 1)
	if p.Shared > 0 {
		sh := s.gemm(2*t*p.Shared, p.Shared*q.Expert, q.Expert, 1)
		ffn.Seconds += sh.Seconds
		ffn.Bytes += sh.Bytes
		ffn.FLOPs += sh.FLOPs
		if p.FFN == 0 {
			ffn.Limit = sh.Limit
		}
	}
	c.Terms[FeedForward] = ffn
	width := 3 * float64(m.FFN)
	if m.Experts > 0 {
		e, k, layers := float64(m.Experts), float64(m.TopK), float64(m.moeLayers())
		active := e * (1 - math.Pow(1-k/e, t))
		rows := t * k / active
		c.Terms[Experts] = s.gemm(2*t*k*p.Expert*layers, active*p.Expert*layers*q.Expert, q.Expert, s.grouped(rows, q.Expert))
		width = 3 * float64(m.ExpertFFN*(m.TopK+m.Shared))
	}
	tp := float64(s.TP)
	act := 2 * t * float64(m.Layers) * (10*float64(m.Hidden)*tp + width)
	c.Terms[Activations] = Term{Seconds: act / tp / s.Hardware.stream(2), Bytes: act, Limit: Bandwidth}
}

// decodeAttention adds the reads of the cache of every decoding sequence.
func (s *Setup) decodeAttention(c *Cost, l *Load, k int) {
	if l.Seqs == 0 {
		return
	}
	m := &s.Model
	per := m.kvLayer(s.kvByte)
	tokens := float64(l.Ctx)*float64(m.Layers-m.windowed()) + float64(l.WinCtx)*float64(m.windowed())
	bytes := per * tokens
	eff := 0.80
	if s.kvByte < 2 {
		eff = 0.70
	}
	mem := bytes / (s.shards * s.Hardware.BW * 1e9 * eff)
	t := Term{Seconds: mem, Bytes: bytes * float64(s.TP) / s.shards, Limit: Bandwidth}
	rows := float64(1 + k)
	if a := m.MLA; a != nil {
		t.FLOPs = rows * float64(m.Heads) * float64(2*a.Latent+a.Rope) * 2 * tokens
		cmp := t.FLOPs / (float64(s.TP) * s.Hardware.rate(BF16))
		t.Seconds = pnorm(mem, cmp)
		if cmp > mem {
			t.Limit = Compute
		}
	} else {
		t.FLOPs = rows * 4 * float64(m.Heads*m.HeadDim) * tokens
	}
	c.Terms[DecodeAttention] = t
}

// prefillAttention returns the attention of n new tokens over c cached ones
// and themselves. It uses the share of the peak measured for length L = c+n:
//
//	4·heads·head dim·(n·c + n²/2)·layers / (tp·peak·0.65·L/(L+1100))
//
// It is never shorter than the read of the cached part.
func (s *Setup) prefillAttention(c *Cost, l *Load) {
	m := &s.Model
	dim := float64(m.HeadDim)
	if a := m.MLA; a != nil {
		dim = float64(a.Nope+a.Rope+a.Value) / 2
	}
	full, win := float64(m.Layers-m.windowed()), float64(m.windowed())
	var t Term
	for _, ch := range l.Chunks {
		n, old := float64(ch.New), float64(ch.Cached)
		pairs := full * (n*old + n*n/2)
		if win > 0 {
			pairs += win * n * min(float64(m.Window), old+n/2)
		}
		flops := 4 * float64(m.Heads) * dim * pairs
		length := old + n
		sec := flops / (float64(s.TP) * s.Hardware.BF16 * 1e12 * 0.65 * length / (length + 1100))
		bytes := m.KVBytes(s.kvByte) * old
		if read := bytes / (s.shards * s.Hardware.BW * 1e9 * 0.80); read > sec {
			sec = read
			t.Limit = Bandwidth
		} else {
			t.Limit = Compute
		}
		t.Seconds += sec
		t.FLOPs += flops
		t.Bytes += bytes * float64(s.TP) / s.shards
	}
	c.Terms[PrefillAttention] = t
}

// comm adds two reductions per layer over the group.
func (s *Setup) comm(c *Cost) {
	if s.TP < 2 {
		return
	}
	b := float64(c.Tokens) * float64(s.Model.Hidden) * 2
	once := s.Hardware.Link.AllReduce(b)
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
	t := l * (4*gemmFixed + attnFixed + restFixed)
	t += float64(m.moeLayers()) * moeFixed
	if m.MLA != nil {
		t += l * mlaFixed
	}
	if s.Hardware.quantizes(s.Precision.Class) {
		t += l * 2 * gemmFixed
	}
	c.Terms[Kernels].Seconds = t
}

// head adds the output head, for the rows that sample.
func (s *Setup) head(c *Cost) {
	if c.Rows == 0 {
		return
	}
	t := s.gemm(2*float64(c.Rows)*s.Params.Head, s.Params.Head*s.Precision.Head, s.Precision.Head, 1)
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
		c.Terms[Drafting] = Term{Seconds: k * d.Head * c.Device(), Bytes: k * d.Head * c.Bytes(), FLOPs: k * d.Head * c.FLOPs() / (1 + k), Limit: Bandwidth}
		return
	}
	one := s.draft.Step(&Load{Seqs: l.Seqs, Ctx: l.Ctx, WinCtx: l.WinCtx})
	k := float64(d.K)
	c.Terms[Drafting] = Term{Seconds: k * one.Seconds(), Bytes: k * one.Bytes(), FLOPs: k * one.FLOPs(), Limit: Bandwidth}
}

// flow adds a step of a dataflow machine. Its weights lie beside the
// arithmetic, so a token costs a fixed time per layer.
func (s *Setup) flow(c *Cost, l *Load) {
	f := s.Hardware.Flow
	n := 0
	for _, ch := range l.Chunks {
		n += ch.New
	}
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
