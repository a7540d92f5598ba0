package client_test

import (
	"context"
	"fmt"
	"testing"

	"tokscope/metrics"
	"tokscope/probe/client"
)

// What a proxy says before the answer is no first chunk, and text that may be repeated has
// the stamp of its own chunk.
func TestWhatIsNotNewDoesNotCount(t *testing.T) {
	delta := func(head, text string) string {
		return fmt.Sprintf(`{%s"choices":[{"delta":{"content":%q}}]}`, head, text)
	}
	const named = `"id":"c","model":"m",`
	stop := `{` + named + `"choices":[{"delta":{},"finish_reason":"stop"}]}`
	for _, c := range []struct {
		events []string
		text   string
		chunks int
		others int
	}{
		{[]string{delta("", "loading "), delta("", "a model\n"), delta(named, "Yes"), delta(named, " it is"), stop},
			"loading a model\nYes it is", 2, 2},
		{[]string{delta(named, "The"), delta(named, "The river"), delta(named, "The river ran"),
			delta(named, "The river ran past"), stop}, "The river ran past", 4, 0},
		{[]string{delta("", "wait"), delta(named, "I"), delta(named, "In"), delta(named, " a"), stop}, "waitIIn a", 3, 1},
	} {
		s := newEngine(t, client.Options{}).StartQuiet(context.Background(),
			targetAt(streaming(t, append(c.events, "[DONE]")...).URL), metrics.Workload{Prompt: "x"})
		v := ended(s)
		f := metrics.Measure(&v, metrics.Options{})
		if string(v.Text) != c.text || f.Chunks != c.chunks || v.Others != c.others {
			t.Errorf("%q in %d chunks, %d of others, want %q in %d, %d", v.Text, f.Chunks, v.Others, c.text, c.chunks, c.others)
		}
	}
}
