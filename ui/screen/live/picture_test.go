package live

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// find returns where text first stands on g and the role it begins with.
func find(t *testing.T, g *draw.Grid, text string) (x, y int, st themes.Role) {
	t.Helper()
	for y, row := range strings.Split(g.Plain(), "\n") {
		if i := strings.Index(row, text); i >= 0 {
			x := draw.Width(row[:i])
			_, st := g.At(x, y)
			return x, y, st
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, g.Plain())
	return 0, 0, 0
}

func TestTextIsTintedByItsGap(t *testing.T) {
	sc := layOut("reused", "prefill 90ms", "12 x 20ms", "stall 300ms", "5 x 20ms", "done")
	at := 90*ms + 12*20*ms + 300*ms + 1*ms // "pass." has just come
	for _, c := range []struct {
		name  string
		after time.Duration
		still bool
		words map[string]themes.Role
	}{
		{"fresh", 0, false, map[string]themes.Role{"pass.": themes.Tint(draw.Heat(300), 0),
			"one pass": themes.Tint(draw.Heat(20), 1), "reads": themes.Tint(draw.Heat(20), 2)}},
		{"half a second later", 500 * ms, false, map[string]themes.Role{"pass.": themes.Tint(draw.Heat(300), 2),
			"reads": themes.Tint(draw.Heat(20), 4)}},
		{"settled", 2 * time.Second, false, map[string]themes.Role{"pass.": themes.Text, "reads": themes.Text}},
		{"reduced motion", 0, true, map[string]themes.Role{"pass.": themes.Text}},
	} {
		v := sc.view(at)
		v.Now += metrics.Stamp(c.after)
		v.ReducedMotion = c.still
		v.Figures.Stalls = nil
		g := frame(v, 120, 40)
		for text, want := range c.words {
			_, _, got := find(t, g, text)
			testkit.That(t, got == want, "%s: %q has role %d, want %d", c.name, text, got, want)
		}
	}
	if fast, slow := draw.Heat(5), draw.Heat(500); fast >= slow || draw.Heat(0) != 0 || draw.Heat(1e9) != themes.Levels-1 {
		t.Errorf("levels do not rise with the gap: 5 ms %d, 500 ms %d", fast, slow)
	}
}

func TestStallsAndBurstsAreMarkedWithoutColour(t *testing.T) {
	g := frame(scene("stalled"), 120, 40)
	gl := themes.UnicodeGlyphs()
	_, _, st := find(t, g, "share")
	testkit.That(t, st == themes.Stall, "the word after the stall has role %d", st)
	x, y, _ := find(t, g, "That is why many users can share")
	if s, _ := g.At(x-1, y); s != string(gl.Stall) {
		t.Errorf("the margin of the stalled row holds %q", s)
	}
	if s, _ := g.At(x-1, y+1); s != string(gl.Burst) {
		t.Errorf("the margin of the burst's row holds %q", s)
	}
	find(t, g, " 2.00 s ──")
	_, y, _ = find(t, g, "sent   ")
	row := strings.Split(g.Plain(), "\n")[y-1]
	testkit.That(t, strings.Count(row, string(gl.Burst)) == 1, "the axis of time is %q, want one burst", row)
	find(t, g, "nothing for 4.29 s")
}

func TestGhostReaderStandsAtItsWord(t *testing.T) {
	v := scene("error") // 1 s of text: at 238 wpm four words
	g := frame(v, 120, 50)
	if _, _, st := find(t, g, "arrives,"); st != themes.Ghost {
		t.Errorf("the word the reader is at has role %d", st)
	}
	if _, _, st := find(t, g, "request"); st == themes.Ghost {
		t.Error("the word before is marked too")
	}
	v.Pace = metrics.Pace{Name: "skimming", WPM: 450}
	if _, _, st := find(t, frame(v, 120, 50), "arrives,"); st == themes.Ghost {
		t.Error("a faster reader is at the same word")
	}
}

func TestScrollFollowsTheTail(t *testing.T) {
	sc := layOut("reused", "prefill 90ms", "300 x 4ms", "done")
	s, g := newPicture(), draw.New(120, 22)
	v := sc.view(700 * time.Millisecond)
	s.Draw(g, g.Bounds(), v)
	testkit.Given(t, s.Scrollable(), "the text fits: nothing to test")
	s.Move(-2)
	s.Draw(g, g.Bounds(), v)
	first := strings.Split(g.Plain(), "\n")[1]
	find(t, g, "line ")
	s.Draw(g, g.Bounds(), sc.view(1100*time.Millisecond))
	now := strings.Split(g.Plain(), "\n")[1]
	testkit.That(t, now[:30] == first[:30], "scrolled back, the text moved from %q to %q", first, now)
	s.Edge(-1)
	s.Draw(g, g.Bounds(), sc.view(1100*time.Millisecond))
	find(t, g, "When a request arrives")
	s.Edge(1)
	s.Draw(g, g.Bounds(), sc.view(1200*time.Millisecond))
	find(t, g, string(themes.UnicodeGlyphs().Cursor))
	testkit.Is[draw.Target](t, g.TargetAt(5, 5), onText, "a click on the text does")
	x, y, _ := find(t, g, "sent ")
	testkit.Is[draw.Target](t, g.TargetAt(x, y), onScope, "a click on the scope does")
}

func TestAnimating(t *testing.T) {
	for name, want := range map[string]bool{"idle": false, "waiting": true, "decoding": true, "done": true,
		"refused": false} {
		testkit.Is(t, newPicture().Animating(scene(name)), want, name)
	}
	v := scene("done")
	v.Now += 2e9
	testkit.That(t, !newPicture().Animating(v), "everything has faded, yet it moves")
	v = scene("decoding")
	if v.Frozen = true; newPicture().Animating(v) {
		t.Error("a frozen picture moves")
	}
}
