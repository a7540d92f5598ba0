package result_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/verdict"
	"tokscope/probe/result"
)

// TestADocumentSaysWhatItShows holds the findings of each request and of all,
// with their numbers, and the sentences that the program passes.
func TestADocumentSaysWhatItShows(t *testing.T) {
	runs := make([]metrics.Run, 5)
	for i := range runs {
		s := metrics.Stream{ID: i + 1, State: metrics.Done, Finish: "stop", Marks: metrics.NewMarks(),
			Usage: metrics.NoUsage()}
		s.Marks.Sent, s.Conn.Reused = 0, true
		wait := metrics.Stamp(200e6)
		if i == 4 {
			wait = 700e6
		}
		for n := range 60 {
			at := wait + metrics.Stamp(n)*20e6
			s.Text = append(s.Text, "word "...)
			s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: int32(n), Event: int32(n),
				TextEnd: int32(len(s.Text)), Tokens: -1})
		}
		s.Marks.End = s.Chunks[59].At
		s.Usage.Completion, s.TokensFrom = 60, metrics.TokensUsage
		runs[i] = metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
	}
	seen := 0
	doc := result.DocumentOf("v0", runs,
		result.SayOf(func(found []verdict.Finding) string { seen += len(found); return "said" }))
	var b bytes.Buffer
	testkit.OK(t, doc.Write(&b))
	var back result.Document
	testkit.OK(t, result.Unmarshal(b.Bytes(), &back))
	if back.Conclusion != "said" || len(back.Findings) < 2 || back.Findings[0].Code != "first_token" ||
		back.Findings[0].Of != 5 || back.Findings[0].Ms != 200 {
		t.Errorf("%q %+v", back.Conclusion, back.Findings)
	}
	last := back.Requests[4]
	if last.Conclusion != "said" || last.Findings[0].Code != "earlier_ttft" || last.Findings[0].Grade != verdict.Bad ||
		last.Findings[0].N != 4 || last.Findings[0].High != 200 ||
		last.Findings[0].Evidence[0] != "earlier_runs" {
		t.Errorf("%q %+v", last.Conclusion, last.Findings)
	}
	for _, f := range back.Requests[3].Findings {
		testkit.That(t, f.Code != "earlier_ttft" && (f.Code != "speed" || f.Unit == "tokens" && f.Rate == 50), "%+v", f)
	}
	testkit.That(t, seen != 0, "no sentence was asked for")
}

// TestWhatCountsChunksFrom holds that the schema says from where each number of a
// chunk counts, and that the numbers of one stall are so.
func TestWhatCountsChunksFrom(t *testing.T) {
	s := metrics.Stream{ID: 1, State: metrics.Done, Marks: metrics.NewMarks(), Usage: metrics.NoUsage()}
	s.Marks.Sent = 0
	for n := range 60 {
		at := metrics.Stamp(200e6) + metrics.Stamp(n)*20e6
		if n >= 40 {
			at += 900e6
		}
		s.Text = append(s.Text, "word "...)
		s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: int32(n), Event: int32(n),
			TextEnd: int32(len(s.Text)), Tokens: -1})
	}
	s.Marks.End = s.Chunks[59].At
	s.Path = &metrics.Path{Source: metrics.PathTCPInfo, Gaps: []metrics.PathGap{{Chunk: 40, Ms: 920, Usual: 20,
		Segments: 1, Together: 1, Counted: true}}}
	f := metrics.Measure(&s, metrics.Options{})
	d := result.DocumentOf("v1", []metrics.Run{{Stream: s, Figures: f}}, nil)
	r := d.Request(0)
	at := map[string]int{"Figures.longest_gap_chunk": r.Figures.LongestChunk, "Stall.chunk": r.Figures.Stalls[0].Chunk,
		"PathGap.chunk": r.Path.Gaps[0].Chunk}
	for _, found := range r.Findings {
		if found.Code == verdict.Stalls {
			at["Finding.chunk"] = found.Chunk
		}
	}
	defs := schemaOfTypes(t, "probe-v1", "", []any{result.Document{}})["$defs"].(object)
	for name, from := range map[string]int{"Figures.longest_gap_chunk": 0, "Stall.chunk": 0, "PathGap.chunk": 1,
		"Finding.chunk": 1} {
		got, ok := at[name]
		testkit.That(t, ok && got == 40+from, "%s is %d, want %d", name, got, 40+from)
		typ, field, _ := strings.Cut(name, ".")
		doc, _ := defs[typ].(object)["properties"].(object)[field].(object)["description"].(string)
		want := fmt.Sprintf(", from %d", from)
		testkit.That(t, strings.Contains(doc, want), "the description of %s is %q, without %q", name, doc, want)
	}
}
