package transport_test

import (
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// traps are the ways in which streaming clients were seen to measure wrongly.
// Every one is a stream of 50 tokens whose first comes after 200 ms.
var traps = []struct{ name, answer string }{
	{"plain", "prefill 200ms; 50 tokens @ 20ms"},
	{"role chunk at once", "role; prefill 200ms; 50 tokens @ 20ms"},
	{"role with the first token", "role-first; prefill 200ms; 50 tokens @ 20ms"},
	{"finish and usage apart",
		"role; prefill 200ms; 50 tokens @ 20ms; stall 5ms; finish; stall 5ms; usage; stall 5ms; done; end"},
	{"reasoning_content", "prefill 200ms; 20 reasoning @ 20ms; 30 tokens @ 20ms"},
	{"reasoning", "prefill 200ms; 20 thinking @ 20ms; 30 tokens @ 20ms"},
	{"writes end inside a chunk", "straddle; prefill 200ms; 50 tokens @ 20ms"},
	{"keep-alive comments", "headers; 3 comments @ 50ms; prefill 50ms; 25 tokens @ 20ms; 1 comments @ 10ms; 25 tokens " +
		"@ 20ms"},
	{"empty content", "5 empty @ 10ms; prefill 150ms; 25 tokens @ 20ms; 5 empty @ 3ms; 25 tokens @ 20ms"},
	{"no space after data:", "nospace; prefill 200ms; 50 tokens @ 20ms"},
	{"CRLF", "crlf; prefill 200ms; 50 tokens @ 20ms"},
	{"no chunked framing", "unchunked; prefill 200ms; 50 tokens @ 20ms"},
	{"several tokens a chunk", "per 4; prefill 200ms; 50 tokens @ 20ms"},
	{"reset in the middle", "prefill 200ms; 50 tokens @ 20ms; cut"},
	{"usage on every chunk", "usage-each; prefill 200ms; 50 tokens @ 20ms"},
	{"four events a write", "group 4; prefill 200ms; 50 tokens @ 20ms"},
	{"an event in two writes", "headers; halves 5ms; prefill 200ms; 50 tokens @ 20ms"},
	{"events of 6 KB", "size 6000; prefill 200ms; 50 tokens @ 20ms"},
	{"error event", "prefill 200ms; 50 tokens @ 20ms; error; done; end"},
	// Beyond the nineteen.
	{"CR", "cr; prefill 200ms; 50 tokens @ 20ms"},
	{"Content-Length", "length; prefill 200ms; 50 tokens @ 20ms"},
	{"chunk extensions and trailers", "extensions; trailers; prefill 200ms; 50 tokens @ 20ms"},
	{"interim response", "hints; prefill 200ms; 50 tokens @ 20ms"},
}

// TestTraps holds every stamp against the script in virtual time: what was
// written at a moment arrived at that moment, exactly.
func TestTraps(t *testing.T) {
	for _, tt := range traps {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, defaults(), func(r *harness) {
				got := r.ask(tt.answer)
				plan := probetest.MustParse(tt.answer)
				want, kinds := truth(plan)
				testkit.Same(t, got.offsets(), want, "arrivals after Sent")
				first, tokens := -1, 0
				for i, k := range kinds {
					if k == "token" || k == "reasoning" || k == "thinking" {
						if tokens++; first < 0 {
							first = i
						}
					}
				}
				testkit.That(t, tokens == 50 && len(got.offsets()) > first && got.offsets()[first] == 200*time.Millisecond,
					"%d tokens, the first is event %d", tokens, first)
				testkit.Is(t, got.err != nil, plan.Ending == "cut", "the stream ended with", got.err)
			})
		})
	}
}

// truth returns when each data event is complete on the wire, and its kind.
func truth(p *probetest.Plan) (at []time.Duration, kinds []string) {
	begin := make([]time.Duration, len(p.Writes))
	now := time.Duration(0)
	for i, w := range p.Writes {
		now += w.After
		begin[i] = now
	}
	for _, e := range p.Events {
		at = append(at, begin[e.Write])
		kinds = append(kinds, e.Kind)
	}
	return at, kinds
}

// TestWithheldChunk is the trap of net/http's chunked reader by itself: while
// the next chunk is only partly there, it returns nothing of the complete one
// before it. The tap below hands it on at its moment, and not only its stamp.
func TestWithheldChunk(t *testing.T) {
	virtual(t, defaults(), func(r *harness) {
		const text = "straddle; prefill 200ms; 3 tokens @ 1s"
		got := r.ask(text)
		want, _ := truth(probetest.MustParse(text))
		for i, at := range got.visible {
			testkit.Is(t, time.Duration(at-got.marks.Sent), want[i], "event", i, "could be seen after")
		}
		testkit.Is(t, len(got.visible), len(want), "events seen")
	})
}

// TestSleepingConsumer: nothing downstream can delay a stamp.
func TestSleepingConsumer(t *testing.T) {
	virtual(t, defaults(), func(r *harness) {
		const text = "prefill 200ms; 50 tokens @ 20ms"
		c := newCapture(r)
		got := r.follow(c, r.request(with(c), text), 7*time.Second)
		want, _ := truth(probetest.MustParse(text))
		testkit.Same(t, got.offsets(), want, "arrivals after Sent")
	})
}
