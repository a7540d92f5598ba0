package reports

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// root is the module's, from here.
const root = "../../.."

// TestReports plays each input, and judges what the program says of it.
func TestReports(t *testing.T) {
	files, err := filepath.Glob(root + "/probe/dialect/testdata/reports/*.txt")
	testkit.Given(t, err == nil && len(files) >= 160, "%d files, %v", len(files), err)
	for i, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			if i%6 != 0 {
				probetest.TakesTime(t, "160 reports; a sixth of them is played")
			}
			in := read(t, path)
			if in.elsewhere != "" {
				in.held(t)
				return
			}
			var says said
			synctest.Test(t, func(t *testing.T) { says = play(t, in) })
			wrong := in.judge(&says)
			switch {
			case in.open != "" && wrong == nil:
				t.Error("all is as wanted: take out the line open")
			case in.open == "":
				for _, text := range wrong {
					t.Error(text)
				}
			}
			if testing.Verbose() {
				for _, place := range slices.Sorted(maps.Keys(says.out)) {
					t.Logf("%s:\n%s", place, says.out[place])
				}
			}
		})
	}
}

// held fails where the test that does what the input says is not there.
func (in *input) held(t *testing.T) {
	file, name, _ := strings.Cut(in.elsewhere, " ")
	data, err := os.ReadFile(filepath.Join(root, file))
	testkit.That(t, err == nil && strings.Contains(string(data), "\nfunc "+name+"(t "),
		"%s has no %s: %v", file, name, err)
}
