package result_test

import (
	"bytes"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/stats"
	"tokscope/metrics/testkit"
	"tokscope/probe/result"
	"tokscope/probe/secret"
)

// The document of requests whose chunks were dropped says how much, and where
// a text is missing.
func TestDocumentOfTrimmedRuns(t *testing.T) {
	trim := metrics.Trimmer{Room: 200}
	var runs []metrics.Run
	for range 3 {
		v := metrics.Stream{
			ID: len(runs) + 1, State: metrics.Done, Wall: time.Unix(0, 0), Marks: metrics.NewMarks(), Usage: metrics.NoUsage(),
			LiveTokens: -1,
			Text:       []byte("two words"), Chunks: []metrics.Chunk{{At: 2e6, User: 2e6, TextEnd: 4},
				{At: 9e6, User: 9e6, Read: 1,
					Event: 1, TextEnd: 9}},
		}
		v.Marks.Sent = 0
		r := metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{})}
		trim.Add(&r)
		runs = append(runs, r)
	}
	doc := result.DocumentOf("test", runs, nil)
	doc.WithTexts(secret.NewScrubber())
	var out bytes.Buffer
	testkit.OK(t, doc.Write(&out))
	validate(t, "probe-v1", out.Bytes())
	var have result.Document
	testkit.OK(t, result.Unmarshal(out.Bytes(), &have))
	if l := have.Summary.LeftOut; l == nil || l.Requests != 1 || l.Chunks != 2 || l.Text != 9 ||
		have.Summary.Gaps.N != 3 || have.Summary.Gaps.Method != stats.SketchMethod {
		t.Errorf("%+v", have.Summary)
	}
	for i, r := range have.Requests {
		if kept := i < 2; kept != (r.Text != nil && *r.Text == "two words") || kept != (r.TextLeftOut == 0) {
			t.Errorf("request %d: %+v", i+1, r)
		}
	}
}
