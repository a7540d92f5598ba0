package dialect

import (
	"encoding/json"
	"maps"

	"tokscope/metrics"
)

// Params are the dialect's optional request fields. Send each only to servers
// known to accept it: strict servers refuse unknown fields.
type Params struct {
	// IncludeUsage requests the usage chunk (stream_options.include_usage).
	IncludeUsage bool
	// ContinuousUsage requests usage on every chunk (vLLM, SGLang,
	// TensorRT-LLM). It is only sent with IncludeUsage.
	ContinuousUsage bool
	// MaxField is the field that bounds the output: "max_tokens",
	// "max_completion_tokens", or "" for no bound.
	MaxField string
	// NoObfuscation disables OpenAI's random padding of every chunk.
	NoObfuscation bool
	// Timings requests timings on every chunk, Progress prefill progress
	// (llama.cpp).
	Timings, Progress bool
	// Logprobs (OpenAI, vLLM, SGLang, llama.cpp) and TokenIDs (vLLM) request
	// data per token. They allow counting the tokens per chunk.
	Logprobs, TokenIDs bool
	// NoTemperature and NoSeed omit the workload's temperature and seed.
	NoTemperature, NoSeed bool

	swapped bool // MaxField was already switched to the other name
}

// sampled sets the fields that say how w is sampled and bounded. bound is the name of the
// bound, "" for none; seeded says that the API has a seed.
func sampled(fields map[string]any, p *Params, w *metrics.Workload, bound string, seeded bool) {
	if bound != "" && w.MaxTokens > 0 {
		fields[bound] = w.MaxTokens
	}
	if w.Temperature != nil && !p.NoTemperature {
		fields["temperature"] = *w.Temperature
	}
	if seeded && w.Seed != nil && !p.NoSeed {
		fields["seed"] = *w.Seed
	}
}

// Merge returns body, a JSON object, with fields in it; the last value of a name
// counts. It fails when a value cannot be written as JSON.
func Merge(body []byte, fields ...map[string]any) ([]byte, error) {
	var written map[string]json.RawMessage // not read further: a prompt may be long
	if err := json.Unmarshal(body, &written); err != nil {
		return nil, err
	}
	all := make(map[string]any, len(written))
	for name, value := range written {
		all[name] = value
	}
	for _, m := range fields {
		maps.Copy(all, m)
	}
	return json.Marshal(all)
}

// within copies fields into all. An object of both keeps what the other has not.
func within(all, fields map[string]any) map[string]any {
	all = maps.Clone(all)
	for name, value := range fields {
		inner, ours := all[name].(map[string]any)
		if more, both := value.(map[string]any); ours && both {
			value = within(inner, more)
		}
		all[name] = value
	}
	return all
}
