package physics

import (
	"fmt"

	"tokscope/metrics"
)

// Claim returns what s can do at most for one user, by the data sheet: no share of a
// peak, no fixed time. The error, for a dataflow machine, is a *FitError.
func (s *Setup) Claim() (*metrics.Claim, error) {
	c, err := s.claim()
	if err != nil {
		return nil, err
	}
	c.Model = s.Model.Name + " " + s.Precision.Name
	c.Prompt = s.Hardware.peak(&s.Precision) * float64(s.TP) /
		(2 * (s.Model.Active() - s.Params.Head)) // the head takes the last token only
	read := func(l Load) float64 {
		var of Cost
		s.decodeAttention(&of, &l, 0)
		s.states(&of, &l)
		return of.Terms[DecodeAttention].Bytes + of.Terms[States].Bytes
	}
	states := read(Load{Seqs: 1})
	c.Weights = (s.ActiveBytes() + states) / 1e9
	c.Cache = read(Load{Seqs: 1, Ctx: 1}) - states
	if c.Reach = s.Model.Reach(); c.Reach > 0 {
		c.Near = read(Load{Seqs: 1, WinCtx: 1}) - states
	}
	return c, nil
}

// leastRead is the part of a size's parameters that a step reads at the least: a table
// of embeddings is not read, and "8b" may be 7.5.
const leastRead = 0.9

// ClaimOfSize returns what c can do at most with a model of total parameters, active
// of them in a token. Its shape is unknown, so the cache and the prompt are left out. The
// model of c does not matter. The error, for a dataflow machine, a group that is too large
// or too little memory, is a *FitError.
func ClaimOfSize(c Config, total, active float64) (*metrics.Claim, error) {
	if c.TP > c.Hardware.MaxTP {
		return nil, c.tooMany()
	}
	need, have := leastRead*total*c.Precision.Expert, c.Hardware.Bytes()*float64(c.TP)
	if c.Hardware.Flow == nil && need > have {
		return nil, &FitError{fmt.Sprintf("%s of weights, %s of memory", gb(need), gb(have))}
	}
	claim, err := (&Setup{Config: c}).claim()
	if err == nil {
		claim.Weights = leastRead * active * c.Precision.Expert / 1e9
	}
	return claim, err
}

// claim returns what is the same for a shape and a size.
func (s *Setup) claim() (*metrics.Claim, error) {
	h := &s.Hardware
	if h.Flow != nil {
		return nil, &FitError{h.Name + " is a dataflow machine: no bandwidth bounds its speed"}
	}
	c := &metrics.Claim{Machine: h.Name, Bandwidth: h.BW * float64(s.TP), Step: 1}
	if s.TP > 1 {
		c.Machine = fmt.Sprintf("%d x %s", s.TP, h.Name)
	}
	if s.Draft != nil {
		c.Step += s.Draft.K
	}
	return c, nil
}

// peak returns the FLOP/s of the data sheet that no product of weights in p exceeds, 0
// where the table has what software reaches. Weights below 16 bits may meet activations
// in 8, at twice the rate of 16 bits, and those of FP4 in 4.
func (h *Hardware) peak(p *Precision) float64 {
	wide := max(h.BF16, h.FP16)
	switch {
	case h.NoMatrix:
		return 0
	case p.Class == FP4:
		return max(2*wide, h.FP8, h.FP4) * 1e12
	case p.Expert < 2:
		return max(2*wide, h.FP8) * 1e12
	}
	return wide * 1e12
}
