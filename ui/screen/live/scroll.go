package live

// scroll is where a panel stands that shows some of its rows.
type scroll struct {
	top  int // first row in view
	room int // rows that fit
	rows int // all of them
}

// fit gives the panel so many rows in that room.
func (s *scroll) fit(rows, room int) {
	s.rows, s.room = rows, room
	s.move(0)
}

// move moves it by rows, up when negative.
func (s *scroll) move(by int) { s.top = min(max(s.top+by, 0), s.last()) }

// last is the first row in view at the end.
func (s *scroll) last() int { return max(s.rows-s.room, 0) }

// where says which rows are in view, "" where all are.
func (s *scroll) where(p *canvas, row string) string {
	if s.last() == 0 || s.room <= 0 {
		return ""
	}
	return p.Join(row, " ", p.Int(s.top+1), "–", p.Int(min(s.top+s.room, s.rows)), " of ", p.Count(s.rows))
}
