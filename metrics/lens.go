package metrics

import "fmt"

// Lens is a kind of use, with what it needs of an endpoint.
type Lens struct {
	Key     string // "chat", "voice", "agent", "batch"
	About   string // one sentence
	Budgets []LensBudget
}

// LensBudget is what one metric may be at most (or, for speed and throughput,
// must be at least) for a use, with the reason and its source.
type LensBudget struct {
	Metric  string  // LensTTFT, LensSpeed, …
	Limit   float64 // ms, or tok/s; 0: nothing is asked, the figure is only shown
	AtLeast bool
	Why     string // a few words
	Source  string
}

// What a budget can be about. The words are those of the screen and of JSON.
const (
	LensTTFT       = "TTFT"       // ms
	LensSpeed      = "speed"      // of one user, tok/s
	LensGap        = "gap"        // the longest between two chunks, ms
	LensStep       = "step"       // of an agent: TTFT + tokens of a step · TPOT, ms
	LensTotal      = "total"      // sent to last chunk, ms
	LensThroughput = "throughput" // of all streams together, tok/s
)

// The published thresholds that the budgets are made of, ms.
const (
	// MLPerf Inference v5.0 (2025), Llama 2 70B Interactive: the limits of a
	// server that counts as responsive, found by surveying users and platforms.
	// MLPerf binds them at the 99th percentile of a run of many thousands.
	mlperfTTFT = 450.0
	mlperfTPOT = 40.0

	// Nielsen 1993, Usability Engineering: up to 1 s the flow of thought is not
	// interrupted, up to 10 s attention stays with the task.
	nielsenFlow      = 1_000.0
	nielsenAttention = 10_000.0

	// voiceTurn is from the caller's last word to the first sound of the answer:
	// people leave about 200 ms between turns (Stivers 2009, PNAS, ten
	// languages); beyond 800 ms operators of voice agents see callers notice.
	voiceTurn = 800.0
	// Of it the rest of the pipeline takes, at the slow end of what one operator
	// publishes (callingscout.ai, "below 400ms"): to see that the caller has
	// ended, to transcribe, to make the first sound of the text, on the network.
	voiceEndpoint   = 80.0
	voiceTranscribe = 150.0
	voiceSynthesis  = 250.0
	voiceNetwork    = 60.0

	// voiceSilence: in conversation about a second is the longest silence that
	// nobody fills (Jefferson 1988, the "standard maximum").
	voiceSilence = 1_000.0

	// batchWindow: what the batch APIs of OpenAI and Anthropic promise.
	batchWindow = 24 * 3_600_000.0
)

// lensNear is the share of a budget from which on a figure that keeps it is
// called close: the next request may well be a tenth slower.
const lensNear = 0.9

var lenses = []Lens{
	{
		Key: "chat", About: "a person reads while the answer is written",
		Budgets: []LensBudget{
			{LensTTFT, mlperfTTFT, false, "MLPerf's interactive limit", "MLPerf Inference v5.0, Llama 2 70B Interactive: TTFT 450 ms"},
			paced("reading", "a reader at %.0f wpm keeps up"),
			{LensGap, nielsenFlow, false, "longer breaks the thought", "Nielsen 1993: 1 s keeps the flow of thought"},
		},
	}, {
		Key: "voice", About: "the answer is spoken while it is written",
		Budgets: []LensBudget{
			{LensTTFT, voiceTurn - voiceEndpoint - voiceTranscribe - voiceSynthesis - voiceNetwork, false, "what is left of the turn",
				fmt.Sprintf("%.0f ms from the caller's last word to the first sound (twig.so), less %.0f to see that the caller has ended, %.0f to transcribe, %.0f to begin speaking, %.0f of network (callingscout.ai)",
					voiceTurn, voiceEndpoint, voiceTranscribe, voiceSynthesis, voiceNetwork)},
			paced("aloud", "speech at %.0f wpm goes on"),
			{LensGap, voiceSilence, false, "people fill a longer silence", "Jefferson 1988: a standard maximum silence of about one second"},
		},
	}, {
		Key: "agent", About: "steps that wait for each other: each pays a TTFT and its tokens",
		Budgets: []LensBudget{
			{LensTTFT, mlperfTTFT, false, "MLPerf's interactive limit", "MLPerf Inference v5.0, Llama 2 70B Interactive: TTFT 450 ms"},
			{LensSpeed, 1000 / mlperfTPOT, true, fmt.Sprintf("the same: %.0f ms a token", mlperfTPOT), "MLPerf Inference v5.0, Llama 2 70B Interactive: TPOT 40 ms"},
			{LensStep, nielsenAttention, false, "a watcher stays so long", "Nielsen 1993: 10 s keeps the attention on the task"},
		},
	}, {
		Key: "batch", About: "nobody waits: what counts is all that is done in a day",
		Budgets: []LensBudget{
			{LensTotal, batchWindow, false, "what batch APIs promise", "OpenAI Batch API and Anthropic Message Batches: within 24 hours"},
			{LensThroughput, 0, true, "more is cheaper", "MLPerf Inference, Offline: throughput, with no limit of latency"},
			{LensTTFT, 0, false, "nobody waits for it", "MLPerf Inference, Offline: throughput, with no limit of latency"},
		},
	},
}

// paced is the least speed at which a text keeps up with a human pace, at
// WordsPerToken. A text of code, or of another language, has fewer words in a
// token and needs more.
func paced(name, basis string) LensBudget {
	p, ok := PaceByName(name)
	if !ok {
		p = Paces[0]
	}
	return LensBudget{LensSpeed, p.TokensPerSecond(), true, fmt.Sprintf(basis, p.WPM), p.Source}
}

// LensLabel is how a metric is called on screen and paper.
func LensLabel(metric string) string {
	if metric == LensGap {
		return "longest gap"
	}
	return metric
}

// Lenses returns the kinds of use, in the order of the screen. The slice is
// shared: read only.
func Lenses() []Lens { return lenses }

// LensByKey returns the lens of that key; nil when there is none.
func LensByKey(key string) *Lens {
	for i := range lenses {
		if lenses[i].Key == key {
			return &lenses[i]
		}
	}
	return nil
}
