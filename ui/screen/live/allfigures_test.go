package live

import (
	"strings"
	"testing"
)

// TestAllFiguresScroll checks that every row of the table can be reached, and that
// none is lost at any width.
func TestAllFiguresScroll(t *testing.T) {
	for _, size := range [][2]int{{40, 12}, {80, 24}, {100, 30}, {120, 40}, {200, 50}, {300, 80}} {
		v := scene("timings")
		v.Max = NowPanel
		s, g := newPicture(), frame(v, size[0], size[1])
		s.Draw(g, g.Bounds(), v)
		s.Move(-1000)
		missing := map[string]bool{}
		for _, row := range s.all.rows {
			missing[row.label] = true
		}
		for range 100 {
			s.Draw(g, g.Bounds(), v)
			text := g.Plain()
			for label := range missing {
				if strings.Contains(text, label) {
					delete(missing, label)
				}
			}
			s.Move(1)
		}
		if len(missing) > 0 {
			t.Errorf("at %v never seen: %v", size, missing)
		}
		if s.Edge(-1); s.all.at.top != 0 {
			t.Errorf("at %v home leaves row %d on top", size, s.all.at.top)
		}
		if s.Edge(1); s.all.at.rows > s.all.at.room && s.all.at.top != s.all.at.rows-s.all.at.room {
			t.Errorf("at %v end leaves row %d of %d on top", size, s.all.at.top, s.all.at.rows)
		}
	}
}
