package uitest

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "tokscope/metrics/testseed"
)

// A column is the same after it was packed.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few values and pieces of a slope, as columns have them.
		var column []int64
		for range rapid.IntRange(0, 6).Draw(t, "pieces") {
			v, by := rapid.Int64Range(-3, 3).Draw(t, "first"), rapid.Int64Range(-2, 2).Draw(t, "by")
			for range rapid.IntRange(1, 5).Draw(t, "rows") {
				column = append(column, v)
				v += by
			}
		}
		if got := runsOf(column).rows(len(column)); !slices.Equal(got, column) {
			t.Fatalf("%v became %v", column, got)
		}
	})
}

// A recording that is read and written again is the same file: nothing is lost
// or rounded twice.
func TestRecordingsAreReadWhole(t *testing.T) {
	files, err := fs.Glob(recordings, "testdata/explain/*.json")
	if err != nil || len(files) < len(ExplainScenes) {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, path := range files {
		want, err := fs.ReadFile(recordings, path)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(strings.TrimSuffix(path, ".json"), "explain/")
		like := ""
		if strings.Contains(string(want), `"Like": "chunk"`) {
			like = "chunk"
		}
		if got := recording(name).Encode(like); string(got) != string(want) {
			t.Errorf("%s is not the same after it was read", name)
		}
	}
}
