package dialect

import "tokscope/metrics"

// addChoices adds the output of the choices before to u, a usage in an event of
// its own. With n > 1 llama.cpp sends one after the finish of each choice, where
// others send one for all. A repeated usage has no finish before it.
func (d *Decoder) addChoices(u *metrics.Usage) {
	if d.choiceUsage && d.manyChoices && d.finishes > 0 &&
		u.Prompt == d.used.Prompt && u.Completion >= 0 && d.used.Completion >= 0 {
		u.Completion += d.used.Completion
		if u.Reasoning >= 0 && d.used.Reasoning >= 0 {
			u.Reasoning += d.used.Reasoning
		}
		if u.Total >= 0 {
			u.Total = u.Prompt + u.Completion
		}
	}
	d.choiceUsage, d.finishes = true, 0
}

// restCounts are counts outside of usage objects, -1 for none.
type restCounts struct{ prompt, cached, output int }

// finalCounts returns, at the end of the stream, the counts of a server that
// sent no usage.
func (d *Decoder) finalCounts(out *Out) {
	if d.usageSeen {
		return
	}
	if r := &d.rest; r.prompt > 0 || r.output > 0 {
		d.used = metrics.NoUsage()
		d.used.Prompt, d.used.Cached, d.used.Completion = r.prompt, r.cached, r.output
		out.Usage = &d.used
	}
	if d.from != metrics.TokensUnknown {
		return
	}
	predicted := 0
	for i := range d.choices {
		predicted += d.choices[i].predicted
	}
	switch {
	case d.rest.output > 0:
		out.TokensFrom = metrics.TokensUsage
	case predicted > 0:
		out.LiveTokens, out.TokensFrom = predicted, metrics.TokensTimings
	}
}
