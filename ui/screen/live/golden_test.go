package live

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
)

var (
	update = flag.Bool("update", false, "write the golden files anew")
	colour = flag.String("ansi", "", "also write every golden frame in colour into this folder, to be looked at with cat")
	theme  = flag.String("theme", "scope", "the theme of -ansi")
)

// sizes are terminals; the root keeps one row above and one below the screen
// and leaves the last column unused.
var sizes = [][2]int{{40, 12}, {80, 24}, {120, 40}, {200, 50}}

// frame draws v as the root would on a terminal of w by h, without its rows.
func frame(v *View, w, h int) *cell.Grid {
	g := cell.New(max(w-1, 0), max(h-2, 0))
	New().Draw(g, g.Bounds(), v)
	return g
}

func TestGolden(t *testing.T) {
	for _, name := range []string{"connecting", "waiting", "progress", "decoding", "reasoning", "tool", "stalled", "done", "error", "truncated", "stopped", "refused", "idle", "told"} {
		for _, size := range sizes {
			golden(t, fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), frame(scene(name), size[0], size[1]))
		}
	}
	v := scene("decoding")
	v.Glyphs = themes.ASCIIGlyphs()
	golden(t, "ascii-120x40", frame(v, 120, 40))
	golden(t, "ascii-80x24", frame(v, 80, 24))
	v = scene("done")
	v.ShowDefinitions = true
	golden(t, "definitions-120x40", frame(v, 120, 40))
	golden(t, "definitions-40x12", frame(v, 40, 12))
	golden(t, "length-300x80", frame(scene("length"), 300, 80))
	for _, c := range []struct{ lens, scene string }{{"chat", "waiting"}, {"voice", "decoding"}, {"agent", "done"}} {
		v = scene(c.scene)
		v.Lens, v.Task, v.Runs = c.lens, metrics.DefaultAgentTask, earlierRuns(v)
		for _, size := range sizes {
			golden(t, fmt.Sprintf("lens-%s-%dx%d", c.lens, size[0], size[1]), frame(v, size[0], size[1]))
		}
	}
}

func golden(t *testing.T, name string, g *cell.Grid) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	got := g.Plain() + "\n"
	if *colour != "" {
		th, ok := themes.ByName(*theme)
		if !ok {
			t.Fatalf("theme %q: none of that name", *theme)
		}
		text := "\x1b[?25l\x1b[H" + strings.ReplaceAll(g.Paint(themes.Compile(th, themes.TrueColor)), "\n", "\r\n")
		if err := os.WriteFile(filepath.Join(*colour, name+".ans"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (go test -update writes it anew):\n%s", name, diff)
	}
}
