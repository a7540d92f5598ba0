package live

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

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
		says(t, fmt.Sprint(size), frame(v, size[0], size[1]), "▸ thinking                 100 ms", "reasoning 100 ms", "not:decode")
		if g := frame(v, size[0], size[1]).Plain(); !strings.Contains(g, "thinking") || !strings.Contains(g, "about 1,240 tokens") {
			t.Errorf("%v: it does not say that the model thinks:\n%s", size, g)
		}
		v = scene("waiting") // Gemini counts what it thinks, and sends nothing
		v.Stream.Marks.FirstEvent, v.Stream.Usage.Reasoning = v.Now-1e8, 840
		if g := frame(v, size[0], size[1]).Plain(); !strings.Contains(g, "thinking ") || !strings.Contains(g, "840 tokens so far") {
			t.Errorf("%v: it does not say that the model thinks:\n%s", size, g)
		}
		v.Stream.Usage.Reasoning, v.Stream.Thinks = 0, true // Messages begins a block of it
		if g := frame(v, size[0], size[1]).Plain(); !strings.Contains(g, "thinking ") || !strings.Contains(g, "no text of it yet") {
			t.Errorf("%v: it does not say that the model thinks:\n%s", size, g)
		}
	}
}

// TestAServersToolIsNamed: while a tool of the server works, the screen names it, and nothing
// is stalled.
func TestAServersToolIsNamed(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		v := scene("decoding")
		v.Now = v.Stream.LastData + 6e9
		if g := frame(v, size[0], size[1]).Plain(); !strings.Contains(g, "stalled") {
			t.Fatalf("%v: nothing is stalled without a tool:\n%s", size, g)
		}
		v.Stream.Waits = []metrics.Wait{{Name: "web_search", From: v.Stream.LastData, To: metrics.NoStamp}}
		v.Findings = conclude(v)
		g := frame(v, size[0], size[1]).Plain()
		if !strings.Contains(g, "waiting for web_search") || !strings.Contains(g, "web_search 6.0") ||
			strings.Contains(strings.ToLower(g), "the pause") || strings.Contains(g, "stalled") || strings.Contains(g, "nothing for") {
			t.Errorf("%v: the wait for the tool is not named:\n%s", size, g)
		}
	}
}

// TestAModelOfOllamaMayLoad: Ollama sends nothing while it loads a model, and the wait says so.
func TestAModelOfOllamaMayLoad(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		v := scene("waiting")
		v.Stream.Endpoint.API = "ollama"
		if g := frame(v, size[0], size[1]).Plain(); !strings.Contains(g, "the model may be loading") {
			t.Errorf("%v: it does not say that a model may load:\n%s", size, g)
		}
	}
}

// TestAToolBeforeTheFirstToken: a tool of the server can work before the model says a word.
// While it does, and after it, the time is its own and no part of the queue or the prefill.
func TestAToolBeforeTheFirstToken(t *testing.T) {
	v := layOut("reused", "prefill 5s", "60 x 20ms", "done").view(4 * time.Second)
	v.Stream.Server, v.Stream.Waits = nil, []metrics.Wait{{Name: "web_search", From: v.Stream.Marks.Sent + 1e9, To: metrics.NoStamp}}
	measured(v).Findings = conclude(v)
	for _, size := range at("80x24 120x40") {
		says(t, fmt.Sprint("at work at ", size), frame(v, size[0], size[1]), "waiting for web_search", "wait 500 ms", "web_search 3.0",
			": the server's tool web_search has run for 3.0", "the server's tool web_search works", "not:queue")
	}
	v = layOut("reused", "prefill 5s", "60 x 20ms", "done").view(-1)
	from := v.Stream.Marks.Sent + 1e9
	v.Stream.Server, v.Stream.Waits = nil, []metrics.Wait{{Name: "web_search", From: from, To: from + 3e9}}
	measured(v).Findings = conclude(v)
	for _, size := range at("80x24 120x40") {
		says(t, fmt.Sprint("behind it at ", size), frame(v, size[0], size[1]), ", 3.00 s of it the server's tool web_search", "web_search 3.00 s")
	}
	says(t, "its parts", frame(v, 120, 40), "TTFT: first byte 500 ms, wait 1.50 s, web_search 3.00 s")
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
