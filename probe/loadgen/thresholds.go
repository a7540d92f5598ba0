package loadgen

import (
	"time"

	"tokscope/metrics/loadstat"
)

// Bounds, rates and thresholds of a load, each with its reason.
const (
	// FreeUsers and FreeTokens need no consent (Guarded).
	FreeUsers  = 4
	FreeTokens = 100_000

	// DefaultWindow is the time range of a point: long enough for several
	// requests of each user, short enough to follow the server's changes.
	DefaultWindow = 20 * time.Second
	// longWindow is the reach of the default window where answers are long, up
	// to longAnswers of them in sequence. A request counts only if it was sent
	// and has ended in the window. The halves of a window hold similar parts of
	// the users' rounds only with several rounds.
	longWindow  = time.Minute
	longAnswers = 4
	// DefaultMinWindow is the shortest window that can be steady: over three
	// seconds the median of gaps is stable.
	DefaultMinWindow = 3 * time.Second

	// startSpacing is the distance between the begins of two users: five
	// hundred per second. So connection set-up (with TLS about 1 ms of CPU
	// each) never takes more than half a core from the readers.
	startSpacing = 2 * time.Millisecond

	// mostJoins is the maximum number of users per second that Join starts. By
	// the model, 256 users that join within 4 s stay in step and their prompts
	// meet (TTFT p50 stays at 364 ms); within 8 s they do not (105 ms).
	mostJoins = 32

	// sampleEvery is the interval of looks at the streams. It is a little
	// shorter than a screen's frame, so each of thirty frames a second has new
	// data, and a slice has three looks.
	sampleEvery = time.Second / 32
	// sliceLen is the length of a lane's slice and of an interval of the timeline.
	sliceLen = 100 * time.Millisecond
	// slicesKept is the length of a lane's past: 40 s. slicesSpare more come before the
	// oldest are dropped: together they are a power of two, to which a slice grows, and
	// take 4 kB.
	slicesKept, slicesSpare = 400, 112
	// figuresEvery is the number of samples per computation of the figures: 4
	// Hz, as fast as numbers should change on a screen.
	figuresEvery = 8
	// settled is the age at which an interval counts as complete: ingest takes
	// 20 ms, more on a busy machine. Later chunks still count, and the next look
	// sees them.
	settled = 40 * time.Millisecond
	// mergeWithin is the longest pause of a hand that drags a slider: changes
	// closer together are one mark. marksKept and undosKept bound the history of
	// changes, more than a person makes in an afternoon.
	mergeWithin          = time.Second
	marksKept, undosKept = 256, 64
	// minShown: a window shorter than this has no throughput.
	minShown = 300 * time.Millisecond
	// minKept: a window shorter than this gives no point of the path.
	minKept = time.Second

	// seriesKept bounds the history for the time chart: an hour.
	seriesKept = 3600
	// pathKept bounds the points that are kept.
	pathKept = 4096
	// recordsKept bounds the ended requests that a window stores; the oldest
	// are dropped. recordsOnPath bounds those of all finished points. New
	// objectives can judge only the latest points.
	recordsKept   = 4096
	recordsOnPath = 100_000

	// maxRetryAfter bounds the wait that a server may demand: a load goes on then, a
	// probe sends nothing more.
	maxRetryAfter = 60 * time.Second
	// backoffFirst and backoffMost bound the wait after a failure without a
	// wait from the server: it doubles, with jitter.
	backoffFirst = 250 * time.Millisecond
	backoffMost  = 5 * time.Second
	// breakerAfter consecutive failures (twice the users, if that is more) stop
	// a load. For failures that a retry cannot fix, hopelessAfter suffice.
	// Where no server was ever reached, it is hopelessAfter or one per user.
	breakerAfter  = 20
	hopelessAfter = 3

	// usualFactor: a gap beyond this factor times the p99 of the gaps of all
	// lanes is unusual.
	usualFactor = 2.0

	// lateLimit: a lag above this (p99, and more than half a median gap) limits
	// the load, because the client sends each next request with that lag.
	lateLimit = 5 * time.Millisecond
	// lagLimit: with a larger lag (p99) the requests no longer follow their
	// schedule.
	lagLimit = 10.0 // ms
	// lagShare is the part of a request's time from which on a lag changes throughput: as
	// much as the halves of a steady window may differ.
	lagShare = loadstat.SteadyTolerance
	// relieved is the share of its limit below which a lag is no longer
	// reported.
	relieved = 0.7
	// provisionalShare: above this share of tokens without a server's count,
	// the window's tokens are called estimated.
	provisionalShare = 0.1
)
