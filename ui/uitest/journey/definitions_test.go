package journey

import (
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/app"
	"tokscope/ui/report"
	"tokscope/ui/uitest/golden"
)

// The files are the definition lab's table of each recorded stream: content alone,
// both names of reasoning's field, a tool call, bursts, one without usage, and the
// one of docs/definitions.md. docs/definitions/streams.py served them.
func TestDefinitionsOfRecordings(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/definitions/*.ndjson")
	testkit.Given(t, err == nil && len(files) == 7, "%d recordings, error %v", len(files), err)
	for _, file := range files {
		runs, _, err := app.Recordings{}.ReplayRuns([]string{file}, nil, 0)
		testkit.OK(t, err)
		testkit.Need(t, len(runs), 1, file, "requests")
		d := report.Definitions(filepath.Base(file), runs, false)
		golden.File(t, strings.TrimSuffix(file, ".ndjson")+".txt", d.Text(0))
	}
}
