package metrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Why is the reason why a figure is unknown: one of the codes, with a number
// where the reason has one. Zero is no reason. ui/format has the words.
//
// A program may save its text form: the name of the code, and behind a colon
// the number. The integers change with every new code.
type Why uint32

// whyBits holds the code; the number stands above it.
const whyBits = 8

// The codes.
const (
	// The reasons of a request, of several and of a sweep.
	_ Why = iota
	WhyIdle
	WhyNotSent
	WhyNoChunk
	WhyNoChunkEnd
	WhyNotReported
	WhyNotReportedEnd
	WhyOneChunk
	WhyOneRead
	WhyOneStamp
	WhyBackwards
	WhyNoStamp
	WhyReused
	WhyNoValues
	WhyNeeds
	WhyNoFigure
	WhyNotFinite
	WhyNoTokens
	WhyNoGap
	WhyNoText
	WhyNoTextEnd
	WhyOneText
	WhyNoReading
	WhyUnreported
	WhyNoDecodeTime
	WhyNoServerTokens
	WhyAllCached
	WhyServerMore
	WhyNoneEndedWell
	WhyNoCount
	WhySomeTokens
	WhyNoKernelStamps
	WhyNoEvent
	WhyNoByte
	WhyNotEnded
	WhyNotBegun
	WhyUnfinished
	WhyNoLookup
	WhyNoConnect
	WhyNoTLS
	WhyOneToken
	WhyNoContent
	WhyEqualPrompts
	WhyTooLarge
	WhyEqualTTFT
	WhyNoWord
	WhyNoSentence
	WhyNoneEnded
	WhyNoPage
	WhyNotOnPage
	WhyNoLength
	WhyCounterFell
	WhyNotCounted
	WhyNoTime
	WhyEngineP95
	WhyNoneEndedYet
	WhyEngineServesMany
	WhyNotPredicted
	WhyOneRequest
	WhyWaitEnded
	WhyPartialAnswer
	WhyNotAtEnd
	WhyNoneHasIt
	WhyNoCommonWindow
	WhyAllEnded
	WhyTailsDoNotAdd
	WhyNoLimit
	WhyNoWait
	WhyPromptCut
	WhyImpossible
	WhyWithinLimit
	WhyTextRemoved
	WhyTwoAnswers
	WhyNotFalling

	// The reasons of a load and its points.
	WhyJustBegun
	WhyNoQueue
	WhyNoGapYet
	WhyNoneOfWindow
	WhyNoSchedule
	WhyNoPromptCount
	WhyNoLaterToken
	WhyNoFirstChunk
	WhyNoPrice
	WhyNoBounds
	WhyOwnTokenizer
	WhyUndefined
	WhyAbsentEvent

	// The reasons of the Explain screen.
	WhyNoneEndedSince
	WhyNotAllBegun
	WhyNotFullAnswer
	WhyNoStep
	WhyNoDecodeStep
	WhyNoToken
	WhyNoPairs
	WhyNoObjectives
	WhyNotConstantScale
	WhyDataflowWeights
	WhyDividedWeights
	WhyDataflowPeak
	WhyNoRequests
	WhyTokenToCome
	WhyNotMeasured
	WhyNoGapKnown

	// The reasons of a lesson.
	WhyStageNotRun
	WhyComputing
	WhyOneUnknown

	// The reason of a figure whose file gives one that this version does not know.
	WhyForeign
	// WhyNotRecorded: a recording does not hold it.
	WhyNotRecorded

	// The reasons of peaks and intervals.
	WhyUnderSecond
	WhyDependent
	WhyNotSteady
	WhyShortWindow
	WhyNoUse
	WhyNoDescriptors

	// The reasons of a pace of a rate limit, beside WhyTwoAnswers.
	WhyAnswersApart
	WhySinceReset
)

// whyNames are the names of the codes.
var whyNames = [...]string{
	WhyIdle:             "idle",
	WhyNotSent:          "not-sent",
	WhyNoChunk:          "no-chunk",
	WhyNoChunkEnd:       "no-chunk-end",
	WhyNotReported:      "not-reported",
	WhyNotReportedEnd:   "not-reported-end",
	WhyOneChunk:         "one-chunk",
	WhyOneRead:          "one-read",
	WhyOneStamp:         "one-stamp",
	WhyBackwards:        "backwards",
	WhyNoStamp:          "no-stamp",
	WhyReused:           "reused",
	WhyNoValues:         "no-values",
	WhyNeeds:            "needs",
	WhyNoFigure:         "no-figure",
	WhyNotFinite:        "not-finite",
	WhyNoTokens:         "no-tokens",
	WhyNoGap:            "no-gap",
	WhyNoText:           "no-text",
	WhyNoTextEnd:        "no-text-end",
	WhyOneText:          "one-text",
	WhyNoReading:        "no-reading",
	WhyUnreported:       "unreported",
	WhyNoDecodeTime:     "no-decode-time",
	WhyNoServerTokens:   "no-server-tokens",
	WhyAllCached:        "all-cached",
	WhyServerMore:       "server-more",
	WhyNoneEndedWell:    "none-ended-well",
	WhyNoCount:          "no-count",
	WhySomeTokens:       "some-tokens",
	WhyNoKernelStamps:   "no-kernel-stamps",
	WhyNoEvent:          "no-event",
	WhyNoByte:           "no-byte",
	WhyNotEnded:         "not-ended",
	WhyNotBegun:         "not-begun",
	WhyUnfinished:       "unfinished",
	WhyNoLookup:         "no-lookup",
	WhyNoConnect:        "no-connect",
	WhyNoTLS:            "no-tls",
	WhyOneToken:         "one-token",
	WhyNoContent:        "no-content",
	WhyEqualPrompts:     "equal-prompts",
	WhyTooLarge:         "too-large",
	WhyEqualTTFT:        "equal-ttft",
	WhyNoWord:           "no-word",
	WhyNoSentence:       "no-sentence",
	WhyNoneEnded:        "none-ended",
	WhyNoPage:           "no-page",
	WhyNotOnPage:        "not-on-page",
	WhyNoLength:         "no-length",
	WhyCounterFell:      "counter-fell",
	WhyNotCounted:       "not-counted",
	WhyNoTime:           "no-time",
	WhyEngineP95:        "engine-p95",
	WhyNoneEndedYet:     "none-ended-yet",
	WhyEngineServesMany: "engine-serves-many",
	WhyNotPredicted:     "not-predicted",
	WhyOneRequest:       "one-request",
	WhyTwoAnswers:       "two-answers",
	WhyNotFalling:       "not-falling",
	WhyWaitEnded:        "wait-ended",
	WhyPartialAnswer:    "partial-answer",
	WhyNotAtEnd:         "not-at-end",
	WhyNoneHasIt:        "none-has-it",
	WhyNoCommonWindow:   "no-common-window",
	WhyAllEnded:         "all-ended",
	WhyTailsDoNotAdd:    "tails-do-not-add",
	WhyNoLimit:          "no-limit",
	WhyNoWait:           "no-wait",
	WhyPromptCut:        "prompt-cut",
	WhyTextRemoved:      "text-removed",
	WhyImpossible:       "impossible",
	WhyWithinLimit:      "within-limit",
	WhyJustBegun:        "just-begun",
	WhyNoQueue:          "no-queue",
	WhyNoGapYet:         "no-gap-yet",
	WhyNoneOfWindow:     "none-of-window",
	WhyNoSchedule:       "no-schedule",
	WhyNoPromptCount:    "no-prompt-count",
	WhyNoLaterToken:     "no-later-token",
	WhyNoFirstChunk:     "no-first-chunk",
	WhyNoPrice:          "no-price",
	WhyNoBounds:         "no-bounds",
	WhyOwnTokenizer:     "own-tokenizer",
	WhyUndefined:        "undefined",
	WhyAbsentEvent:      "absent-event",
	WhyNoneEndedSince:   "none-ended-since",
	WhyNotAllBegun:      "not-all-begun",
	WhyNotFullAnswer:    "not-full-answer",
	WhyNoStep:           "no-step",
	WhyNoDecodeStep:     "no-decode-step",
	WhyNoToken:          "no-token",
	WhyNoPairs:          "no-pairs",
	WhyNoObjectives:     "no-objectives",
	WhyNotConstantScale: "not-constant-scale",
	WhyDataflowWeights:  "dataflow-weights",
	WhyDividedWeights:   "divided-weights",
	WhyDataflowPeak:     "dataflow-peak",
	WhyNoRequests:       "no-requests",
	WhyTokenToCome:      "token-to-come",
	WhyNotMeasured:      "not-measured",
	WhyNoGapKnown:       "no-gap-known",
	WhyStageNotRun:      "stage-not-run",
	WhyComputing:        "computing",
	WhyOneUnknown:       "one-unknown",
	WhyForeign:          "foreign",
	WhyNotRecorded:      "not_recorded",
	WhyUnderSecond:      "under-second",
	WhyDependent:        "dependent",
	WhyNotSteady:        "not-steady",
	WhyShortWindow:      "short-window",
	WhyNoUse:            "no-use",
	WhyNoDescriptors:    "no-descriptors",
	WhyAnswersApart:     "answers-apart",
	WhySinceReset:       "since-reset",
}

// Needs returns the reason why a statistic of fewer than n values is withheld.
func Needs(n int) Why { return WhyNeeds | Why(n)<<whyBits }

// Code returns w without its number.
func (w Why) Code() Why { return w & (1<<whyBits - 1) }

// N returns the number of w, 0 when it has none.
func (w Why) N() int { return int(w >> whyBits) }

// foreign are the texts of WhyForeign, by its number less 1.
var foreign struct {
	sync.Mutex
	texts []string
}

// mostForeign bounds the texts of other versions that are kept.
const mostForeign = 256

// Foreign returns the reason that another version gave in these words, so that they
// can be shown. They must be fit for a terminal. Of too many the rest are without
// words.
func Foreign(text string) Why {
	foreign.Lock()
	defer foreign.Unlock()
	i := slices.Index(foreign.texts, text)
	if i < 0 && len(foreign.texts) < mostForeign && text != "" {
		i = len(foreign.texts)
		foreign.texts = append(foreign.texts, text)
	}
	return WhyForeign | Why(i+1)<<whyBits
}

// Text returns the words of another version's reason, "" for all others.
func (w Why) Text() string {
	foreign.Lock()
	defer foreign.Unlock()
	if n := w.N(); w.Code() == WhyForeign && n > 0 && n <= len(foreign.texts) {
		return foreign.texts[n-1]
	}
	return ""
}

// String returns the text form: "no-stamp", "needs:20". It is "" for no reason
// and for a code that does not exist.
func (w Why) String() string {
	code := w.Code()
	if int(code) >= len(whyNames) {
		return ""
	}
	name := whyNames[code]
	if n := w.N(); n > 0 && code != WhyForeign {
		name += ":" + strconv.Itoa(n)
	}
	return name
}

// MarshalText implements encoding.TextMarshaler.
func (w Why) MarshalText() ([]byte, error) { return []byte(w.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It refuses a name that is
// not of a code, and a number that is not one.
func (w *Why) UnmarshalText(text []byte) error {
	name, number, numbered := strings.Cut(string(text), ":")
	n := uint64(0)
	if numbered {
		var err error
		if n, err = strconv.ParseUint(number, 10, 32-whyBits); err != nil {
			return fmt.Errorf("reason %q: %w", text, err)
		}
	}
	for code := range whyNames {
		if whyNames[code] == name {
			if Why(code) == WhyForeign { // its words were of another process
				n = 0
			}
			*w = Why(code) | Why(n)<<whyBits
			return nil
		}
	}
	return fmt.Errorf("reason %q is unknown", text)
}
