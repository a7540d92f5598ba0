package loadgen

import "time"

// Bounds, rates and thresholds of a load, each with its reason.
const (
	// MaxUsers is the hard cap of users: a connection each, and the figures of
	// more than a thousand streams on one machine say more about it than about
	// the endpoint.
	MaxUsers = 1024
	// FreeUsers and FreeTokens need no consent (Guarded).
	FreeUsers  = 4
	FreeTokens = 100_000

	// DefaultWindow is how far back a point looks: long enough for several
	// requests of each user, short enough to follow what a server does.
	DefaultWindow = 20 * time.Second
	// longWindow is how far the default window reaches where answers are long,
	// longAnswers of them after each other: a request counts that was sent and
	// has ended in the window, and the halves of a window hold as much of a
	// round of the users only when there are several.
	longWindow  = time.Minute
	longAnswers = 4
	// fixedWindow takes its place for a fixed number of requests, all of which
	// count.
	fixedWindow = 10 * time.Minute
	// DefaultMinWindow is the shortest window that can be steady: the median
	// of three seconds of gaps does not jump any more.
	DefaultMinWindow = 3 * time.Second

	// startSpacing lies between two users that begin: five hundred a second, so
	// that connection set-up (with TLS about 1 ms of CPU each) never takes more
	// than half a core from the readers of what runs.
	startSpacing = 2 * time.Millisecond

	// mostJoins users a second join at most where Join spreads them. By the
	// model, 256 users that join within 4 s stay a crowd whose prompts meet (TTFT
	// p50 364 ms for ever); within 8 s they do not (105 ms).
	mostJoins = 32

	// sampleEvery is how often the streams are looked at: a little more often
	// than a screen draws, so that each of its thirty frames a second has
	// something new, and three looks a slice.
	sampleEvery = time.Second / 32
	// sliceLen is the length of a lane's slice and of a bucket of tokens.
	sliceLen = 100 * time.Millisecond
	// slicesKept is the past of a lane: 40 s.
	slicesKept = 400
	// figuresEvery is how many samples lie between two looks at the figures:
	// 4 Hz, as fast as numbers may change on a screen.
	figuresEvery = 8
	// settled is how long after its end a bucket is taken for complete: the
	// folder takes 4 ms, a busy machine some more. What comes later is still
	// counted, and the next look sees it.
	settled = 20 * time.Millisecond
	// minShown: a window shorter than this has no throughput.
	minShown = 300 * time.Millisecond
	// minKept: a window shorter than this is no point of the path.
	minKept = time.Second

	// seriesKept bounds the history for the time chart: an hour.
	seriesKept = 3600
	// pathKept bounds the points that are kept.
	pathKept = 4096
	// recordsKept bounds the ended requests that a window remembers one by one;
	// beyond it the oldest go. recordsOnPath bounds those of all finished
	// points together: only the latest points can be judged by new objectives.
	recordsKept   = 4096
	recordsOnPath = 100_000

	// maxRetryAfter bounds what a server may ask us to wait.
	maxRetryAfter = 60 * time.Second
	// backoffFirst and backoffMost bound the wait after a failure for which
	// the server named none: it doubles, with jitter.
	backoffFirst = 250 * time.Millisecond
	backoffMost  = 5 * time.Second
	// breakerAfter requests in a row that fail (twice the users, if that is
	// more) stop a load; of a kind that no repetition mends, hopelessAfter;
	// where nobody has ever been reached, hopelessAfter or one for each user.
	breakerAfter  = 20
	hopelessAfter = 3

	// usualFactor times the p99 of the gaps of all lanes is no usual gap any more.
	usualFactor = 2.0

	// lateLimit: a client that wakes this late (p99, and more than half a
	// median gap) is what limits: it sends the next request as late.
	lateLimit = 5 * time.Millisecond
	// lagLimit: requests of a schedule sent so late (p99) are no longer its.
	lagLimit = 10.0 // ms
	// relieved is below which share of its limit a lateness is no longer told.
	relieved = 0.7
	// provisionalShare: with more tokens than this of a window not counted by
	// the server yet, the window's tokens are called estimated.
	provisionalShare = 0.1
)
