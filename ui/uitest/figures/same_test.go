package figures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/verdict"
	"tokscope/probe/result"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/say"
	"tokscope/ui/screen/live"
)

// TestAStalledRunIsTheSameEverywhere takes one run with a pause and holds that the screen,
// the sentence, the ticket, the text and the list of probe, JSON, CSV, a replay of the JSON
// and the history have the same cost, length, chunk and moment of it, and the same TTFT.
func TestAStalledRunIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	s := stream()
	f := metrics.Measure(&s, metrics.Options{})
	run := metrics.Run{Stream: s, Figures: f}
	if len(f.Stalls) != 1 || !f.StallCost.OK {
		t.Fatalf("%+v", f.Stalls)
	}
	stall := f.Stalls[0]
	chunk, pause, cost := format.Count(stall.Chunk+1), format.Ms(stall.Ms), format.Ms(f.StallCost.V)
	at := format.Ms(metrics.Since(s.Marks.Sent, stall.At, 0).V)
	found := verdict.Of(verdict.Input{Stream: &s, Figures: &f, Now: s.Marks.End})
	sentence := say.Conclusion(found)

	g := draw.New(200, 50)
	live.DrawView(g, g.Bounds(), &live.View{Stream: s, Figures: f, Findings: found, Now: s.Now, Endpoint: s.Endpoint})
	all := draw.New(199, 48)
	live.DrawView(all, all.Bounds(), &live.View{Stream: s, Figures: f, Now: s.Now, Endpoint: s.Endpoint, Max: live.NowPanel})
	var csv, data bytes.Buffer
	if err := report.ProbeCSV(&csv, []metrics.Run{run}); err != nil {
		t.Fatal(err)
	}
	doc := result.DocumentOf("v", []metrics.Run{run}, say.Texts)
	if err := doc.Write(&data); err != nil {
		t.Fatal(err)
	}
	until := " until chunk " + chunk + " at " + at
	for where, c := range map[string]struct {
		text string
		has  []string
	}{
		"the sentence":     {sentence, []string{"A pause of " + pause + until}},
		"the screen":       {g.Plain(), []string{pause, "chunk " + chunk, format.Percent(f.StallShare.V) + " of decode", format.Ms(f.TTFT.V)}},
		"the panel of all": {oneLine(all.Plain()), []string{pause, cost + " over the usual gap, " + format.Percent(f.StallShare.V)}},
		"the ticket":       {report.Ticket(&run, found, report.Origin{}, ""), []string{sentence, format.Ms(f.TTFT.V)}},
		"the report":       {report.Run(run, found, report.Origin{}).Text(0), []string{cost, pause, chunk}},
		"the probe":        {oneLine(report.Probe([]metrics.Run{run}, report.Form{}).Text(0)), []string{oneLine(sentence), cost}},
		"CSV":              {csv.String(), []string{fmt.Sprintf(",%g,", f.StallCost.V)}},
	} {
		for _, want := range c.has {
			if !strings.Contains(c.text, want) {
				t.Errorf("%s lacks %q:\n%s", where, want, c.text)
			}
		}
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
	if err := json.Unmarshal(data.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	var figures struct {
		Stall_cost_ms     float64
		Longest_gap_chunk int
		Stalls            []struct {
			Chunk  int
			At_ns  int64
			Gap_ms float64
		}
	}
	if err := json.Unmarshal(got.Requests[0].Figures, &figures); err != nil {
		t.Fatal(err)
	}
	j := figures.Stalls[0]
	if got.Conclusion != sentence || figures.Stall_cost_ms != f.StallCost.V || j.Chunk != stall.Chunk+1 || figures.Longest_gap_chunk != j.Chunk ||
		j.Gap_ms != stall.Ms || format.Ms(float64(j.At_ns-got.Requests[0].Marks.Sent_ns)/1e6) != at {
		t.Errorf("JSON: %q %+v", got.Conclusion, figures)
	}
	for _, x := range got.Findings {
		if x.Code == string(verdict.Stalls) && (x.Chunk != j.Chunk || x.Ms != j.Gap_ms || format.Ms(x.At_ms) != at) {
			t.Errorf("the finding in JSON: %+v, the figures: %+v", x, j)
		}
		if x.Code == string(verdict.Speed) && x.Ms != figures.Stall_cost_ms {
			t.Errorf("the finding on speed says that stalls cost %v ms", x.Ms)
		}
	}

	var back metrics.Figures
	if err := result.Unmarshal(got.Requests[0].Figures, &back); err != nil || back.Stalls[0] != stall || back.LongestChunk != f.LongestChunk || back.StallCost.V != f.StallCost.V {
		t.Errorf("read again: %v, %+v", err, back.Stalls)
	}
	if kept := history.FiguresOf(&s, &f); kept[history.TTFT] != f.TTFT || kept[history.Longest] != f.Longest || kept[history.Speed] != f.Speed {
		t.Errorf("the history has %+v", kept)
	}
}

// oneLine is text without the line breaks of its width.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
