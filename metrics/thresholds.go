package metrics

// Every threshold of this package that is a judgment rather than a
// definition, with its reason.
const (
	// StallFactor and StallFloor: a gap is a stall above both. Scheduling noise
	// and a neighbor's small prefill stay below five medians of a steady
	// stream. Below 50 ms (three frames of a screen) a pause is not visible,
	// however fast the stream is.
	StallFactor = 5.0
	StallFloor  = 50.0 // ms
	// LongGap: a longer silence interrupts the thought of who reads along
	// (Miller 1968, Nielsen 1993). Unlike a stall it does not depend on the
	// stream's own pace.
	LongGap = 1000.0 // ms
	// MinStallGaps is the number of known gaps below which a median is too
	// uncertain to call a stall.
	MinStallGaps = 5

	// lateMs: a larger distance between own and kernel stamp is this program's
	// lag, not the clock's resolution.
	lateMs = 1.0

	// liveWindow is the time over which the needle averages: short enough to
	// count as "now", and long enough for several gaps. liveMedians widens it
	// for slow streams, so that the needle does not fall to 0 between two
	// tokens.
	liveWindow  = 1000.0 // ms
	liveMedians = 3.0

	// A burst ends with a silence of more than flushWithin: the segments of one
	// write of 16 kB may come in several reads, some ms apart.
	flushWithin = 5.0 // ms
	// A stream is buffered when each burst brings at least bufferedChunks on
	// average, at most every bufferedWait ms. An engine's step is shorter, and
	// a server that joins tokens sends them in one chunk.
	bufferedChunks = 4.0
	bufferedWait   = 100.0 // ms between bursts
	// bufferedMany chunks per burst exceed the yield of speculation in a step.
	// Then less than bufferedWait suffices. bufferedSoon excludes streams so
	// fast that the network joins their segments.
	bufferedMany = 8.0
	bufferedSoon = 20.0 // ms between bursts
	// flushShare: bursts that last longer are a fast stream with pauses.
	flushShare = 0.25
	// minFlushes bursts show that chunks are collected, the last of them
	// incomplete. Two can be a stall.
	minFlushes = 3
	// maxFlushes bounds the bursts that are compared.
	maxFlushes = 256

	// Complete bursts alone show what empties a buffer. By chance, equal
	// times are rarer than bytes on a line, of which a size that buffers usually
	// have (within usualSlack) is evidence by itself. The confusion table of
	// TestBufferKinds counts what these numbers lead to.
	minWhole   = 4
	minTimes   = 5
	minLattice = 8
	usualSlack = 0.015
	// latticeSlack of an event: what was sent between chunks is not counted.
	latticeSlack = 0.05
	// clockShare of the gap between chunks: times that a full buffer causes
	// differ by a whole gap.
	clockShare = 0.35
	// longerBy gaps for each chunk more: half way between a timer and a buffer.
	longerBy = 0.5
	// slopeErrors standard errors from 0: the slope is not 0.
	slopeErrors = 3.0
	// corkLow and corkHigh bound the kernel's 200 ms for corked writes: its timer
	// begins with the first waiting byte, up to a gap later, and ends late.
	corkLow, corkHigh = 198.0, 225.0 // ms
	// timerSpread of the time between bursts, from its p10 to its p90. A timer
	// that starts with the first waiting byte differs by a gap and by the
	// resolution of the kernel's timers (4 ms at 250 Hz).
	timerSpread = 0.1
	// unevenGaps and unevenShare: from here on times are not constant.
	unevenGaps  = 3.0
	unevenShare = 0.25
	// After a gap of StallFloor or more, chunks were held back when floodFor
	// brings floodFactor times as many as the median gap allows. A server that
	// resumes after a pause does so at its usual pace.
	floodFor    = 50.0 // ms
	floodFactor = 4.0
	// The end of a stream is a burst when one read brought at least half of its
	// chunks, terminalBurst or more.
	terminalBurst = 8
	// A silence whose end brings madeShare of what the pace allows was no lost time:
	// prose has half as many characters again a token as the arguments of a call.
	// madeLeast is more than the longest word has.
	madeShare = 0.5
	madeLeast = 32.0 // bytes
	// paceMost: beyond that the pace was another one.
	paceMost = 2.0
	// letGoRate tokens a ms, after a wait of letGoWait or more, are an answer that was
	// held back, if they took at most letGoShare of the wait. The fastest machines
	// write up to 3 a ms, and answer within a second: Groq and Cerebras keep their
	// speed. letGoSlack of jitter makes as much of some tokens. TestLetGo counts what
	// these numbers lead to.
	letGoRate  = 3.5    // tokens/ms
	letGoWait  = 1000.0 // ms
	letGoShare = 0.05
	letGoSlack = 1.0 // ms
	// AtOnceShare of several answers that came at once: the others may have been held
	// back too, for a longer time.
	AtOnceShare = 0.2
	// writeMost is the longest that a program on a busy machine takes to write a token
	// that it has, and writePause what it pauses meanwhile. Few models are as fast.
	writeMost  = 1.0  // ms
	writePause = 10.0 // ms
	// instantRate is twice what they write: with it a shorter wait is enough.
	instantRate = 6.0 // tokens/ms
	// A client that sees less than decodeShare of the server's decode time, and
	// decodeSlack less, sees chunks that were held back. The jitter of a network moves
	// the first and the last chunk by less.
	decodeShare = 0.5
	decodeSlack = 20.0 // ms
	// carriedMost: an estimate of tokens from the text is off by less.
	carriedMost = 2.0
	// wholeTokens or more in a single chunk are an answer that does not stream.
	// A word and its end are fewer.
	wholeTokens = 8.0

	// multiTokens: from here on "chunk" is clearly not "token". End-of-sequence
	// tokens that are counted but not sent give 1.01 to 1.5 in short answers.
	multiTokens      = 1.5
	multiTokenChunks = 4 // minimum number of chunks for that judgment
	// firstShare: below it a large first chunk moves TPOT by less than its digits.
	firstShare = 0.03
	// fewTokens is the least plausible number of tokens per chunk; some chunks
	// are half of a character, but not many.
	fewTokens = 0.9

	// cachedShare: from here on prefill had at most half of its work.
	cachedShare = 0.5

	// minSplit requests are the least that can be told apart: of three, any is the
	// first, the middle or the last. splitError is how often chance may do it: below the
	// 5 % that is promised, because real times are not drawn as the test assumes.
	minSplit   = 4
	splitError = 0.02
	// splitFactor and splitLeast: medians that are closer make one picture. A step of
	// an engine takes some ms.
	splitFactor = 1.25
	splitLeast  = 5.0 // ms
	// splitApart is the share of the wider part by which they lie apart: less is a
	// drift, whose early and late requests have 3/7 of it between them without a tenth.
	splitApart = 0.5
	// mostModels: that a router with more of them chose one is no condition.
	mostModels = 10

	// lateFloor: a p99 of the jitter monitor above this (and above half a
	// median gap) visibly affects user stamps.
	lateFloor = 1.0 // ms
	// LagShare: lag of this share of a silence can be its cause.
	LagShare = 0.5
	// wideBound: a percentile whose bounds differ by more than this factor is not
	// shown as one number. The bins of a load's bounds differ by 1.05.
	wideBound = 1.1
	// stoppedMs: no usable machine delays a goroutine this long. The program
	// was suspended, or the machine slept.
	stoppedMs = 500.0 // ms
	// clockStep: a step of the wall clock this large moves kernel stamps.
	clockStep = 1.0 // ms
	// clientShare: from here on the screens show unexplained time before the
	// request was sent.
	clientShare = 1.0 // ms
)

// noChunk returns why a figure of chunks is unknown in a stream without
// measured chunks.
func (f *ingest) noChunk(s *Stream) Why {
	if f.all > 0 {
		return WhyNoContent
	}
	if s.Tool != nil && s.State == Done {
		return WhyNotRecorded
	}
	return byEnd(s, WhyNoChunk, WhyNoChunkEnd)
}

// byEnd returns the reason for a running or future stream, or the one for an
// ended stream, which must not say "yet".
func byEnd(s *Stream, running, ended Why) Why {
	switch {
	case s.State == Idle:
		return WhyIdle
	case s.State.Ended():
		return ended
	}
	return running
}
