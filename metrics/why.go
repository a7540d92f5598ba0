package metrics

import "strconv"

// needs are the reasons why a percentile or deviation is withheld.
const needs2 = "needs n ≥ 2"

// Reasons that several figures share.
const (
	whyIdle       = "no request yet"
	whyNotSent    = "not sent"
	whyNoChunk    = "no chunk yet"
	whyNoChunkEnd = "no chunk came"
	whyNotTold    = "not told yet"
	whyNotToldEnd = "none told"
	whyOneChunk   = "a single chunk has no gap"
	whyOneRead    = "in one read: buffered"
	whyOneStamp   = "all stamps are the same"
	whyBackwards  = "the stamps run backwards"
	whyNoStamp    = "no stamp"
	whyReused     = "connection reused"
)

func Needs(n int) string {
	switch n { // the usual ones without building a string
	case MinP90:
		return "needs n ≥ 10"
	case MinP95:
		return "needs n ≥ 20"
	case MinP99:
		return "needs n ≥ 100"
	}
	return "needs n ≥ " + strconv.Itoa(n)
}
