package result

import (
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// groupedRun is an ended request with a TTFT in ms.
func groupedRun(id int, url string, reused bool, ttft float64) metrics.Run {
	s := metrics.Stream{ID: id, State: metrics.Done, Model: "m", Endpoint: metrics.Endpoint{Name: "a", URL: url},
		Marks: metrics.NewMarks(),
		Work:  metrics.Workload{Prompt: "p", MaxTokens: 9}, Conn: metrics.Connection{Proto: "HTTP/1.1", Reused: reused},
		Usage: metrics.NoUsage()}
	s.Marks.GotConn, s.Marks.Sent = 0, 0
	s.Chunks = []metrics.Chunk{{At: metrics.Stamp(ttft * 1e6), Tokens: 1}}
	return metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
}

// TestASessionIsNeverPooled checks that a document of two endpoints, one of
// them cold and warm, has a summary for each of the three, and none over two.
func TestASessionIsNeverPooled(t *testing.T) {
	runs := []metrics.Run{
		groupedRun(1, "http://a/v1", false, 500), groupedRun(2, "http://a/v1", true, 100), groupedRun(3, "http://b/v1",
			false, 20_000),
		groupedRun(4, "http://a/v1", true, 200),
	}
	d := SessionDocumentOf("test", runs, nil)
	want := []struct {
		url  string
		warm bool
		ids  []int
		mean float64
	}{{"http://a/v1", false, []int{1}, 500}, {"http://a/v1", true, []int{2, 4}, 150}, {"http://b/v1", false, []int{3},
		20_000}}
	testkit.Given(t, len(d.Groups) == len(want) && len(d.runs) == 4, "%d groups, %d requests", len(d.Groups), len(d.runs))
	for i, w := range want {
		g := &d.Groups[i]
		if g.Endpoint.URL != w.url || g.Link.Reused == nil || *g.Link.Reused != w.warm || !slices.Equal(g.Requests, w.ids) ||
			g.Summary.TTFT.Mean.V != w.mean {
			t.Errorf("group %d: %+v", i, *g)
		}
	}
	testkit.That(t, d.Endpoint.URL == "http://a/v1" && d.Summary.TTFT.Mean.V == 150 && d.Summary.TTFT.N == 2,
		"the head has %s with a mean of %v", d.Endpoint.URL, d.Summary.TTFT.Mean.V)
	one := SessionDocumentOf("test", runs[:1], nil)
	testkit.That(t, one.Groups == nil && one.Summary.TTFT.Mean.V == 500, "equal requests have groups: %+v", one.Groups)
}
