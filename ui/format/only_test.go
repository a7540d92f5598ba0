package format

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

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
			s := otherSpelling.FindString(line)
			testkit.That(t, s == "" || IsASCII(line), "%s:%d writes %q", path, i+1, s)
		}
		return err
	})
	testkit.Given(t, err == nil && files >= 20, "%d files were read: %v", files, err)
}
