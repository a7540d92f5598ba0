package definition_test

import (
	"math"
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/definition"
	"tokscope/metrics/pick"
	"tokscope/metrics/testkit"
	"tokscope/metrics/testkit/example"
)

func table(t *testing.T, s *metrics.Stream) map[string]definition.Row {
	t.Helper()
	f := metrics.Measure(s, metrics.Options{})
	trace, why := definition.Of(s, &f)
	testkit.Need(t, why, 0)
	out := map[string]definition.Row{}
	for _, r := range definition.Table(&trace) {
		name := r.Rule.Tool + " "
		if r.Rule.Before {
			name += "<"
		}
		out[name+r.Rule.Versions] = r
	}
	return out
}

// none is a figure that a tool does not have, or counts by itself.
const none = -1

// TestTheSameStreamInAllTools holds the figures of one stream in the tools'
// own definitions. vLLM 0.33 was run on it; the others follow from their code.
func TestTheSameStreamInAllTools(t *testing.T) {
	type want struct{ ttft, itl, tpot, speed, latency float64 }
	for name, c := range map[string]struct {
		in   metrics.ReasoningFields
		want map[string]want
	}{
		"reasoning": {metrics.InReasoning, map[string]want{
			"vLLM 0.33":                           {480, 600. / 29, 12.24, none, 1080},
			"vLLM <0.33":                          {120, 970. / 31, 19.80, none, 1090},
			"SGLang 0.5.23":                       {480, 600. / 29, 13.49, none, 1141},
			"AIPerf 0.13":                         {480, none, none, none, 1080},
			"GuideLLM 0.8.1":                      {480, 12.24, 21.6, 43.82, 1141},
			"genai-bench 0.0.5":                   {480, none, 13.47, 74.24, 1140},
			"inference-perf 0.7":                  {700, 20, 7.755, none, 1080},
			"llama-benchy 0.4.0":                  {480, none, none, 81.67, none},
			"inference-benchmarker dfef39d":       {700, none, none, none, 1141},
			"llmperf f1d6bed":                     {700, 33.75, none, none, 1160},
			"evalscope 1.14.1":                    {480, 600. / 29, 13.47, none, 1140},
			"fw-ai 05acc7f":                       {480, none, 13.6, 73.53, 1160},
			"fixie 265e8bc":                       {700, none, none, 106.5, 1160},
			"MLPerf Endpoints v1.0 rules":         {480, none, none, none, 1160},
			"what-ttft 2025":                      {700, none, none, 128.95, 1080},
			"OpenTelemetry semconv-genai@004902b": {120, 970. / 31, none, none, 1160},
			"tokscope ":                           {480, 600. / 29, 12.24, 81.67, 1080},
		}},
		"reasoning_content": {metrics.InReasoningContent, map[string]want{
			"vLLM 0.33":     {700, 20, 7.755, none, 1080},
			"SGLang 0.5.23": {480, 600. / 29, 13.49, none, 1141},
			"tokscope ":     {480, 600. / 29, 12.24, 81.67, 1080},
		}},
	} {
		got := table(t, example.Stream(c.in, 50))
		for tool, w := range c.want {
			r, ok := got[tool]
			if !ok {
				t.Errorf("%s: no rule %q", name, tool)
				continue
			}
			for what, f := range map[string]struct {
				got  metrics.Value
				want float64
			}{
				"TTFT": {r.TTFT.Value, w.ttft}, "ITL": {r.ITL.Value, w.itl}, "TPOT": {r.TPOT.Value, w.tpot},
				"speed": {r.Speed.Value, w.speed}, "latency": {r.Latency.Value, w.latency},
			} {
				if f.want == none {
					testkit.That(t, !f.got.OK, "%s: %s of %s is %.2f, want none", name, what, tool, f.got.V)
					continue
				}
				testkit.That(t, f.got.OK && math.Abs(f.got.V-f.want) <= 0.0006*f.want,
					"%s: %s of %s is %+v, want %.3f", name, what, tool, f.got, f.want)
			}
		}
	}
	rules := pick.Count(definition.Rules, func(r *definition.Rule) bool { return r.Reads("") })
	testkit.Is(t, len(table(t, example.Stream(metrics.InReasoning, 50))), rules, "rules have … names")
}

// TestToolCallInOtherAPIs holds what each tool makes of an answer that begins with the name of a
// tool, 20 ms before its arguments, and that a stream has the rules of its API alone.
func TestToolCallInOtherAPIs(t *testing.T) {
	const absent = -1
	for api, want := range map[string]map[string]float64{
		"messages":  {"AIPerf 0.13": 720, "tokscope ": 700, "OpenTelemetry semconv-genai@004902b": 120},
		"responses": {"AIPerf 0.13": 720, "vLLM 0.33": absent, "tokscope ": 700, "OpenTelemetry semconv-genai@004902b": 120},
		"gemini":    {"tokscope ": 700, "OpenTelemetry semconv-genai@004902b": 120},
	} {
		s := example.Stream(0, 50)
		s.Endpoint.API, s.Chunks = api, s.Chunks[10:12]
		s.Chunks[0].Kind, s.Chunks[1].Kind = metrics.ToolCall, metrics.ToolCall
		s.Text = s.Text[s.Chunks[0].TextEnd:]
		s.Chunks[0].TextEnd, s.Chunks[1].TextEnd = 0, 4
		got := table(t, s)
		testkit.Is(t, len(got), len(want), api, "rules")
		for tool, ttft := range want {
			if r := got[tool]; r.TTFT.Value.OK != (ttft != absent) || ttft != absent && r.TTFT.Value.V != ttft {
				t.Errorf("%s: TTFT of %s is %+v, want %v", api, tool, r.TTFT.Value, ttft)
			}
		}
	}
}

// TestThinkingInOtherAPIs: thinking starts the clock of all tools that read such an API, but a
// summary of it that of no tool.
func TestThinkingInOtherAPIs(t *testing.T) {
	for _, c := range []struct {
		thought   int
		vllm, our float64
	}{{10, 480, 480}, {400, 700, 480}} {
		s := example.Stream(0, 450)
		s.Endpoint.API, s.Usage.Reasoning = "responses", c.thought
		got := table(t, s)
		for tool, want := range map[string]float64{"vLLM 0.33": c.vllm, "AIPerf 0.13": c.vllm, "tokscope ": c.our} {
			if r := got[tool]; r.TTFT.Value.V != want {
				t.Errorf("%d tokens thought: TTFT of %s is %+v, want %v", c.thought, tool, r.TTFT.Value, want)
			}
		}
	}
}

// TestOwnTokenizers gives the figure by the server's count beside the one that
// only the tool's tokenizer would give.
func TestOwnTokenizers(t *testing.T) {
	s := example.Stream(metrics.InReasoning, 50)
	got := table(t, s)
	s.Chunks[0].Tokens = 3 // of the 50, so 47 follow
	for _, c := range []struct {
		row  definition.Row
		want float64
	}{{got["MLPerf Endpoints v1.0 rules"], 680. / 49}, {table(t, s)["MLPerf Endpoints v1.0 rules"], 680. / 47}} {
		if by := c.row.TPOT.ByServer; c.row.TPOT.Value.Why != metrics.WhyOwnTokenizer || math.Abs(by.V-c.want) > 1e-9 {
			t.Errorf("TPOT after the first chunk: %+v, want %v by the server", c.row.TPOT, c.want)
		}
	}
	for tool, want := range map[string]struct{ itl, speed float64 }{"AIPerf 0.13": {12.24, 81.67},
		"inference-benchmarker dfef39d": {7.755, none}} {
		r := got[tool]
		if r.ITL.Value.OK || r.ITL.Value.Why != metrics.WhyOwnTokenizer || math.Abs(r.ITL.ByServer.V-want.itl) > 0.01 {
			t.Errorf("%s: ITL %+v, by the server %+v", tool, r.ITL.Value, r.ITL.ByServer)
		}
		testkit.That(t, want.speed == none || math.Abs(r.Speed.ByServer.V-want.speed) <= 0.01,
			"%s: speed by the server %+v", tool, r.Speed.ByServer)
	}
}

// TestWithoutUsage follows each tool to the count that it falls back to.
func TestWithoutUsage(t *testing.T) {
	s := example.Stream(metrics.InReasoning, 0)
	s.Work.MaxTokens = 64
	got := table(t, s)
	for tool, want := range map[string]definition.Count{
		"vLLM 0.33": definition.ByTokenizer, "SGLang 0.5.23": definition.ByAsked, "GuideLLM 0.8.1": definition.ByAsked,
		"what-ttft 2025": definition.Uncounted, "fixie 265e8bc": definition.ByChunks,
	} {
		testkit.Is(t, got[tool].Count, want, tool, "counts by")
	}
	if r := got["SGLang 0.5.23"]; math.Abs(r.TPOT.Value.V-661./63) > 0.01 {
		t.Errorf("SGLang takes what was asked for: TPOT %+v", r.TPOT.Value)
	}
	for tool, end := range map[string]float64{"evalscope 1.14.1": 1090, "genai-bench 0.0.5": 1141} {
		if r := got[tool]; r.Latency.Value.V != end || r.Latency.Span.To == definition.Usage {
			t.Errorf("%s without a usage event: %+v", tool, r.Latency)
		}
	}
}

// TestToolCallAlone names the tools to which an answer of a tool call has a first
// token, as their runs and sources say.
func TestToolCallAlone(t *testing.T) {
	s := example.Stream(0, 50)
	for i := range s.Chunks {
		s.Chunks[i].Kind = metrics.ToolCall
	}
	for tool, r := range table(t, s) {
		want := slices.Contains([]string{"vLLM 0.33", "vLLM <0.33", "AIPerf 0.13", "GuideLLM 0.8.1", "evalscope 1.14.1",
			"MLPerf Endpoints v1.0 rules", "fixie 265e8bc", "OpenTelemetry semconv-genai@004902b", "tokscope "}, tool)
		testkit.Is(t, r.TTFT.Value.OK, want, tool, "TTFT", r.TTFT.Value)
	}
}

// TestEventsOfAFigure names the chunks that a figure is made of.
func TestEventsOfAFigure(t *testing.T) {
	got := table(t, example.Stream(metrics.InReasoningContent, 50))
	if r := got["vLLM 0.33"]; r.First != 10 || r.Last != 29 || r.Counted != 20 {
		t.Errorf("vLLM counts %d events from chunk %d to %d", r.Counted, r.First, r.Last)
	}
	if r := got["vLLM <0.33"]; r.First != -1 || r.Last != -1 || r.Counted != 32 {
		t.Errorf("vLLM before 0.33 counts %d events from %d to %d: the role and the finish are no chunks", r.Counted,
			r.First, r.Last)
	}
	if r := got["SGLang 0.5.23"]; r.First != 0 || r.TPOT.From != 480 || r.TPOT.To != 1141 {
		t.Errorf("SGLang's TPOT is from %v to %v, first %d", r.TPOT.From, r.TPOT.To, r.First)
	}
}

// TestEmptyContentIsAToken: vLLM's client counts an event with an empty content and
// no role, beside the finish reason as well as alone. tokscope's chunks are those
// with text.
func TestEmptyContentIsAToken(t *testing.T) {
	s := example.Stream(metrics.InReasoning, 50)
	before := table(t, s)
	ms := func(v float64) metrics.Stamp { return metrics.Stamp(v * 1e6) }
	last := s.Chunks[len(s.Chunks)-1]
	s.Blanks = []metrics.Blank{{At: s.Chunks[12].At, Event: s.Chunks[12].Event}, {At: ms(1089), Event: last.Event + 1}}
	after := table(t, s)
	if r, w := after["vLLM 0.33"], before["vLLM 0.33"]; r.Latency.Value.V != 1089 || r.Counted != w.Counted+1 ||
		r.Last != -1 || r.TTFT.Value != w.TTFT.Value {
		t.Errorf("end %v, %d counted instead of %d", r.Latency.Value, r.Counted, w.Counted)
	}
	for _, name := range []string{"tokscope ", "AIPerf 0.13", "SGLang 0.5.23", "inference-perf 0.7"} {
		if r, w := after[name], before[name]; r.Latency.Value != w.Latency.Value || r.Counted != w.Counted ||
			r.ITL.Value != w.ITL.Value {
			t.Errorf("%s: %v and %d counted, were %v and %d", name, r.Latency.Value, r.Counted, w.Latency.Value, w.Counted)
		}
	}
}
