package session

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tokscope/metrics"
	"tokscope/probe/dialect"
	"tokscope/probe/result"
)

// shareWords are the strings that a shared file may hold, by the key they stand
// under: words of this program, versions as it has them, systems, and times. Any
// other string is a name, a text or an id.
var shareWords = sync.OnceValue(func() map[string]*regexp.Regexp {
	out := map[string]*regexp.Regexp{}
	for key, words := range map[string]string{
		"version":  `unknown|devel|v?\d{1,4}\.\d{1,4}\.\d{1,4}`,
		"system":   `(linux|darwin|windows)/(amd64|arm64)`,
		"started":  `\d{4}-\d\d-\d\dT[0-9:.]{8,18}Z`,
		"protocol": `HTTP/(1\.0|1\.1|2\.0|3\.0)`,
		"kind": `embedded|profile|provider|loopback|url|config|dns|connect|tls|timeout|http|auth|rate_limit|redirect|` +
			`not_a_stream|in_stream|protocol|too_large|reset|truncated|empty_answer|compressed|canceled|local|internal`,
		"connection": `auto|cold|warm`,
		"state":      `idle|connecting|waiting|decoding|done|failed|truncated|canceled`,
		"stamps":     `kernel|user|body|mixed|none`,
		"finish_reason": `stop|length|tool_calls|content_filter|function_call|error|end_turn|max_tokens|` +
			`stop_sequence|tool_use|pause_turn|refusal|completed|incomplete|max_output_tokens|STOP|MAX_TOKENS`,
		"tier":    `auto|default|flex|priority|standard|standard_only|batch|scale`,
		"speed":   `standard|fast`,
		"part":    `tools|system|messages`,
		"role":    `system|developer|user|assistant|model|tool`,
		"path":    `(/(v\d(alpha|beta)?\d?|openai|api|chat|completions|responses|messages))+(\?(beta|alt|api-version))?`,
		"answers": `person|tool`,
		"name": `client|retried|dns|tcp|tls|send|upload|wait|server|unexplained|queue|prefill|decode|` +
			`ttft|total|processing|load`,
		"by":                   `client|server`,
		"api":                  strings.Join(dialect.Names(), "|"),
		"method":               `GET|POST|linear interpolation \(Hyndman-Fan type 7\)`,
		"pace":                 `reading`,
		"words_from":           `words`,
		"itl_from":             `counted|mean`,
		"output_tokens_source": `unknown|counted by the server|server usage|server timings|token ids|logprobs|estimated`,
		"source":               `tcp_info|old_kernel|unsupported_system|no_socket|unix_socket`,
		"affects":              `shared_reads|all_times|some_times`,
		"result":               `answered|refused|timeout|failed`,
		"cause":                `out_of_order|sent_late|flushed|undecided`,
		"code": `buffered|terminal_burst|held_back|held_decode|withheld|long_silence|one_chunk|multi_token_chunks|` +
			`first_chunk_tokens|first_chunk_mean|fewer_tokens|usage_zero|summarized_reasoning|` +
			`hidden_reasoning|truncated|observer_late|suspended|mixed_stamps|body_stamps|clock_step|server_exceeds_wait|` +
			`cached_prompt|several_choices|stamps_backwards|recording_incomplete|usage_refused|max_completion_tokens|` +
			`tokens_not_sent|left_open|cut_off|retried|model_alias|other_model|malformed_events?`,
		"unknown": `unreported|reused|idle|backwards|unfinished|impossible|foreign|not_recorded|[a-z]+(-[a-z]+)+|needs:\d+`,
	} {
		out[key] = regexp.MustCompile(`^(` + words + `)$`)
	}
	return out
})

// word returns text if it may stand under that key, else "".
func word(key, text string) string {
	if r := shareWords()[key]; r != nil && r.MatchString(text) {
		return text
	}
	return ""
}

var (
	// shareTexts are the keys of texts, whose widths may stay.
	shareTexts = []string{"system", "prompt", "body"}
	// shareLists are the keys of lists of which each element becomes one text.
	shareLists = []string{"messages", "tools"}
	// shareDrops are the keys that a shared file does not have.
	shareDrops = []string{"raw", "nonce", "seed", "note", "fronts", "rate_limit", "next", "location", "bound", "load"}
	// shareFigures are the figures that are measured in the texts.
	shareFigures = []string{"words_per_minute", "times_reading", "below_reading_share", "head_start_ms",
		"first_sentence_ms", "speaker_150_wpm_wait_ms", "speaker_180_wpm_wait_ms"}
)

// tapWords are what the file of a tap tells beside shareWords, by key: the name of a model, and
// a path with one. They are made when a tap begins: they take 170 kB.
var tapWords = sync.OnceValue(func() map[string]*regexp.Regexp {
	model := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,79}$`)
	return map[string]*regexp.Regexp{"model": model, "model_reported": model,
		"path": regexp.MustCompile(`^/v1(beta)?/models/[A-Za-z0-9][A-Za-z0-9._-]{0,79}:(streamG|g)enerateContent(\?alt)?$`)}
})

// word is word for the file that s writes.
func (s *sharer) word(key, text string) string {
	if s.tap {
		if r := tapWords()[key]; r != nil && r.MatchString(text) {
			return text
		}
	}
	return word(key, text)
}

// bare returns the JSON form of v with a blank for each string that is no word of
// this program.
func (s *sharer) bare(v any) map[string]any {
	var data bytes.Buffer
	err := result.Sentences(nil).WriteLine(&data, v)
	out := map[string]any{}
	if dec := json.NewDecoder(&data); err == nil {
		dec.UseNumber() // as they are written
		err = dec.Decode(&out)
	}
	if s.err == nil {
		s.err = err
	}
	s.blank("", out)
	return out
}

// blank blanks the strings in v, which stands under key, and returns it.
func (s *sharer) blank(key string, v any) any {
	switch v := v.(type) {
	case string:
		switch {
		case v == "" || s.word(key, v) != "":
			return v
		case slices.Contains(shareTexts, key):
			return s.text(v)
		}
		return blank
	case []any:
		for i := range v {
			if slices.Contains(shareLists, key) { // names in it may be a person's own
				whole, _ := json.Marshal(v[i]) // it was read from JSON
				v[i] = s.text(string(whole))
				continue
			}
			v[i] = s.blank(key, v[i])
		}
	case map[string]any:
		for name, x := range v {
			if slices.Contains(shareDrops, name) && !(s.tap && name == "rate_limit") {
				delete(v, name)
				continue
			}
			under := name
			if key == "unknown" {
				under = key
			}
			v[name] = s.blank(under, x)
		}
	}
	return v
}

// end returns the end of a request without its texts, and without what was measured
// in them. f are the figures of the request.
func (s *sharer) end(id int, end *result.Request, f *metrics.Figures) map[string]any {
	out := s.bare(end)
	out["id"] = id
	object := func(name string) map[string]any {
		m, _ := out[name].(map[string]any)
		return m
	}
	if c := object("connection"); c["tls"] != nil {
		c["tls"] = "TLS"
	}
	known := func(v any) bool { m, _ := v.(map[string]any); return m["code"] != blank }
	for _, in := range []struct {
		of   map[string]any
		name string
	}{{out, "notes"}, {object("figures"), "suspect"}} { // those about texts and headers have no word here
		list, _ := in.of[in.name].([]any)
		if list = slices.DeleteFunc(list, func(v any) bool { return !known(v) }); list != nil {
			in.of[in.name] = list
		}
	}
	usage, figures := object("usage"), object("figures")
	switch u := judged(end.Usage, f); {
	case s.tap: // as the server counted them
	case !counted(f):
		usage["completion_tokens"], usage["reasoning_tokens"], usage["total_tokens"] = nil, nil, nil
	case u.Reasoning < 0:
		usage["reasoning_tokens"] = nil
	case u.Completion != end.Usage.Completion:
		usage["completion_tokens"] = u.Completion
	}
	if !f.PromptTokens.OK && !s.tap {
		usage["prompt_tokens"], usage["cached_tokens"] = nil, nil
	}
	if !s.widths {
		out["body_bytes"] = 0
		delete(out, "audio_bytes")
		delete(out, "image_bytes")
	}
	if f.Chunks > 0 {
		why, _ := figures["unknown"].(map[string]any)
		if why == nil {
			why = map[string]any{}
		}
		for _, name := range shareFigures {
			figures[name], why[name] = nil, result.Reason{Code: metrics.WhyTextRemoved.String()}
		}
		figures["words"], figures["words_from"], figures["unknown"] = 0, "", why
	}
	return out
}
