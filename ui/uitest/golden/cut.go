package golden

import (
	"regexp"
	"strings"
	"testing"

	"tokscope/themes"
	"tokscope/ui/draw"
)

// warnings are the roles of what a person must be able to read whole.
var warnings = map[themes.Role]bool{themes.Warn: true, themes.Headline: true,
	themes.Bad: true, themes.Alert: true, themes.Stall: true}

// CutWarning returns the first row of g in which an ellipsis cuts a warning, ""
// without one. In ASCII an ellipsis is a "~".
func CutWarning(g *draw.Grid, gl *themes.Glyphs) string {
	w, h := g.Size()
	for y := range h {
		for x := range w {
			if text, role := g.At(x, y); text == string(gl.Ellipsis) && warnings[role] {
				return strings.TrimSpace(strings.Split(g.Plain(), "\n")[y])
			}
		}
	}
	return ""
}

// cutNumber is an ellipsis within a number or its unit.
var cutNumber = regexp.MustCompile(
	`(?m)^.*(?:^|[ (~<>≤≥│:])[-−]?\d[\d.,:]*(?: ?[\pL%/]{0,4})?…(?:$| *[^ \d\n].*$)`)

// CutNumber returns the first row of text in which an ellipsis cuts a number or
// its unit, "" without one. The ellipsis of a range stands between two numbers.
func CutNumber(text string) string { return strings.TrimSpace(cutNumber.FindString(text)) }

// halfFigure is a number that is cut, or whose unit is: "7.14 m" at the end of a row,
// "140 tok…".
var halfFigure = regexp.MustCompile(`(?m)^.*\d( (m|µ|mi|t|to|tok|tok/|r|re|req|req/|p)( *│)?$|` +
	`( ?(m|µ|mi|t|to|tok|tok/))?….*$)`)

// smallSizes are the terminals that show less, and nothing in halves.
var smallSizes = [][2]int{{40, 12}, {30, 9}, {20, 6}}

// sizesOfWarnings are the terminals in which no warning may be cut.
var sizesOfWarnings = [][2]int{{80, 24}, {90, 26}, {100, 30},
	{110, 33}, {120, 40}, {140, 45}, {160, 48}, {200, 50}, {300, 80}}

// Uncut checks that no ellipsis cuts a warning of the screens called names, at
// any size from 80x24, in short mode there alone, and that no number and no unit is cut where there is little room.
// draw shows one of them on a terminal of w by h.
func Uncut(t *testing.T, names []string, draw func(name string, w, h int) *draw.Grid) {
	t.Helper()
	for _, size := range smallSizes {
		for _, name := range names {
			if row := halfFigure.FindString(draw(name, size[0], size[1]).Plain()); row != "" {
				t.Errorf("%s at %dx%d has half a figure: %q", name, size[0], size[1], row)
			}
		}
	}
	gl := themes.UnicodeGlyphs()
	for i, size := range sizesOfWarnings {
		if i > 0 && testing.Short() {
			break
		}
		for _, name := range names {
			if row := CutWarning(draw(name, size[0], size[1]), gl); row != "" {
				t.Errorf("%s at %dx%d cuts a warning: %q", name, size[0], size[1], row)
			}
		}
	}
}
