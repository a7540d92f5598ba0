package scope

import (
	"math"
	"slices"
	"sort"

	"tokscope/metrics"
	"tokscope/metrics/stats"
	"tokscope/themes"
	"tokscope/ui/chart"
)

// column is what one column of dots shows: the chunks that arrived in its time.
type column struct {
	first, last   int32   // chunks [first, last); none where equal
	known         int32   // gaps that are known
	burst         bool    // a gap is unknown, because the chunk shared a read
	min, mid, max float64 // of the known gaps, ms

	low, median, high int // their rows of dots
	lowOff, highOff   int // 1: above the axis, -1: below it
}

// rescale computes the rows of dots on a scale.
func (c *column) rescale(y chart.Scale) {
	if c.known == 0 {
		return
	}
	c.low, c.lowOff = y.Dot(c.min)
	c.median, _ = y.Dot(c.mid)
	c.high, c.highOff = y.Dot(c.max)
}

// sweep holds the columns of one stream in a window. Each column is computed
// once, except the one that the newest chunk is in.
type sweep struct {
	id   int
	zero metrics.Stamp
	win  Window
	y    chart.Scale
	cols []column
	next int // chunks before it are in columns that are complete
	seen int // chunks of the stream at the last update

	known    []float64
	computed int // columns computed so far, for tests
}

// update brings the columns up to the stream, the window and the scale.
func (t *sweep) update(s *metrics.Stream, zero metrics.Stamp, w Window, y chart.Scale) {
	if t.y != y {
		t.y = y
		for i := range t.cols {
			t.cols[i].rescale(y)
		}
	}
	shift, ok := w.shift(t.win)
	if t.id != s.ID || t.zero != zero || !ok || len(s.Chunks) < t.seen {
		t.reset(s, zero, w)
	} else if shift > 0 {
		n := copy(t.cols, t.cols[shift:])
		clear(t.cols[n:])
	}
	t.win, t.seen = w, len(s.Chunks)
	for i := t.next; i < len(s.Chunks); {
		c := t.place(s, i)
		if c >= w.Columns {
			break
		}
		j := i + 1
		for j < len(s.Chunks) && t.place(s, j) <= c {
			j++
		}
		if c >= 0 {
			t.cols[c] = t.column(s, i, j)
		}
		if i = j; j < len(s.Chunks) {
			t.next = j
		}
	}
}

func (t *sweep) reset(s *metrics.Stream, zero metrics.Stamp, w Window) {
	t.id, t.zero, t.win = s.ID, zero, w
	t.cols = slices.Grow(t.cols[:0], w.Columns)[:w.Columns]
	clear(t.cols)
	t.next = sort.Search(len(s.Chunks), func(i int) bool { return t.place(s, i) >= 0 })
}

// place is the column of chunk i: below 0 or from Columns on outside the
// window.
func (t *sweep) place(s *metrics.Stream, i int) int {
	return t.win.column(sinceMs(s.Chunks[i].At, t.zero))
}

// column is the column of the chunks [i, j).
func (t *sweep) column(s *metrics.Stream, i, j int) column {
	t.computed++
	c := column{first: int32(i), last: int32(j)}
	t.known = t.known[:0]
	for ; i < j; i++ {
		if ms, ok := s.Gap(i); ok {
			t.known = append(t.known, ms)
		} else if i > 0 && s.Chunks[i].Read == s.Chunks[i-1].Read && s.Chunks[i].Choice == s.Chunks[i-1].Choice {
			c.burst = true
		}
	}
	if n := len(t.known); n > 0 {
		slices.Sort(t.known)
		c.known, c.min, c.mid, c.max = int32(n), t.known[0], stats.Quantile(t.known, 0.5), t.known[n-1]
		c.rescale(t.y)
	}
	return c
}

// sinceMs is the time from zero to at in ms; a moment that is not known is at
// no time that a window holds.
func sinceMs(at, zero metrics.Stamp) float64 {
	if !at.Known() || !zero.Known() {
		return math.Inf(-1)
	}
	return (float64(at) - float64(zero)) / 1e6
}

// runs draws the earlier runs and the pinned one.
func (s *Scope) runs(d *Data) {
	for i, r := range latest(d.Past) {
		if d.Pinned != nil && r.Stream.ID == d.Pinned.Stream.ID {
			continue
		}
		s.past[i].update(&r.Stream, r.Stream.Marks.Sent, s.win, s.y)
		s.chunks(&s.past[i], earlier, themes.Faint)
	}
	if r := d.Pinned; r != nil {
		s.pinned.update(&r.Stream, r.Stream.Marks.Sent, s.win, s.y)
		s.chunks(&s.pinned, reference, themes.Aggregate)
	}
}

// chunks draws the columns of a sweep: a dot for one gap, and for several a
// line from the shortest to the longest with the median set apart. What lies
// outside the axis is not drawn. role 0 gives every column the color of its median.
func (s *Scope) chunks(t *sweep, l layer, role themes.Role) {
	for x := range t.cols {
		c := &t.cols[x]
		if c.known == 0 || c.lowOff > 0 || c.highOff < 0 {
			continue
		}
		st := role
		if st == 0 {
			st = heat(c.mid)
		}
		for y := c.low; y <= c.high; y++ {
			beside := y == c.median-1 || y == c.median+1
			if c.high-c.low < longLine || !beside || y == c.low || y == c.high {
				s.dots.set(x, y, l, st)
			}
		}
	}
}

// longLine is the length in dots from which a line is broken beside its
// median. A shorter one has no room for that.
const longLine = 5

// open draws the gap under way where the present moment is: a stem of double
// width that grows from the median gap.
func (s *Scope) open(d *Data) {
	x, ok := s.now(d)
	if !ok {
		return
	}
	from, _ := s.y.Dot(min(d.Figures.Gaps.P50.V, d.Open))
	to, _ := s.y.Dot(d.Open)
	for y := from; y <= to; y++ {
		s.dots.set(x-x%2, y, underWay, heat(d.Open))
		s.dots.set(x-x%2+1, y, underWay, heat(d.Open))
	}
}

// now is the column of the gap under way; ok is false without one in view.
func (s *Scope) now(d *Data) (x int, ok bool) {
	x = s.win.column(sinceMs(d.Now, s.sweep.zero))
	return x, d.Open > 0 && x >= 0 && x < s.win.Columns
}

// placeOf is the column of a chunk in view.
func (s *Scope) placeOf(d *Data, chunk int) (x int, ok bool) {
	if chunk < 0 || chunk >= len(d.Stream.Chunks) {
		return 0, false
	}
	x = s.sweep.place(d.Stream, chunk)
	return x, x >= 0 && x < s.win.Columns
}
