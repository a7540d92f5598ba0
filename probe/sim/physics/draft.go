package physics

import "math"

// Draft is speculative decoding: k tokens are guessed cheaply and verified by
// the target in one step, which yields 1 to k+1 tokens.
type Draft struct {
	// Model guesses as a model of its own on the same devices; nil means a
	// head on the target (EAGLE, MTP).
	Model *Model
	// Precision of the draft model.
	Precision Precision
	// Head is the cost of one guess by a head, as a share of the target's
	// step; used when Model is nil.
	Head float64
	K    int // guesses a step
	// Accept is the chance that the guess at a position is accepted, given
	// that those before it were; positions beyond the last use the last.
	Accept []float64
}

// At is the chance of position i (from 0).
func (d *Draft) At(i int) float64 {
	if len(d.Accept) == 0 {
		return 0
	}
	return d.Accept[min(i, len(d.Accept)-1)]
}

// Expected is the mean number of tokens of a step. For one acceptance a
//
//	(1 − a^(k+1)) / (1 − a)
//
// (Leviathan et al. 2023); here for a chance per position.
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
	c.Model, c.Precision, c.Draft = *d.Model, d.Precision, nil
	// The cost of a guess is the device's only: the engine's own costs are
	// paid once, by the target's step.
	c.Stack = Stack{Key: "draft", Share: s.Stack.Share}
	ds, err := New(c)
	if err != nil {
		return err
	}
	s.draft = ds
	s.weights += ds.weights
	s.KVToken += ds.KVToken
	return nil
}
