package say

import (
	"fmt"

	"tokscope/metrics/slo"
	"tokscope/ui/format"
)

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
			fmt.Sprintf("MLPerf Inference v5.0, Llama 2 70B Interactive: TTFT %.0f ms", b.Limit)
	case slo.BasisMLPerfTPOT:
		tpot := fmt.Sprintf("%.0f ms", 1000/b.Limit)
		return "the same: " + tpot + " a token", "MLPerf Inference v5.0, Llama 2 70B Interactive: TPOT " + tpot
	case slo.BasisReader:
		return fmt.Sprintf("as fast as a %.0f wpm reader", b.Pace.WPM), paceSources[b.Pace.Name]
	case slo.BasisSpeaker:
		return fmt.Sprintf("as fast as %.0f wpm speech", b.Pace.WPM), paceSources[b.Pace.Name]
	case slo.BasisFlow:
		return "longer interrupts the reader",
			fmt.Sprintf("Nielsen 1993: %.0f s keeps the flow of thought", b.Limit/1e3)
	case slo.BasisAttention:
		return "longer loses the viewer",
			fmt.Sprintf("Nielsen 1993: %.0f s keeps the attention on the task", b.Limit/1e3)
	case slo.BasisVoiceTurn:
		return "its share of a voice turn",
			fmt.Sprintf("%.0f ms from last word to first sound (twig.so), less %.0f "+
				"end of speech, %.0f transcription, %.0f synthesis, %.0f network (callingscout.ai)",
				slo.VoiceTurn, slo.VoiceEndpoint, slo.VoiceTranscribe, slo.VoiceSynthesis, slo.VoiceNetwork)
	case slo.BasisSilence:
		return "people fill a longer silence", "Jefferson 1988: a standard maximum silence of about one second"
	case slo.BasisBatchAPI:
		return "what batch APIs promise",
			fmt.Sprintf("OpenAI Batch API and Anthropic Message Batches: within %.0f hours", b.Limit/3.6e6)
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
