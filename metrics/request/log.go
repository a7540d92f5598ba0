package request

import (
	"slices"
	"unsafe"

	"tokscope/metrics"
)

// pageRows is the number of rows of a page.
const pageRows = 256

// Log holds the ended requests of a load within the bounds of keep.go. Its owner
// guards it with a lock. NewLog makes one.
type Log struct {
	began metrics.Stamp
	pages [][]Row // only appended to: views share them
	first int     // index of the first row of pages[0]
	ended int
	keep  keeper
}

// NewLog returns the empty log of a load that began at that moment.
func NewLog(began metrics.Stamp) *Log { return &Log{began: began} }

// Add takes an ended request and its packed stream.
func (l *Log) Add(r Row, p *Packed) {
	if n := len(l.pages); n == 0 || len(l.pages[n-1]) == pageRows {
		l.pages = append(l.pages, make([]Row, 0, pageRows))
	}
	last := len(l.pages) - 1
	l.pages[last] = append(l.pages[last], r)
	index := l.ended
	l.ended++
	for l.ended-l.first >= Figures+pageRows {
		l.pages = slices.Clone(l.pages[1:])
		l.first += pageRows
	}
	l.keep.room = MaxBytes - len(l.pages)*pageRows*int(unsafe.Sizeof(Row{}))
	l.keep.add(index, &r, p)
}

// Packed returns the stream of a request; nil when only its figures are kept.
func (l *Log) Packed(id int) *Packed {
	for _, e := range l.keep.entries {
		if e.row.ID == id {
			return e.packed
		}
	}
	return nil
}

// View is what a Log holds at one moment, in the order in which the requests
// ended. It is immutable. The zero View is empty.
type View struct {
	// Began is when the load began.
	Began metrics.Stamp
	// Ended counts all requests that have ended. It tells two views of a Log
	// apart.
	Ended int

	old   []Row // before the rows of pages: their streams are kept
	pages [][]Row
	skip  int   // rows of pages[0] that are too old
	kept  []int // IDs, ascending
}

// View returns what l holds now. It copies 3 kB: rows are shared.
func (l *Log) View() View {
	v := View{Began: l.began, Ended: l.ended, pages: slices.Clone(l.pages), kept: make([]int, len(l.keep.entries))}
	oldest := max(l.ended-Figures, 0)
	v.skip = oldest - l.first
	for i, e := range l.keep.entries {
		v.kept[i] = e.row.ID
		if e.index < oldest {
			v.old = append(v.old, e.row)
		}
	}
	slices.Sort(v.kept)
	return v
}

// Len returns the number of rows.
func (v *View) Len() int {
	n := len(v.old) - v.skip
	for _, p := range v.pages {
		n += len(p)
	}
	return n
}

// Row returns row i, the oldest first.
func (v *View) Row(i int) *Row {
	if i < len(v.old) {
		return &v.old[i]
	}
	i += v.skip - len(v.old)
	return &v.pages[i/pageRows][i%pageRows]
}

// Kept reports whether the stream of a request is kept.
func (v *View) Kept(id int) bool {
	_, ok := slices.BinarySearch(v.kept, id)
	return ok
}

// Streams returns how many streams are kept.
func (v *View) Streams() int { return len(v.kept) }

// LeftOut returns of how many ended requests the figures were dropped, and of
// how many the events. The first are among the second.
func (v *View) LeftOut() (figures, events int) { return v.Ended - v.Len(), v.Ended - len(v.kept) }

// ViewOf returns the view of rows that all have their streams, for requests that
// are in memory anyway.
func ViewOf(began metrics.Stamp, rows []Row) View {
	return ViewOfSome(began, rows, func(*Row) bool { return true })
}

// ViewOfSome is ViewOf for rows of which only some have their streams.
func ViewOfSome(began metrics.Stamp, rows []Row, has func(*Row) bool) View {
	v := View{Began: began, Ended: len(rows), old: rows}
	for i := range rows {
		if has(&rows[i]) {
			v.kept = append(v.kept, rows[i].ID)
		}
	}
	slices.Sort(v.kept)
	return v
}
