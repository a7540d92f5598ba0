package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"tokscope/probe/sim/text"
)

// mostLetters is the longest word that the embedded endpoint counts as one
// token, and mostDigits its longest number.
const (
	mostLetters = 6
	mostDigits  = 3
)

// pieces is the regular expression that cuts a text, in lower case and
// without blanks, before the vocabulary is searched.
var pieces = fmt.Sprintf("[a-z]{1,%d}|[0-9]{1,%d}|[^a-z0-9]", mostLetters, mostDigits)

// vocabulary returns the tokens: words of the endpoint's own prose, made-up
// words, numbers, signs and single letters. The embedded endpoint counts each
// of them, with a blank before it, as one token. The first is the one for
// what is none of them.
//
// There are more than 100,000, because vLLM takes random prompts from it as
// runs of neighbors: two prompts of a small one would often be the same.
func vocabulary() []string {
	const vowels, consonants = "aeiou", "bcdfghjklmnpqrstvwxz"
	seen := map[string]bool{}
	var out []string
	add := func(s string) {
		if s != "" && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	add("x")
	for c := rune('!'); c <= '~'; c++ {
		add(strings.ToLower(string(c)))
	}
	for n := range 1000 {
		for width := 1; width <= mostDigits; width++ {
			if s := fmt.Sprintf("%0*d", width, n); len(s) <= mostDigits {
				add(s)
			}
		}
	}
	for _, p := range text.Passages("en") {
		for _, w := range strings.FieldsFunc(strings.ToLower(p.Body), func(r rune) bool { return r < 'a' || r > 'z' }) {
			if len(w) <= mostLetters {
				add(w)
			}
		}
	}
	for _, a := range consonants {
		for _, b := range vowels {
			for _, c := range consonants {
				add(string([]rune{a, b, c}))
				for _, d := range vowels {
					for _, e := range consonants {
						add(string([]rune{a, b, c, d, e}))
					}
				}
			}
		}
	}
	return out
}

// object is a JSON object.
type object map[string]any

// writeTokenizer writes a tokenizer of Hugging Face's format into dir. A text
// that it decodes has a blank between any two tokens. The embedded endpoint
// then counts as many tokens in it as the tokenizer does.
func writeTokenizer(dir string) error {
	const end = "</s>"
	var scored []any
	for _, w := range vocabulary() {
		scored = append(scored, []any{w, -10.0}) // equal scores: the fewest pieces win
	}
	special := object{"id": len(scored), "content": end, "single_word": false,
		"lstrip": false, "rstrip": false, "normalized": false, "special": true}
	scored = append(scored, []any{end, -100.0})
	regex := func(s string) object { return object{"Regex": s} }
	tokenizer := object{
		"version": "1.0", "truncation": nil, "padding": nil,
		"post_processor": nil, "decoder": nil, "added_tokens": []any{special},
		"normalizer": object{"type": "Sequence", "normalizers": []any{
			object{"type": "NFD"}, object{"type": "StripAccents"}, object{"type": "Lowercase"},
			object{"type": "Replace", "pattern": regex(`[^\x21-\x7e]`), "content": " "},
		}},
		"pre_tokenizer": object{"type": "Sequence", "pretokenizers": []any{
			object{"type": "WhitespaceSplit"},
			object{"type": "Split", "pattern": regex(pieces), "behavior": "Isolated", "invert": false},
		}},
		"model": object{"type": "Unigram", "unk_id": 0, "vocab": scored, "byte_fallback": false},
	}
	config := object{
		"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 131072, "clean_up_tokenization_spaces": false,
		"eos_token": end, "pad_token": end,
		"chat_template": "{% for m in messages %}<|{{ m['role'] }}|>\n{{ m['content'] " +
			"}}\n{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}",
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, v := range map[string]object{"tokenizer.json": tokenizer,
		"tokenizer_config.json": config, "config.json": {"model_type": "llama"}} {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
