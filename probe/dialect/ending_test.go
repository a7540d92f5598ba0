package dialect

import (
	"testing"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// TestWhole: since which event an answer is whole, counted from 1; 0 for not. Each event
// comes a second after the one before.
func TestWhole(t *testing.T) {
	const (
		text   = `{"choices":[{"index":0,"delta":{"content":"a"}}]}`
		second = `{"choices":[{"index":1,"delta":{"content":"a"}}]}`
		both   = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{},"finish_reason":"stop"}]}`
		last   = `{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`
		usage  = `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":9}}`
		more   = `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":10}}`
		none   = `{"id":"x","choices":[]}`
		block  = `{"type":"content_block_delta","delta":{"type":"text_delta","text":"hi"}}`
		reason = `{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":7}}`
	)
	for _, tt := range []struct {
		name   string
		asked  int
		events []string
		want   []int // after each event
	}{
		{"text alone", 0, []string{text, usage}, []int{0, 0}},
		{"finish", 0, []string{text, stop, none, stop}, []int{0, 2, 2, 2}},
		{"usage before and behind", 0, []string{usage, text, stop, usage, usage, more, more}, []int{0, 0, 3, 4, 4, 6, 6}},
		{"usage with the finish", 0,
			[]string{text, `{"choices":[{"index":0,"delta":{},"finish_reason":"length"}],"usage":{"prompt_tokens":3,"completion_tokens":9}}`, usage}, []int{0, 2, 2}},
		{"text behind", 0, []string{text, stop, text, usage, stop}, []int{0, 2, 0, 0, 5}},
		{"finish with every chunk", 0, []string{last, last, last, stop}, []int{1, 0, 0, 4}},
		{"two choices", 0, []string{text, second, stop, both}, []int{0, 0, 0, 4}},
		{"one of two asked for", 2, []string{text, stop, second, both}, []int{0, 0, 0, 4}},
		{"Anthropic's", 0, []string{block, reason, reason, block, reason}, []int{0, 2, 2, 0, 5}},
		{"Anthropic's with a ping", 0, []string{block, `{"type":"content_block_stop"}`, reason, `{"type":"ping"}`},
			[]int{0, 0, 3, 3}},
	} {
		d, out := New(), new(Out)
		d.Expect(tt.asked)
		for i, doc := range tt.events {
			d.Event(sse.Event{At: metrics.Stamp(i + 1), Data: []byte(doc)}, out)
			want := metrics.Stamp(tt.want[i])
			if want == 0 {
				want = metrics.NoStamp
			}
			if got := d.Whole(); got != want {
				t.Errorf("%s: after event %d whole since %d, want %d", tt.name, i+1, got, want)
			}
		}
	}
}
