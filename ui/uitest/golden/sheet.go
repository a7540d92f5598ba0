package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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

// EverySize draws the screens called names from nothing to w by h, in steps: none may
// panic.
func EverySize(names []string, draw func(name string, w, h int) *draw.Grid, w, h, stepW, stepH int) {
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
	if *update {
		if s.t.Failed() {
			return
		}
		if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(s.path, []byte(join(s.parts)), 0o644); err != nil {
			s.t.Fatal(err)
		}
		return
	}
	file, err := os.ReadFile(s.path)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, d := range differences(split(string(file)), s.parts) {
		s.t.Errorf("%s, %s (go test -update writes it anew)", s.path, d)
	}
}

// join returns the text of a sheet.
func join(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "%s%s\n%s\n", heading, p.name, p.text)
	}
	return b.String()
}

// split is the inverse of join. What stands above the first part is a part
// without a name.
func split(file string) []part {
	var parts []part
	for _, line := range strings.SplitAfter(file, "\n") {
		if name, ok := strings.CutPrefix(line, heading); ok {
			parts = append(parts, part{name: strings.TrimSuffix(name, "\n")})
			continue
		}
		if len(parts) == 0 {
			if line == "" {
				continue
			}
			parts = append(parts, part{})
		}
		parts[len(parts)-1].text += line
	}
	for i := range parts {
		parts[i].text = strings.TrimSuffix(parts[i].text, "\n")
	}
	return parts
}

// differences says what a file lacks, has too much or holds in another form.
func differences(want, got []part) []string {
	var diffs []string
	kept := map[string]string{}
	for _, p := range want {
		kept[p.name] = p.text
	}
	drawn := map[string]bool{}
	for _, p := range got {
		drawn[p.name] = true
		text, ok := kept[p.name]
		if !ok {
			diffs = append(diffs, p.name+" is not in the file")
		} else if diff := compare(text, p.text); diff != "" {
			diffs = append(diffs, p.name+":\n"+diff)
		}
	}
	for _, p := range want {
		if !drawn[p.name] {
			diffs = append(diffs, p.name+" is in the file and was not drawn")
		}
	}
	if len(diffs) == 0 && join(want) != join(got) {
		diffs = append(diffs, "the order of the parts differs")
	}
	return diffs
}
