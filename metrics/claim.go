package metrics

import "slices"

// Claim is what an endpoint is said to be, a model on a machine: what bounds its speed.
type Claim struct {
	Model   string `json:"model"`   // "Llama 3.1 8B Q4_K_M", or a size: "8b-q4"
	Machine string `json:"machine"` // "RTX 4090", "2 x H100"
	// Bandwidth is that of the memory of all its devices by the data sheet, GB/s.
	Bandwidth float64 `json:"bandwidth_gb_per_s"`
	Weights   float64 `json:"weights_gb"`                      // that a step reads at least
	Cache     float64 `json:"cache_bytes_per_token,omitempty"` // and for a token of context; 0 where unknown
	Step      int     `json:"tokens_per_step"`                 // at most: 1 without a draft
}

// Bound returns the most tok/s of one user behind that many tokens of context:
//
//	tokens a step · bandwidth / (weights + cache)
//
// It is a roofline (Williams, Waterman and Patterson 2009). No step is faster than its
// reads, and users who share a step only add reads to it.
func (c *Claim) Bound(context float64) float64 {
	return float64(c.Step) * c.Bandwidth / (c.Weights + c.Cache*context/1e9)
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
	Share Estimate     `json:"share_of_bound"`  // of each request, at the mean context of its answer
	Bound Value        `json:"bound_tok_per_s"` // Speed/Share
	// Doubted: of at least one answer tokens are an estimate, or chunks were held back or
	// came with the first.
	Doubted bool `json:"speed_doubted"`
	Users   int  `json:"concurrency"` // requests at a time, at most
}

// JudgeClaim compares runs that ended well with what their endpoint is said to be. The
// claim is that of the last; runs with another are left out. nil without one. Above is
// certain where the whole interval of the median is, with too few requests for one where
// all of them are, and never where a speed is in doubt.
func JudgeClaim(runs []*Run) *Claimed {
	if len(runs) == 0 || runs[len(runs)-1].Stream.Endpoint.Claim == nil {
		return nil
	}
	out := &Claimed{Claim: runs[len(runs)-1].Stream.Endpoint.Claim}
	runs = slices.DeleteFunc(slices.Clone(runs), func(r *Run) bool {
		c := r.Stream.Endpoint.Claim
		return c == nil || *c != *out.Claim
	})
	heldBack(runs)
	for _, r := range runs {
		out.Users = max(out.Users, r.Stream.Work.Concurrency, 1)
		out.Doubted = out.Doubted || r.Figures.Estimated() ||
			slices.ContainsFunc(r.Figures.Suspect, func(s Suspicion) bool {
				return s.Code.Holds() || s.Code == SuspectFirstChunk || s.Code == SuspectFirstMean
			})
	}
	out.Speed = estimate(runs, func(f *Figures) Value { return f.Speed }).P50
	out.Share = estimate(runs, func(f *Figures) Value {
		v, context := f.Speed, f.PromptTokens.V+f.DecodeTokens.V/2 // 0 where unknown, which raises the bound
		v.V /= out.Claim.Bound(context)
		return v
	})
	if out.Bound = out.Speed; out.Speed.OK {
		out.Bound = Finite(out.Speed.V/out.Share.P50.V, out.Speed.N)
	}
	low := out.Share.Low
	if !low.OK {
		low = out.Share.Min
	}
	switch {
	case !out.Speed.OK:
		out.Is = ClaimUnknown
	case out.Share.P50.V <= 1:
		out.Is = ClaimPlausible
	case low.V <= 1 || out.Doubted:
		out.Is = ClaimUnsettled
	default:
		out.Is = ClaimAbove
	}
	return out
}
