package dialect

import (
	"math"

	"tokscope/metrics"
)

// running turns a cumulative count (usage on every chunk,
// timings.predicted_n) into tokens per chunk. Tokens of chunks without text
// count for the next chunk with text.
type running struct {
	last int
	// lost: chunks had no count, so the next count covers several events. It
	// only serves as a new start.
	lost bool
}

// step processes the count of an event (-1 for none) with that many deltas.
// It returns the tokens of those deltas. live reports that the count follows
// the stream.
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

// countTokens sets the tokens of the event's deltas and the live count. The
// best source of the event wins: token ids, Together's token_id or the length
// of logprobs (already set on the deltas), then usage, then timings.
func (d *Decoder) countTokens(usage, predicted int, out *Out) {
	deltas := len(out.Deltas)
	for i := range out.Deltas {
		d.thought = d.thought || out.Deltas[i].Kind == metrics.Reasoning
	}
	came := usage
	if usage >= 0 && !d.thought { // thinking that is not sent is of no chunk
		came -= max(d.used.Reasoning, 0)
	}
	un, uok, ulive := d.usageRun.step(came, deltas)
	tn, tok, tlive := d.timingRun.step(predicted, deltas)
	if d.manyChoices {
		// With n > 1, running counts cover one choice each.
		uok, ulive, tok, tlive = false, false, false, false
	}
	// A count is live during the answer, or after it if it was live before. A
	// final usage alone is not.
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

// spread gives n tokens to the first delta and 0 to the others. They came in
// one event, so its gap is the gap of all n.
func spread(deltas []Delta, n int) {
	for i := range deltas {
		deltas[i].Tokens = 0
	}
	if len(deltas) > 0 {
		deltas[0].Tokens = int16(min(n, math.MaxInt16))
	}
}

// countChoice sets the tokens that the choice itself reports on the deltas of
// c, from index first. A choice with token_ids or logprobs but without text
// gets a delta of its own.
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
