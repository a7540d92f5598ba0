package report

import (
	"fmt"
	"io"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// depth is a finished or interrupted sweep over prompt lengths.
type depth Sweep

// Doc lists the rows: target and workload, the table, the fit, and what is unknown.
func (r *depth) Doc() *Doc {
	d, o := &Doc{}, r.Depth
	d.Note(target(&o.Endpoint, o.Model, say.Settings(&o.Endpoint)))
	d.Note(r.work())
	t := r.table()
	d.table(t)
	if len(t.Rows) > 0 {
		d.fact("columns",
			"prefill is prompt tokens / TTFT, tok/s, cached ones included; warm sends the same prompt again")
		d.fact("columns", "figures are medians; TPOT and tok/s per user are those of cold and warm requests")
		d.fact("ttft", "= a + b · prompt tokens, cold: "+fitText(&o.Fit))
	}
	r.unknown(d)
	r.doubts(d)
	for i := range o.Rows {
		if row := &o.Rows[i]; row.TooLong {
			d.fact("left out", fmt.Sprintf("%s: with the answer they exceed the model's context of %s",
				format.Plural(row.Depth, "prompt token", "prompt tokens"), say.Tokens(float64(o.Context))))
		}
	}
	d.facts(faultFacts("failed", o.Fault)...)
	d.fact("tokens", format.Whole(o.Tokens)+" used, prompts included"+costing(o.Cost, o.Currency))
	if len(t.Rows) > 0 {
		d.fact("lag", lagText(o.Stamps, &o.Observer))
	}
	why := say.Ending(o.Stopped)
	d.fact("ended", format.If(why != "", fmt.Sprintf("after %d of %d depths: %s", r.finished(), len(r.Plan.Depths), why)))
	return d
}

// work names the workload and the sequence of requests.
func (r *depth) work() string {
	p := &r.Plan
	return join(p.Work.Name, atMost(p.Work.MaxTokens), format.Plural(p.Users[0], "user", "users"),
		format.Plural(p.Requests, "prompt", "prompts")+" a depth, cold then warm")
}

// table has a row for each depth that was sent.
func (r *depth) table() *Table {
	t := &Table{}
	for _, c := range [][2]string{
		{"asked", "tokens"}, {"prompt", "tokens"}, {"cold", "TTFT ms"}, {"cold", "prefill"}, {"cold", "cached"},
		{"warm", "TTFT ms"}, {"warm", "prefill"}, {"warm", "cached"}, {"decode", "TPOT ms"}, {"decode", "tok/s"},
		{"", "n"},
	} {
		t.Cols = append(t.Cols, Column{Group: c[0], Name: c[1]})
	}
	for _, d := range pick.All(r.Depth.Rows) {
		if d.TooLong {
			continue
		}
		cells := []string{format.Count(d.Depth), format.Known(d.Cold.Prompt, format.Whole)}
		for _, s := range []*loadstat.DepthSide{&d.Cold, &d.Warm} {
			cells = append(cells, format.Known(s.TTFT, format.Number),
				format.Known(s.Prefill, format.Number), format.Known(s.Cached, format.Whole))
		}
		failed := d.Cold.Failed + d.Warm.Failed
		n := format.Count(d.Cold.Ended) + "+" + format.Count(d.Warm.Ended) +
			format.If(failed > 0, " +"+format.Count(failed)+" failed")
		t.row(append(cells, format.Known(d.TPOT, format.Number), format.Known(d.Speed, format.Number), n)...)
	}
	return t
}

// doubts qualify all rows.
func (r *depth) doubts(d *Doc) {
	cached, guessed := false, false
	for _, row := range pick.All(r.Depth.Rows) {
		p, c := row.Cold.Prompt, row.Cold.Cached
		cached = cached || p.OK && c.OK && c.V > 0.1*p.V
		guessed = guessed || row.Estimated
	}
	d.fact("note", format.If(cached,
		"the server had cold prompts in its cache: their TTFT is not that of a full prefill"))
	d.fact("note", format.If(guessed, "the server did not count its tokens: TPOT and tok/s use estimates"))
}

// unknown gives the reason of every dash of the table. A reason of several depths is
// given once. A side without a request that ended well has one reason for all of its
// figures.
func (r *depth) unknown(d *Doc) {
	seen := map[string]bool{}
	add := func(name string, v metrics.Value) {
		if text := name + ": " + format.Reason(v); !v.OK && !seen[text] {
			seen[text] = true
			d.fact("unknown", text)
		}
	}
	for _, row := range pick.All(r.Depth.Rows) {
		if row.TooLong {
			continue
		}
		for k, s := range []*loadstat.DepthSide{&row.Cold, &row.Warm} {
			name := [...]string{"cold", "warm"}[k]
			if s.Ended == 0 {
				add(name, s.TTFT)
				continue
			}
			add(name+" prompt tokens", s.Prompt)
			add(name+" TTFT", s.TTFT)
			add(name+" prefill", s.Prefill)
			add(name+" cached tokens", s.Cached)
		}
		if row.Cold.Ended+row.Warm.Ended > 0 {
			add("TPOT", row.TPOT)
		}
	}
}

// finished returns the number of depths that are complete or left out.
func (r *depth) finished() int {
	return pick.Count(r.Depth.Rows, func(d *loadstat.DepthRow) bool {
		return d.TooLong || d.Cold.Ended+d.Cold.Failed >= r.Plan.Requests
	})
}

// CSV writes a line for each depth.
func (r *depth) CSV(w io.Writer) error {
	o, p := r.Depth, &r.Plan
	return writeCSV(w, o.Rows, func(l *csvLine, d *loadstat.DepthRow) {
		l.fields("*", d, "depth_tokens", "exceeds_context")
		for _, side := range []string{"cold", "warm"} {
			s := format.Either(side == "cold", &d.Cold, &d.Warm)
			l.fields(side+"_*", s, "prompt_tokens", "cached_tokens", "ttft_ms", "prefill_tok_per_s", "ended_well", "failed")
		}
		l.fields("*", d, "tpot_ms", "speed_tok_per_s", "tokens_estimated")
		l.add("users", p.Users[0])
		l.add("max_tokens", p.Work.MaxTokens)
		l.add("endpoint", o.Endpoint.Name)
		l.fields("*", &o.Endpoint, "model", "url")
		l.fields("ttft_fit_*", &o.Fit, "a_ms", "b_ms_per_token", "r2", "longest_off", "n")
		l.fields("*", &o.Endpoint, "api")
	})
}
