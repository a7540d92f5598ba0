package endpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/dialect"
	"tokscope/probe/secret"
)

// What is longer than these bytes is cut in Settings, and told apart by a digest.
const mostSetting, mostSettings = 96, 240

// settings returns what the requests to t say beyond their workload, as conditions of a
// measurement: headers and fields of the body, without possible secrets and without what
// every request to the provider has. "" is nothing.
func (t *Target) settings() string {
	var parts []string
	if t.API != "" {
		parts = append(parts, "api="+t.API)
	}
	speaks := dialect.Speaks(t.API)
	for _, k := range sortedKeys(t.Header) {
		if t.Header[k] != speaks.Header[k] {
			parts = append(parts, k+": "+shortened(t.Header[k], mostSetting))
		}
	}
	for _, k := range sortedKeys(t.Extra) {
		shown := hideSecrets(k, t.Extra[k], nil)
		text, ok := shown.(string)
		if !ok {
			text = jsonText(shown)
		}
		parts = append(parts, extraPrefix+k+"="+shortened(text, mostSetting))
	}
	return shortened(strings.Join(parts, ", "), mostSettings)
}

// jsonText returns v as JSON, "" without a JSON form; a request says so.
func jsonText(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return strings.TrimSpace(b.String())
}

// shortened is text, of which at most most bytes are shown.
func shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	digest := fmt.Sprintf("… (%d bytes, sha256:%.4x)", len(text), sha256.Sum256([]byte(text)))
	return metrics.Head(text, most-len(digest)) + digest
}

// hideSecrets returns a copy of v, decoded JSON under that name, without the texts that
// may be secret by their names. Each of them is given to found, if that is not nil.
func hideSecrets(name string, v any, found func(secret.Secret)) any {
	switch v := v.(type) {
	case string:
		if !SecretName(name) || v == "" {
			return v
		}
		if found != nil {
			found(secret.NewSecret(v))
		}
		return secret.Redacted
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = hideSecrets(name, v[i], found)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			out[k] = hideSecrets(k, x, found)
		}
		return out
	}
	return v
}
