package report

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit/example"
)

func example1(in metrics.ReasoningFields, completion int) metrics.Run {
	s := example.Stream(in, completion)
	s.ID = 1
	return metrics.Run{Stream: *s, Figures: metrics.Measure(s, metrics.Options{})}
}

// TestDefinitions shows what the definitions make of streams.
func TestDefinitions(t *testing.T) {
	of := func(runs ...metrics.Run) *Doc { return Definitions("a\x1b]0;x\a\u202e.ndjson", runs, false) }
	none := metrics.Stream{ID: 3, State: metrics.Failed, Marks: metrics.NewMarks(), Usage: metrics.NoUsage()}
	one, other := example1(metrics.InReasoning, 50), example1(metrics.InReasoningContent, 50)
	show(t, "definitions",
		scene{"a stream", of(one)},
		scene{"its reasoning in another field", of(other)},
		scene{"the server counted nothing", of(example1(metrics.InReasoning, 0))},
		scene{"two streams", of(one, other)},
		scene{"no chunk", of(metrics.Run{Stream: none, Figures: metrics.Measure(&none, metrics.Options{})})})
}
