package say

import (
	"tokscope/metrics"
	"tokscope/ui/format"
)

// Claims say whether the measured speeds can be those of what the endpoint is said to
// be: that of the answer, and that of the prompt where it is known.
func Claims(c *metrics.Claimed) []string {
	if c == nil {
		return nil
	}
	of := c.Claim
	machine := of.Model + " on " + of.Machine
	if !c.Speed.OK {
		return []string{format.Reason(c.Speed) + ", claimed: " + machine}
	}
	doubt := format.If(c.Is == metrics.ClaimPlausible && c.Users > 1,
		"; "+format.Count(c.Users)+" requests at a time, each is slower than alone") +
		format.If(c.Is != metrics.ClaimPlausible && of.Step == 1 && c.PerChunk.OK && c.PerChunk.V >= manyPerChunk,
			"; "+format.Number(c.PerChunk.V)+" tokens a chunk, as with a draft")
	texts := []string{
		format.If(c.Estimated, "about ") + format.Rate(c.Speed.V) + " is " + shareOf(c.Share.P50.V) +
			" the memory's bound" + plausible(c, c.Is, "another model, precision, a draft or another machine") + doubt,
		machine + ": at most " + format.Rate(c.Bound.V) + ", " + reads(c),
	}
	if c.ReadShare.P50.OK {
		text := "prompt: at least " + shareOf(c.ReadShare.P50.V) + " the arithmetic's bound of " + format.Rate(of.Prompt)
		if c.Reads != metrics.ClaimPlausible { // that of a lower bound says nothing more
			text += plausible(c, c.Reads, "a cache that is not reported, another model or another machine")
		}
		texts = append(texts, text)
	}
	return texts
}

// manyPerChunk is the number of tokens a chunk from which a draft may send them.
const manyPerChunk = 1.5

// shareOf writes a part of a bound: "78 % of", "2.2x".
func shareOf(share float64) string {
	if share <= 1 {
		return format.Percent(share) + " of"
	}
	return format.Number(share) + "x"
}

// plausible says what a share means. else is what may be true where it is too large.
func plausible(c *metrics.Claimed, is metrics.Plausibility, instead string) string {
	switch {
	case is == metrics.ClaimPlausible:
		return ": plausible"
	case is == metrics.ClaimAbove:
		return ", above it: " + instead
	case c.Estimated:
		return ": not settled, its tokens are an estimate"
	case c.Doubted:
		return ": not settled, the notes doubt the speed"
	}
	return ": not settled, the interval reaches below it"
}

// reads says what a token takes from the memory.
func reads(c *metrics.Claimed) string {
	of := c.Claim
	cache := float64(of.Step)*of.Bandwidth/c.Bound.V - of.Weights
	text := format.Whole(of.Bandwidth) + " GB/s, " + format.Number(of.Weights) + " GB of weights"
	text += format.Either(of.Cache+of.Near > 0, " and "+format.Number(cache)+" GB of cache",
		", the cache left out")
	return text + format.If(of.Step > 1, ", up to "+format.Count(of.Step)+" tokens a step")
}

// ClaimBrief is what a share of the bound of a claim means, in a few words.
func ClaimBrief(is metrics.Plausibility) string {
	switch is {
	case metrics.ClaimPlausible:
		return "of the claim: plausible"
	case metrics.ClaimAbove:
		return "of the claim: cannot be"
	}
	return "of the claim: not settled"
}
