package say

import (
	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// Identity writes the sum that the time to the last chunk should be, with what
// it leaves over: "TTFT 41.0 ms + 199 × TPOT 8.51 ms, residual 0 ms". It is ""
// where the sum is unknown.
func Identity(f *metrics.Figures) string {
	if !f.Predicted.OK || !f.Residual.OK || !f.DecodeTokens.OK {
		return ""
	}
	return "TTFT " + format.Ms(f.TTFT.V) + " + " + format.Whole(f.DecodeTokens.V-1) +
		" × TPOT " + format.Ms(f.TPOT.V) + ", residual " + format.Ms(format.Residual(f.Residual.V))
}

// ITLSource says how the tokens of a gap are known.
func ITLSource(s metrics.ITLSource) string {
	switch s {
	case metrics.ITLCounted:
		return "counted"
	case metrics.ITLMean:
		return "by the mean"
	}
	return "unknown"
}

// TokensFrom says where a count of tokens comes from, behind the count: "from server",
// "token ids", "estimated".
func TokensFrom(source metrics.TokenSource) string {
	switch source {
	case metrics.TokensUsage, metrics.TokensContinuous, metrics.TokensTimings:
		return "from server"
	}
	return source.String()
}

// AnsweredBy says which model answered, "" if that is the one asked for.
func AnsweredBy(asked, answered string) string {
	return format.Either(metrics.CompareModels(asked, answered) == metrics.ModelAsIs, "", "answered by "+answered)
}

// attempts writes failed attempts: "1 fallback and 2 retries".
func attempts(fallbacks, retries int) string {
	return format.Join(" and ", format.If(fallbacks > 0, format.Plural(fallbacks, "fallback", "fallbacks")),
		format.If(retries > 0, format.Plural(retries, "retry", "retries")))
}

// Served writes how a request was served, as far as the answer says it: "tier default,
// asked priority; region us-east-1; 1 fallback and 2 retries behind the gateway".
func Served(s *metrics.Stream) string {
	v, was := &s.Served, s.Served.Otherwise(s.Asked)
	part := func(name, served, asked string) string {
		return format.If(served != "", name+" "+sanitize.Line(served, nameMost)) +
			format.If(asked != "", ", asked "+sanitize.Line(asked, nameMost))
	}
	return format.Join("; ", part("tier", v.Tier, was.Tier), part("speed", v.Speed, was.Speed),
		part("provider", s.Provider, ""), part("region", v.Region, ""), part("deployment", v.Deployment, ""),
		format.If(v.Attempts(), attempts(v.Fallbacks, v.Retries)+" behind the gateway"))
}

// Peak writes the largest speed over a second of one stream, such as
// "140 tok/s in its fastest second", or the reason why it is unknown. A peak
// that one read may have brought in part from before that second has a ≤.
func Peak(f *metrics.Figures) string {
	switch {
	case !f.Peak.OK:
		return format.Reason(f.Peak)
	case f.PeakRead > 0:
		return "≤" + format.Rate(f.Peak.V) + " in its fastest second: one read brought " + format.Whole(f.PeakRead)
	}
	return format.Rate(f.Peak.V) + " in its fastest second"
}

// Voice says when the first sentence could be spoken, and whether a speaker
// then waits for more: "first sentence after 640 ms; a speaker at 150 to 180
// wpm never waits". It is "" without a stream.
func Voice(v *slo.Voice) string {
	if !v.Known() {
		return ""
	}
	if !v.Sentence.OK {
		return "first sentence: " + format.Reason(v.Sentence)
	}
	slow, fast := v.Dry[0], v.Dry[1]
	speaker := "; a speaker at " + format.Range(metrics.SpeakerSlow, metrics.SpeakerFast, format.Exact) + " wpm"
	text := "first sentence after " + format.Ms(v.Sentence.V)
	switch {
	case !slow.OK || !fast.OK:
		return text
	case fast.V == 0:
		return text + speaker + " never waits"
	case slow.V == 0:
		return text + "; a speaker at " + format.Exact(metrics.SpeakerFast) +
			" wpm waits " + format.Ms(fast.V) + ", at " + format.Exact(metrics.SpeakerSlow) + " never"
	}
	return text + speaker + " waits " + format.Range(slow.V, fast.V, format.Ms)
}
