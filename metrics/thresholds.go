package metrics

// Every threshold of this package that is a judgement rather than a definition
// stands here with its reason.
const (
	// StallFactor and StallFloor: a gap is a stall above both. Five medians are
	// beyond what scheduling noise and a neighbour's small prefill do to a
	// steady stream; below 50 ms (three frames of a screen) nobody sees a
	// pause, however fast the stream is.
	StallFactor = 5.0
	StallFloor  = 50.0 // ms
	// MinStallGaps: without so many known gaps there is no median to be far above.
	MinStallGaps = 5

	// lateMs: own stamp so far behind the kernel's is this program's lateness,
	// not the clock's resolution.
	lateMs = 1.0

	// liveWindow is the time over which the moving needle averages: as short as
	// a person takes for "now", and long enough for several gaps. liveMedians
	// widens it for slow streams, so that the needle does not fall to 0
	// between two tokens.
	liveWindow  = 1000.0 // ms
	liveMedians = 3.0

	// A stream is called buffered when at least bufferedChunks came in each read
	// on average, at most every bufferedWait ms: an engine's step is shorter,
	// and a server that joins tokens does so in one chunk.
	bufferedChunks = 4.0
	bufferedWait   = 100.0 // ms between reads
	// So many chunks a read are beyond what speculation yields in a step; then
	// less than bufferedWait is enough, as long as it is not the rate of a
	// stream so fast that the network joins its segments.
	bufferedMany = 8.0
	bufferedSoon = 20.0 // ms between reads
	// After a gap of StallFloor or more, chunks were held back when within
	// floodFor came floodFactor times as many as the median gap allows: a server
	// that goes on after a pause does so at its usual pace.
	floodFor    = 50.0 // ms
	floodFactor = 4.0
	// … and its end is called a burst when one read brought at least half of
	// all its chunks, terminalBurst or more.
	terminalBurst = 8

	// multiTokens: from here on "chunk" is clearly not "token". Ends of sequence
	// that are counted and never sent give 1.01 to 1.5 in short answers.
	multiTokens      = 1.5
	multiTokenChunks = 4 // chunks before that can be said
	// fewTokens: fewer tokens than this a chunk cannot be; some chunks are half
	// of a character, but not many.
	fewTokens = 0.8

	// cachedShare: from here on prefill had less than half of its work.
	cachedShare = 0.5

	// lateFloor: a heartbeat that is later than this (and than half a median
	// gap) at its p99 has an effect on user stamps that can be seen.
	lateFloor = 1.0 // ms
	// stoppedMs: no machine that can be used at all keeps a goroutine from its
	// turn for so long; the program was suspended, or the machine slept.
	stoppedMs = 500.0 // ms
	// clockStep: a step of the wall clock this large moves kernel stamps.
	clockStep = 1.0 // ms
	// clientShare: time before the request was sent that no phase explains is
	// shown from here on.
	clientShare = 1.0 // ms
)

// noChunk is why a figure of chunks is unknown when there is none.
func noChunk(s *Stream) string { return byEnd(s, whyNoChunk, whyNoChunkEnd) }

// byEnd returns the reason for a stream that is still to come or runs, or that
// for one that has ended: what has ended is not "yet".
func byEnd(s *Stream, running, ended string) string {
	switch {
	case s.State == Idle:
		return whyIdle
	case s.State.Ended():
		return ended
	}
	return running
}
