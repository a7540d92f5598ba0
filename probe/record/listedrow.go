package record

import (
	"tokscope/metrics"
	"tokscope/metrics/request"
)

// RestoreRow writes the recorded figures into r, and the doubts about them. say
// reads the reasons of unknown ones.
func (f *Figures) RestoreRow(r *request.Row, say Sentences) {
	for _, x := range []struct {
		name string
		v    *float64
		to   *request.Figure
	}{
		{"ttft_ms", f.TTFT, &r.TTFT}, {"tpot_ms", f.TPOT, &r.TPOT},
		{"longest_gap_ms", f.Longest, &r.Longest}, {"total_ms", f.Total, &r.Total},
		{"output_tokens", f.Tokens, &r.Tokens},
	} {
		v := metrics.Unknown(metrics.WhyNotRecorded)
		switch why, said := f.Unknown[x.name]; {
		case x.v != nil:
			v = metrics.Known(*x.v, 1)
		case said:
			v = metrics.Unknown(say.parseWhy(why))
		}
		*x.to = request.FigureOf(v)
	}
	r.Estimated = f.TokenSource == metrics.TokensEstimated.String()
	r.Doubt, r.Doubts = "", len(f.Suspect)
	for _, n := range f.Suspect {
		if c := metrics.SuspectCode(n.Code); r.Doubt == "" || c.Excludes() && !r.Doubt.Excludes() {
			r.Doubt = c
		}
	}
}
