package transport_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/transport"
)

// raw is a part of a plan: these data lines in one write.
func raw(data ...string) string {
	return `raw "data: ` + strings.ReplaceAll(strings.Join(data, `\n\ndata: `), `"`, `\"`) + `\n\n"`
}

// An answer with all its finish reasons ends two seconds after its last part, at that
// part, if no end marker comes and the body stays open. Pings are no part of it. An
// answer without a finish reason, or with more text behind it, has not ended.
func TestWholeAnswerEndsWithoutMarker(t *testing.T) {
	const (
		a        = `{"choices":[{"index":0,"delta":{"content":"a"}}]}`
		b        = `{"choices":[{"index":1,"delta":{"content":"b"}}]}`
		stop     = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
		stopB    = `{"choices":[{"delta":{"content":""},"index":1,"finish_reason":"length"}]}`
		last     = `{"choices":[{"index":0,"delta":{"content":" end"},"finish_reason":"stop"}]}`
		usage    = `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12}}`
		empty    = `{"choices":[{"index":0,"delta":{"content":""}}]}`
		call     = `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}}]}`
		called   = `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
		refusal  = `{"choices":[{"index":0,"delta":{"refusal":"I cannot"}}]}`
		thought  = `{"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}`
		limit    = `{"choices":[{"index":0,"delta":{"reasoning":"hm"},"finish_reason":"length"}]}`
		start    = `{"type":"message_start","message":{"usage":{"input_tokens":2}}}`
		text     = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}`
		reason   = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}`
		named    = `raw "event: ping\ndata: {\"type\":\"ping\"}\n\n"`
		pings    = "; 60 comments @ 1s"
		idle     = "idle 30 s"
		thirty   = 30 * time.Second
		nothings = "; stall 1s; "
	)
	for _, tt := range []struct {
		name, answer string
		at           time.Duration // of the end, since Sent
		bound        string        // of the fault; "" for a good end
	}{
		{"finish, open", "prefill 1s; " + raw(a) + "; stall 1s; " + raw(stop) + "; hang", 2 * time.Second, ""},
		{"finish with the last text", "prefill 700ms; " + raw(a) + "; stall 300ms; " + raw(last) + "; hang", time.Second, ""},
		{"finish and usage at once", "prefill 500ms; " + raw(a, stop, usage) + "; hang", 500 * time.Millisecond, ""},
		{"usage 1.5 s after finish", "prefill 1s; " + raw(a, stop) + "; stall 1500ms; " + raw(usage) + "; hang",
			2500 * time.Millisecond, ""},
		{"comments for ever", "prefill 1s; " + raw(a, stop) + pings, time.Second, ""},
		{"fast comments for ever", "prefill 1s; " + raw(a, stop) + "; 9000 comments @ 1ms", time.Second, ""},
		{"named pings", "prefill 1s; " + raw(a, stop) + strings.Repeat("; stall 1s; "+named, 9), time.Second, ""},
		{"events without a part",
			"prefill 1s; " + raw(a, stop) + strings.Repeat(nothings+raw(`{"choices":[]}`)+nothings+raw(empty), 9), time.Second,
			""},
		{"the same usage again and again", "prefill 1s; " + raw(a, stop) + strings.Repeat(nothings+raw(usage), 9),
			2 * time.Second, ""},
		{"finish again and again", "prefill 1s; " + raw(a, stop) + strings.Repeat(nothings+raw(stop), 9), time.Second, ""},
		{"a tool call", "prefill 1s; " + raw(call, called) + "; hang", time.Second, ""},
		{"a refusal", "prefill 1s; " + raw(refusal, stop) + "; hang", time.Second, ""},
		{"reasoning alone", "prefill 1s; " + raw(thought) + "; stall 4s; " + raw(limit) + "; hang", 5 * time.Second, ""},
		{"no text at all", "prefill 1s; " + raw(stop) + "; hang", time.Second, ""},
		{"two choices", "prefill 1s; " + raw(a, b, stop) + "; stall 5s; " + raw(b, stopB) + "; hang", 6 * time.Second, ""},
		{"Anthropic's", "prefill 1s; " + raw(start, text, reason) + "; hang", time.Second, ""},
		{"Anthropic's, with pings", "prefill 1s; " + raw(start, text, reason) + strings.Repeat("; stall 1s; "+named, 9),
			time.Second, ""},
		{"more text 1.9 s later, and finish again", "prefill 1s; " + raw(a, stop) + "; stall 1900ms; " + raw(a) +
			"; stall 9s; " + raw(stop) + "; hang", 11900 * time.Millisecond, ""},
		{"a body that ends within two seconds", "unchunked; prefill 1s; " + raw(a, stop) + "; stall 1900ms; " + raw(empty) +
			"; end", 2900 * time.Millisecond, ""},
		{"text after finish", "prefill 1s; " + raw(a, stop) + "; stall 1s; " + raw(a) + "; hang", 2*time.Second + thirty,
			idle},
		{"finish with every chunk", "prefill 1s; " + raw(last) + "; stall 1s; " + raw(last) + "; stall 5s; " + raw(last) +
			"; hang", 7*time.Second + thirty, idle},
		{"no finish", "prefill 1s; " + raw(a, usage) + "; hang", time.Second + thirty, idle},
		{"an empty and a null finish", "prefill 1s; " + raw(a, `{"choices":[{"index":0,"delta":{},"finish_reason":""}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":null}]}`) + "; hang", time.Second + thirty, idle},
		{"one of two choices", "prefill 1s; " + raw(a, b, stop) + "; hang", time.Second + thirty, idle},
		{"Anthropic's without a reason", "prefill 1s; " + raw(start, text,
			`{"type":"message_delta","delta":{},"usage":{"output_tokens":7}}`) + "; hang", time.Second + thirty, idle},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, defaults(), func(r *harness) {
				got := r.ask(tt.answer)
				e := endOf(got)
				want := end{After: tt.at, Bound: tt.bound, Events: e.Events}
				if tt.bound != "" {
					want.Kind = metrics.FaultTimeout
				}
				testkit.Same(t, e, want, "end")
				ends := strings.HasPrefix(tt.answer, "unchunked")
				testkit.That(t, got.conn.LeftOpen == (tt.bound == "" && !ends), "left open: %v", got.conn.LeftOpen)
			})
		})
	}
}

// The silence of a whole answer is never longer than the idle bound, and a deadline
// of the request that comes first ends it as well.
func TestWholeAnswerWithinShorterBounds(t *testing.T) {
	const answer = "prefill 1s; 3 tokens @ 1s; finish; hang"
	short := transport.DefaultBounds()
	short.Idle = 400 * time.Millisecond
	none := transport.DefaultBounds()
	none.Idle = 0
	for _, tt := range []struct {
		bounds   transport.Bounds
		deadline time.Duration
		least    time.Duration // until the capture ends
		most     time.Duration
	}{
		{transport.DefaultBounds(), time.Hour, 5 * time.Second, 5100 * time.Millisecond},
		{none, time.Hour, 5 * time.Second, 5100 * time.Millisecond},
		{transport.DefaultBounds(), 3500 * time.Millisecond, 3500 * time.Millisecond, 3500 * time.Millisecond},
	} {
		virtual(t, transport.Options{Bounds: tt.bounds}, func(r *harness) {
			ctx, cancel := context.WithTimeout(context.Background(), tt.deadline)
			defer cancel()
			got := r.askCtx(ctx, answer)
			took := time.Duration(r.clock.Now() - got.marks.Sent)
			if got.err != nil || got.end-got.marks.Sent != metrics.Stamp(3*time.Second) || took < tt.least || took > tt.most {
				t.Errorf("ended with %v at %v, after %v", got.err, time.Duration(got.end-got.marks.Sent), took)
			}
		})
	}
	virtual(t, transport.Options{Bounds: short}, func(r *harness) {
		got := r.ask("prefill 1s; " + raw(`{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`) +
			"; hang")
		if took := time.Duration(r.clock.Now() - got.marks.Sent); got.err != nil || took > 1500*time.Millisecond {
			t.Errorf("ended with %v after %v", got.err, took)
		}
	})
}

// What came while the consumer stood still, or the whole program, is taken before a
// silence counts.
func TestSilenceIsNoneBeforeEverythingIsTaken(t *testing.T) {
	for _, late := range []time.Duration{time.Second, 3 * time.Second, 7 * time.Second} {
		virtual(t, defaults(), func(r *harness) {
			c := newCapture(r)
			text := raw(`{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`)
			got := r.follow(c, r.request(with(c),
				"prefill 1s; "+text+"; stall 1s; "+text+"; stall 200ms; finish; stall 100ms; usage; done; end"), late)
			if got.err != nil || got.conn.LeftOpen || len(got.data()) != 5 {
				t.Errorf("with a consumer that is %v late: %d events, left open %v, %v", late, len(got.data()), got.conn.LeftOpen,
					got.err)
			}
		})
	}
}

// A connection that breaks behind a whole answer cuts nothing off; before that it does.
func TestWholeAnswerCutOff(t *testing.T) {
	const text, stop = `{"choices":[{"index":0,"delta":{"content":"a"}}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	for _, tt := range []struct {
		name, answer string
		cutOff       bool
		kind         metrics.FaultKind
	}{
		{"finish and usage", "9 tokens @ 20ms; finish; usage; cut", true, ""},
		{"finish alone", "prefill 2s; 3 tokens @ 90ms; finish; cut", true, ""},
		{"a silence of a second, then a reset", "3 tokens @ 1ms; finish; usage; stall 1s; 1 comments @ 1s; rst", true, ""},
		{"Anthropic's", "prefill 1s; " + raw(`{"type":"message_start","message":{"id":"m","usage":{"input_tokens":3}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":7}}`) + "; cut", true, ""},
		{"with [DONE]", "9 tokens @ 20ms; finish; usage; done; cut", false, ""},
		{"before the finish reason", "9 tokens @ 20ms; cut", false, metrics.FaultTruncated},
		{"inside the text behind one", "prefill 1s; " + raw(text, stop, text) + "; cut", false, metrics.FaultTruncated},
		{"one of two choices", "prefill 1s; " + raw(`{"choices":[{"index":1,"delta":{"content":"a"}}]}`, text,
			stop) + "; cut", false, metrics.FaultTruncated},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, defaults(), func(r *harness) {
				got := r.ask(tt.answer)
				kind := metrics.FaultKind("")
				if got.err != nil {
					kind = got.err.Kind
				}
				testkit.That(t, got.cutOff == tt.cutOff && kind == tt.kind && !got.conn.LeftOpen,
					"cut off %v, fault %q: %v", got.cutOff, kind, got.err)
			})
		})
	}
}

// What this side ends behind a whole answer was not cut off by the other.
func TestWholeAnswerCanceled(t *testing.T) {
	for after, answer := range map[time.Duration]string{
		700 * time.Millisecond:  "9 tokens @ 20ms; finish; usage; hang",
		3200 * time.Millisecond: "prefill 2s; 3 tokens @ 90ms; finish; 60 comments @ 1s",
		1999 * time.Millisecond: "prefill 100ms; " +
			raw(`{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"length"}]}`) + "; hang",
	} {
		virtual(t, defaults(), func(r *harness) {
			ctx, cancel := context.WithCancel(context.Background())
			stop := time.AfterFunc(after, cancel)
			defer stop.Stop()
			got := r.askCtx(ctx, answer)
			testkit.That(t, !got.cutOff && !got.conn.LeftOpen && got.err != nil && got.err.Kind == metrics.FaultCancelled,
				"%s, canceled after %v: cut off %v, left open %v, %v", answer, after, got.cutOff, got.conn.LeftOpen, got.err)
		})
	}
}
