package physics

import (
	"cmp"
	"math"
)

// Linear is the attention of the layers that keep no cache: Gated DeltaNet
// (Qwen3-Next, Qwen3.5), Kimi Delta Attention, Mamba-2 (Nemotron). Each value
// head has a state of KeyDim·ValueDim numbers, whatever the context. Mamba-2
// calls its groups KeyHeads and its state size KeyDim here.
type Linear struct {
	Layers                                 int // of the model's layers
	KeyHeads, ValueHeads, KeyDim, ValueDim int
	Conv                                   int // tokens of the short convolution
	// Rank is the rank of the gates, which then are two small products each. 0
	// means one gate as wide as the values.
	Rank int
}

// keys and values return the width of the projections.
func (l *Linear) keys() float64   { return float64(l.KeyHeads * l.KeyDim) }
func (l *Linear) values() float64 { return float64(l.ValueHeads * l.ValueDim) }

// params returns the parameters of one layer on h hidden values.
func (l *Linear) params(h float64) float64 {
	k, v := l.keys(), l.values()
	gates := h * v
	if r := float64(l.Rank); r > 0 {
		gates = r*(h+v) + r*(h+k)
	}
	return h*(2*k+v) + gates + v*h + 2*h*float64(l.ValueHeads) + float64(l.Conv)*(2*k+v)
}

// state returns the bytes that a sequence keeps in one layer: the state in 32
// bits, as transformers and llama.cpp hold it, and the last tokens of the
// convolution in 16.
func (l *Linear) state() float64 {
	return 4*l.values()*float64(l.KeyDim) + 2*float64(max(l.Conv-1, 0))*(2*l.keys()+l.values())
}

// Sparse is attention to the tokens that an indexer chooses (DeepSeek V3.2).
// The indexer reads a small key of every token.
type Sparse struct {
	TopK       int // tokens attended to, or entries of several tokens
	Heads, Dim int // of the indexer
	Full       int // layers that attend to all tokens, without an indexer
	// Stride is how many tokens an entry of the cache stands for, Coarse that of the
	// Full layers (DeepSeek V4). Every layer attends to Model.Window tokens besides.
	// 0 means one token.
	Stride, Coarse int
}

// strides returns the tokens of an entry, in layers with an indexer and in others.
func (x *Sparse) strides() (fine, coarse float64) {
	return float64(max(x.Stride, 1)), float64(max(x.Coarse, 1))
}

// strided reports whether entries of the cache stand for several tokens.
func (m *Model) strided() bool { return m.Sparse != nil && m.Sparse.Stride > 0 }

// compressors returns how many products of hidden state and entry make the entries,
// in all layers: two of values and two of weights where entries overlap, else one of each.
func (m *Model) compressors() float64 {
	if !m.strided() {
		return 0
	}
	return float64(4*(m.full()-m.Sparse.Full) + 2*m.Sparse.Full)
}

// params returns the parameters of an indexer on h hidden values and queries of
// that rank.
func (x *Sparse) params(h, rank float64) float64 {
	keys := 1
	if x.Stride > 0 {
		keys = 4 // as the entries' own
	}
	return float64(x.Heads*x.Dim)*rank + h*float64(keys*x.Dim) + h*float64(x.Heads)
}

// indexBytes returns the bytes of an index key: 8 bits a value and a scale of
// 32 bits for each 128 of them, as vLLM stores it.
func (x *Sparse) indexBytes() float64 { return float64(x.Dim) + 4*float64(x.Dim)/128 }

// Reach returns how many tokens of context a layer with a window, or sparse
// attention, looks at; 0 if the model has neither.
func (m *Model) Reach() int {
	if x := m.Sparse; x != nil {
		return x.TopK * max(x.Stride, 1)
	}
	return m.Window
}

// fullDim returns the values of a head in a layer that keeps the whole context.
func (m *Model) fullDim() float64 { return float64(max(m.HeadDim, m.Wide.HeadDim)) }

// windowed returns the number of layers that attend to Window tokens only.
func (m *Model) windowed() int {
	switch {
	case m.Window == 0:
		return 0
	case m.Windowed > 0 || m.strided():
		return m.Windowed
	}
	return m.Layers / 2
}

// near returns the number of layers that attend to the last Window tokens, alone or
// besides entries of several tokens.
func (m *Model) near() int {
	if m.strided() {
		return m.Layers
	}
	return m.windowed()
}

// linear returns the number of layers with linear attention.
func (m *Model) linear() int {
	if m.Linear == nil {
		return 0
	}
	return m.Linear.Layers
}

// full returns the number of layers that keep the whole context.
func (m *Model) full() int { return m.Layers - m.windowed() - m.linear() }

// KVBytes returns the bytes that one token of context adds to the cache, with
// values of b bytes. It sums over the layers that keep the whole context, and
// includes the keys of an indexer.
//
//	2·layers·kv heads·head dim·b, or layers·(latent+rope)·b
func (m *Model) KVBytes(b float64) float64 {
	if x := m.Sparse; x != nil {
		fine, coarse := x.strides()
		return m.kvFull(b)*float64(x.Full)/coarse + (m.kvFull(b)+x.indexBytes())*float64(m.full()-x.Full)/fine
	}
	return m.kvFull(b) * float64(m.full())
}

// kvFull returns the bytes of a token in a layer that keeps the whole context,
// kvLayer those in one with a window.
func (m *Model) kvFull(b float64) float64 {
	if w := m.Wide; w.HeadDim > 0 {
		return 2 * float64(w.KVHeads*w.HeadDim) * b
	}
	return m.kvLayer(b)
}

func (m *Model) kvLayer(b float64) float64 {
	if a := m.MLA; a != nil {
		return float64(a.Latent+a.Rope) * b
	}
	return 2 * float64(m.KVHeads*m.HeadDim) * b
}

// StateBytes returns the bytes that every sequence keeps whatever its length:
// the states of linear attention.
func (m *Model) StateBytes() float64 {
	if m.Linear == nil {
		return 0
	}
	return m.Linear.state() * float64(m.Linear.Layers)
}

// UserBytes returns the bytes over the whole group that a sequence of that many
// tokens keeps besides those of KVToken: states, and the tokens in a window.
func (s *Setup) UserBytes(tokens int) float64 {
	m := &s.Model
	return m.StateBytes() + m.kvLayer(s.kvByte)*float64(s.windows()*min(tokens, m.Window))
}

// windows returns the number of layers that keep only the tokens in a window.
func (s *Setup) windows() int {
	if s.Stack.Windowless && !s.Model.strided() {
		return 0
	}
	return s.Model.near()
}

// Blocks returns the blocks of the cache that a sequence of that many tokens
// holds. States and windows count as the blocks that have their size.
func (s *Setup) Blocks(tokens int) int {
	n := (tokens + Block - 1) / Block
	m := &s.Model
	if m.Linear == nil && m.Window == 0 {
		return n
	}
	extra := m.kvLayer(s.kvByte) * float64(s.windows()*min(tokens, m.Window)) / s.shards
	if m.Linear != nil {
		spread := s.TP // a sequence's state over the devices, or the sequences
		if s.one == nil {
			spread = min(s.TP, m.Linear.ValueHeads)
		}
		extra += m.StateBytes() / float64(spread)
	}
	block := Block * s.KVToken / s.shards
	return n + int(math.Ceil(extra/block))
}

// Longest returns the tokens of the longest sequence that the cache holds.
func (s *Setup) Longest() int {
	have := s.Capacity / Block
	m := &s.Model
	return max(0, have-s.Blocks(m.Window)+(m.Window+Block-1)/Block) * Block
}

// decodeAttention adds the reads of the cache of every decoding sequence.
func (s *Setup) decodeAttention(c *Cost, l *Load, k int) {
	if l.Seqs == 0 {
		return
	}
	m := &s.Model
	full, win := float64(l.Ctx)*float64(m.full()), float64(l.WinCtx)*float64(m.near())
	tokens, scored := full+win, float64(l.Ctx)
	if x := m.Sparse; x != nil {
		fine, coarse := x.strides()
		all, some := float64(l.Ctx)*float64(x.Full)/coarse, float64(m.full()-x.Full)
		full, win = all+float64(l.WinCtx)*some/fine, float64(min(l.WinCtx, int64(l.Seqs*m.Window)))*float64(m.near())
		tokens, scored = all+win+float64(l.Seqs*x.TopK)*some, scored/fine // its kernel computes all places, also empty ones
	}
	bytes := m.kvFull(s.kvByte)*full + m.kvLayer(s.kvByte)*win
	eff := 0.80
	if s.kvByte < 2 {
		eff = 0.70
	}
	mem := bytes / (s.shards * s.Hardware.BW * 1e9 * eff)
	t := Term{Seconds: mem, Bytes: bytes * float64(s.TP) / s.shards, Limit: Bandwidth}
	rows := float64(1 + k)
	if a := m.MLA; a != nil {
		t.FLOPs = rows * float64(m.Heads) * float64(2*a.Latent+a.Rope) * 2 * tokens
		cmp := t.FLOPs / (float64(s.TP) * s.Hardware.rate(latentClass(s)))
		t.Seconds = pnorm(mem, cmp)
		if cmp > mem {
			t.Limit = Compute
		}
	} else {
		t.FLOPs = rows * 4 * float64(m.Heads) * (full*m.fullDim() + win*float64(m.HeadDim))
	}
	if m.Sparse != nil {
		s.index(&t, scored, rows*scored)
	}
	c.Terms[DecodeAttention] = t
}

// latentClass returns the format in which latent attention is multiplied. With a
// cache of 8 bits, kernels for devices with fp4 units use 8 bits: 2,235 TFLOP/s
// with 256 sequences of 8,192 tokens on a B200, 1,270 with a cache of 16. An H200
// stays at 672 and 607 (TensorRT-LLM 1.2 in aiconfigurator 095f58a).
func latentClass(s *Setup) Class {
	if s.kvByte <= 1 && s.Hardware.FP4 > 0 {
		return FP8
	}
	return BF16
}

// scoreBytes are moved for each score of an indexer: it is written in 32 bits,
// and read twice to choose the largest.
const scoreBytes = 12

// index adds an indexer that reads the keys of that many tokens of context, and
// scores that many pairs of a new token and one of the context. It runs as a
// whole on every device.
func (s *Setup) index(t *Term, tokens, pairs float64) {
	m := &s.Model
	x := m.Sparse
	layers := float64(m.full() - x.Full)
	bytes := layers * (x.indexBytes()*tokens + scoreBytes*pairs)
	flops := layers * float64(2*x.Heads*x.Dim) * pairs
	t.Seconds += pnorm(bytes/(s.Hardware.BW*1e9*0.80), flops/s.Hardware.rate(FP8))
	t.Bytes += bytes * float64(s.TP)
	t.FLOPs += flops * float64(s.TP)
}

// narrowAttention returns how much faster TensorRT-LLM attends to a prompt with
// a cache of 8 bits, since it multiplies in 8 bits then: 1.75 times on RTX PRO
// 6000 (1.63 to 1.87 from 1,024 to 16,384 tokens), 1.2 times on devices with HBM
// (1.0 to 1.5 on an H200, 1.0 to 1.15 on a B200; aiconfigurator 095f58a).
func (s *Setup) narrowAttention() float64 {
	switch {
	case !s.Stack.KV8 || s.kvByte > 1 || s.Hardware.FP8 == 0 || s.Model.MLA != nil:
		return 1
	case s.Hardware.Narrow >= 1:
		return 1.75
	}
	return 1.2
}

// prefillAttention returns the attention of n new tokens over c cached ones
// and themselves. It uses the share of the peak measured for length L = c+n:
//
//	4·heads·head dim·(n·c + n²/2)·layers / (tp·peak·share·L/(L+half))
//
// Heads narrower than 128 reach (width/128)^⅓ of that share: each pair of tokens
// needs an exponential, however few products. On an H100 64 values reach 0.82 of
// it in vLLM 0.24 and 0.74 in TensorRT-LLM 1.3 (aiconfigurator 095f58a).
// llama.cpp's own kernels reach another share of the 16-bit peak (Hardware.OwnAttn).
// Software without attention in one kernel multiplies all pairs, and writes and
// reads their scores:
//
//	4·heads·head dim·n·L·layers / (tp·rate) + scores·heads·n·L·layers / (tp·stream)
//
// It is never shorter than the read of the cached part. Sparse attention
// beyond its top k works on the latent vectors, as its decode does.
func (s *Setup) prefillAttention(c *Cost, l *Load) {
	m := &s.Model
	dim := float64(m.HeadDim)
	if a := m.MLA; a != nil {
		dim = float64(a.Nope+a.Rope+a.Value) / 2
	}
	share, half := cmp.Or(s.Stack.Attn, 0.65), cmp.Or(s.Stack.AttnHalf, 1100)
	peak := s.Hardware.BF16 * 1e12
	if s.Stack.Kernel16 > 0 && !s.Hardware.NoMatrix {
		peak, share = max(s.Hardware.BF16, s.Hardware.FP16)*1e12, s.Hardware.ownAttn()
	}
	if dim < 128 {
		share *= math.Cbrt(dim / 128)
	}
	share *= s.narrowAttention()
	full, win := float64(m.full()), float64(m.near())
	var t Term
	for _, ch := range l.Chunks {
		n, old := float64(ch.New), float64(ch.Cached)
		all := n*old + n*n/2
		pairs := full * all
		if win > 0 {
			pairs += win * n * min(float64(m.Window), old+n/2)
		}
		flops := 4 * float64(m.Heads) * dim * (pairs + full*all*(m.fullDim()/float64(m.HeadDim)-1))
		seen := old * full
		if x := m.Sparse; x != nil && (ch.New+ch.Cached > x.TopK || x.Stride > 0) {
			fine, coarse := x.strides()
			if a := m.MLA; a != nil {
				dim = float64(2*a.Latent+a.Rope) / 2
			}
			some := float64(x.Full)*all/coarse + (full-float64(x.Full))*n*min(float64(x.TopK), (old+n/2)/fine)
			some += win * n * min(float64(m.Window), old+n/2)
			flops = 4 * float64(m.Heads) * dim * some
			seen = float64(x.Full)*old/coarse + (full-float64(x.Full))*min(old/fine, n*float64(x.TopK))
			s.index(&t, old/fine, all/fine)
		}
		length := old + n
		sec := flops / (float64(s.TP) * peak * share * length / (length + half))
		if b := s.Stack.Scores; b > 0 {
			// Every pair has its score, also those that the mask leaves out.
			scores := float64(m.Heads) * n * length * (full + win)
			sec = 4*dim*scores/(float64(s.TP)*s.rate(2)) + b*scores/(float64(s.TP)*s.Hardware.stream(2))
			t.Bytes += b * scores
		}
		bytes := m.kvFull(s.kvByte)*seen + m.kvLayer(s.kvByte)*win*min(old, float64(m.Window))
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

// Linear attention in a prompt, from the kernels of TensorRT-LLM 1.3 on an H100
// (aiconfigurator 095f58a, gdn_perf, 512 to 32,768 tokens, 16 to 64 value heads), which
// lie between those of vLLM 0.24 (0.75 to 0.5 of their time) and SGLang 0.5.14 (1.4 to
// 1.6). The delta rule takes 1.7 ns per token and head of 128·128, which is deltaShare of
// the peak, and all of it convTime per token, for any width. llama.cpp has kernels of its
// own, without the fixed time. The convolution of vLLM 0.20 to 0.22 took 0.2 ms more.
const (
	deltaShare = 0.096
	convFixed  = 25e-6   // seconds per layer and step with a prompt
	convTime   = 18.9e-9 // seconds per layer and token, at 4.8 TB/s
)

// states adds the states of linear attention. A decode reads and writes them
// once. A prompt pays by the token, in arithmetic and in the convolution.
//
//	10·value heads·key dim·value dim FLOPs per token and layer
func (s *Setup) states(c *Cost, l *Load) {
	m := &s.Model
	a := m.Linear
	if a == nil {
		return
	}
	n := l.Prefilled()
	layers, shards := float64(a.Layers), float64(min(s.TP, a.ValueHeads))
	bytes := 2 * layers * a.state() * float64(l.Seqs+len(l.Chunks))
	t := Term{Seconds: bytes / (shards * s.Hardware.BW * 1e9 * 0.80),
		Bytes: bytes * float64(s.TP) / shards, Limit: Bandwidth}
	per := 10 * layers * a.values() * float64(a.KeyDim)
	t.FLOPs = per * float64(c.Tokens)
	if n > 0 {
		prompt := per*float64(n)/(shards*s.Hardware.BF16*1e12*deltaShare) + layers*float64(n)*convTime*4800/s.Hardware.BW
		switch {
		case s.Stack.Kernel16 > 0:
			prompt += layers * float64(n) * s.Hardware.OwnDelta
		case s.Stack.Key != "ideal":
			prompt += layers * convFixed
		}
		if prompt > t.Seconds {
			t.Limit = Compute
		}
		t.Seconds += prompt
	}
	c.Terms[States] = t
}
