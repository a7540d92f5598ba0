package scope

import "tokscope/themes"

// readingLine draws the pace of a reader: a dot in every second column.
func (s *Scope) readingLine(d *Data) {
	y, off := s.y.Dot(d.Reading)
	if !(d.Reading > 0) || off != 0 {
		return
	}
	for x := 0; x < 2*s.plot.W; x += 2 {
		if c := s.dots.set(x, y, background, themes.Reading); c != nil {
			c.ascii = asciiGlyphs.LineDash
		}
	}
}

// runs draws the earlier runs and the pinned one.
func (s *Scope) runs(d *Data) {
	list := d.Past[max(len(d.Past)-MostPast, 0):]
	for i, r := range list {
		if d.Pinned != nil && r.Stream.ID == d.Pinned.Stream.ID {
			continue
		}
		s.past[i].update(&r.Stream, zeroOf(&r.Stream), s.win, s.y)
		s.chunks(&s.past[i], earlier, themes.Faint)
	}
	if r := d.Pinned; r != nil {
		s.pinned.update(&r.Stream, zeroOf(&r.Stream), s.win, s.y)
		s.chunks(&s.pinned, reference, themes.Aggregate)
	}
}

// wait draws the phases of the wait as a band at the lower edge.
func (s *Scope) wait(d *Data) {
	rows := 8
	if s.plot.H < 4 {
		rows = 4
	}
	at := 0.0
	for _, f := range d.Phases {
		if f.Before {
			at -= bounded(max(f.Ms, 0), 0)
		}
	}
	for _, f := range d.Phases {
		from := s.win.edge(at)
		at += bounded(max(f.Ms, 0), 0)
		for x := from; x < s.win.edge(at); x++ {
			for y := range rows {
				if f.Fill.dot(x, y) {
					if c := s.dots.set(x, y, band, f.Role); c != nil {
						c.ascii = f.Fill.Glyph(asciiGlyphs)
					}
				}
			}
		}
	}
}

var asciiGlyphs = themes.ASCIIGlyphs()

// chunks draws the columns of a sweep: a dot for one gap, and for several a
// line from the shortest to the longest with the median set apart. role 0
// gives every row its own color; a long line is then dim, except its median.
func (s *Scope) chunks(t *sweep, l layer, role themes.Role) {
	for _, medians := range [...]bool{false, true} {
		for x := range t.cols {
			if c := &t.cols[x]; c.known > 0 {
				s.line(x, c, l, role, medians)
			}
		}
	}
}

// line draws the line of a column without its median, or the median alone. What
// lies outside the axis is not drawn.
func (s *Scope) line(x int, c *column, l layer, role themes.Role, median bool) {
	low, mid, high := c.low, c.median, c.high
	switch {
	case c.lowOff > 0 || c.highOff < 0 || median && c.medianOff != 0:
		return
	case median:
		low, high = mid, mid
	}
	for y := low; y <= high; y++ {
		st := role
		switch {
		case !median && apart(low, mid, high, y):
			continue
		case st == 0 && !median && high-low >= longLine:
			st = themes.Dim
		case st == 0:
			st = s.role(y)
		}
		s.dots.set(x, y, l, st)
	}
}

// longLine is the length in dots from which a line is broken beside its
// median. A shorter one has no room for that.
const longLine = 5

// apart reports whether row y of a line stays blank so that the median stands
// alone.
func apart(low, mid, high, y int) bool {
	return high-low >= longLine && (y == mid-1 || y == mid+1) && y != low && y != high
}

// role is the color of a row of dots.
func (s *Scope) role(y int) themes.Role {
	return s.roles[min(max(s.plot.H-1-y/4, 0), len(s.roles)-1)]
}

// stem draws a line from the median gap up to ms.
func (s *Scope) stem(d *Data, x int, ms float64, l layer) (top int) {
	from, _ := s.y.Dot(min(d.Figures.Gaps.P50.V, ms))
	if !d.Figures.Gaps.P50.OK {
		from = 0
	}
	top, _ = s.y.Dot(ms)
	for y := from; y <= top; y++ {
		s.dots.set(x, y, l, s.role(y))
	}
	return top
}

// stalls draws the stem of every stall in view.
func (s *Scope) stalls(d *Data) {
	for i := range d.Figures.Stalls {
		if x, ok := s.placeOf(d, d.Figures.Stalls[i].Chunk); ok {
			s.stem(d, x, d.Figures.Stalls[i].Ms, trace)
		}
	}
}

// open draws the gap under way where the present moment is: a stem of double
// width that grows.
func (s *Scope) open(d *Data) {
	if !(d.Open > 0) {
		return
	}
	x := s.win.column(sinceMs(d.Now, s.sweep.zero))
	if x < 0 || x >= s.win.Columns {
		return
	}
	x -= x % 2
	s.stem(d, x, d.Open, underWay)
	s.stem(d, x+1, d.Open, underWay)
}

// placeOf is the column of a chunk in view.
func (s *Scope) placeOf(d *Data, chunk int) (x int, ok bool) {
	if chunk < 0 || chunk >= len(d.Stream.Chunks) {
		return 0, false
	}
	x = s.sweep.place(d.Stream, chunk)
	return x, x >= 0 && x < s.win.Columns
}
