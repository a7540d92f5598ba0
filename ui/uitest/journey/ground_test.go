//go:build !windows

package journey

import (
	"image/color"
	"strings"
	"testing"

	"tokscope/ui/svg"
)

// bare draws the cells with the terminal's own background as '#', a line for each row;
// "" without any.
func bare(x *term) string {
	var b strings.Builder
	for _, row := range x.x.Cells(svg.Look{Background: "reversed"}) {
		for _, c := range row {
			b.WriteByte(map[bool]byte{true: '#', false: '.'}[c.Width > 0 && c.Style.Bg == ""])
		}
		b.WriteByte('\n')
	}
	if !strings.Contains(b.String(), "#") {
		return ""
	}
	return b.String()
}

// A theme made for the other kind of terminal brings its own ground, and brings
// it everywhere: one bare cell is a hole in the screen. A theme that suits the
// terminal leaves the terminal's own background alone.
func TestTheGroundIsInEveryCell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		theme      string
		background color.Color
	}{{"paper", color.Black}, {"scope", color.White}} {
		t.Run(c.theme, func(t *testing.T) {
			x := startOn(t, c.background, 120, 40, "--theme", c.theme, "--max-tokens", "60")
			x.until("done", "speed")
			whole := func(what string) {
				t.Helper()
				if err := x.x.Wait("no bare cell, "+what, patience, func() bool { return bare(x) == "" }); err != nil {
					t.Fatalf("%v\nthe bare cells:\n%s", err, bare(x))
				}
			}
			whole("Live")
			x.do("d > what the figures mean")
			whole("definitions")
			x.keys("d")
			for _, key := range []string{"p", "e", "m", "L", "t", "?"} {
				x.keys(key)
				x.until("esc back")
				whole("the dialog of " + key)
				x.do("<esc> > space again")
			}
			x.do("2 <space> > users | hold")
			whole("Load")
			x.do("? > esc back")
			whole("the help of Load")
			x.do("<esc> > x stop")
			x.keys("x")
			for _, size := range [][2]int{{80, 24}, {40, 12}, {200, 50}, {30, 7}, {300, 80}} {
				x.resize(size[0], size[1])
				whole("another size")
				x.keys("1")
				whole("another size, Live")
				x.keys("2")
			}
		})
	}
	for theme, background := range map[string]color.Color{"paper": color.White, "scope": color.Black} {
		x := startOn(t, background, 80, 24, "--theme", theme, "--max-tokens", "60")
		x.until("done", "tok/s")
		x.wait("the terminal's own ground under "+theme, func() bool { return bare(x) != "" })
	}
}
