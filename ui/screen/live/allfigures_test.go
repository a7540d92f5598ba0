package live

import (
	"strings"
	"testing"

	"tokscope/metrics"
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
		if s.Home(); s.all.top != 0 {
			t.Errorf("at %v home leaves row %d on top", size, s.all.top)
		}
		if s.End(); s.all.height > s.all.room && s.all.top != s.all.height-s.all.room {
			t.Errorf("at %v end leaves row %d of %d on top", size, s.all.top, s.all.height)
		}
	}
}

// TestLadderOfFirsts checks the order of the firsts, and that each says how far
// it is behind the one before.
func TestLadderOfFirsts(t *testing.T) {
	v := scene("reasoning")
	v.Max = NowPanel
	text := frame(v, 120, 40).Plain()
	for _, row := range []string{"TTFT token       220 ms       +", "TTFC content     1.08 s       +", "TPOT             ~16.8 ms", "per user         ~59.4 tok/s"} {
		if !strings.Contains(text, row) {
			t.Errorf("no %q in\n%s", row, text)
		}
	}
	at := -1
	for _, label := range []string{"TTFB byte", "TTFE event", "first choice", "TTFT token", "TTFC content", "first non-blank", "first sentence", "last chunk", "tail"} {
		i := strings.Index(text, label)
		if i < at || i < 0 {
			t.Errorf("%s is not below the one before", label)
		}
		at = i
	}
}

// TestFirstChoice holds that the ladder has the first event with choices, which
// may carry only a role, and why it is unknown where no event came.
func TestFirstChoice(t *testing.T) {
	v := scene("timings")
	v.Max = NowPanel
	v.Stream.Marks.FirstRole = v.Stream.Marks.Sent + 12e6
	if text := frame(v, 200, 50).Plain(); !strings.Contains(text, "first choice     12.0 ms") {
		t.Errorf("no first choice after 12 ms in\n%s", text)
	}
	v = scene("waiting")
	v.Max = NowPanel
	if text := frame(v, 200, 50).Plain(); !strings.Contains(text, "first choice     –            no event yet") {
		t.Errorf("no reason in\n%s", text)
	}
}

// TestAllFiguresHaveTheCost holds that the table has what a request cost at the
// configured price, and why it is unknown without one.
func TestAllFiguresHaveTheCost(t *testing.T) {
	v := scene("timings")
	v.Max = NowPanel
	if text := frame(v, 200, 50).Plain(); !strings.Contains(text, "cost             –            no price is configured") {
		t.Errorf("no reason in\n%s", text)
	}
	v.Stream.Endpoint.Price = metrics.Price{In: 0.5, Out: 2, Currency: "EUR"}
	v.Figures.PromptTokens, v.Figures.Tokens, v.Figures.TokenSource = metrics.Known(1000, 0), metrics.Known(500, 0), metrics.TokensUsage
	v.Figures.CachedTokens = metrics.Known(100, 0)
	if text := frame(v, 200, 50).Plain(); !strings.Contains(text, "cost             0.001500 EUR cached tokens in full") {
		t.Errorf("no cost of 0.0015 EUR in\n%s", text)
	}
	v.Stream.Endpoint.Price.Currency = "credits"
	if text := frame(v, 200, 50).Plain(); !strings.Contains(text, "cost             0.001500     credits") {
		t.Errorf("no cost of 0.0015 credits in\n%s", text)
	}
}
