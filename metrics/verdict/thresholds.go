package verdict

// Every threshold of this package that is a judgment, with its reason.
const (
	// flow and attention: Nielsen 1993, Usability Engineering. Up to 1 s the flow
	// of thought is not interrupted, up to 10 s attention stays with the task.
	flow      = 1_000.0  // ms
	attention = 10_000.0 // ms

	// connectLeast and connectShare: connecting is named when it takes longer
	// than a person can see and is a quarter of the time to the first token.
	connectLeast = 50.0 // ms
	connectShare = 0.25

	// headersShare: headers before this share of TTFT say that the rest of the
	// wait came after a whole round trip.
	headersShare = 0.5

	// silence: a shorter pause is not called one while it lasts, so that the
	// sentence does not flicker. Without a median of gaps it takes flow
	// and twice the longest gap.
	silence = 500.0 // ms

	// readerNear: below this many times the pace the reader catches up in the
	// next pause.
	readerNear = 1.5

	// stallSaves: the speed without stalls is named when it is this many times
	// the speed.
	stallSaves = 1.2

	// minEarlier runs are the least that have a range. earlierBeyond is the
	// share by which a figure must lie beyond its nearer end: the next of n+1
	// equal runs is the extreme in one case of (n+1)/2.
	minEarlier    = 3
	earlierBeyond = 0.1
	// earlierFar times the upper end is bad.
	earlierFar = 2.0

	// cacheLeast tokens of a prompt are several blocks of any server's cache.
	cacheLeast = 128.0

	// sharedShare: from here on the gaps describe only part of the stream.
	sharedShare = 0.25

	// uploadShare: an upload of this share of the wait is named.
	uploadShare = 0.25
)

// graded returns the grade of a wait of ms.
func graded(ms float64) Grade {
	switch {
	case ms > attention:
		return Bad
	case ms > flow:
		return Notable
	}
	return Good
}

// noted returns the grade of ms that should not be at all.
func noted(ms float64) Grade {
	if ms > flow {
		return Bad
	}
	return Notable
}
