package session

import (
	"regexp"
	"strings"
	"sync"

	"tokscope/probe/dialect"
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
		"unknown": `unreported|reused|idle|backwards|unfinished|impossible|foreign|not_recorded|summarized|sound|image|` +
			`dependent|undefined|failed|[a-z]+(-[a-z]+)+|needs:\d+`,
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
)

// tapWords are what the file of a tap tells beside shareWords, by key: the name of a model, and
// a path with one. They are made when a tap begins: they take 170 kB.
var tapWords = sync.OnceValue(func() map[string]*regexp.Regexp {
	model := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,79}$`)
	return map[string]*regexp.Regexp{"model": model, "model_reported": model,
		"path": regexp.MustCompile(`^/v1(beta)?/models/[A-Za-z0-9][A-Za-z0-9._-]{0,79}:(streamG|g)enerateContent(\?alt)?$`)}
})

// word is word for what s writes.
func (s *sharer) word(key, text string) string {
	var more *regexp.Regexp
	switch {
	case s.tap:
		more = tapWords()[key]
	case s.page:
		more = pageWords()[key]
	}
	if more != nil && more.MatchString(text) {
		return text
	}
	return word(key, text)
}
