package say

import (
	"cmp"
	"fmt"

	"tokscope/metrics/slo"
	"tokscope/ui/format"
)

// LensLabel is the label of a lens's metric, on screen and on paper.
func LensLabel(metric string) string {
	return format.Either(metric == slo.LensGap, "longest gap", metric)
}

// secondsADay is the number of seconds in 24 h.
const secondsADay = 86_400

// rate reports whether a lens's metric is in tok/s, and not in ms.
func rate(metric string) bool {
	return metric == slo.LensSpeed || metric == slo.LensThroughput
}

// LensFigure is a measured value of a lens's metric with its unit.
func LensFigure(metric string, v float64) string {
	return format.Either(rate(metric), format.Rate, format.Ms)(v)
}

// LensLimit is the limit of a budget with its unit: "450 ms", "24 h", "5.3
// tok/s". Times have at most three significant digits, speeds two: they come
// from how fast people read and speak, which is not known more exactly.
func LensLimit(metric string, v float64) string {
	return format.Either(rate(metric), format.Exact(format.Digits(v, 2))+" tok/s", format.Limit(format.Digits(v, 3)))
}

// VerdictShort is the verdict beside the figure and its limit: "185 ms to
// spare".
func VerdictShort(v *slo.LensVerdict) string {
	apart := func(words string) string { return LensFigure(v.Metric, v.Apart) + words }
	switch v.Case {
	case slo.CaseWaiting:
		limit := " of " + LensLimit(slo.LensTTFT, v.Budget.Limit) + " used"
		return LensFigure(slo.LensTTFT, v.Clock.V) + format.Either(v.Budget.Limit > 0, limit, " so far")
	case slo.CaseLate:
		return apart(" over")
	case slo.CaseFree:
		if v.Metric == slo.LensThroughput {
			return format.Number(v.Measured.V*secondsADay) + " tokens in 24 h"
		}
		return v.Lens + " sets no limit"
	case slo.CaseBeyond:
		return apart(format.Either(v.Budget.AtLeast, " short", " over"))
	case slo.CaseTail:
		return "one in twenty: " + LensFigure(v.Metric, v.Tail.V)
	case slo.CaseNear:
		return "only " + apart(format.Either(v.Budget.AtLeast, " more", " left"))
	case slo.CaseFactor:
		return format.Factor(1/v.Used.V) + " what is needed"
	case slo.CaseFar:
		return "well within"
	case slo.CaseTextless:
		return "no visible text" + format.If(v.Requests > 1, " in "+format.Count(v.Textless)+" of "+format.Count(v.Requests))
	case slo.CaseWithin:
		return apart(format.Either(v.Budget.AtLeast, " more", " to spare"))
	}
	return format.Why(v.Measured.Why)
}

// Verdict is a verdict as a sentence with its figures: "first token after 265
// ms: 185 ms to spare of what chat allows".
func Verdict(v *slo.LensVerdict) string {
	short, least := VerdictShort(v), v.Budget.AtLeast
	none := "no token after " + LensFigure(slo.LensTTFT, v.Clock.V) + ": "
	allows := v.Lens + format.Either(least, " needs", " allows")
	switch v.Case {
	case slo.CaseUnknown:
		return v.Metric + " is unknown: " + short
	case slo.CaseWaiting:
		return format.Either(v.Budget.Limit > 0, short, none+v.Lens+" sets no limit")
	case slo.CaseLate:
		return none + short + " what " + allows
	case slo.CaseFree:
		return subject(v) + ": " + short
	case slo.CaseFar:
		return subject(v) + ": well within the " + LensLimit(v.Metric, v.Budget.Limit) + " that " + allows
	case slo.CaseTextless:
		return subject(v) + ": " + short + ", which " + v.Lens + " needs"
	case slo.CaseTail:
		short = "one in twenty has " + LensFigure(v.Metric, v.Tail.V) + format.Either(least, ", short of", ", beyond")
	case slo.CaseFactor:
		short = format.Factor(1 / v.Used.V)
	case slo.CaseBeyond:
		short += format.If(least, " of")
	default:
		short += format.Either(least, " than", " of")
	}
	return subject(v) + ": " + short + " what " + allows
}

// subject begins the sentence about a known figure.
func subject(v *slo.LensVerdict) string {
	s := format.If(v.Estimated, "about ") + LensFigure(v.Metric, v.Measured.V)
	switch v.Metric {
	case slo.LensTTFT:
		s = "first token after " + s
	case slo.LensTTFA:
		s = "first audio after " + s
	case slo.LensSpeed:
		s += " for one user"
	case slo.LensGap:
		if s = "longest gap " + s; v.Running {
			s += " so far"
		}
	case slo.LensStep:
		s = "a step of " + format.Count(v.StepTokens) + " tokens takes " + s
	case slo.LensTotal:
		s = "whole answer after " + s
	case slo.LensThroughput:
		return s + " aggregate"
	}
	if v.Requests > 1 {
		s += " (" + cmp.Or(v.What, "median") + " of " + format.Count(v.Requests) + ")"
	}
	return s
}

// AgentTask describes an agent's task: "20 steps of 300 tokens".
func AgentTask(a slo.AgentTask) string {
	return format.Count(a.Steps) + " steps of " + format.Count(a.Tokens) + " tokens"
}

// AgentCost describes the parts of the time of an agent's task, as a
// sentence.
func AgentCost(c *slo.AgentCost) string {
	task := AgentTask(c.Task)
	if !c.Time.OK {
		return task + ": unknown, " + format.Why(c.Time.Why)
	}
	return fmt.Sprintf("%s take %s: %s waiting for first tokens, %s decoding; half the TTFT saves %s, half the TPOT %s",
		task,
		format.Ms(c.Time.V), format.Percent(c.WaitShare.V), format.Percent(c.DecodeShare.V),
		format.Percent(c.Saves(c.HalfTTFT)), format.Percent(c.Saves(c.HalfTPOT)))
}

// lensAbout says in one sentence what each lens is about.
var lensAbout = map[string]string{
	"chat":  "a person reads while the answer is written",
	"voice": "the answer is spoken while it is written",
	"agent": "steps in a row, one TTFT per step",
	"batch": "nobody waits; the work done in a day counts",
}

// LensAbout says in one sentence what a lens is about; "" for an unknown key.
func LensAbout(key string) string { return lensAbout[key] }

// paceSources are the sources of the paces that budgets rest on.
var paceSources = map[string]string{
	"reading": "Brysbaert 2019, silent reading of English non-fiction; most adults 175-300",
	"aloud":   "Brysbaert 2019, reading aloud, 77 studies",
}

// LensBudget gives the reason for a budget in a few words and names its source; both
// are "" without a basis.
func LensBudget(b *slo.LensBudget) (why, source string) {
	switch b.Basis {
	case slo.BasisMLPerfTTFT:
		return "MLPerf's interactive limit",
			"MLPerf Inference v5.0, Llama 2 70B Interactive: TTFT " + format.Limit(b.Limit)
	case slo.BasisMLPerfTPOT:
		tpot := format.Whole(1000/b.Limit) + " ms"
		return "the same: " + tpot + " a token", "MLPerf Inference v5.0, Llama 2 70B Interactive: TPOT " + tpot
	case slo.BasisReader:
		return "as fast as a " + format.Whole(b.Pace.WPM) + " wpm reader", paceSources[b.Pace.Name]
	case slo.BasisSpeaker:
		return "as fast as " + format.Whole(b.Pace.WPM) + " wpm speech", paceSources[b.Pace.Name]
	case slo.BasisFlow:
		return "longer interrupts the reader", "Nielsen 1993: " + format.Limit(b.Limit) + " keeps the flow of thought"
	case slo.BasisAttention:
		return "longer loses the viewer", "Nielsen 1993: " + format.Limit(b.Limit) + " keeps the attention on the task"
	case slo.BasisVoiceTurn, slo.BasisVoiceSound:
		synthesis := format.If(b.Basis == slo.BasisVoiceTurn, ", "+format.Whole(slo.VoiceSynthesis)+" synthesis")
		return "its share of a voice turn",
			format.Limit(slo.VoiceTurn) + " from last word to first sound (twig.so), less " +
				format.Whole(slo.VoiceEndpoint) + " end of speech, " + format.Whole(slo.VoiceTranscribe) +
				" transcription" + synthesis + ", " + format.Whole(slo.VoiceNetwork) + " network (callingscout.ai)"
	case slo.BasisSilence:
		return "people fill a longer silence", "Jefferson 1988: a standard maximum silence of about one second"
	case slo.BasisBatchAPI:
		return "what batch APIs promise",
			"OpenAI Batch API and Anthropic Message Batches: within " + format.Whole(b.Limit/3.6e6) + " hours"
	case slo.BasisOffline:
		return "more lowers the cost", offlineSource
	case slo.BasisOfflineFree:
		return "nobody waits for it", offlineSource
	}
	return "", ""
}

// offlineSource is the source of a budget that limits no time.
const offlineSource = "MLPerf Inference, Offline: throughput, with no limit of latency"

// LensBasis describes the figures of a lens in a few words where they are not
// one request's figures or medians: "mean of 14 requests", "predicted"; else
// "".
func LensBasis(f *slo.LensFigures) string {
	switch {
	case f.Kind == slo.FiguresPredicted:
		return "predicted"
	case f.Kind != slo.FiguresMeans:
		return ""
	case f.Requests == 0:
		return "not measured yet"
	case f.Requests == 1:
		return "one request"
	}
	return "mean of " + format.Count(f.Requests) + " requests"
}
