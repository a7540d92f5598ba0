package figures

// The figures that do not stand everywhere. TestEveryFigure… fails for an
// exception that is no longer needed.

const (
	spread   = "A row has the percentiles that tell most, and JSON has the others."
	method   = "One rule holds for all percentiles of the program: it stands in the definitions and in JSON."
	momently = "It is of one moment of a running request, and text and JSON are of ended ones."
	drawing  = "It is a measure of the drawing, not a figure."
	lanes    = "The lanes and their legend draw how many are in each state; a sum over a window is in the points."
	ownLag   = "A row has the p99 and the worst lag of tokscope; JSON has what they are made of."
	drawn    = "It is drawn as a histogram on the screen, and JSON has its counts."
)

// ofStreams are those of metrics.Figures.
var ofStreams = map[string]exception{
	"DNS":           {"text", "The line on the connection has it, from the marks of the request."},
	"TCP":           {"text", "The line on the connection has it, from the marks of the request."},
	"TLS":           {"text", "The line on the connection has it, from the marks of the request."},
	"Send":          {"text", "The line on the wait has it, as a part of the wait."},
	"Elapsed":       {"screen, text, JSON", "Screens run a clock of their own, and at the end it is the total."},
	"LiveSpeed":     {"text, JSON", momently},
	"LiveIsChunks":  {"text, JSON", momently},
	"Predicted":     {"text", "The line of the total has the terms of the sum, and what they leave over."},
	"SpeakerDry[0]": {"text", "The row of the voice has the faster of both speakers, who waits longer."},
	"Delay":         {"text", "The summary computes it for all requests together and explains it there."},
	"ChunkGaps":     {"screen, text, JSON", "It is the list of gaps for a drawing; a recording has the arrival of every chunk."},
	"*.Min":         {"screen, text", spread},
	"*.P90":         {"screen, text", spread},
	"*.Max":         {"screen, text", spread},
	"*.Method":      {"screen, text", method},
	"ITL.Mean":      {"text", spread},
	"ITL.StdDev":    {"text", spread},
}

// ofPoints are those of loadstat.Point.
var ofPoints = map[string]exception{
	"*.Min":          {"screen, text", spread},
	"*.Max":          {"screen, text", spread},
	"*.StdDev":       {"screen, text", spread},
	"*.Mean":         {"screen", spread},
	"*.P90":          {"screen, text", spread},
	"*.P95":          {"screen", spread},
	"*.N":            {"screen, text", "A table has the number of requests once; JSON has the n of each figure."},
	"*.Method":       {"screen, text", method},
	"*.Missing":      {"text", "The table has the bound that it makes; JSON has the count of what is missing."},
	"TTFT.Mean":      {"text", spread},
	"TPOT.Mean":      {"text", spread},
	"TPOT.P95":       {"text", spread},
	"TPOT.P50":       {"screen", "The Load screen shows it as the speed per user, and the gaps beside it."},
	"TPOT.P99":       {"screen", "The Load screen shows the p99 of the gaps, and goodput judges by TPOT."},
	"TPOT.Missing":   {"screen", "TPOT is one number a request and has no gap inside a read."},
	"FromIntended.*": {"screen, text", "The open loop of a sweep has it in JSON, beside the lag behind the schedule."},
	"GapBins":        {"text", drawn},
	"TTFTBins":       {"text", drawn},
	"From":           {"screen", "The screen shows the present window, which begins with the last change."},
	"To":             {"screen", "The screen shows the present window, which ends now."},
	"Running":        {"screen", lanes},
	"Prefill":        {"screen", lanes},
	"Waiting":        {"screen", lanes},
	"Requests":       {"screen", "The screen counts the requests of the whole load."},
	"Failed":         {"screen", "The screen counts the failures of the whole load."},
	"Faults":         {"screen", "The screen counts the failures of the whole load, by kind."},
	"Retried":        {"screen", "The screen counts the retries of the whole load."},
	"Misses":         {"screen, text", "The share of requests that meet an objective is made of it."},
	"Tokens":         {"screen", "The screen shows them per second, and those of the whole load."},
	"Stamps":         {"screen", "The screen names those of the whole load."},
	"Setup":          {"screen, text", "It is the number of the work: points of another work are drawn and listed apart, by its name."},
	"Arrived":        {"screen, text", "The chart of the queue draws arrivals by the second; the sentence of an open loop has them."},
	"Backlog":        {"screen, text", "The screen has the backlog of the moment beside the slider; the points of a document have its mean."},
	"Warmup":         {"text", "The step says that it is not steady, and why."},
	"Why.Of":         {"screen, text", "Only some reasons have a second number, and their sentences have tests."},
}

// ofLoads are those of loadstat.View.
var ofLoads = map[string]exception{
	"Ending":           {"text, JSON", "It is of the moments between the end of the sending and that of the last answer."},
	"Setup":            {"screen, text, JSON", "It is the number of the work: points of another work are drawn and listed apart, by its name."},
	"Arrived":          {"screen, text, JSON", "The chart of the queue draws arrivals by the second; points have the arrivals of their window."},
	"Backlog":          {"text, JSON", "It is of one moment; points have its mean over their window."},
	"Now":              {"text", "The text is written at the end, and its points have their windows."},
	"Began":            {"screen, text", "The axis of the time chart begins with it, and the document has the time of the start."},
	"Running":          {"text", "The text is written when the load has ended."},
	"Target":           {"text", "The text has a row for each number of users that was measured."},
	"Model":            {"screen, text", "The header of all screens names the model that answers."},
	"SLOs":             {"text", "The sweep and the document judge by them; the summary of a load lists its points."},
	"Lanes":            {"text, JSON", lanes},
	"SliceLen":         {"screen, text, JSON", drawing},
	"StallAfter":       {"text, JSON", drawing},
	"InFlight":         {"screen, text, JSON", lanes},
	"Prefilling":       {"screen, text, JSON", lanes},
	"Decoding":         {"screen, text, JSON", lanes},
	"Waiting":          {"text, JSON", lanes},
	"Path":             {"screen", "A second point at the same number of users replaces the first in the chart."},
	"Series":           {"text, JSON", "It is the time chart; the points of the document are the same over whole windows."},
	"Sent":             {"screen", "The screen counts how the requests ended, and the lanes show those under way."},
	"TokensReceived":   {"screen", "The screen counts the tokens that are paid for, with the prompts."},
	"Chunks":           {"screen, JSON", "It is the n of the gaps, which the points have."},
	"Budget.MaxTokens": {"JSON", "It is a setting of the command line."},
	"Budget.Left":      {"screen, text, JSON", "It counts down the last minutes of a sweep; at the end nothing is left of it."},
	"ScheduleLag.*":    {"screen, text, JSON", "The screen has its p99, and the document of a sweep the whole of it for each step."},
	"Seed":             {"screen, text", "It repeats a load, for which one takes the document."},
	"Stamps":           {"text, JSON", "Text and JSON join it with the stamps of the points, which are walked."},
	"Rate":             {"screen, text", "The header of an open loop says what was asked for."},
	"Input.*":          {"screen, text, JSON", "The header of all screens and the workload of the document say what is drawn."},
	"Output.*":         {"screen, text, JSON", "The header of all screens and the workload of the document say what is drawn."},
	"ClientLimits.*":   {"screen, text, JSON", "It is a sentence by its code, and those have tests."},
	"Observer.*":       {"screen, text", ownLag},
	"*.Age":            {"screen, text", "The forecast counts from now on; the age stands beside a limit that has reset since."},
	"*.Pace":           {"screen, text", "The row says what the pace leads to; Live has the pace itself."},
	"*.Answers":        {"screen, text", "The row says what the pace leads to; Live has the number of answers."},
	"*.Outcome":        {"screen, text", "Its words depend on the forecast, and have a test."},
}
