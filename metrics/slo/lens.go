package slo

import (
	"tokscope/metrics"
	"tokscope/metrics/pick"
)

// Lens is a kind of use with its requirements for an endpoint.
type Lens struct {
	Key     string // "chat", "voice", "agent", "batch"
	Text    bool   // a person reads or hears the answer, so one without text misses it
	Budgets []LensBudget
}

// LensBudget is the upper limit of one metric for a use (the lower limit for
// speed and throughput). ui/format has the words of its basis.
type LensBudget struct {
	Metric  string  // LensTTFT, LensSpeed, …
	Limit   float64 `json:"limit" form:"null=zero"` // ms, or tok/s; 0: no limit, the figure is only shown
	AtLeast bool    `json:"at_least"`               // the figure must reach the limit; else it must not pass it
	Basis   Basis
	Pace    metrics.Pace // the human pace behind the limit; zero for other limits
}

// Basis names the published source of a budget.
type Basis uint8

const (
	// BasisUnknown: no source.
	BasisUnknown Basis = iota
	// BasisMLPerfTTFT: TTFT of MLPerf Inference v5.0, Llama 2 70B Interactive.
	BasisMLPerfTTFT
	// BasisMLPerfTPOT: TPOT of the same.
	BasisMLPerfTPOT
	// BasisReader: a silent reader keeps up, at LensBudget.Pace.
	BasisReader
	// BasisSpeaker: a voice that reads aloud goes on, at LensBudget.Pace.
	BasisSpeaker
	// BasisFlow: Nielsen 1993, the flow of thought.
	BasisFlow
	// BasisAttention: Nielsen 1993, the attention on a task.
	BasisAttention
	// BasisVoiceTurn: VoiceTurn less the other stages of a voice pipeline.
	BasisVoiceTurn
	// BasisVoiceSound: the same for an answer in sound, which needs no synthesis.
	BasisVoiceSound
	// BasisSilence: Jefferson 1988, the longest silence in conversation.
	BasisSilence
	// BasisBatchAPI: the promise of the batch APIs.
	BasisBatchAPI
	// BasisOffline: MLPerf Inference, Offline, measures throughput.
	BasisOffline
	// BasisOfflineFree: the same scenario sets no limit on latency.
	BasisOfflineFree
)

// The metrics of a budget. The words are those of the screen and of JSON.
const (
	LensTTFT       = "TTFT"       // ms
	LensTTFA       = "TTFA"       // first sound, ms; see AppendVerdicts
	LensSpeed      = "speed"      // of one user, tok/s
	LensGap        = "gap"        // the longest between two chunks, ms
	LensStep       = "step"       // one step of an agent: TTFT + tokens of a step · TPOT, ms
	LensTotal      = "total"      // sent to last chunk, ms
	LensThroughput = "throughput" // aggregate over all streams, tok/s
)

// The published thresholds behind the budgets, ms.
const (
	// MLPerf Inference v5.0 (2025), Llama 2 70B Interactive: the limits of a
	// responsive server, found by surveying users and platforms. MLPerf binds
	// them at the 99th percentile of a run of many thousands.
	mlperfTTFT = 450.0
	mlperfTPOT = 40.0

	// Nielsen 1993, Usability Engineering: up to 1 s the flow of thought is not
	// interrupted, up to 10 s attention stays with the task.
	nielsenFlow      = 1_000.0
	nielsenAttention = 10_000.0

	// VoiceTurn is from the caller's last word to the first sound of the
	// answer. People leave about 200 ms between turns (Stivers 2009, PNAS, ten
	// languages). Beyond 800 ms operators of voice agents see callers notice.
	VoiceTurn = 800.0
	// The rest of the pipeline takes its part of VoiceTurn, at the slow end of
	// one operator's published figures (callingscout.ai, "below 400ms"). Its
	// stages detect the caller's end, transcribe, synthesize the first sound,
	// and cross the network.
	VoiceEndpoint   = 80.0
	VoiceTranscribe = 150.0
	VoiceSynthesis  = 250.0
	VoiceNetwork    = 60.0

	// voiceSilence is about the longest silence in conversation that nobody
	// fills, a second (Jefferson 1988, the "standard maximum").
	voiceSilence = 1_000.0

	// batchWindow is the promise of the batch APIs of OpenAI and Anthropic.
	batchWindow = 24 * 3_600_000.0
)

// lensNear is the share of a budget above which a figure within it is close:
// the next request may well be a tenth slower.
const lensNear = 0.9

var lenses = []Lens{
	{
		Key: "chat", Text: true,
		Budgets: []LensBudget{
			{Metric: LensTTFT, Limit: mlperfTTFT, Basis: BasisMLPerfTTFT},
			paced("reading", BasisReader),
			{Metric: LensGap, Limit: nielsenFlow, Basis: BasisFlow},
		},
	}, {
		Key: "voice", Text: true,
		Budgets: []LensBudget{
			{Metric: LensTTFT, Limit: VoiceTurn - VoiceEndpoint - VoiceTranscribe - VoiceSynthesis - VoiceNetwork,
				Basis: BasisVoiceTurn},
			{Metric: LensTTFA, Limit: VoiceTurn - VoiceEndpoint - VoiceTranscribe - VoiceNetwork, Basis: BasisVoiceSound},
			paced("aloud", BasisSpeaker),
			{Metric: LensGap, Limit: voiceSilence, Basis: BasisSilence},
		},
	}, {
		Key: "agent",
		Budgets: []LensBudget{
			{Metric: LensTTFT, Limit: mlperfTTFT, Basis: BasisMLPerfTTFT},
			{Metric: LensSpeed, Limit: 1000 / mlperfTPOT, AtLeast: true, Basis: BasisMLPerfTPOT},
			{Metric: LensStep, Limit: nielsenAttention, Basis: BasisAttention},
		},
	}, {
		Key: "batch",
		Budgets: []LensBudget{
			{Metric: LensTotal, Limit: batchWindow, Basis: BasisBatchAPI},
			{Metric: LensThroughput, AtLeast: true, Basis: BasisOffline},
			{Metric: LensTTFT, Basis: BasisOfflineFree},
		},
	},
}

// paced returns the least speed at which a text keeps up with a human pace,
// at metrics.WordsPerToken. A text of code, or of another language, has fewer
// words per token and needs more.
func paced(name string, basis Basis) LensBudget {
	p, ok := metrics.PaceByName(name)
	if !ok {
		p = metrics.Paces[0]
	}
	return LensBudget{Metric: LensSpeed, Limit: p.TokensPerSecond(), AtLeast: true, Basis: basis, Pace: p}
}

// Lenses returns the kinds of use in screen order. The slice is shared: read
// only.
func Lenses() []Lens { return lenses }

// LensByKey returns the lens of that key; nil for an unknown key.
func LensByKey(key string) *Lens {
	return pick.First(lenses, func(l *Lens) bool { return l.Key == key })
}
