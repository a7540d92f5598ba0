package export

import "strings"

// kind says how the values of an instrument are summed.
type kind uint8

const (
	histogram kind = iota
	counter        // only ever added to
	gauge          // the last value
)

// instrument is one metric. Its values have the unit that its name says; times
// are seconds.
type instrument struct {
	name string // in OTLP; Prometheus has underscores, the unit, and _total behind it
	unit string // UCUM: "s", "{token}", "1"
	kind kind
	help string
	// bounds are the upper edges of a histogram's buckets, ascending. OTLP has
	// exponential buckets instead unless asked otherwise.
	bounds []float64
	// genAI instruments have the names and attributes of the specification,
	// open-telemetry/semantic-conventions-genai: at 004902b, or those of its migration guide
	// at 32c328e (#374, #521), which a table has with latest.
	genAI bool
	// extra is the key of an attribute that tells points of one series apart, ""
	// for none.
	extra string
}

// Numbers of the instruments.
const (
	opDuration = iota
	opFirstChunk
	opPerChunk
	tokenUsage
	inferenceDuration
	inferenceFirstChunk
	inferencePerChunk
	inferenceInput
	inferenceOutput
	usedInput
	usedCacheRead
	usedCacheWrite
	usedOutput
	usedReasoning
	turnPart
	requests
	failures
	ttfb
	ttft
	ttfc
	tpot
	lastChunk
	longestGap
	phase
	serverPhase
	tokens
	chunks
	gapsUnknown
	stalls
	suspects
	lag
	lastRequest
	lastGrade
	baselineRatio
	baselineLower
	baselineUpper
	changed
	changedSince
	suspected
	numInstruments
)

// Keys of attributes that are used as instrument.extra.
const (
	keyError    = "error.type"
	keyToken    = "gen_ai.token.type"
	keyModality = "gen_ai.token.modality"
	keyActivity = "activity"
	keyPhase    = "phase"
	keyOutcome  = "outcome"
	keySuspect  = "suspect"
	keyFigure   = "figure"
)

// Edges of buckets. Those of the specification double from 10 ms to 82 s. Gaps
// between chunks are shorter, so the text has some more edges below.
var (
	specSeconds = []float64{.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	gapSeconds  = append([]float64{.00025, .0005, .001, .0025, .005}, specSeconds...)
	specTokens  = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
	ourSeconds  = []float64{
		.001, .0015, .002, .003, .005, .007, .01, .015, .02, .03, .05, .07, .1, .15, .2, .3, .5, .7,
		1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100,
	}
	shortSeconds = []float64{
		.0001, .00015, .0002, .0003, .0005, .0007, .001, .0015, .002, .003, .005, .007, .01, .015, .02, .03, .05, .07,
		.1, .15, .2, .3, .5, .7, 1, 1.5, 2, 3, 5, 7, 10,
	}
)

// instruments are all of them. docs/fleet.md has the same list with the
// definitions.
var instruments = [numInstruments]instrument{
	opDuration: {name: "gen_ai.client.operation.duration", unit: "s", bounds: specSeconds, genAI: true,
		extra: keyError, help: "Start of a request, connecting included, to the end of its response or its failure."},
	opFirstChunk: {name: "gen_ai.client.operation.time_to_first_chunk", unit: "s", bounds: specSeconds,
		genAI: true, help: "Start of a request to the first event of the response, also one without text."},
	opPerChunk: {name: "gen_ai.client.operation.time_per_output_chunk", unit: "s",
		bounds: gapSeconds, genAI: true, help: "Known gaps between consecutive chunks with output."},
	tokenUsage: {name: "gen_ai.client.token.usage", unit: "{token}", bounds: specTokens,
		genAI: true, extra: keyToken, help: "Tokens of a request by the usage that the server reports."},
	inferenceDuration: {name: "gen_ai.client.inference.duration", unit: "s", bounds: specSeconds, genAI: true,
		extra: keyError, help: "The newest name of gen_ai.client.operation.duration."},
	inferenceFirstChunk: {name: "gen_ai.client.inference.time_to_first_chunk", unit: "s", bounds: specSeconds,
		genAI: true, help: "The newest name of gen_ai.client.operation.time_to_first_chunk."},
	inferencePerChunk: {name: "gen_ai.client.inference.time_per_output_chunk", unit: "s", bounds: gapSeconds,
		genAI: true, help: "The newest name of gen_ai.client.operation.time_per_output_chunk."},
	inferenceInput: {name: "gen_ai.client.inference.operation.input_tokens", unit: "{token}", bounds: specTokens,
		genAI: true, extra: keyError, help: "Prompt tokens of a request by the usage that the server reports."},
	inferenceOutput: {name: "gen_ai.client.inference.operation.output_tokens", unit: "{token}", bounds: specTokens,
		genAI: true, extra: keyError, help: "Output tokens of a request by the usage that the server reports."},
	usedInput: {name: "gen_ai.client.inference.usage.input_tokens", unit: "{token}", kind: counter, genAI: true,
		extra: keyModality, help: "Prompt tokens that the server reports, cached ones too."},
	usedCacheRead: {name: "gen_ai.client.inference.usage.cache_read.input_tokens", unit: "{token}", kind: counter,
		genAI: true, extra: keyModality, help: "Of them, those that came from the server's cache."},
	usedCacheWrite: {name: "gen_ai.client.inference.usage.cache_write.input_tokens", unit: "{token}", kind: counter,
		genAI: true, extra: keyModality, help: "Of them, those that the server put into its cache."},
	usedOutput: {name: "gen_ai.client.inference.usage.output_tokens", unit: "{token}", kind: counter, genAI: true,
		extra: keyModality, help: "Output tokens that the server reports, reasoning too."},
	usedReasoning: {name: "gen_ai.client.inference.usage.reasoning.output_tokens", unit: "{token}", kind: counter,
		genAI: true, extra: keyModality, help: "Of them, those of reasoning."},
	turnPart: {name: "tokscope.turn.duration", unit: "s", bounds: ourSeconds, extra: keyActivity,
		help: "Parts of a tapped turn: connect, upload, wait, thinking, text, tool_call, server_tool, and client and you " +
			"behind the answer."},
	requests: {name: "tokscope.requests", unit: "{request}",
		kind: counter, extra: keyOutcome, help: "Ended requests by outcome."},
	failures: {name: "tokscope.failures", unit: "{request}", kind: counter,
		extra: keyError, help: "Requests that failed or were truncated, by class."},
	ttfb: {name: "tokscope.time_to_first_byte", unit: "s",
		bounds: ourSeconds, help: "Request sent to the first byte of the response."},
	ttft: {name: "tokscope.time_to_first_token", unit: "s", bounds: ourSeconds,
		help: "Request sent to the first chunk with text, reasoning, a tool call, a refusal, audio or an image."},
	ttfc: {name: "tokscope.time_to_first_content", unit: "s",
		bounds: ourSeconds, help: "Request sent to the first visible content."},
	tpot: {name: "tokscope.time_per_output_token", unit: "s", bounds: shortSeconds,
		help: "First to last chunk, divided by the output tokens after the first."},
	lastChunk: {name: "tokscope.time_to_last_chunk", unit: "s",
		bounds: ourSeconds, help: "Request sent to the last chunk."},
	longestGap: {name: "tokscope.longest_gap", unit: "s",
		bounds: ourSeconds, help: "The longest known gap of a request."},
	phase: {name: "tokscope.phase.duration", unit: "s", bounds: ourSeconds, extra: keyPhase,
		help: "Parts of a request as this client measures them: dns, tcp, tls, upload, decode."},
	serverPhase: {name: "tokscope.server.phase.duration", unit: "s", bounds: ourSeconds,
		extra: keyPhase, help: "Parts of the wait as the server reports them: queue, prefill."},
	tokens: {name: "tokscope.tokens", unit: "{token}", kind: counter,
		extra: keyToken, help: "Tokens that were counted, not estimated."},
	chunks: {name: "tokscope.chunks", unit: "{chunk}", kind: counter, help: "Chunks with output."},
	gapsUnknown: {name: "tokscope.gaps.unknown", unit: "{gap}",
		kind: counter, help: "Gaps that are unknown because chunks shared a read."},
	stalls: {name: "tokscope.stalls", unit: "{stall}",
		kind: counter, help: "Gaps far above the median of their request."},
	suspects: {name: "tokscope.suspects", unit: "{request}", kind: counter,
		extra: keySuspect, help: "Requests with doubtful figures, by doubt."},
	lag: {name: "tokscope.lag", unit: "s", kind: gauge,
		help: "How late tokscope itself was during the last request, 99th percentile."},
	lastRequest: {name: "tokscope.last_request.timestamp", unit: "s",
		kind: gauge, help: "When the last request ended, Unix time."},
	lastGrade: {name: "tokscope.last_verdict.grade", kind: gauge,
		help: "Worst finding on the last request: 0 good, 1 notable, 2 bad, 3 figures spoiled."},
	baselineRatio: {name: "tokscope.baseline.ratio", unit: "1", kind: gauge,
		extra: keyFigure, help: "A figure now against its baseline."},
	baselineLower: {name: "tokscope.baseline.lower", unit: "1", kind: gauge,
		extra: keyFigure, help: "Lower end of the interval of the ratio."},
	baselineUpper: {name: "tokscope.baseline.upper", unit: "1", kind: gauge,
		extra: keyFigure, help: "Upper end of the interval of the ratio."},
	changed: {name: "tokscope.changed", kind: gauge, extra: keyFigure,
		help: "1 while a figure differs from its baseline, else 0."},
	changedSince: {name: "tokscope.changed.since.timestamp", unit: "s", kind: gauge,
		extra: keyFigure, help: "When a changed figure changed, Unix time."},
	suspected: {name: "tokscope.suspected", kind: gauge, extra: keyFigure,
		help: "1 while a figure is higher in the newest probes and it is not certain yet, else 0."},
}

// renamed are the newest names of instruments.
var renamed = map[int]int{
	opDuration: inferenceDuration, opFirstChunk: inferenceFirstChunk, opPerChunk: inferencePerChunk}

// newest returns the number of an instrument in the names of t.
func (t *table) newest(instrument int) int {
	if n, ok := renamed[instrument]; ok && t.latest {
		return n
	}
	return instrument
}

// promUnit returns the unit's word in Prometheus' names, "" for none. Units in
// braces are notes and no part of a name.
func (in *instrument) promUnit() string {
	switch in.unit {
	case "s":
		return "seconds"
	case "1":
		return "ratio"
	}
	return ""
}

// prom returns the instrument's family in Prometheus text, as the OpenTelemetry
// specification translates names. A counter's samples have _total behind it.
func (in *instrument) prom() string {
	name := strings.ReplaceAll(in.name, ".", "_")
	if u := in.promUnit(); u != "" && !strings.HasSuffix(name, "_"+u) {
		name += "_" + u
	}
	return name
}
