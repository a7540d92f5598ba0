package say

import (
	"tokscope/metrics"
	"tokscope/ui/format"
)

// Claim says whether the measured speed can be that of what the endpoint is said to be,
// and what bounds it. It is empty for nil.
func Claim(c *metrics.Claimed) []string {
	if c == nil {
		return nil
	}
	of := c.Claim
	machine := of.Model + " on " + of.Machine
	if !c.Speed.OK {
		return []string{format.Reason(c.Speed) + ", claimed: " + machine}
	}
	part := c.Share.P50.V
	share := format.Either(part > 1, format.Times(part, 0, part), format.Percent(part)+" of")
	means := ": undecided, " + format.Either(c.Doubted, "the speed is in doubt", "the interval reaches below it")
	switch c.Is {
	case metrics.ClaimPlausible:
		means = ": plausible" + format.If(c.Users > 1,
			"; "+format.Count(c.Users)+" requests at a time, each is slower than alone")
	case metrics.ClaimAbove:
		means = ", above it: another model, precision, a draft or another machine"
	}
	cache := float64(of.Step)*of.Bandwidth/c.Bound.V - of.Weights
	return []string{
		format.If(c.Doubted, "about ") + format.Rate(c.Speed.V) + " is " + share + " the memory's bound" + means,
		machine + ": at most " + format.Rate(c.Bound.V) + ", " +
			format.Whole(of.Bandwidth) + " GB/s, " + format.Number(of.Weights) + " GB of weights" +
			format.Either(of.Cache > 0, " and "+format.Number(cache)+" GB of cache", ", the cache left out") +
			format.If(of.Step > 1, ", up to "+format.Count(of.Step)+" tokens a step"),
	}
}
