package format

import (
	"strconv"

	"tokscope/metrics"
)

// needsMore begins the reason for a statistic of too few values.
const needsMore = "needs n ≥ "

// reasons has the words of every reason why a figure is unknown. WhyNeeds has
// none: its words have a number.
var reasons = map[metrics.Why]string{
	metrics.WhyIdle:             "no request yet",
	metrics.WhyNotSent:          "not sent",
	metrics.WhyNoChunk:          "no chunk yet",
	metrics.WhyNoChunkEnd:       "no token received",
	metrics.WhyNotReported:      "not reported yet",
	metrics.WhyNotReportedEnd:   "not reported",
	metrics.WhyOneChunk:         "a single chunk has no gap",
	metrics.WhyOneRead:          "in one read: buffered",
	metrics.WhyOneStamp:         "all stamps are the same",
	metrics.WhyBackwards:        "the timestamps run backwards",
	metrics.WhyNoStamp:          "no stamp",
	metrics.WhyReused:           "connection reused",
	metrics.WhyNoValues:         "no values",
	metrics.WhyNoFigure:         "no such figure",
	metrics.WhyNotFinite:        "out of range",
	metrics.WhyNoTokens:         "tokens unknown",
	metrics.WhyNoGap:            "no known gap",
	metrics.WhyNoText:           "no visible text yet",
	metrics.WhyNoTextEnd:        "no visible text",
	metrics.WhyOneText:          "needs two chunks",
	metrics.WhyNoAudio:          "no audio",
	metrics.WhySound:            "tokens are sound",
	metrics.WhyImage:            "counted together with an image",
	metrics.WhyMedia:            "not counted by the server, and not in a text to estimate it from",
	metrics.WhyNoReading:        "no text to read",
	metrics.WhyUnreported:       "the server does not report it",
	metrics.WhyNoDecodeTime:     "the server does not report its decode time",
	metrics.WhyNoServerTokens:   "the server does not report its tokens",
	metrics.WhyAllCached:        "the whole prompt was cached",
	metrics.WhyServerMore:       "the server reports more than the client waited",
	metrics.WhyNoneEndedWell:    "no request ended well",
	metrics.WhyFailed:           "it lies among the requests that failed",
	metrics.WhyNoCount:          "no count",
	metrics.WhySomeTokens:       "the tokens of some requests are unknown",
	metrics.WhyNoKernelStamps:   "no kernel timestamps",
	metrics.WhyNoEvent:          "no event yet",
	metrics.WhyNoByte:           "no byte yet",
	metrics.WhyNotEnded:         "not ended",
	metrics.WhyNotBegun:         "not begun",
	metrics.WhyUnfinished:       "did not finish",
	metrics.WhyNoLookup:         "no lookup needed",
	metrics.WhyNoConnect:        "no connect seen",
	metrics.WhyNoTLS:            "no TLS",
	metrics.WhyOneToken:         "needs n ≥ 2 tokens",
	metrics.WhyNoContent:        "no content received",
	metrics.WhyEqualPrompts:     "all prompts are about as long",
	metrics.WhyTooLarge:         "the values are too large",
	metrics.WhyEqualTTFT:        "TTFT is the same for all",
	metrics.WhyNoWord:           "no whole word after the first chunk",
	metrics.WhyNoSentence:       "no sentence has ended",
	metrics.WhyNoneEnded:        "no request has ended",
	metrics.WhyNoPage:           "the server's /metrics page was not read",
	metrics.WhyNotOnPage:        "not on the server's /metrics page",
	metrics.WhyNoLength:         "no request with a requested length and a count by the server",
	metrics.WhyCounterFell:      "the counter fell: the server was started again",
	metrics.WhyNotCounted:       "not counted in this point",
	metrics.WhyNoTime:           "no time was measured",
	metrics.WhyEngineP95:        "the engine keeps no p95",
	metrics.WhyNoneEndedYet:     "no request ended yet",
	metrics.WhyEngineServesMany: "an engine serves many users",
	metrics.WhyNotPredicted:     "the model predicts no such figure",
	metrics.WhyOneRequest:       "one request has no p95",
	metrics.WhyTwoAnswers:       "needs 2 answers in 60 s",
	metrics.WhyNotFalling:       "it does not fall",
	metrics.WhyAtOnce:           "it came all at once",
	metrics.WhyWaitEnded:        "the wait has ended",
	metrics.WhyPartialAnswer:    "the answer is incomplete",
	metrics.WhyNotAtEnd:         "not finished yet",
	metrics.WhyNoneHasIt:        "unknown in every request",
	metrics.WhyNoCommonWindow:   "the runs of a session have no common window",
	metrics.WhyAllEnded:         "every request has ended",
	metrics.WhyTailsDoNotAdd:    "p95s of TTFT and TPOT cannot be added",
	metrics.WhyNoLimit:          "no limit",
	metrics.WhyNoWait:           "nothing to wait for",
	metrics.WhyPromptCut:        "the server cut the prompt",
	metrics.WhyTextRemoved:      "the texts were removed from the recording",
	metrics.WhySummarized:       "the reasoning was summarized",
	metrics.WhyImpossible:       "the server's count is impossible",
	metrics.WhyWithinLimit:      "within the limit",
	metrics.WhyJustBegun:        "the window has just begun",
	metrics.WhyNoQueue:          "this endpoint does not report its queue",
	metrics.WhyNoGapYet:         "no gap in this window yet",
	metrics.WhyNoneOfWindow:     "no request of this window has ended",
	metrics.WhyNoSchedule:       "no schedule",
	metrics.WhyNoPromptCount:    "the server does not count the tokens of prompts",
	metrics.WhyNoLaterToken:     "no token after a first one yet",
	metrics.WhyNoFirstChunk:     "no first chunk in this second",
	metrics.WhyNoPrice:          "no price is configured",
	metrics.WhyNoBounds:         "the window has no bounds",
	metrics.WhyOwnTokenizer:     "the tool counts with its own tokenizer",
	metrics.WhyUndefined:        "the tool has no such figure",
	metrics.WhyAbsentEvent:      "the stream has no such event",
	metrics.WhyNoneEndedSince:   "no request that began since the change has ended",
	metrics.WhyNotAllBegun:      "not every user has begun since the change",
	metrics.WhyNotFullAnswer:    "every user must have run for one answer's time",
	metrics.WhyNoStep:           "no step since the change",
	metrics.WhyNoDecodeStep:     "no step of decodes alone since the change",
	metrics.WhyNoToken:          "no token since the change",
	metrics.WhyNoPairs:          "no request had two tokens since the change",
	metrics.WhyNoObjectives:     "no objectives",
	metrics.WhyNotConstantScale: "no request that began since the change has ended at constant time scale",
	metrics.WhyDataflowWeights:  "a dataflow machine does not read weights from memory",
	metrics.WhyDividedWeights:   "weights are not read evenly",
	metrics.WhyDataflowPeak:     "the peak of a dataflow machine is not comparable",
	metrics.WhyNoRequests:       "no requests",
	metrics.WhyTokenToCome:      "its first token has not arrived",
	metrics.WhyNotMeasured:      "not measured",
	metrics.WhyNoGapKnown:       "no gap yet",
	metrics.WhyStageNotRun:      "this stage has not run yet",
	metrics.WhyComputing:        "being computed",
	metrics.WhyOneUnknown:       "one of the two is unknown",
	metrics.WhyForeign:          "a reason of another version",
	metrics.WhyNotRecorded:      "not recorded",
	metrics.WhyUnderSecond:      "shorter than 1 s",
	metrics.WhyDependent:        "the parts of the window are correlated: it varies slowly",
	metrics.WhyNotSteady:        "the window is not steady",
	metrics.WhyShortWindow:      "needs a window of 4 s",
	metrics.WhyNoUse:            "measured for less than 2 s",
	metrics.WhyAnswersApart:     "needs 2 answers 1 s apart",
	metrics.WhySinceReset:       "needs 2 since the reset",
}

// Why writes the reason why a figure is unknown, "" for none.
func Why(w metrics.Why) string {
	code := w.Code()
	switch {
	case w == metrics.Needs(metrics.MinP90): // the usual ones without building a string
		return needsMore + "10"
	case w == metrics.Needs(metrics.MinP95):
		return needsMore + "20"
	case w == metrics.Needs(metrics.MinP99):
		return needsMore + "100"
	case code == metrics.WhyNeeds:
		return needsMore + strconv.Itoa(w.N())
	case code == metrics.WhyForeign && w.N() > 0:
		return w.Text()
	}
	return reasons[code]
}
