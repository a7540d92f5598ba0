package scope

import "tokscope/themes"

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
