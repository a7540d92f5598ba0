package dialect

import (
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
)

// timeField is one duration that a server reports.
type timeField struct {
	key  string        // in the server's object
	name string        // what it measures
	unit time.Duration // of the number
	from string        // name shown to a person
}

// timeBlockSpec describes an object of server times in a chunk.
type timeBlockSpec struct {
	key   string // top-level key of the chunk
	inner string // nested object with the fields, "" if the object itself has them
	// zeroIsUnset: 0 means not measured yet.
	zeroIsUnset bool
	fields      []timeField
}

// timeBlocks lists the objects of server times at the top level of a chunk.
// Another server's object needs a line here. Fields of the usage object are
// in usageTimes, headers in headerTimes.
var timeBlocks = [...]timeBlockSpec{
	{key: "timings", zeroIsUnset: true, fields: []timeField{ // llama.cpp
		{"prompt_ms", metrics.ServerPrefill, time.Millisecond, "timings.prompt_ms"},
		{"predicted_ms", metrics.ServerDecode, time.Millisecond, "timings.predicted_ms"},
	}},
	{key: "time_info", fields: []timeField{ // Cerebras
		{"queue_time", metrics.ServerQueue, time.Second, "time_info.queue_time"},
		{"prompt_time", metrics.ServerPrefill, time.Second, "time_info.prompt_time"},
		{"completion_time", metrics.ServerDecode, time.Second, "time_info.completion_time"},
		{"total_time", metrics.ServerTotal, time.Second, "time_info.total_time"},
	}},
	{key: "perf_metrics", fields: []timeField{ // Fireworks; numbers or strings
		{"prefill-queue-duration", metrics.ServerQueue, time.Second, "perf_metrics.prefill-queue-duration"},
		{"prefill-duration", metrics.ServerPrefill, time.Second, "perf_metrics.prefill-duration"},
		{"generation-duration", metrics.ServerDecode, time.Second, "perf_metrics.generation-duration"},
		{"server-time-to-first-token", metrics.ServerTTFT, time.Second, "perf_metrics.server-time-to-first-token"},
		{"server-processing-time", metrics.ServerProcessing, time.Second, "perf_metrics.server-processing-time"},
	}},
	{key: "metrics", fields: []timeField{ // vLLM with --enable-per-request-metrics
		{"queue_time_ms", metrics.ServerQueue, time.Millisecond, "metrics.queue_time_ms"},
		{"prefill_time_ms", metrics.ServerPrefill, time.Millisecond, "metrics.prefill_time_ms"},
		{"generation_time_ms", metrics.ServerDecode, time.Millisecond, "metrics.generation_time_ms"},
		{"time_to_first_token_ms", metrics.ServerTTFT, time.Millisecond, "metrics.time_to_first_token_ms"},
	}},
	{key: "sla_metrics", fields: []timeField{ // Novita
		{"ttft_ms", metrics.ServerTTFT, time.Millisecond, "sla_metrics.ttft_ms"},
	}},
	{key: "nvext", inner: "timing", fields: []timeField{ // NVIDIA Dynamo
		{"prefill_wait_time_ms", metrics.ServerQueue, time.Millisecond, "nvext.timing.prefill_wait_time_ms"},
		{"prefill_time_ms", metrics.ServerPrefill, time.Millisecond, "nvext.timing.prefill_time_ms"},
		{"ttft_ms", metrics.ServerTTFT, time.Millisecond, "nvext.timing.ttft_ms"},
		{"total_time_ms", metrics.ServerTotal, time.Millisecond, "nvext.timing.total_time_ms"},
	}},
}

// usageTimes lists durations inside the usage object.
var usageTimes = []timeField{
	{"queue_time", metrics.ServerQueue, time.Second, "usage.queue_time"}, // Groq
	{"prompt_time", metrics.ServerPrefill, time.Second, "usage.prompt_time"},
	{"completion_time", metrics.ServerDecode, time.Second, "usage.completion_time"},
	{"total_time", metrics.ServerTotal, time.Second, "usage.total_time"},
	{"time_to_first_token", metrics.ServerTTFT, time.Second, "usage.time_to_first_token"}, // SambaNova
	{"total_latency", metrics.ServerTotal, time.Second, "usage.total_latency"},
	{"timing_prompt_processing", metrics.ServerPrefill, time.Millisecond, "usage.timing_prompt_processing"}, // LocalAI
	{"timing_token_generation", metrics.ServerDecode, time.Millisecond, "usage.timing_token_generation"},
}

// ollamaTimes lists durations at the top of the last line of Ollama's own API.
var ollamaTimes = []timeField{
	{"load_duration", metrics.ServerLoad, time.Nanosecond, "load_duration"},
	{"prompt_eval_duration", metrics.ServerPrefill, time.Nanosecond, "prompt_eval_duration"},
	{"eval_duration", metrics.ServerDecode, time.Nanosecond, "eval_duration"},
	{"total_duration", metrics.ServerTotal, time.Nanosecond, "total_duration"},
}

// groqTimes lists the same durations inside x_groq.
var groqTimes = func() []timeField {
	t := slices.Clone(usageTimes)
	for i := range t {
		t[i].from = "x_groq." + t[i].from
	}
	return t
}()

// SameTime reports whether a and b are one duration, of which a server sent b
// later: Groq has its times in usage and once more in x_groq.usage.
func SameTime(a, b metrics.ServerTime) bool {
	const copied = "x_groq."
	return a.Name == b.Name && strings.TrimPrefix(a.From, copied) == strings.TrimPrefix(b.From, copied)
}

// timeBlock returns the index in timeBlocks of a top-level key, or -1.
func timeBlock(key []byte) int {
	for i := range timeBlocks {
		if timeBlocks[i].key == string(key) {
			return i
		}
	}
	return -1
}

// longest is the longest accepted duration. A larger number is an epoch or an
// error.
const longest = 30 * 24 * time.Hour

// duration converts a number of units. ok is false for a negative value or
// one beyond longest.
func duration(v float64, unit time.Duration) (d time.Duration, ok bool) {
	if v < 0 || v > float64(longest/unit) {
		return 0, false
	}
	return time.Duration(v*float64(unit) + 0.5), true
}

// takeTime reads the next value and appends it to times if key is in fields.
func takeTime(s *scanner, key []byte, fields []timeField,
	zeroIsUnset bool, times []metrics.ServerTime) []metrics.ServerTime {
	for i := range fields {
		if f := &fields[i]; f.key == string(key) {
			return f.add(s.raw(), zeroIsUnset, times)
		}
	}
	return times
}

// add appends the duration that the number raw is, if it is one.
func (f *timeField) add(raw []byte, zeroIsUnset bool, times []metrics.ServerTime) []metrics.ServerTime {
	v, ok := asFloat(raw)
	if d, fits := duration(v, f.unit); ok && fits && (v != 0 || !zeroIsUnset) {
		times = append(times, metrics.ServerTime{Name: f.name, D: d, From: f.from})
	}
	return times
}

// block decodes the server times and the counts of one block. predicted are the output tokens so
// far, -1 for none. Of a prompt llama.cpp counts what was not cached: that is no count without the rest.
func (d *Decoder) block(spec *timeBlockSpec, raw []byte, out *Out) (predicted int) {
	s := &d.scan
	predicted, prompt, cached, computed := -1, -1, -1, -1
	for k, more := s.keysOf(raw); more; k, more = s.nextKey() {
		switch {
		case spec.inner != "" && string(k) == spec.inner:
			for k, more := s.firstKey(); more; k, more = s.nextKey() {
				out.Server = takeTime(s, k, spec.fields, spec.zeroIsUnset, out.Server)
			}
		case spec.inner != "":
		case spec.key == "timings" && string(k) == "predicted_n":
			predicted = asCount(s.raw())
		case spec.key == "timings" && string(k) == "prompt_n":
			computed = asCount(s.raw())
		case spec.key == "timings" && string(k) == "cache_n":
			cached = asCount(s.raw())
		case spec.key == "perf_metrics" && string(k) == "prompt-tokens":
			prompt = asCount(s.raw())
		case spec.key == "perf_metrics" && string(k) == "cached-prompt-tokens":
			cached = asCount(s.raw())
		default:
			out.Server = takeTime(s, k, spec.fields, spec.zeroIsUnset, out.Server)
		}
	}
	if prompt < 0 && computed >= 0 && cached >= 0 {
		prompt = computed + cached
	}
	if prompt >= 0 {
		d.rest.prompt, d.rest.cached = prompt, cached
	}
	return predicted
}
