package dialect_test

import (
	"fmt"
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
)

// timed returns events of Messages that come one by one, each at its millisecond.
func timed(events ...any) (pieces []piece) {
	for i := 0; i < len(events); i += 2 {
		data := fmt.Sprintf("data: %s\n\n", events[i+1])
		pieces = append(pieces, piece{metrics.Stamp(events[i].(int)) * 1e6, []byte(data)})
	}
	return pieces
}

const (
	begun  = `{"type":"message_start","message":{"id":"m","model":"m","usage":{"input_tokens":12,"output_tokens":3}}}`
	closed = `{"type":"message_stop"}`
)

func delta(fields string) string {
	return `{"type":"content_block_delta","index":0,"delta":{` + fields + `}}`
}

func usage(counts string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{` + counts + `}}`
}

// TestHiddenThinking: an estimate of thinking that is not sent is the first output, and no
// part of the pace: that is of the answer, without the tokens thought.
func TestHiddenThinking(t *testing.T) {
	for _, c := range []struct {
		name, counts     string
		hidden           bool
		ttft, tpot, toks float64
		code             metrics.SuspectCode
		about            bool
	}{
		{"counted apart", `"output_tokens":1245,"output_tokens_details":{"thinking_tokens":1240}`, true, 500, 10, 1245,
			metrics.SuspectHidden, false},
		{"not counted apart", `"output_tokens":1245`, true, 500, 10, 1245, metrics.SuspectUnsent, true},
		{"no estimate", `"output_tokens":1245,"output_tokens_details":{"thinking_tokens":1240}`, false, 2000, 10, 1245,
			metrics.SuspectHidden, false},
	} {
		events := []any{100, begun, 200, `{"type":"ping"}`}
		if c.hidden {
			events = append(events, 300, delta(`"type":"thinking_delta","thinking":"","estimated_tokens":0`),
				500, delta(`"type":"thinking_delta","thinking":"","estimated_tokens":240`),
				1900, delta(`"type":"thinking_delta","thinking":"","estimated_tokens":1000`))
		}
		for i := range 5 { // one token each
			events = append(events, 2000+10*i, delta(`"type":"text_delta","text":" cup"`))
		}
		v, _ := record(t, timed(append(events, 2060, usage(c.counts), 2061, closed)...), sse.Undecided)
		f := metrics.Measure(&v, metrics.Options{})
		testkit.That(t, f.TTFT.V == c.ttft && f.TTFC.V == 2000 && f.TPOT.V == c.tpot && f.Tokens.V == c.toks && f.Gaps.N == 4,
			"%s: TTFT %v, TTFC %v, TPOT %+v, %v tokens, %d gaps", c.name, f.TTFT.V, f.TTFC.V, f.TPOT, f.Tokens.V, f.Gaps.N)
		if !f.Suspects(c.code) || f.Estimated() != c.about {
			t.Errorf("%s: doubts %+v, an estimate: %v", c.name, f.Suspect, f.Estimated())
		}
		if thought := 1240; c.hidden && v.Thinking != thought || !c.hidden && v.Thinking != 0 {
			t.Errorf("%s: %d tokens of thinking", c.name, v.Thinking)
		}
	}
	// While it thinks nothing else is known.
	v, _ := record(t, timed(100, begun, 500, delta(`"thinking":"","estimated_tokens":240`), 600,
		usage(`"output_tokens":0`)), sse.Undecided)
	v.State, v.Usage = metrics.Decoding, metrics.NoUsage()
	f := metrics.Measure(&v, metrics.Options{})
	if f.TTFT.V != 500 || f.TTFC.OK || f.TPOT.OK || f.Tokens.V != 240 || f.TokenSource != metrics.TokensEstimated {
		t.Errorf("while it thinks: TTFT %+v, TTFC %+v, TPOT %+v, tokens %+v (%v)", f.TTFT, f.TTFC, f.TPOT, f.Tokens,
			f.TokenSource)
	}
}

// TestWaitForAServersTool: the time in which a tool of the server works is none of the
// model's pace, and is named.
func TestWaitForAServersTool(t *testing.T) {
	events := []any{100, begun}
	for i := range 10 {
		events = append(events, 300+20*i, delta(`"type":"text_delta","text":" cup"`))
	}
	events = append(events,
		500, `{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s1","name":"web_search","input":{}}}`,
		520, `{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"q\":1}"}}`,
		530, `{"type":"content_block_stop","index":1}`,
		3530, `{"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result","tool_use_id":"s1","content":[]}}`,
		3531, `{"type":"content_block_stop","index":2}`)
	for i := range 10 {
		events = append(events, 3700+20*i, delta(`"type":"text_delta","text":" cup"`))
	}
	all := timed(append(events, 3900, usage(`"output_tokens":22`), 3901, closed)...)
	v, _ := record(t, all, sse.Undecided)
	want := []metrics.Wait{{Name: "web_search", From: 530e6, To: 3530e6}}
	testkit.That(t, slices.Equal(v.Waits, want), "waits %+v, want %+v", v.Waits, want)
	f := metrics.Measure(&v, metrics.Options{})
	// 22 tokens in two runs: 220 ms and 180 ms for 20 of them.
	testkit.That(t, f.TPOT.V == 20 && f.Longest.V == 20 && len(f.Stalls) == 0 && f.TTFT.V == 300 && f.Total.V == 3880,
		"TPOT %+v, longest gap %+v, stalls %+v, TTFT %+v, total %+v", f.TPOT, f.Longest, f.Stalls, f.TTFT, f.Total)
	_, ok := v.Gap(12)
	testkit.That(t, !ok, "the gap in which the tool worked is one of the model's")
	// The same figures from a stream that is looked at as it comes.
	var m metrics.Meter
	for n := range v.Chunks {
		part := v
		part.Chunks, part.Text = v.Chunks[:n+1], v.Text[:v.Chunks[n].TextEnd]
		m.Measure(&part, metrics.Options{})
	}
	if g := m.Measure(&v, metrics.Options{}); g.TPOT != f.TPOT || g.Gaps.Mean != f.Gaps.Mean {
		t.Errorf("TPOT %+v as it comes, %+v at once; gaps %+v and %+v", g.TPOT, f.TPOT, g.Gaps, f.Gaps)
	}
}
