package golden

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/ui/draw"
)

// heading begins the line above a part.
const heading = "# "

// Sheet is a golden file of several parts, each below a line with its name. It
// belongs to one test and is not safe for concurrent use.
type Sheet struct {
	t     testing.TB
	path  string
	parts []part
}

type part struct{ name, text string }

// NewSheet returns the sheet testdata/name.txt. When t ends, the parts are
// compared with the file, or written to it with -update.
func NewSheet(t testing.TB, name string) *Sheet {
	s := &Sheet{t: t, path: filepath.Join("testdata", name+".txt")}
	t.Cleanup(s.end)
	return s
}

// Screen adds the text of g as the part name. At 80x24 no ellipsis may cut a
// number.
func (s *Sheet) Screen(name string, g *draw.Grid) {
	s.t.Helper()
	size := strings.TrimSuffix(filepath.Base(s.path), ".txt")
	if row := CutNumber(g.Plain()); row != "" && size == "80x24" {
		s.t.Errorf("%s at 80x24 cuts a number: %q", name, row)
	}
	paint(s.t, strings.NewReplacer(" ", "-", ",", "").Replace(name)+"-"+size, g)
	s.Text(name, g.Plain())
}

// Screens holds the screens called names, a sheet for each size. draw shows one of them
// on a terminal of w by h.
func Screens(t *testing.T, names []string, draw func(name string, w, h int) *draw.Grid, sizes ...[2]int) {
	t.Helper()
	for _, size := range sizes {
		sheet := NewSheet(t, fmt.Sprintf("%dx%d", size[0], size[1]))
		for _, name := range names {
			sheet.Screen(name, draw(name, size[0], size[1]))
		}
	}
}

// EverySize draws the screens called names from nothing to w by h, in steps, which are
// four times as wide in short mode: none may panic.
func EverySize(names []string, draw func(name string, w, h int) *draw.Grid, w, h, stepW, stepH int) {
	if testing.Short() {
		stepW *= 4
	}
	for _, name := range names {
		for x := 0; x < w; x += stepW {
			for y := 0; y < h; y += stepH {
				draw(name, x, y)
			}
		}
	}
}

// Text adds text as the part name. A name is unique in its sheet, and no row
// of a text begins like the line above a part.
func (s *Sheet) Text(name, text string) {
	s.t.Helper()
	if strings.HasPrefix(text, heading) || strings.Contains(text, "\n"+heading) {
		s.t.Fatalf("%s: %s has a row that begins with %q", s.path, name, heading)
	}
	for _, p := range s.parts {
		if p.name == name {
			s.t.Fatalf("%s: two parts are called %q", s.path, name)
		}
	}
	s.parts = append(s.parts, part{name, text})
}

// end compares or writes the whole sheet. A test that has failed before writes
// nothing: parts may be missing.
func (s *Sheet) end() {
	s.t.Helper()
	if !*update || !s.t.Failed() {
		hold(s.t, s.path, join(s.parts), differences)
	}
}

func join(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "%s%s\n%s\n", heading, p.name, p.text)
	}
	return b.String()
}

// differences returns the rows that differ, below the names of their parts, "" for
// equal sheets.
func differences(want, got string) string {
	if diff := cmp.Diff(rowsOf(want), rowsOf(got)); diff != "" || want == got {
		return diff
	}
	return "the order of the parts differs"
}

// rowsOf returns the rows of each part of a sheet; those above the first part have no
// name.
func rowsOf(sheet string) map[string][]string {
	rows, name := map[string][]string{}, ""
	for line := range strings.Lines(sheet) {
		if part, ok := strings.CutPrefix(line, heading); ok {
			name = part
		}
		rows[name] = append(rows[name], line)
	}
	return rows
}
