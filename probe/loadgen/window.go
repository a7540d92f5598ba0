package loadgen

import "tokscope/metrics"

// stay is the time at a constant number of users (or rate). Its window begins
// when the warm-up ends.
type window struct {
	began  metrics.Stamp
	users  int     // asked for
	rate   float64 // asked for, open loop
	warm   bool    // the warm-up is over
	from   int     // bucket with which the window begins
	gaps   []metrics.Sketch
	second int // newest of gaps that is in use, counted from the window's begin
	all    metrics.Sketch
	recs   []record // ended requests that were sent within the window, oldest first
	fails  []failure
	best   *judged // the last steady point of the stay
	frozen *judged // the point when the load was told to end, nil before and where best says more
	cold   int     // users without a first chunk, as of the last look
	origin metrics.Stamp
}

// restart makes the window begin with bucket from.
func (w *window) restart(t *timeline, from int) {
	w.from, w.second = from, 0
	w.origin = t.start(from)
	for i := range w.gaps {
		w.gaps[i].Reset()
	}
	w.recs, w.fails = w.recs[:0], w.fails[:0]
}

// forget drops what ended before at.
func (w *window) forget(at metrics.Stamp) {
	drop := 0
	for drop < len(w.recs) && (w.recs[drop].end < at || len(w.recs)-drop > recordsKept) {
		drop++
	}
	w.recs = w.recs[:copy(w.recs, w.recs[drop:])]
	drop = 0
	for drop < len(w.fails) && (w.fails[drop].at < at || len(w.fails)-drop > recordsKept) {
		drop++
	}
	w.fails = w.fails[:copy(w.fails, w.fails[drop:])]
}

// until returns what ended before at: the window's end lies a little before now.
func (w *window) until(at metrics.Stamp) ([]record, []failure) {
	records, fails := w.recs, w.fails
	for len(records) > 0 && records[len(records)-1].end >= at {
		records = records[:len(records)-1]
	}
	for len(fails) > 0 && fails[len(fails)-1].at >= at {
		fails = fails[:len(fails)-1]
	}
	return records, fails
}
