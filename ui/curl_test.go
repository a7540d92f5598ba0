package ui

import (
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics/testkit"
)

// TestPastedCurlBecomesTheNextRequest pastes a command into the endpoint picker. What it
// reads is asked for; then Live and Load send what it says. A no changes nothing.
func TestPastedCurlBecomesTheNextRequest(t *testing.T) {
	play(t, "load", 120, 40, colours, func(r *harness) {
		paste := func(text string) {
			r.press("e")
			r.send(tea.PasteMsg{Content: text})
			r.press("enter")
		}
		paste(`curl https://llm.example.com/v1/chat/completions -H "X-Api-Key: $GATEWAY_KEY" ` +
			`-d '{"model": "qwen3-32b", "messages": [{"role": "user", "content": "Hi"}]}'`)
		r.sees("GATEWAY_KEY", "https://llm.example.com. Read that")
		r.press("esc")
		testkit.That(t, !slices.Contains(r.b.Calls(), "curl"), "a no uses the command")
		r.press("enter")
		r.press("enter")
		r.sees("the next request is that of the command", "--compressed is left out")
		r.press("space")
		begun := r.b.Begun()
		testkit.That(t, len(begun) == 1 && begun[0].Prompt == "the pasted prompt", "begun %+v", begun)
	})
}

// TestPastedCurlLeavesTheDemo pastes a command while the first minute streams on the
// embedded endpoint. The stream and its captions are of the demo: they end with it, and
// nothing of them stands under the name of the new endpoint.
func TestPastedCurlLeavesTheDemo(t *testing.T) {
	o := colours
	o.Start, o.Screens.FirstMinute = true, true
	play(t, "load", 120, 40, o, func(r *harness) {
		r.do(`sent chunk:"of the demo " wait:300ms > head:demo`)
		r.press("e")
		r.send(tea.PasteMsg{Content: `curl https://llm.example.com/v1/chat/completions ` +
			`-d '{"model": "qwen3-32b", "messages": [{"role": "user", "content": "Hi"}]}'`})
		r.do("enter drain wait:1s > calls:stop | head:work | last run: demo | !streams | !of another user")
		r.do("wait:4s > last run: demo | requests:1")
		r.do(`space sent chunk:"of work " wait:300ms > requests:2 | of work | !demo`)
	})
}
