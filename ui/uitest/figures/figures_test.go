package figures

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/probe/result"
	"tokscope/ui/draw"
	"tokscope/ui/report"
	"tokscope/ui/say"
	"tokscope/ui/screen/live"
	"tokscope/ui/uitest"
)

// stream is an ended request with reasoning, an answer of two sentences, a stall
// and a burst, and all that a server can report.
func stream() metrics.Stream {
	b := uitest.New().Backend
	b.Begin(metrics.Workload{Name: "chat", Prompt: "Why?", MaxTokens: 400})
	b.Advance(5 * time.Millisecond)
	b.Sent()
	b.Advance(212 * time.Millisecond)
	for range 30 {
		b.ChunkOf(metrics.Reasoning, "so ")
		b.Advance(11 * time.Millisecond)
	}
	for i := range 130 {
		b.Chunk("word ")
		switch i {
		case 20, 60:
			b.Chunk("done. Then ")
		case 50:
			b.Chunk("burst ")
		case 90:
			b.Advance(1300 * time.Millisecond)
		}
		b.Advance(11 * time.Millisecond)
	}
	b.Finish()
	s := b.Runs()[0].Stream
	s.Usage.Reasoning, s.Usage.Cached = 30, 12
	s.Endpoint.Price = metrics.Price{In: 1, Out: 2, Currency: "USD"}
	for _, name := range []string{metrics.ServerQueue, metrics.ServerPrefill, metrics.ServerDecode} {
		s.Server = append(s.Server, metrics.ServerTime{Name: name, D: 150e6, From: "x"})
	}
	return s
}

// TestEveryFigureIsShown holds that each row of the table is on the panel of all
// figures, in JSON, in CSV and a term of the history, as its flags say. That it has a
// definition holds ui/say.
func TestEveryFigureIsShown(t *testing.T) {
	t.Parallel()
	s := stream()
	run := metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}

	g := draw.New(199, 48)
	v := live.View{Stream: s, Figures: run.Figures, Now: s.Now, Endpoint: s.Endpoint, Max: live.NowPanel}
	live.DrawView(g, g.Bounds(), &v)
	panel := g.Plain()

	var csv bytes.Buffer
	testkit.OK(t, report.ProbeCSV(&csv, []metrics.Run{run}))
	head, _, _ := strings.Cut(csv.String(), "\n")
	var data bytes.Buffer
	request := result.RequestOf(&s, &run.Figures)
	testkit.OK(t, result.Sentences(say.Texts).WriteLine(&data, &request))
	for _, f := range figure.All() {
		testkit.That(t, f.Section == figure.Hidden || strings.Contains(panel, f.Row+" "),
			"%s is not on the panel as %q", f.Label, f.Row)
		inJSON := strings.Contains(data.String(), `"`+f.Key+`"`)
		testkit.That(t, f.Section == figure.Hidden || f.Key == "" || f.ID == figure.Cost || inJSON,
			"%s has no %s in JSON", f.Label, f.Key)
		testkit.That(t, !f.CSV || strings.Contains(","+head+",", ","+f.Key+","), "%s has no column %s", f.Label, f.Key)
	}
	for f := range figure.Kept {
		_, err := history.ParseFilter(f.String()+">1", time.Time{})
		testkit.That(t, err == nil, "%v", err)
	}
}
