package live

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
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
		s.Edge(-1)
		testkit.Is(t, s.all.at.top, 0, "at", size, "home leaves row … on top")
		if s.Edge(1); s.all.at.rows > s.all.at.room && s.all.at.top != s.all.at.rows-s.all.at.room {
			t.Errorf("at %v end leaves row %d of %d on top", size, s.all.at.top, s.all.at.rows)
		}
	}
}

// TestAClaimHasARow checks that the panel has the share of the bound of what the endpoint
// is said to be, and no row where nothing is said.
func TestAClaimHasARow(t *testing.T) {
	v := scene("timings")
	v.Max = NowPanel
	row := func() string {
		s, g := newPicture(), frame(v, 120, 60)
		s.Draw(g, g.Bounds(), v)
		_, text, _ := strings.Cut(g.Plain(), "memory's bound")
		text, _, _ = strings.Cut(text, "\n")
		return strings.Join(strings.Fields(text), " ")
	}
	testkit.Is(t, row(), "", "nothing is claimed")
	speed := v.Figures.Speed.V
	for bound, want := range map[float64]string{2: "50 % of the claim: plausible", .5: "200 % of the claim: above"} {
		v.Stream.Endpoint.Claim = &metrics.Claim{Bandwidth: bound * speed, Weights: 1, Step: 1}
		if got := row(); !strings.HasPrefix(got, want) {
			t.Errorf("a bound of %.1f times the speed: %q, want %q", bound, got, want)
		}
	}
}
