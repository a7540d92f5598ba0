package metrics

import (
	"math"
	"slices"
)

// hiddenGaps gathers, over streams, what reads of several chunks hide.
type hiddenGaps struct {
	sum           gapSum
	first         bool // the first read of one had several chunks
	unknownTokens int
	gaps, tokens  edges
}

// add takes a stream whose sample of times per token has that scale and source.
func (h *hiddenGaps) add(f *ingest, scale float64, from ITLSource) {
	h.sum.merge(f.gaps.sum())
	if f.gaps.unknown == 0 {
		return
	}
	f.gaps.shared(&h.gaps)
	h.first = h.first || f.gaps.firstShared()
	if from == ITLUnknown {
		return
	}
	var one edges
	h.unknownTokens += f.itl.shared(&one, from)
	h.tokens.scaled(&one, scale)
}

// binRatio is the width of a bin of sketchGrid: a condensed value is off by
// this factor at most. Below leastBin the values of a bin can be 0.
var (
	binRatio = math.Exp2(1 / float64(sketchGrid.per))
	leastBin = math.Exp2(float64(sketchGrid.low))
)

// bound adds the samples of a stream's bounds, before the stream's gaps are
// added. Without unknown gaps so far, those bounds are the gaps themselves.
func (p *gapPool) bound(h *hiddenGaps, gaps, tokens sample) {
	if !p.bounded {
		p.bounded = true
		p.gapsLow, p.gapsHigh = slices.Clone(p.gaps), slices.Clone(p.gaps)
		p.tokensLow, p.tokensHigh = slices.Clone(p.tokens), slices.Clone(p.tokens)
	}
	for _, x := range [...]struct {
		to *[]weighted
		by *edge
		of sample
	}{{&p.gapsLow, &h.gaps.low, gaps}, {&p.gapsHigh, &h.gaps.high, gaps},
		{&p.tokensLow, &h.tokens.low, tokens}, {&p.tokensHigh, &h.tokens.high, tokens}} {
		*x.to = condense(mergeSorted(*x.to, condense(x.by.applied(x.of, &p.joined)), lessWeighted))
	}
}

// merge adds what o has of sums and bounds.
func (p *gapPool) merge(o *gapPool) {
	p.sum.merge(o.sum)
	p.first = p.first || o.first
	p.unknownTokens += o.unknownTokens
	gapsLow, gapsHigh, tokensLow, tokensHigh := &o.gapsLow, &o.gapsHigh, &o.tokensLow, &o.tokensHigh
	if !o.bounded {
		gapsLow, gapsHigh, tokensLow, tokensHigh = &o.gaps, &o.gaps, &o.tokens, &o.tokens
	}
	for _, x := range [...]struct{ to, from *[]weighted }{{&p.gapsLow, gapsLow},
		{&p.gapsHigh, gapsHigh}, {&p.tokensLow, tokensLow}, {&p.tokensHigh, tokensHigh}} {
		*x.to = mergeSorted(*x.to, *x.from, lessWeighted)
	}
}

// boundsOf returns the bounds by two condensed samples.
func boundsOf(unknown int, low, high []weighted) Missing {
	m := Missing{N: unknown}
	if unknown <= 0 || len(low) == 0 || len(high) == 0 {
		return m
	}
	var none edge
	var buf []float64
	lo := none.quantiles(weights(low, &buf))
	hi := none.quantiles(weights(high, &buf))
	for i, b := range m.bounds() {
		*b = Bound{Low: max(lo[i]/binRatio-leastBin, 0), High: max(hi[i], lo[i])*binRatio + leastBin, OK: true}
	}
	return m
}
