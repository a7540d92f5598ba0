package physics

import (
	"cmp"
	"math"
)

// Model is the shape of a transformer, from its published configuration. Its
// weight and the cost of a token of context follow from it.
type Model struct {
	Key, Name string
	Layers    int
	Hidden    int
	Heads     int
	KVHeads   int
	HeadDim   int
	FFN       int // width of a dense feed-forward layer; 0 if every layer has experts
	Vocab     int
	Experts   int // routed experts per layer; 0 for a dense model
	TopK      int // of these, used per token
	ExpertFFN int
	// ExpertHidden is the width that routed experts work on, between two products
	// that all of them share; 0 means Hidden.
	ExpertHidden int
	Shared       int // experts used by every token
	Dense        int // layers without experts in a model with experts
	MLA          *MLA
	Linear       *Linear // nil if every layer has a cache
	Sparse       *Sparse // nil if attention looks at every token
	Window       int     // tokens that a windowed layer attends to; 0 for none
	Windowed     int     // layers with the window; 0 means every second one
	Wide         Wide    // heads of the layers without the window; zero if they are those of all
	FFNLayers    int     // layers with a feed-forward part; 0 means all
	Gated        bool    // attention has an output gate as wide as its queries
	FFNMats      int     // matrices of a feed-forward layer; 0 means 3 (gated)
	Streams      int     // hidden states between layers, mixed around every part (DeepSeek V4); 0 means one
	Blocks       bool    // its checkpoints in 8 bits have scales for blocks of 128 by 128
	Norms        float64 // fixed time of a layer for norms that others do not have, seconds
	Tied         bool
	Context      int    // longest context the model is served with, in tokens
	Native       string // key of the precision it is usually served in; "" means bf16
	Reasoning    bool   // reasons before it answers
	// Source says where the shape comes from. Note says what the computation
	// leaves out for this model; "" if nothing.
	Source, Note string
}

// MLA is multi-head latent attention. Keys and values are compressed into one
// latent vector, shared by all heads and replicated on every device of a
// group.
type MLA struct {
	Latent int // rank of the latent vector
	Rope   int // rotary part stored beside it
	Query  int // rank of the query compression; 0 for none
	Nope   int // head size without the rotary part
	Value  int // head size of the values
	// Output is the rank of the output's compression, of so many groups of heads.
	// Heads attend to the latent vector itself then. 0 for none.
	Output, Groups int
}

// Wide are the heads of layers that keep the whole context in a model whose
// other layers have a window (Gemma 4). Keys and values come from one product.
type Wide struct{ KVHeads, HeadDim int }

// Params counts parameters by their place.
type Params struct {
	Attn   float64 // all layers
	FFN    float64 // dense feed-forward layers, all
	Shared float64 // experts and other products with experts that every token uses, all layers
	Expert float64 // one expert of one layer
	Routed float64 // all routed experts of all layers
	Head   float64
	Embed  float64 // stored, not read (0 when tied to the head)
}

// Total returns the number of stored parameters.
func (p Params) Total() float64 { return p.Attn + p.FFN + p.Shared + p.Routed + p.Head + p.Embed }

// Active returns the parameters that one token passes through. It excludes
// the embedding table and the experts that the token is not routed to.
func (m *Model) Active() float64 {
	p := m.Params()
	return p.Attn + p.FFN + p.Shared + p.Expert*float64(m.TopK*m.MoELayers()) + p.Head
}

// Params computes the counts from the shape.
func (m *Model) Params() Params {
	var p Params
	h, l := float64(m.Hidden), float64(m.Layers-m.linear())
	if a := m.MLA; a != nil {
		heads := float64(m.Heads)
		query := h*float64(a.Query) + float64(a.Query)*heads*float64(a.Nope+a.Rope)
		if a.Query == 0 {
			query = h * heads * float64(a.Nope+a.Rope)
		}
		output := float64(a.Latent)*heads*float64(a.Nope+a.Value) + heads*float64(a.Value)*h
		if a.Output > 0 {
			output = float64(a.Output) * (heads*float64(a.Value) + float64(a.Groups)*h)
		}
		p.Attn = l * (query + h*float64(a.Latent+a.Rope) + output)
		if x := m.Sparse; x != nil {
			p.Attn += float64(m.full()-x.Full)*x.params(h, float64(a.Query)) + h*float64(a.Latent+a.Rope)*m.compressors()
		}
	} else {
		p.Attn = l * h * float64(m.HeadDim) * float64(2*m.Heads+2*m.KVHeads)
		if w := m.Wide; w.HeadDim > 0 {
			narrow := float64(m.windowed()) / l * p.Attn
			p.Attn = narrow + float64(m.full())*h*float64(w.HeadDim*(2*m.Heads+w.KVHeads))
		}
		if x := m.Sparse; x != nil {
			p.Attn += float64(m.Layers-x.Full) * x.params(h, h)
		}
	}
	if m.Gated {
		p.Attn += l * h * float64(m.HeadDim*m.Heads)
	}
	if m.Linear != nil {
		p.Attn += float64(m.Linear.Layers) * m.Linear.params(h)
	}
	mats := float64(cmp.Or(m.FFNMats, 3))
	p.FFN = mats * h * float64(m.FFN) * float64(m.ffnLayers()-m.MoELayers())
	p.Expert = mats * m.expertHidden() * float64(m.ExpertFFN)
	p.Routed = p.Expert * float64(m.Experts*m.MoELayers())
	p.Shared = mats * h * float64(m.ExpertFFN*m.Shared*m.MoELayers())
	p.Shared += 2 * h * float64(m.ExpertHidden*m.MoELayers())
	p.Head = h * float64(m.Vocab)
	if !m.Tied {
		p.Embed = p.Head
	}
	return p
}

func (m *Model) expertHidden() float64 { return float64(cmp.Or(m.ExpertHidden, m.Hidden)) }

// MoELayers returns how many layers have experts.
func (m *Model) MoELayers() int {
	if m.Experts == 0 {
		return 0
	}
	return m.ffnLayers() - m.Dense
}

func (m *Model) ffnLayers() int {
	return cmp.Or(m.FFNLayers, m.Layers)
}

// skew is the shape of the experts' popularity, a gamma distribution: most
// tokens choose some experts far more often than others. 2 fits the expert layers
// of gpt-oss-120b and Qwen3 30B with 1 to 64 tokens that share experts, timed on
// an H100 (aiconfigurator 095f58a, power_law_1.01).
const skew = 2

// activeExperts returns how many experts of a layer t tokens reach. With a
// chance k/E that is the same for all experts it would be E·(1 − (1 − k/E)^t).
// With the popularity of skew it is
//
//	E·(1 − (1 + x/skew)^(−skew)), x = −t·ln(1 − k/E)
//
// and at least the k of one token.
func (m *Model) activeExperts(t float64) float64 {
	e, k := float64(m.Experts), float64(m.TopK)
	x := 1 - t*math.Log1p(-k/e)/skew
	return max(k, e*(1-1/(x*x)))
}
