package endpoint

import (
	"encoding/json"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/secret"
)

// unspoken replaces in w's messages and tools the texts that may be secret by their
// names, such as the authorization of an MCP server: w is shown and recorded. spoken has
// what is sent in place of each, nil for nothing; hidden are the texts.
func unspoken(w *metrics.Workload) (spoken map[metrics.Raw]secret.Secret, hidden []secret.Secret) {
	for _, raw := range []*metrics.Raw{&w.Messages, &w.Tools} {
		before := len(hidden)
		shown := hideSecrets("", jsonOrText(string(*raw)), func(s secret.Secret) {
			hidden = append(hidden, withoutScheme(s)...)
		})
		if len(hidden) == before {
			continue
		}
		spoken = cloned(spoken)
		text := metrics.Raw(jsonText(shown))
		spoken[text], *raw = secret.NewSecret(string(*raw)), text
	}
	return spoken, hidden
}

// Speak makes w what is sent to t: with the texts of its messages and tools that t keeps
// secret.
func (t *Target) Speak(w *metrics.Workload) {
	for _, raw := range []*metrics.Raw{&w.Messages, &w.Tools} {
		if said, ok := t.spoken[*raw]; ok {
			*raw = metrics.Raw(said.Reveal())
		}
	}
}

// leastKey is the length of the shortest key that is looked for in a prompt, in bytes.
// Shorter ones are words.
const leastKey = 8

// CheckWork refuses a workload with a text that holds a secret of t: what is said to a
// model is recorded. The error is a *metrics.Fault with the next step.
func (t Target) CheckWork(w *metrics.Workload) error {
	said := append([]string{w.System, w.Prompt}, slices.Concat(texts(w.Messages), texts(w.Tools))...)
	for _, key := range t.Secrets() {
		text := key.Reveal()
		if len(text) >= leastKey && slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, text) }) {
			return Refuse("what is said to the model holds a key of the request, and prompts are recorded",
				"take the key out of the prompt")
		}
	}
	return nil
}

// texts returns every string of raw, names of fields too, without escapes.
func texts(raw metrics.Raw) (all []string) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	for {
		token, err := d.Token()
		if err != nil {
			return all
		}
		if text, ok := token.(string); ok {
			all = append(all, text)
		}
	}
}
