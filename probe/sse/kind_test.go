package sse

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func TestKindOf(t *testing.T) {
	for line, want := range map[string]Kind{
		"": Blank, ":": Comment, ": data: x": Comment, ":[DONE]": Comment,
		"data": Field, "data:": Field, "data: \t ": Field, "event: ping": Field, "id: 1": Field, "database: x": Field, "[DONE]": Field, " data: x": Field,
		"data: x": Data, "data:x": Data, "data: [DONE] x": Data, "error: {}": Data, "error:": Data, "error: [DONE]": Data,
		"data: [DONE]": Data, `data: "[DONE]"`: Data,
	} {
		testkit.Is(t, KindOf([]byte(line)), want, line)
	}
	line := []byte(`data: {"choices":[{"delta":{"content":"x"}}]}`)
	testkit.Allocates(t, 0, 100, func() { KindOf(line) })
}

// What KindOf says of a line by itself is what the assembler makes of it: an
// event comes of data alone, and a comment of a comment.
func TestKindsAreWhatBecomesOfLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"data", "error", "event", "id", ":", ":", " ", "\t", "[DONE]", `"[DONE]"`, "{", "}", "x", "世"})
		line := ""
		for range rapid.IntRange(0, 5).Draw(t, "pieces") {
			line += piece.Draw(t, "piece")
		}
		var a Assembler
		var got []Kind
		emit := func(e Event) {
			switch {
			case e.Comment:
				got = append(got, Comment)
			default:
				got = append(got, Data)
			}
		}
		a.Push(Line{Data: []byte(line), At: metrics.NoStamp}, emit)
		a.Flush(emit)
		want := KindOf(bytes.TrimLeft([]byte(line), " \t")) // blanks before the first line do not count
		if want == Field || want == Blank {
			testkit.Given(t, len(got) == 0, "%q is %d and made %v", line, want, got)
			return
		}
		testkit.Given(t, len(got) == 1 && got[0] == want, "%q is %d and made %v", line, want, got)
	})
}
