package export

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
)

// value returns the one sample of the page whose name and labels hold all words, -1 for none.
func value(t *testing.T, page map[string]float64, words ...string) float64 {
	t.Helper()
	found, n := -1.0, 0
next:
	for name, v := range page {
		for _, w := range words {
			if !strings.Contains(name, w) {
				continue next
			}
		}
		found, n = v, n+1
	}
	testkit.That(t, n <= 1, "%d samples have %q", n, words)
	return found
}

// TestNewestNames holds that the newest names of the specification stand in place of the older
// ones, with the same values and the tokens of the cache, also in sums of time spans.
func TestNewestNames(t *testing.T) {
	r := played(answer{id: 1, endpoint: "anthropic", model: "m", preset: "tap", chunks: []float64{100, 200, 400},
		prompt: 1000, output: 30})
	r.s.Usage.Cached, r.s.Usage.CacheWritten, r.s.Usage.Reasoning = 900, 60, 0
	r.f = metrics.Measure(&r.s, metrics.Options{})
	failed := played(answer{id: 2, endpoint: "anthropic", model: "m", preset: "tap", prompt: -1, output: -1,
		fault: &metrics.Fault{Kind: metrics.FaultRateLimit}})
	old, _ := filled(t, []request{r, failed})
	e := testkit.Must(Start(Options{Version: "v1", Latest: true}))(t)
	e.spans = true
	for range 2 {
		e.Add(&r.s, &r.f)
		e.Add(&failed.s, &failed.f)
		span := e.drainSpan()
		for _, sums := range []*table{span, e.sums()} {
			for _, c := range renamed {
				in := instruments[c].name
				testkit.That(t, strings.Contains(string(pageOf(sums, "v1", false)), instruments[c].prom()), "no %s", in)
			}
			for k := range sums.points {
				if _, was := renamed[k.instrument]; was || k.instrument == tokenUsage {
					t.Errorf("%s is among the newest names", instruments[k.instrument].name)
				}
			}
		}
	}
	was, is := read(t, string(pageOf(old.sums(), "v1", false)), false), read(t, string(pageOf(e.sums(), "v1", false)),
		false)
	for name, later := range map[string]string{"operation_duration_seconds_sum": "inference_duration_seconds_sum",
		"operation_time_to_first_chunk_seconds_sum":   "inference_time_to_first_chunk_seconds_sum",
		"operation_time_per_output_chunk_seconds_sum": "inference_time_per_output_chunk_seconds_sum",
		"token_usage_sum": "inference_operation_input_tokens_sum"} {
		more := "gen_ai"
		if name == "operation_duration_seconds_sum" {
			more = `error_type="rate_limit"`
		} else if name == "token_usage_sum" {
			more = `type="input"`
		}
		a, b := value(t, was, "gen_ai_client_"+name, more), value(t, is, "gen_ai_client_"+later,
			strings.ReplaceAll(more, `type="input"`, "gen_ai"))
		testkit.That(t, a > 0 && fmt.Sprintf("%.9g", 2*a) == fmt.Sprintf("%.9g", b),
			"%s is %v, twice as %s %v", name, a, later, b)
	}
	for kind, want := range map[string]float64{"usage_input": 2000, "cache_read_input": 1800, "cache_write_input": 120,
		"usage_output": 60, "reasoning_output": 0} {
		testkit.Is(t, value(t, is, kind+"_tokens_total", `gen_ai_token_modality="unknown"`), want, kind)
	}
	for words, want := range map[string]bool{"": false, "http": false, "http, gen_ai_latest_experimental": true} {
		testkit.Is(t, Latest(func(string) string { return words }), want, words, "does not ask for")
	}
}

// TestTurnParts holds that the parts of turns are summed by what took the time, without a name of
// a tool, and that their number is bounded.
func TestTurnParts(t *testing.T) {
	e, _ := filled(t, nil)
	add := func(model string, spans ...turn.Span) {
		r := played(answer{id: 1, endpoint: "api.example", model: model, preset: "tap", chunks: []float64{1}, prompt: 1,
			output: 1})
		e.AddTurn(&turn.Turn{Run: &metrics.Run{Stream: r.s}, Spans: spans})
	}
	s := metrics.Stamp(time.Second)
	for range 2 {
		add("m", turn.Span{Activity: turn.Wait, From: 0, To: s}, turn.Span{Activity: turn.Text, From: s, To: 2 * s},
			turn.Span{Activity: turn.ServerTool, From: 2 * s, To: 5 * s, Name: "a secret tool"},
			turn.Span{Activity: turn.Text, From: 5 * s, To: 6 * s}, turn.Span{Activity: turn.Client, From: 6 * s, To: 16 * s})
	}
	text := string(pageOf(e.sums(), "v1", false))
	page := read(t, text, false)
	for activity, want := range map[string]float64{"wait": 2, "text": 4, "server_tool": 6, "client": 20, "you": -1} {
		got := value(t, page, "tokscope_turn_duration_seconds_sum", `activity="`+activity+`"`)
		testkit.That(t, got == want, "%s took %v s, want %v", activity, got, want)
	}
	if value(t, page, "tokscope_turn_duration_seconds_count", `activity="text"`) != 2 || strings.Contains(text, "secret") {
		t.Errorf("the page is %s", text)
	}
	decoded(t, message(e.sums(), form{temporality: cumulative}, "v1", nil, epoch, epoch, epoch))
	for i := range 3 * maxSeries {
		add(fmt.Sprint("model ", i), turn.Span{Activity: turn.Wait, To: s})
	}
	n := len(e.sums().series)
	testkit.That(t, n <= maxSeries, "%d sets of labels", n)
	(*Exporter)(nil).AddTurn(&turn.Turn{})
}
