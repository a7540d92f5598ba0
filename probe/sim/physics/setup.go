package physics

import (
	"fmt"
	"math"
)

// Config selects the parts of a Setup.
type Config struct {
	Hardware  Hardware
	Model     Model
	Precision Precision
	Stack     Stack
	// TP is the tensor parallel degree: the number of devices that share every
	// layer. 0 uses the smallest that fits.
	TP    int
	Draft *Draft
	// KV is the key of the format of the cache (KVFormats); "" is the usual one of
	// the software.
	KV string
	// Sharing says how the devices of a group share the model. One device takes
	// Tensor only.
	Sharing Sharing
	// CPULayers is the number of layers whose experts are in the memory of the
	// CPU, as llama.cpp's --n-cpu-moe keeps them.
	CPULayers int
}

// Group names the devices for people: "4 x H100".
func (c *Config) Group() string {
	if c.TP > 1 {
		return fmt.Sprintf("%d x %s", c.TP, c.Hardware.Name)
	}
	return c.Hardware.Name
}

// Setup is a model on hardware that holds it. It is immutable and safe for
// concurrent use.
type Setup struct {
	Config
	Params   Params
	Weights  float64 // bytes over the whole group, the draft's included
	KVToken  float64 // bytes per token of context over the whole group, counted once if replicated
	Capacity int     // tokens of context that fit
	Budget   int     // tokens in a step
	MaxSeqs  int     // sequences in a step

	shards float64 // number of devices that a token's cache is spread over
	kvByte float64 // bytes per cached value
	one    *Setup  // one device of a group that does not split its layers; nil for others
	draft  *Setup  // the draft model on the same devices; nil without one or with a head
}

const gib = 1 << 30

// Block is the number of tokens in a block of the paged cache.
const Block = 16

// FitError is the reason why a model cannot run on some hardware.
type FitError struct{ Reason string }

func (e *FitError) Error() string { return e.Reason }

// New checks that the model fits and computes the derived values. The error
// is a *FitError with text for a person: "131 GiB of weights, 80 GiB of
// memory".
//
//	capacity = (share·memory − weights/tp − reserve) / (bytes a token / min(tp, kv heads))
func New(c Config) (*Setup, error) {
	if c.TP < 0 {
		return nil, &FitError{fmt.Sprintf("a group of %d devices", c.TP)}
	}
	if c.TP == 0 {
		return smallest(c)
	}
	if c.TP > c.Hardware.MaxTP {
		return nil, &FitError{
			fmt.Sprintf("%d devices asked for; %s supports groups of at most %d", c.TP, c.Hardware.Name, c.Hardware.MaxTP)}
	}
	if c.Hardware.Flow == nil && c.TP > 1 && c.Sharing == Tensor && c.Model.Heads%c.TP != 0 {
		return nil, &FitError{fmt.Sprintf("%d attention heads do not divide over %d devices", c.Model.Heads, c.TP)}
	}
	c.Precision = c.Precision.recipe(&c.Model, &c.Stack)
	c.Hardware = c.Hardware.under(&c.Stack)
	s := &Setup{Config: c, Params: c.Model.Params()}
	if err := s.chooseKV(); err != nil {
		return nil, err
	}
	s.KVToken = c.Model.KVBytes(s.kvByte) + c.Model.kvLayer(s.kvByte)*float64(max(0, c.Model.windowed()-s.windows()))
	switch {
	case c.Hardware.Flow != nil:
		s.shards = float64(c.TP) // the compiler lays the cache out over all chips
	case c.Model.MLA != nil:
		s.shards = 1
	default:
		s.shards = float64(min(c.TP, c.Model.KVHeads))
	}
	s.Weights = s.bytes()
	s.Budget, s.MaxSeqs = c.Stack.Limits(&c.Hardware)
	if c.Draft != nil {
		if err := s.addDraft(); err != nil {
			return nil, err
		}
	}
	if err := s.offload(); err != nil {
		return nil, err
	}
	if err := s.shareOut(); err != nil {
		return nil, err
	}
	tp := float64(c.TP)
	mem := c.Hardware.Bytes()
	free := c.Stack.Share*mem - s.Weights/tp - s.reserve()
	s.Capacity = int(free/(s.KVToken/s.shards)) / Block * Block // without those of its states and windows
	if s.Longest() < 8*Block {
		return nil, &FitError{s.why(mem * tp)}
	}
	return s, nil
}

// reserve returns the memory of one device for neither weights nor cache, in
// bytes. Engines measure it with the largest step that they allow:
//
//	overhead + 10·sequences·vocabulary + 4·tokens·width/tp
//
// A sampled row keeps its logits in 16 bits once and in 32 bits twice. A token
// keeps the gate and the product of a feed-forward layer of that width. A step
// counts as one of at most 8192 tokens and 1024 sequences.
func (s *Setup) reserve() float64 {
	if s.Stack.Overhead == 0 {
		return 0
	}
	m := &s.Model
	width := max(m.FFN, m.ExpertFFN*(m.TopK+m.Shared))
	tp := float64(s.TP)
	if s.one != nil {
		tp = 1
	}
	return s.Stack.Overhead + 10*float64(min(s.MaxSeqs, 1024)*m.Vocab) + 4*float64(min(s.Budget, 8192)*width)/tp
}

// SameCache reports whether a cache written under s can be read under o. That
// needs the same model in the same precision and software on the same group
// of devices. The draft may differ, and whether the scheduler works ahead.
func (s *Setup) SameCache(o *Setup) bool {
	a, b := s.Config, o.Config
	a.Draft, a.Stack.Async = b.Draft, b.Stack.Async
	return a == b
}

func (s *Setup) why(mem float64) string {
	on := s.Group()
	if s.Weights > mem {
		return fmt.Sprintf("%s of weights, %s of memory (%s %s on %s)",
			gb(s.Weights), gb(mem), s.Model.Name, s.Precision.Name, on)
	}
	return fmt.Sprintf("%s of weights leave no room for the KV cache in the %s of memory that may be used (%s %s on %s)",
		gb(s.Weights), gb(mem*s.Stack.Share), s.Model.Name, s.Precision.Name, on)
}

func gb(b float64) string {
	if b < 10*gib {
		return fmt.Sprintf("%.1f GiB", b/gib)
	}
	return fmt.Sprintf("%.0f GiB", math.Round(b/gib))
}

// smallest tries groups of growing size. On failure it returns the error of
// the largest. Experts on the CPU leave one device.
func smallest(c Config) (*Setup, error) {
	if c.CPULayers > 0 {
		c.TP = 1
		return New(c)
	}
	var last error = &FitError{"no group of devices"}
	for tp := 1; tp <= c.Hardware.MaxTP; tp *= 2 {
		c.TP = tp
		s, err := New(c)
		if err == nil {
			return s, nil
		}
		last = err
	}
	return nil, last
}

// bytes returns the size of all stored parameters.
func (s *Setup) bytes() float64 {
	p, q := s.Params, s.Precision
	return p.Attn*q.Attn + p.FFN*q.FFN + p.Routed*q.Expert + p.Shared*q.shared() + p.Head*q.Head + p.Embed*q.Embed
}

// ActiveBytes returns the bytes of weights that one decode step of a single
// sequence reads.
func (s *Setup) ActiveBytes() float64 {
	p, q := s.Params, s.Precision
	m := &s.Model
	return p.Attn*q.Attn + p.FFN*q.FFN + p.Head*q.Head +
		p.Shared*q.shared() + p.Expert*float64(m.TopK*m.MoELayers())*q.Expert
}

// Reads returns the bytes that a decode step of a single sequence reads at least, over
// the whole group: whatever the context, and for each token of it. Windows and what
// sparse attention chooses are left out.
func (s *Setup) Reads() (always, each float64) {
	var c Cost
	s.states(&c, &Load{Seqs: 1})
	s.decodeAttention(&c, &Load{Seqs: 1, Ctx: 1}, 0)
	return s.ActiveBytes() + c.Terms[States].Bytes, c.Terms[DecodeAttention].Bytes
}
