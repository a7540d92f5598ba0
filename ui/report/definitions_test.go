package report

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/definition/example"
	"tokscope/ui/uitest/golden"
)

func example1(in metrics.ReasoningFields, completion int) metrics.Run {
	s := example.Stream(in, completion)
	s.ID = 1
	return metrics.Run{Stream: *s, Figures: metrics.Measure(s, metrics.Options{})}
}

func definitionsText(t *testing.T, runs ...metrics.Run) string {
	t.Helper()
	var b strings.Builder
	if err := put(&b, Definitions{Name: "example", Runs: runs}.Doc().Text(0)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The files are the lab's table for one stream, for two at once, and for one
// whose server counted nothing.
func TestDefinitions(t *testing.T) {
	golden.File(t, "testdata/definitions.txt", definitionsText(t, example1(metrics.InReasoning, 50)))
	golden.File(t, "testdata/definitions-content.txt", definitionsText(t, example1(metrics.InReasoningContent, 50)))
	golden.File(t, "testdata/definitions-nousage.txt", definitionsText(t, example1(metrics.InReasoning, 0)))
	golden.File(t, "testdata/definitions-many.txt", definitionsText(t, example1(metrics.InReasoning, 50), example1(metrics.InReasoningContent, 50)))
}

// A request without a chunk has no figures: the reason stands in their place.
func TestDefinitionsOfNothing(t *testing.T) {
	s := metrics.Stream{ID: 3, State: metrics.Failed, Marks: metrics.NewMarks(), Usage: metrics.NoUsage()}
	got := definitionsText(t, metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})})
	if !strings.Contains(got, "request 3: ") || strings.Contains(got, "vLLM") {
		t.Errorf("%q", got)
	}
}

// The name of a file commands no terminal.
func TestDefinitionsOfAHostileName(t *testing.T) {
	run := example1(metrics.InReasoning, 50)
	for _, runs := range [][]metrics.Run{{run}, {run, run}} {
		var b strings.Builder
		d := Definitions{Name: "\x1b]0;PWNED\a\u009b\u202e.ndjson", Runs: runs}
		if err := put(&b, d.Doc().Text(0)); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(b.String(), "\x1b\a\u009b\u202e") || !strings.Contains(b.String(), ".ndjson") {
			t.Errorf("%.80q", b.String())
		}
	}
}
