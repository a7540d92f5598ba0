package format

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// writesFloats matches code that turns a float into text.
var writesFloats = regexp.MustCompile(`strconv\.(Append|Format)Float\(|"[^"\n]*%[-+# 0]*[0-9*]*(\.[0-9*]+)?[feg][^"\n]*"`)

// elsewhere are the exceptions in ui: their output is for a program, or they
// shorten a text of this package.
var elsewhere = map[string]string{
	"cli/handover/handover.go": "another tool's command line",
	"report/csv.go":            "CSV",
	"say/lens.go":              "limits as their sources write them",
	"say/replay.go":            "a clock of even width",
	"say/load.go":              "parts of a window",
	"screen/live/format.go":    "fewer decimals of a large figure",
	"svg/shapes.go":            "coordinates of a picture",
	"svg/svg.go":               "coordinates of a picture",
}

// TestFiguresAreWrittenHere checks that no other package of ui turns a float
// into text.
func TestFiguresAreWrittenHere(t *testing.T) {
	files := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "format" || name == "uitest" || name == "journey"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		files++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			code, _, _ := strings.Cut(line, "//")
			if elsewhere[name] == "" && writesFloats.MatchString(code) {
				t.Errorf("%s:%d writes a figure by itself: %s", name, i+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil || files < 50 {
		t.Fatalf("%d files were read: %v", files, err)
	}
}

// otherSpelling matches a factor that is not "28x" and a minus that is not "−3". A
// count of a kind, "2× http", and a product, "2×15.0 G×700", are no factors.
var otherSpelling = regexp.MustCompile(`(^|[ (│])(×\d|-\d[\d.,]* ?(%|ms|µs|s|x|tok/s)( |\)|$))|\d(\.\d+)?×( reading| slow|[).,;│])`)

// TestOneSpelling checks in every screen and report that is kept as text that
// factors and negative figures are written in one way. ASCII has its own minus.
func TestOneSpelling(t *testing.T) {
	files := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(filepath.Dir(path)) != "testdata" || !strings.HasSuffix(path, ".txt") {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		for i, line := range strings.Split(string(text), "\n") {
			if s := otherSpelling.FindString(line); s != "" && !IsASCII(line) {
				t.Errorf("%s:%d writes %q", path, i+1, s)
			}
		}
		return err
	})
	if err != nil || files < 20 {
		t.Fatalf("%d files were read: %v", files, err)
	}
}
