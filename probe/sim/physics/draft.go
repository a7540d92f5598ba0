package physics

import "math"

// Draft configures speculative decoding. Each step guesses K tokens cheaply
// and the target verifies them, which yields 1 to K+1 tokens.
type Draft struct {
	// Model guesses as a separate model on the same devices. nil means a head
	// on the target (EAGLE, MTP).
	Model *Model
	// Precision is the precision of the draft model.
	Precision Precision
	// Head is the cost of one guess by a head, as a share of the target's step.
	// It is used if Model is nil.
	Head float64
	K    int // guesses per step
	// Accept holds the chance that the guess at each position is accepted,
	// given that all earlier ones were. Later positions use the last value.
	Accept []float64
}

// At returns the chance of position i, from 0.
func (d *Draft) At(i int) float64 {
	if len(d.Accept) == 0 {
		return 0
	}
	return d.Accept[min(i, len(d.Accept)-1)]
}

// Expected returns the mean number of tokens of a step. For a single
// acceptance a, that is
//
//	(1 − a^(k+1)) / (1 − a)
//
// (Leviathan et al. 2023). This version has one chance per position.
func (d *Draft) Expected() float64 {
	e, p := 1.0, 1.0
	for i := range d.K {
		p *= d.At(i)
		e += p
	}
	return e
}

func (s *Setup) addDraft() error {
	d := s.Draft
	if d.K < 1 || d.K > 16 {
		return &FitError{"a draft needs 1 to 16 guesses a step"}
	}
	for _, a := range d.Accept {
		if math.IsNaN(a) || a < 0 || a > 1 {
			return &FitError{"an acceptance lies between 0 and 1"}
		}
	}
	if d.Model == nil {
		return nil
	}
	c := s.Config
	c.Model, c.Precision, c.Draft, c.Sharing, c.CPULayers = *d.Model, d.Precision, nil, Tensor, 0
	// A guess costs device time only. The target's step pays the engine's costs
	// once.
	c.Stack = Stack{Key: "draft", Share: s.Stack.Share}
	ds, err := New(c)
	if err != nil {
		return err
	}
	s.draft = ds
	s.Weights += ds.Weights
	s.KVToken += ds.KVToken
	return nil
}

// UsualAccept is the acceptance of a draft without one of its own. It gives the
// 2.77 to 3.49 tokens a step that EAGLE-3 heads of Llama 3.1 8B and Llama 3.3
// 70B reach with 7 guesses (nebius/EAGLE3-Llama-3.3-70B-Instruct, model card).
const UsualAccept = 0.7

// eagleVocab is the vocabulary of published EAGLE-3 heads.
const eagleVocab = 32000

// EAGLE3Head returns the cost of a guess by an EAGLE-3 head on the model of c,
// as a share of the bytes that the target reads. The head is one layer in 16
// bits with inputs of twice the width, a product that joins three hidden states,
// and an output of 32,000 tokens (Li et al. 2025).
func EAGLE3Head(c *Config) float64 {
	m := &c.Model
	h := float64(m.Hidden)
	width := float64(max(m.FFN, m.ExpertFFN*(m.TopK+m.Shared)))
	heads := float64(m.HeadDim) * float64(2*m.Heads+4*m.KVHeads+m.Heads)
	head := 2 * (3*h*h + h*heads + 3*h*width + eagleVocab*h)
	s := Setup{Config: *c, Params: m.Params()}
	s.Precision = c.Precision.recipe(m, &c.Stack)
	return head / s.ActiveBytes()
}
