package live

import (
	"strings"
	"testing"

	"tokscope/metrics"
)

// TestHiddenThinkingIsSaid: while a model thinks and shows nothing, the wait says so, with
// the server's estimate.
func TestHiddenThinkingIsSaid(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		v := scene("waiting")
		v.Stream.State, v.Stream.Thinking = metrics.Decoding, 1240
		v.Stream.Text = nil
		v.Stream.Chunks = []metrics.Chunk{{At: v.Now - 1e8, User: v.Now - 1e8, Kind: metrics.Reasoning, Tokens: 1240}}
		if g := frame(v, size[0], size[1]).Plain(); !strings.Contains(g, "thinking") || !strings.Contains(g, "about 1,240 tokens") {
			t.Errorf("%v: it does not say that the model thinks:\n%s", size, g)
		}
		v = scene("waiting") // Gemini counts what it thinks, and sends nothing
		v.Stream.Marks.FirstEvent, v.Stream.Usage.Reasoning = v.Now-1e8, 840
		if g := frame(v, size[0], size[1]).Plain(); !strings.Contains(g, "thinking ") || !strings.Contains(g, "840 tokens so far") {
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
		g := frame(v, size[0], size[1]).Plain()
		if !strings.Contains(g, "waiting for web_search") || !strings.Contains(g, "web_search 6.0") ||
			strings.Contains(g, "stalled") || strings.Contains(g, "nothing for") {
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
