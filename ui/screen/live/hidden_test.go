package live

import (
	"fmt"
	"math"
	"testing"

	"tokscope/metrics"
	"tokscope/ui/chart/scope"
)

// TestHiddenThinkingIsSaid: while a model thinks and shows nothing, the wait says so, with
// the server's estimate.
func TestHiddenThinkingIsSaid(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		v := scene("waiting")
		v.Stream.State, v.Stream.Thinking = metrics.Decoding, 1240
		v.Stream.Text = nil
		at := func(ago metrics.Stamp, read int32) metrics.Chunk {
			return metrics.Chunk{At: v.Now - ago, User: v.Now - ago, Read: read, Kind: metrics.Reasoning, Tokens: 620}
		}
		v.Stream.Chunks = []metrics.Chunk{at(1e8, 1), at(5e7, 2)}
		v.Stream.LastData, v.Stream.Marks.Headers = v.Now-5e7, v.Stream.Marks.Sent+1e6
		measured(v)
		if ms, ok := v.Stream.Gap(1); ok {
			t.Errorf("a gap of %v ms between estimates", ms)
		}
		says(t, fmt.Sprint(size), frame(v, size[0], size[1]), "▸ thinking                 100 ms", "reasoning 100 ms",
			"about 1,240 tokens", "not:decode")
	}
}

// TestAToolHasItsOwnPattern: the work of a tool is drawn as no other phase, without color too,
// what overlaps counts once, and the phases still add up.
func TestAToolHasItsOwnPattern(t *testing.T) {
	v := layOut("reused", "prefill 500ms", "60 x 20ms", "stall 4s", "60 x 20ms", "done").view(-1)
	last := v.Stream.Chunks[59].At
	v.Stream.Waits = []metrics.Wait{{Name: "web_search", From: last + 1e6, To: last + 3e9}, {Name: "code", From: last + 2e9, To: last + 3500e6}}
	measured(v).Findings = conclude(v)
	says(t, "two tools", frame(v, 200, 50), "2 tools of the server ran for 3.50 s", "⠤ web_search 3.00 s", "⠤ code 500 ms", "not:paused")
	s := newPicture()
	drawnBy(s, v, 120, 40)
	sum := 0.0
	for _, f := range s.scope.list {
		for _, x := range s.scope.list {
			if (f.Kind == scope.Tool) != (x.Kind == scope.Tool) && (f.Fill == x.Fill || f.Role == x.Role) {
				t.Errorf("%s looks like %s", f.Name, x.Name)
			}
		}
		if f.Kind >= scope.Waiting {
			sum += f.Ms
		}
	}
	if want := float64(v.Stream.Chunks[len(v.Stream.Chunks)-1].At-v.Stream.Marks.Sent) / 1e6; math.Abs(sum-want) > 1e-6 {
		t.Errorf("the phases add up to %v of %v ms", sum, want)
	}
}
