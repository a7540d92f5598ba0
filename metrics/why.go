package metrics

import "strconv"

// Why is the reason why a figure is unknown, as the screens and the formats
// write it. "" is no reason. The reasons of this package and of those below it
// stand in this file only.
type Why string

// The reasons.
const (
	whyIdle             Why = "no request yet"
	WhyNotSent          Why = "not sent"
	whyNoChunk          Why = "no chunk yet"
	whyNoChunkEnd       Why = "no token received"
	whyNotTold          Why = "not reported yet"
	whyNotToldEnd       Why = "not reported"
	whyOneChunk         Why = "a single chunk has no gap"
	whyOneRead          Why = "in one read: buffered"
	WhyOneStamp         Why = "all stamps are the same"
	whyBackwards        Why = "the timestamps run backwards"
	WhyNoStamp          Why = "no stamp"
	whyReused           Why = "connection reused"
	whyNoValues         Why = "no values"
	needsMore           Why = "needs n ≥ "
	noFigure            Why = "no such figure: "
	needs2              Why = "needs n ≥ 2"
	needs10             Why = "needs n ≥ 10"
	needs20             Why = "needs n ≥ 20"
	needs100            Why = "needs n ≥ 100"
	whyNotFinite        Why = "out of range"
	whyNoTokens         Why = "tokens unknown"
	whyNoGap            Why = "no known gap"
	whyNoText           Why = "no visible text yet"
	whyNoTextEnd        Why = "no visible text"
	whyOneText          Why = "needs two visible chunks"
	whyNoReading        Why = "no text to read"
	whyUnreported       Why = "the server does not report it"
	whyNoDecodeTime     Why = "the server does not report its decode time"
	whyNoServerTokens   Why = "the server does not report its tokens"
	whyAllCached        Why = "the whole prompt was cached"
	whyServerMore       Why = "the server reports more than the client waited"
	WhyNoneEndedWell    Why = "no request ended well"
	whyNoCount          Why = "no count"
	whySomeTokens       Why = "the tokens of some requests are unknown"
	whyNoKernelStamps   Why = "no kernel stamps"
	whyNoEvent          Why = "no event yet"
	whyNoByte           Why = "no byte yet"
	whyNotEnded         Why = "not ended"
	whyNotBegun         Why = "not begun"
	whyUnfinished       Why = "did not finish"
	whyNoLookup         Why = "no lookup needed"
	whyNoConnect        Why = "no connect seen"
	whyNoTLS            Why = "no TLS"
	whyOneToken         Why = "needs n ≥ 2 tokens"
	whyNoContent        Why = "no content received"
	WhyEqualPrompts     Why = "all prompts are about as long"
	WhyTooLarge         Why = "the values are too large"
	WhyEqualTTFT        Why = "TTFT is the same for all"
	whyNoWord           Why = "no whole word after the first chunk"
	WhyNoneEnded        Why = "no request has ended"
	WhyNoPage           Why = "the server's /metrics page was not read"
	WhyNotOnPage        Why = "not on the server's /metrics page"
	WhyNoLength         Why = "no request with a requested length and a count by the server"
	WhyCounterFell      Why = "the counter fell: the server was started again"
	WhyNotCounted       Why = "not counted in this point"
	WhyNoTime           Why = "no time was measured"
	WhyEngineP95        Why = "the engine keeps no p95"
	WhyNoneEndedYet     Why = "no request ended yet"
	WhyEngineServesMany Why = "an engine serves many users"
	WhyNotPredicted     Why = "the model predicts no such figure"
	WhyOneRequest       Why = "one request has no p95"
	WhyWaitEnded        Why = "the wait has ended"
	WhyPartialAnswer    Why = "the answer is incomplete"
	WhyNotAtEnd         Why = "not finished yet"
	WhyNoneHasIt        Why = "unknown in every request"
	WhyNoCommonWindow   Why = "the runs of a session have no common window"
	WhyAllEnded         Why = "every request has ended"
	WhyTailsDoNotAdd    Why = "p95s of TTFT and TPOT cannot be added"
	WhyNoLimit          Why = "no limit"
	WhyNoWait           Why = "nothing to wait for"
	whyPromptCut        Why = "the server cut the prompt"
	whyImpossible       Why = "the server's count is impossible"
	WhyWithinLimit      Why = "within the limit"
)

// Needs returns the reason why a statistic of fewer than n values is withheld.
func Needs(n int) Why {
	switch n { // the usual ones without building a string
	case MinP90:
		return needs10
	case MinP95:
		return needs20
	case MinP99:
		return needs100
	}
	return needsMore + Why(strconv.Itoa(n))
}

// NoFigure returns the reason why there is no figure of that name.
func NoFigure(name string) Why { return noFigure + Why(name) }
