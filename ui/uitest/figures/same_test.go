package figures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/metrics/verdict"
	stored "tokscope/probe/history"
	"tokscope/probe/result"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/say"
	"tokscope/ui/screen/live"
	"tokscope/ui/uitest"
)

// TestAStalledRunIsTheSameEverywhere takes one run with a pause and holds that the screen,
// the sentence, the ticket, the text and the list of probe, JSON, CSV, its replay and the
// history, on the command line too, have the same cost, length, chunk and moment of it, the
// same TTFT, TPOT, speed and tokens, and no trend, and that its replay calls it by its
// number in the file.
func TestAStalledRunIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	s := stream()
	f := metrics.Measure(&s, metrics.Options{})
	run := metrics.Run{Stream: s, Figures: f}
	testkit.Given(t, len(f.Stalls) == 1 && f.StallCost.OK, "%+v", f.Stalls)
	stall := f.Stalls[0]
	chunk, pause, cost := format.Count(stall.Chunk+1), format.Ms(stall.Ms), format.Ms(f.StallCost.V)
	at := format.Ms(metrics.Since(s.Marks.Sent, stall.At, 0).V)
	testkit.Given(t, !f.HasTrend(), "a pause is a trend of %v", f.Trend)
	found := verdict.Of(verdict.Input{Stream: &s, Figures: &f, Now: s.Marks.End})
	sentence := say.Conclusion(found)

	g := drawn(&live.View{Stream: s, Figures: f, Findings: found, Now: s.Now, Endpoint: s.Endpoint})
	all := draw.New(199, 48)
	live.DrawView(all, all.Bounds(), &live.View{Stream: s, Figures: f, Now: s.Now, Endpoint: s.Endpoint,
		Max: live.NowPanel})
	back := replayed(t, run)
	var csv, data bytes.Buffer
	testkit.OK(t, report.ProbeCSV(&csv, []metrics.Run{run}))
	doc := result.DocumentOf("v", []metrics.Run{run}, say.Texts)
	testkit.OK(t, doc.Write(&data))
	usual := []string{format.Ms(f.TTFT.V), format.Ms(f.TPOT.V), format.Rate(f.Speed.V), format.Whole(f.Tokens.V)}
	until := " until chunk " + chunk + " at " + at
	for where, c := range map[string]struct {
		text string
		has  []string
	}{
		"the sentence": {sentence, []string{"A pause of " + pause + until}},
		"the screen": {g, append(usual[2:], // TPOT is drawn large
			format.Ms(f.TTFT.V), pause, "chunk "+chunk, format.Percent(f.StallShare.V)+" of decode")},
		"the panel of all": {oneLine(all.Plain()),
			append(usual, pause, cost+" over the usual gap, "+format.Percent(f.StallShare.V))},
		"the replay": {drawn(back), []string{pause, "chunk " + chunk, format.Percent(f.StallShare.V) + " of decode",
			format.Ms(f.TTFT.V),
			"request 7 ", " 7  ", " 1 run"}},
		"its sentence": {say.Conclusion(back.Findings), []string{sentence}},
		"tokscope history": {remembered(t, run), []string{" " + format.Ms(f.TTFT.V) + " ", " " + format.Ms(f.TPOT.V) + " ",
			format.Number(f.Speed.V)}},
		"the ticket":     {report.Ticket(&run, found, report.Origin{}, ""), append(usual, sentence)},
		"the summary":    {report.Runs([]metrics.Run{run}, report.Form{}).Text(0), usual},
		"the plain text": {report.Probe([]metrics.Run{run}, report.Form{Whole: true}).Text(0), append(usual, pause)},
		"the probe": {oneLine(report.Probe([]metrics.Run{run}, report.Form{}).Text(0)),
			append(usual, oneLine(sentence), cost, pause, chunk)},
		"CSV": {csv.String(), []string{fmt.Sprintf(",%g,", f.StallCost.V)}},
	} {
		for _, want := range c.has {
			testkit.That(t, strings.Contains(c.text, want), "%s lacks %q:\n%s", where, want, c.text)
		}
		testkit.That(t, !strings.Contains(c.text, "per 1000 tokens"), "%s has a trend:\n%s", where, c.text)
	}

	var got struct {
		Conclusion string
		Findings   []struct {
			Code      string
			Chunk     int
			Ms, At_ms float64
		}
		Requests []struct {
			Figures json.RawMessage
			Marks   struct{ Sent_ns int64 }
		}
	}
	testkit.OK(t, json.Unmarshal(data.Bytes(), &got))
	var figures struct {
		Stall_cost_ms     float64
		Longest_gap_chunk int
		Stalls            []struct {
			Chunk  int
			At_ns  int64
			Gap_ms float64
		}
	}
	testkit.OK(t, json.Unmarshal(got.Requests[0].Figures, &figures))
	j := figures.Stalls[0]
	if got.Conclusion != sentence || figures.Stall_cost_ms != f.StallCost.V || j.Chunk != stall.Chunk+1 ||
		figures.Longest_gap_chunk != j.Chunk ||
		j.Gap_ms != stall.Ms || format.Ms(float64(j.At_ns-got.Requests[0].Marks.Sent_ns)/1e6) != at {
		t.Errorf("JSON: %q %+v", got.Conclusion, figures)
	}
	for _, x := range got.Findings {
		if x.Code == string(verdict.Stalls) && (x.Chunk != j.Chunk || x.Ms != j.Gap_ms || format.Ms(x.At_ms) != at) {
			t.Errorf("the finding in JSON: %+v, the figures: %+v", x, j)
		}
		testkit.That(t, x.Code != string(verdict.Speed) || x.Ms == figures.Stall_cost_ms,
			"the finding on speed says that stalls cost %v ms", x.Ms)
	}

	var again metrics.Figures
	if err := result.Unmarshal(got.Requests[0].Figures, &again); err != nil || again.Stalls[0] != stall ||
		again.LongestChunk != f.LongestChunk ||
		again.StallCost.V != f.StallCost.V || again.HasTrend() {
		t.Errorf("read again: %v, %+v", err, again.Stalls)
	}
	if kept := history.FiguresOf(&s, &f); kept[history.TTFT] != f.TTFT || kept[history.Longest] != f.Longest ||
		kept[history.Speed] != f.Speed {
		t.Errorf("the history has %+v", kept)
	}
}

// TestATrendIsTheSameEverywhere: gaps that grow are named on the screen and in the report
// alike.
func TestATrendIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	b := uitest.New().Backend
	b.Begin(metrics.Workload{Name: "chat", Prompt: "Why?", MaxTokens: 400})
	b.Sent()
	for i := range 300 {
		b.Advance(10*time.Millisecond + time.Duration(i)*20*time.Microsecond)
		b.Chunk("word ")
	}
	b.Finish()
	run := b.Runs()[0]
	s, f := &run.Stream, &run.Figures
	want := format.Change(f.Trend.V/100) + " per 1000 tokens"
	screen, text := drawn(&live.View{Stream: *s, Figures: *f, Now: s.Now, Endpoint: s.Endpoint}),
		report.Probe([]metrics.Run{run}, report.Form{}).Text(0)
	testkit.That(t, f.HasTrend() && strings.Contains(text, want) && strings.Contains(screen, want),
		"a trend of %q, not in\n%s\nor in\n%s", want, text, screen)
}

// drawn is the screen of v.
func drawn(v *live.View) string {
	g := draw.New(200, 50)
	live.DrawView(g, g.Bounds(), v)
	return g.Plain()
}

// replayed is what the screen of a replay shows at the end of run, which is request 7 of
// its file and has another number in this program.
func replayed(t *testing.T, run metrics.Run) *live.View {
	b := uitest.New()
	run.Stream.ID = 7
	b.SetReplay("session.ndjson", run)
	b.ReplayEdge(1)
	r, ok := b.ReplayState()
	s := b.ReplayStream()
	testkit.Given(t, ok && s.ID != 7, "the replay of request 7 is %+v, in the program number %d", r, s.ID)
	f := metrics.Measure(&s, metrics.Options{})
	return &live.View{Stream: s, Figures: f, Runs: b.ReplayRuns(), Now: s.Now, Endpoint: s.Endpoint,
		Findings: verdict.Of(verdict.Input{Stream: &s, Figures: &f, Now: s.Marks.End}),
		File:     r.File, Place: say.ReplayPlace(&r), Request: say.ReplayRequest(&r)}
}

// remembered is what `tokscope history` prints of run alone.
func remembered(t *testing.T, run metrics.Run) string {
	dir := t.TempDir()
	kept := testkit.Must(stored.Open(dir))(t)
	kept.Now = func() time.Time { return run.Stream.Wall.Add(time.Hour) }
	w := stored.NewWriter(kept, stored.Source{})
	w.Run(history.Probe, stored.NewGroup(), &run.Stream, &run.Figures)
	testkit.OK(t, w.Close(time.Minute))
	v := testkit.Must(kept.View(history.Query{Limit: 10}))(t)
	return report.History(&v, nil, "", dir).Text(0)
}

// oneLine is text without the line breaks of its width.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
