package metrics

import (
	"fmt"
	"strconv"
	"strings"
)

// Why is the reason why a figure is unknown: one of the codes, with a number
// where the reason has one. Zero is no reason. ui/format has the words.
//
// A program may save its text form: the name of the code, and behind a colon
// the number. The integers change with every new code.
type Why uint32

// whyBits holds the code; the number stands above it.
const whyBits = 8

// The codes, each with its name. Nobody sets them.
var (
	// The reasons of a request, of several and of a sweep.
	WhyIdle             = code("idle")
	WhyNotSent          = code("not-sent")
	WhyNoChunk          = code("no-chunk")
	WhyNoChunkEnd       = code("no-chunk-end")
	WhyNotReported      = code("not-reported")
	WhyNotReportedEnd   = code("not-reported-end")
	WhyOneChunk         = code("one-chunk")
	WhyOneRead          = code("one-read")
	WhyOneStamp         = code("one-stamp")
	WhyBackwards        = code("backwards")
	WhyNoStamp          = code("no-stamp")
	WhyReused           = code("reused")
	WhyNoValues         = code("no-values")
	WhyNeeds            = code("needs")
	WhyNoFigure         = code("no-figure")
	WhyNotFinite        = code("not-finite")
	WhyNoTokens         = code("no-tokens")
	WhyNoGap            = code("no-gap")
	WhyNoText           = code("no-text")
	WhyNoTextEnd        = code("no-text-end")
	WhyOneText          = code("one-text")
	WhyNoAudio          = code("no-audio")
	WhySound            = code("sound")
	WhyMedia            = code("not-in-text")
	WhyImage            = code("image")
	WhyNoReading        = code("no-reading")
	WhyUnreported       = code("unreported")
	WhyNoDecodeTime     = code("no-decode-time")
	WhyNoServerTokens   = code("no-server-tokens")
	WhyAllCached        = code("all-cached")
	WhyServerMore       = code("server-more")
	WhyNoneEndedWell    = code("none-ended-well")
	WhyNoCount          = code("no-count")
	WhySomeTokens       = code("some-tokens")
	WhyNoKernelStamps   = code("no-kernel-stamps")
	WhyNoEvent          = code("no-event")
	WhyNoByte           = code("no-byte")
	WhyNotEnded         = code("not-ended")
	WhyNotBegun         = code("not-begun")
	WhyUnfinished       = code("unfinished")
	WhyNoLookup         = code("no-lookup")
	WhyNoConnect        = code("no-connect")
	WhyNoTLS            = code("no-tls")
	WhyOneToken         = code("one-token")
	WhyNoContent        = code("no-content")
	WhyEqualPrompts     = code("equal-prompts")
	WhyTooLarge         = code("too-large")
	WhyEqualTTFT        = code("equal-ttft")
	WhyNoWord           = code("no-word")
	WhyNoSentence       = code("no-sentence")
	WhyNoneEnded        = code("none-ended")
	WhyNoPage           = code("no-page")
	WhyNotOnPage        = code("not-on-page")
	WhyNoLength         = code("no-length")
	WhyCounterFell      = code("counter-fell")
	WhyNotCounted       = code("not-counted")
	WhyNoTime           = code("no-time")
	WhyEngineP95        = code("engine-p95")
	WhyNoneEndedYet     = code("none-ended-yet")
	WhyEngineServesMany = code("engine-serves-many")
	WhyNotPredicted     = code("not-predicted")
	WhyOneRequest       = code("one-request")
	WhyWaitEnded        = code("wait-ended")
	WhyPartialAnswer    = code("partial-answer")
	WhyNotAtEnd         = code("not-at-end")
	WhyNoneHasIt        = code("none-has-it")
	WhyNoCommonWindow   = code("no-common-window")
	WhyAllEnded         = code("all-ended")
	WhyTailsDoNotAdd    = code("tails-do-not-add")
	WhyNoLimit          = code("no-limit")
	WhyNoWait           = code("no-wait")
	WhyPromptCut        = code("prompt-cut")
	WhyImpossible       = code("impossible")
	WhySummarized       = code("summarized")
	WhyWithinLimit      = code("within-limit")
	WhyTextRemoved      = code("text-removed")
	WhyTwoAnswers       = code("two-answers")
	WhyNotFalling       = code("not-falling")
	WhyAtOnce           = code("at-once")
	WhyFailed           = code("failed")

	// The reasons of a load and its points.
	WhyJustBegun     = code("just-begun")
	WhyNoQueue       = code("no-queue")
	WhyNoGapYet      = code("no-gap-yet")
	WhyNoneOfWindow  = code("none-of-window")
	WhyNoSchedule    = code("no-schedule")
	WhyNoPromptCount = code("no-prompt-count")
	WhyNoLaterToken  = code("no-later-token")
	WhyNoFirstChunk  = code("no-first-chunk")
	WhyNoPrice       = code("no-price")
	WhyNoBounds      = code("no-bounds")
	WhyOwnTokenizer  = code("own-tokenizer")
	WhyUndefined     = code("undefined")
	WhyAbsentEvent   = code("absent-event")

	// The reasons of the Explain screen.
	WhyNoneEndedSince   = code("none-ended-since")
	WhyNotAllBegun      = code("not-all-begun")
	WhyNotFullAnswer    = code("not-full-answer")
	WhyNoStep           = code("no-step")
	WhyNoDecodeStep     = code("no-decode-step")
	WhyNoToken          = code("no-token")
	WhyNoPairs          = code("no-pairs")
	WhyNoObjectives     = code("no-objectives")
	WhyNotConstantScale = code("not-constant-scale")
	WhyDataflowWeights  = code("dataflow-weights")
	WhyDividedWeights   = code("divided-weights")
	WhyDataflowPeak     = code("dataflow-peak")
	WhyNoRequests       = code("no-requests")
	WhyTokenToCome      = code("token-to-come")
	WhyNotMeasured      = code("not-measured")
	WhyNoGapKnown       = code("no-gap-known")

	// The reasons of a lesson.
	WhyStageNotRun = code("stage-not-run")
	WhyComputing   = code("computing")
	WhyOneUnknown  = code("one-unknown")

	// The reason of a figure whose file gives one that this version does not know.
	WhyForeign = code("foreign")
	// WhyNotRecorded: a recording does not hold it.
	WhyNotRecorded = code("not_recorded")

	// The reasons of peaks and intervals.
	WhyUnderSecond = code("under-second")
	WhyDependent   = code("dependent")
	WhyNotSteady   = code("not-steady")
	WhyShortWindow = code("short-window")
	WhyNoUse       = code("no-use")

	// The reasons of a pace of a rate limit, beside WhyTwoAnswers.
	WhyAnswersApart = code("answers-apart")
	WhySinceReset   = code("since-reset")
)

// whyNames are the names of the codes. That of 0 is empty.
var whyNames = []string{""}

// code returns a new code of that name.
func code(name string) Why {
	whyNames = append(whyNames, name)
	return Why(len(whyNames) - 1)
}

// Needs returns the reason why a statistic of fewer than n values is withheld.
func Needs(n int) Why { return WhyNeeds | Why(n)<<whyBits }

// Code returns w without its number.
func (w Why) Code() Why { return w & (1<<whyBits - 1) }

// N returns the number of w, 0 when it has none.
func (w Why) N() int { return int(w >> whyBits) }

// String returns the text form: "no-stamp", "needs:20". It is "" for no reason
// and for a code that does not exist.
func (w Why) String() string {
	code := w.Code()
	if int(code) >= len(whyNames) {
		return ""
	}
	name := whyNames[code]
	if n := w.N(); n > 0 {
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
			*w = Why(code) | Why(n)<<whyBits
			return nil
		}
	}
	return fmt.Errorf("reason %q is unknown", text)
}
