package metrics

import "slices"

// Claim is what an endpoint is said to be: a model on a machine, as the most that the
// machine can do for one user.
type Claim struct {
	Model   string `json:"model"`   // "Llama 3.1 8B Q4_K_M", or a size: "8b-q4"
	Machine string `json:"machine"` // "RTX 4090", "2 x H100"
	// Bandwidth is that of the memory of all its devices, of the data sheet, GB/s.
	Bandwidth float64 `json:"bandwidth_gb_per_s"`
	// Weights are read for a step whatever the context, GB: the active parameters.
	Weights float64 `json:"weights_gb"`
	// Cache is read for a token of context, Near for each of the first Reach of them,
	// bytes. All are 0 where the shape of the model is unknown.
	Cache float64 `json:"cache_bytes_per_token,omitempty"`
	Near  float64 `json:"near_cache_bytes_per_token,omitempty"`
	Reach int     `json:"near_tokens,omitempty"`
	// Step is the most tokens that a step yields: 1 without a draft.
	Step int `json:"tokens_per_step"`
	// Prompt is the most tokens of a prompt that its arithmetic takes, tok/s; 0 where
	// the data sheet does not say.
	Prompt float64 `json:"prompt_tok_per_s,omitempty"`
}

// Bound returns the most tok/s of one user behind that many tokens of context:
//
//	tokens a step · bandwidth / (weights + cache)
//
// It is a roofline (Williams, Waterman and Patterson 2009). No step is faster than its
// reads, and users who share a step only add reads to it.
func (c *Claim) Bound(context float64) float64 {
	cache := c.Cache*context + c.Near*min(context, float64(c.Reach))
	return float64(c.Step) * c.Bandwidth / (c.Weights + cache/1e9)
}

// Plausibility says whether a measured speed can be that of a claim.
type Plausibility string

// The values of Plausibility.
const (
	ClaimUnknown   Plausibility = "unknown"   // no speed is known
	ClaimPlausible Plausibility = "plausible" // the median is within the bound
	ClaimUnsettled Plausibility = "unsettled" // the median is above, and not for certain
	ClaimAbove     Plausibility = "above"     // above the bound: it cannot be as claimed
)

// Claimed is a Claim beside what was measured.
type Claimed struct {
	Claim *Claim       // stands with the endpoint
	Is    Plausibility `json:"plausibility"`
	Speed Value        `json:"speed_tok_per_s"` // median, of one user
	Bound Value        `json:"bound_tok_per_s"` // median, at the mean context of each answer
	// Share is speed/bound of each request.
	Share Estimate `json:"share_of_bound"`
	// Reads is Is by the prompt, and ReadShare PrefillSpeed/Prompt of each request. The
	// speed is a lower bound, by the wait, so that a small share says nothing.
	Reads     Plausibility `json:"prefill_plausibility"`
	ReadShare Estimate     `json:"prefill_share_of_bound"`
	// What the words doubt: requests at a time, median tokens a chunk, and that of at least
	// one answer tokens are an estimate, or chunks were held back or came with the first.
	Users     int   `json:"concurrency"`
	PerChunk  Value `json:"tokens_per_chunk"`
	Estimated bool  `json:"tokens_estimated"`
	Doubted   bool  `json:"speed_doubted"`
}

// JudgeClaim compares runs that ended well with what their endpoint is said to be. The
// claim is that of the last; runs with another are left out. nil without one. Speeds of
// an estimated count, or in doubt, never settle that a claim is wrong.
func JudgeClaim(runs []*Run) *Claimed {
	if len(runs) == 0 || runs[len(runs)-1].Stream.Endpoint.Claim == nil {
		return nil
	}
	c := runs[len(runs)-1].Stream.Endpoint.Claim
	out := &Claimed{Claim: c}
	runs = slices.DeleteFunc(slices.Clone(runs), func(r *Run) bool {
		of := r.Stream.Endpoint.Claim
		return of == nil || *of != *c
	})
	heldBack(runs)
	for _, r := range runs {
		out.Users = max(out.Users, r.Stream.Work.Concurrency, 1)
		out.Estimated = out.Estimated || r.Figures.Estimated()
		out.Doubted = out.Doubted || slices.ContainsFunc(r.Figures.Suspect, func(s Suspicion) bool {
			return s.Code.Holds() || s.Code == SuspectFirstChunk || s.Code == SuspectFirstMean
		})
	}
	bound := func(f *Figures) Value {
		if !f.Speed.OK {
			return f.Speed
		}
		context := 0.0 // what is not known of it raises the bound
		if f.PromptTokens.OK {
			context = f.PromptTokens.V
		}
		if f.DecodeTokens.OK {
			context += f.DecodeTokens.V / 2
		}
		return Finite(c.Bound(context), 1)
	}
	out.Speed = estimate(runs, func(f *Figures) Value { return f.Speed }).P50
	out.Bound = estimate(runs, bound).P50
	out.PerChunk = estimate(runs, func(f *Figures) Value { return f.TokensPerChunk }).P50
	out.Share = estimate(runs, func(f *Figures) Value { return over(f.Speed, bound(f).V) })
	out.ReadShare = estimate(runs, func(f *Figures) Value { return over(f.PrefillSpeed, c.Prompt) })
	out.Is, out.Reads = out.plausible(&out.Share), out.plausible(&out.ReadShare)
	return out
}

// over returns v in parts of a bound, unknown without one.
func over(v Value, bound float64) Value {
	if v.OK && bound == 0 {
		return Unknown(WhyNoPeak)
	}
	if v.OK {
		v = Finite(v.V/bound, 1)
	}
	return v
}

// plausible judges shares of a bound. Above is certain where the whole interval of the
// median is, or with too few requests for one, all of them.
func (c *Claimed) plausible(share *Estimate) Plausibility {
	low := share.Low
	if !low.OK {
		low = share.Min
	}
	switch {
	case !share.P50.OK:
		return ClaimUnknown
	case share.P50.V <= 1:
		return ClaimPlausible
	case low.V <= 1 || c.Estimated || c.Doubted:
		return ClaimUnsettled
	}
	return ClaimAbove
}
