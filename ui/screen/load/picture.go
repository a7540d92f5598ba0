package load

import "tokscope/metrics"

// figures are the numbers of the screen: they change figuresEvery at most, so
// that they can be read, and at once when a person changed something.
type figures struct {
	known    bool
	version  uint64
	view     metrics.View
	sentence string
	width    int             // that sentence was made for, 0: none was
	points   []metrics.Point // the path and, last, the live window when it is one of its users
	live     bool            // it is
	chosen   []int           // of points: the one that stands for each number of users, ascending
	knee     int             // users, 0: none
	breaks   string
	breaksAt int // users, 0: nothing is missed
	meets    int // users, 0: none known
}
