package request

import (
	"cmp"
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/pick"
)

// Prefix says how much of a prompt the server found in its prefix cache.
type Prefix uint8

const (
	Cold     Prefix = iota // no token
	Warm                   // one token or more
	Unstated               // the server does not report it
	// Prefixes is their number.
	Prefixes = 3
)

// Bounds of ByLength.
const (
	// LengthMost is the number of requests that a group keeps of each Prefix: the
	// last ones.
	LengthMost = 24
	// FitMost is the number of requests that a fit uses at most.
	FitMost = 200
	// perDoubling is the number of groups from a length to twice that length.
	perDoubling = 2
)

// LengthPoint is a request by the length of its prompt.
type LengthPoint struct {
	Prompt  float64       // tokens, by the server
	Cached  metrics.Value // of these, in its prefix cache
	TTFT    float64       // ms
	Prefill float64       // prompt tokens / TTFT, tok/s; cached tokens count too
	Speed   metrics.Value // of decode: 1000/TPOT, tok/s of one user
}

// LengthSide is the requests of a group with one kind of prefix. Figures are
// medians over Points.
type LengthSide struct {
	Points                []LengthPoint // the last LengthMost, in the order of their end
	Prompt, TTFT, Prefill metrics.Value
}

// LengthGroup is the requests with prompts of about one length. The lengths of a
// group differ by the factor √2 at most:
//
//	round(2 · log2(prompt tokens)) is the same for all
type LengthGroup struct {
	Sides [Prefixes]LengthSide
	// Prompt and Speed are medians over the points of all sides: a prefix cache
	// does not change decode.
	Prompt, Speed metrics.Value
	key           int
	stale         bool // points were added since the medians were taken
}

// ByLength groups the ended requests of a load by the length of their prompts. It
// reads each request once. The zero ByLength is empty. It is not safe for
// concurrent use.
type ByLength struct {
	Groups []LengthGroup // ascending
	// Requests is the number of those that count: they ended well, with a known
	// prompt and TTFT, and without a doubt that excludes them. A cached prompt is no
	// doubt here: it counts as Warm.
	Requests int
	Doubtful int         // left out because of a doubt
	Unknown  int         // left out because the prompt or TTFT is unknown
	Why      metrics.Why // of the last unknown one
	// Estimated: the tokens of at least one answer were estimated.
	Estimated bool

	began, since metrics.Stamp
	read         int // View.Ended of the last view
	room         metrics.Middle
}

// Read adds the requests of v that have ended since the last call. Requests that
// began before since do not count. A later since, or another load, begins anew.
// Read reports whether anything changed. Of requests that v no longer lists in the
// order of their end it knows nothing.
func (b *ByLength) Read(v *View, since metrics.Stamp) (changed bool) {
	if b.began != v.Began || b.since != since || v.Ended < b.read {
		*b = ByLength{began: v.Began, since: since, Groups: b.Groups[:0], room: b.room}
		changed = true
	}
	n := v.Len()
	for i := max(n-(v.Ended-b.read), len(v.old)); i < n; i++ {
		changed = b.add(v.Row(i)) || changed
	}
	b.read = v.Ended
	for i := range b.Groups {
		if b.Groups[i].stale {
			b.summarize(&b.Groups[i])
		}
	}
	return changed
}

// add counts a request. It reports whether it counts or is left out.
func (b *ByLength) add(r *Row) bool {
	if !r.Good() || r.Began < b.since {
		return false
	}
	if r.Suspect() && r.Doubt != metrics.SuspectCached {
		b.Doubtful++
		return true
	}
	p, prefix, why := lengthPoint(r)
	if why != 0 {
		b.Unknown, b.Why = b.Unknown+1, why
		return true
	}
	b.Requests++
	b.Estimated = b.Estimated || r.Estimated && p.Speed.OK
	g := b.group(int(math.Round(perDoubling * math.Log2(p.Prompt))))
	s := &g.Sides[prefix]
	if len(s.Points) == LengthMost {
		s.Points = slices.Delete(s.Points, 0, 1)
	}
	s.Points = append(s.Points, p)
	g.stale = true
	return true
}

// lengthPoint returns the point of a request, or why it has none.
func lengthPoint(r *Row) (p LengthPoint, prefix Prefix, why metrics.Why) {
	prompt, ttft := r.Prompt, r.TTFT
	switch {
	case !prompt.OK || !(prompt.V >= 1):
		return p, 0, metrics.WhyNoPromptCount
	case !ttft.OK:
		return p, 0, cmp.Or(ttft.Why, metrics.WhyNoChunkEnd)
	}
	prefill := metrics.Finite(prompt.V*1000/ttft.V, 1)
	if !prefill.OK || !(prefill.V > 0) {
		return p, 0, metrics.WhyNotFinite
	}
	p = LengthPoint{Prompt: prompt.V, Cached: r.Cached, TTFT: ttft.V, Prefill: prefill.V, Speed: r.TPOT}
	if p.Speed.OK {
		p.Speed = metrics.Finite(1000/p.Speed.V, 1)
	}
	switch {
	case !p.Cached.OK:
		prefix = Unstated
	case p.Cached.V > 0:
		prefix = Warm
	}
	return p, prefix, 0
}

// group returns the group of that key. It is valid until the next call.
func (b *ByLength) group(key int) *LengthGroup {
	i, ok := slices.BinarySearchFunc(b.Groups, key, func(g LengthGroup, key int) int { return cmp.Compare(g.key, key) })
	if !ok {
		b.Groups = slices.Insert(b.Groups, i, LengthGroup{key: key})
	}
	return &b.Groups[i]
}

// summarize takes the medians of a group.
func (b *ByLength) summarize(g *LengthGroup) {
	g.stale = false
	for i := range g.Sides {
		s := &g.Sides[i]
		s.Prompt = b.middle(g.Sides[i:i+1], func(p *LengthPoint) metrics.Value { return metrics.Known(p.Prompt, 1) })
		s.TTFT = b.middle(g.Sides[i:i+1], func(p *LengthPoint) metrics.Value { return metrics.Known(p.TTFT, 1) })
		s.Prefill = b.middle(g.Sides[i:i+1], func(p *LengthPoint) metrics.Value { return metrics.Known(p.Prefill, 1) })
	}
	g.Prompt = b.middle(g.Sides[:], func(p *LengthPoint) metrics.Value { return metrics.Known(p.Prompt, 1) })
	g.Speed = b.middle(g.Sides[:], func(p *LengthPoint) metrics.Value { return p.Speed })
}

// middle returns the median of the known values of a figure. N is their number.
func (b *ByLength) middle(sides []LengthSide, of func(*LengthPoint) metrics.Value) metrics.Value {
	b.room.Reset()
	for i := range sides {
		for k := range sides[i].Points {
			b.room.Add(of(&sides[i].Points[k]))
		}
	}
	return b.room.Median(metrics.WhyNoneEndedWell)
}

// Of returns prompt tokens and TTFT, ms, of the last requests with that prefix, for
// a fit. Every group has the same share of FitMost, so that a length that was sent
// often does not displace the others.
func (b *ByLength) Of(prefix Prefix) (prompts, ttfts []float64) {
	groups := pick.Count(b.Groups, func(g *LengthGroup) bool { return len(g.Sides[prefix].Points) > 0 })
	for i := range b.Groups {
		all := b.Groups[i].Sides[prefix].Points
		for _, p := range all[max(len(all)-FitMost/max(groups, 1), 0):] {
			prompts, ttfts = append(prompts, p.Prompt), append(ttfts, p.TTFT)
		}
	}
	return prompts, ttfts
}
