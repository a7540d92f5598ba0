package result_test

import (
	"bytes"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/definition"
	"tokscope/metrics/pick"
	"tokscope/metrics/testkit"
	"tokscope/metrics/testkit/example"
	"tokscope/probe/result"
)

// A figure of the document is that of the rule, or null with the reason.
func TestWriteDefinitions(t *testing.T) {
	s := example.Stream(metrics.InReasoning, 50)
	runs := []metrics.Run{{Stream: *s, Figures: metrics.Measure(s, metrics.Options{})},
		{Stream: metrics.Stream{ID: 2, Marks: metrics.NewMarks()}}}
	var b bytes.Buffer
	testkit.OK(t, result.WriteDefinitions(&b, runs, "v", result.SayOf(metrics.Why.String)))
	validate(t, "definitions-v1", b.Bytes())
	var d result.Definitions
	testkit.OK(t, result.Unmarshal(b.Bytes(), &d))
	rules := pick.Count(definition.Rules, func(r *definition.Rule) bool { return r.Reads("") })
	if len(d.Requests) != 2 || len(d.Requests[0].Rules) != rules || d.Requests[1].Why == "" ||
		len(d.Requests[1].Rules) != 0 {
		t.Fatalf("%+v", d.Requests)
	}
	for _, r := range d.Requests[0].Rules {
		for i, v := range r.Figures {
			if v.OK != (v.Why == 0) {
				t.Errorf("%s of %s is %+v", r.Figures.Keys()[i], r.Rule.Tool, v)
			}
		}
		if r.Rule.Tool == "AIPerf" && (r.Figures[1].OK || r.ByServer["itl_ms"] < 12 || r.Count != definition.ByTokenizer) {
			t.Errorf("AIPerf: %+v", r)
		}
	}
	testkit.That(t, len(d.Together) == rules && d.Together[0].Requests == 1, "together: %+v", d.Together)
}
