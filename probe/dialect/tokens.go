package dialect

import (
	"math"

	"tokscope/metrics"
)

// running turns a cumulative count (continuous usage, timings.predicted_n)
// into the tokens of each chunk. Tokens that came without text are carried to
// the next chunk with text.
type running struct {
	last int
	// lost: chunks passed by without a count, so the next count covers more
	// than its own event and is only a new beginning.
	lost bool
}

// step takes the count of an event (-1 for none) with so many deltas and
// returns the tokens of the event's deltas. live says that the count goes
// along with the stream.
func (r *running) step(count, deltas int) (n int, known, live bool) {
	if count < 0 {
		r.lost = r.lost || deltas > 0
		return 0, false, false
	}
	if r.lost || count < r.last {
		r.lost = false
		r.last = count
		return 0, false, false
	}
	if deltas == 0 {
		return 0, false, true
	}
	n = count - r.last
	r.last = count
	return n, true, true
}

// countTokens gives the event's deltas their tokens and tells the live count.
// The best source that the event has wins: token ids (already set on the
// deltas, as is Together's token_id and the length of logprobs), continuous
// usage, timings.
func (d *Decoder) countTokens(usage, predicted int, out *Out) {
	deltas := len(out.Deltas)
	un, uok, ulive := d.usageRun.step(usage, deltas)
	tn, tok, tlive := d.timingRun.step(predicted, deltas)
	if d.manyChoices {
		// With n > 1 the running counts are those of one choice each.
		uok, ulive, tok, tlive = false, false, false, false
	}
	// A count is live while the answer runs, or once it has run along with it; the
	// final usage of a server that tells nothing before is not.
	answering := out.Choices && out.Finish == ""
	ulive = ulive && (answering || d.from == metrics.TokensContinuous)
	tlive = tlive && (answering || d.from == metrics.TokensTimings)
	switch {
	case ulive:
		out.LiveTokens = usage
	case tlive:
		out.LiveTokens = predicted
	}
	switch {
	case out.TokensFrom == metrics.TokensIDs && d.idLists:
	case uok:
		spread(out.Deltas, un)
		out.TokensFrom = metrics.TokensContinuous
	case tok:
		spread(out.Deltas, tn)
		out.TokensFrom = metrics.TokensTimings
	}
	if out.TokensFrom == metrics.TokensUnknown {
		switch {
		case d.from != metrics.TokensUnknown && (out.Usage != nil || out.LiveTokens >= 0):
			out.TokensFrom = d.from
		case ulive:
			out.TokensFrom = metrics.TokensContinuous
		case out.Usage != nil:
			out.TokensFrom = metrics.TokensUsage
		case out.LiveTokens >= 0:
			out.TokensFrom = metrics.TokensTimings
		}
		return
	}
	d.from = out.TokensFrom
}

// spread gives the first of the deltas n tokens and the others none: they came
// in one event, so the gap before the event is the gap of all n.
func spread(deltas []Delta, n int) {
	for i := range deltas {
		deltas[i].Tokens = 0
	}
	if len(deltas) > 0 {
		deltas[0].Tokens = int16(min(n, math.MaxInt16))
	}
}

// countChoice gives the deltas that c made (from index first) the tokens that
// the choice itself tells of. A choice without text whose token_ids or
// logprobs say that it stands for tokens gets a delta of its own.
func (d *Decoder) countChoice(c *choice, index uint8, st *choiceState, first int, out *Out) {
	n, from := -1, metrics.TokensUnknown
	some := len(out.Deltas) > first
	switch {
	case c.ids >= 0:
		n, from = c.ids, metrics.TokensIDs
		d.idLists = true
	case c.logprob > 0:
		n, from = c.logprob, metrics.TokensLogprobs
	case c.delta.tokenID && some:
		n, from = 1, metrics.TokensIDs
	}
	if n < 0 || n == 0 && !some {
		return
	}
	if !some {
		out.Deltas = append(out.Deltas, Delta{Kind: st.last, Choice: index})
	}
	spread(out.Deltas[first:], n)
	out.TokensFrom = from
}
