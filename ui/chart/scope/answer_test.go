package scope

import (
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/themes"
)

// TestAnswerRule holds that the rule between reasoning and answer stands in the
// column of the first chunk of the answer, with a name on each side, and that no
// stream without reasoning has one.
func TestAnswerRule(t *testing.T) {
	st := request(0, 200, slices.Repeat([]float64{40, 90}, 12), metrics.Done)
	first := st.Chunks[10].At
	d := of(&st)
	d.Answer = float64(first-st.Marks.Sent) / 1e6
	var s Scope
	g := drawn(&s, d, 117, 14)
	x, ok := s.placeOf(d, 10)
	if !ok {
		t.Fatal("the chunk is not in view")
	}
	marked := 0
	for i, c := range s.dots.cells {
		if c.role == themes.Decode {
			if marked++; i%s.dots.w != x/2 {
				t.Errorf("a dot of the rule in column %d, the answer begins in %d", i%s.dots.w, x/2)
			}
		}
	}
	if marked < s.plot.H/2 {
		t.Errorf("the rule has %d of %d rows", marked, s.plot.H)
	}
	text := g.Plain()
	for line := range strings.Lines(text) {
		if left, _, ok := strings.Cut(line, " answer"); ok {
			if n := len([]rune(left)); n != s.plot.X+x/2+1 {
				t.Errorf("the answer's name begins in column %d, the rule is in %d", n, s.plot.X+x/2)
			}
		}
	}
	if strings.Count(text, "reasoning ") != 1 || strings.Count(text, " answer") != 1 {
		t.Errorf("the names of both sides:\n%s", text)
	}
	d.Answer = 0
	if text := drawn(new(Scope), d, 117, 14).Plain(); strings.Contains(text, "answer") {
		t.Errorf("an answer without reasoning before it:\n%s", text)
	}
}

// TestAnswerNamesHideNothing holds that the names leave out a side without room
// rather than cover the trace.
func TestAnswerNamesHideNothing(t *testing.T) {
	st := request(0, 200, slices.Repeat([]float64{40, 90}, 12), metrics.Done)
	d := of(&st)
	for i := range st.Chunks {
		var plain, named Scope
		d.Answer = 0
		drawn(&plain, d, 60, 9)
		d.Answer = max(float64(st.Chunks[i].At-st.Marks.Sent)/1e6, 1)
		drawn(&named, d, 60, 9)
		for k, c := range plain.dots.cells {
			if c.layer == trace && named.dots.cells[k].layer != trace {
				t.Fatalf("an answer from chunk %d on covers a chunk", i)
			}
		}
	}
}
