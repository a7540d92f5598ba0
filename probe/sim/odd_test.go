package sim

import (
	"strings"
	"testing"
)

// Odd requests get an answer that names the mistake.
func TestOddParameters(t *testing.T) {
	s := start(t, Options{})
	for _, c := range []struct {
		name, route, body string
		status            int
		words             string
	}{
		{"a limit beyond int32", "/chat/completions", `{"messages":[{"role":"user","content":"x"}],"max_tokens":9999999999}`, 400, "max_tokens must be at most 2147483647, got 9999999999"},
		{"the newer limit", "/chat/completions", `{"messages":[{"role":"user","content":"x"}],"max_completion_tokens":-1}`, 400, "max_completion_tokens must be at least 1, got -1"},
		{"a list of ids", "/completions", `{"prompt":[[1,2,3]],"max_tokens":1}`, 200, `"prompt_tokens":3`},
		{"two lists of ids", "/completions", `{"prompt":[[1,2,3],[4]],"max_tokens":1}`, 200, `"prompt_tokens":4`},
		{"lists in lists in lists", "/completions", `{"prompt":` + strings.Repeat("[", 5000) + `"x"` + strings.Repeat("]", 5000) + `}`, 400, "prompt[0][0] must be a token id, 0 to 2147483647, got an array"},
		{"an empty list", "/completions", `{"prompt":[]}`, 400, "must be a string or token ids"},
		{"an object", "/completions", `{"prompt":{"a":1}}`, 400, "must be a string or token ids"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if code, _, body := post(t, s, c.route, c.body); code != c.status || !strings.Contains(body, c.words) {
				t.Errorf("%d %.300s", code, body)
			}
		})
	}
}
