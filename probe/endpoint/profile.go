package endpoint

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Profile is a table [profile.NAME]: a target by name. At most one of
// APIKeyEnv, APIKeyCmd and APIKeyFile may be set.
type Profile struct {
	// URL is a base URL in any usual form, or the name of a provider.
	URL        string  `toml:"url"`
	Model      string  `toml:"model"`
	APIKeyEnv  string  `toml:"api_key_env"`
	APIKeyCmd  Command `toml:"api_key_cmd"`
	APIKeyFile string  `toml:"api_key_file"`
	// Auth overrides how the key is sent: "bearer", "api-key", "none".
	Auth string `toml:"auth"`
	// Headers are added to every request; ${NAME} in a value stands for a
	// variable of the environment.
	Headers map[string]string `toml:"headers"`
	// Query is added to every request's query; ${NAME} as in Headers.
	Query map[string]string `toml:"query"`
	// Extra is merged into the JSON body of every request.
	Extra        map[string]any `toml:"extra"`
	MaxTokens    int            `toml:"max_tokens"`
	MaxField     string         `toml:"max_field"`
	InsecureHTTP bool           `toml:"insecure_http"`
	CACert       string         `toml:"cacert"`
	HTTP2        bool           `toml:"http2"`
	// Server says what the server is when it cannot be recognised: "vllm", ….
	Server string `toml:"server"`
	// PriceIn and PriceOut are what a million tokens cost, prompt and output, of
	// Model; 0: not known. Prices are those of other models, by their names.
	PriceIn  float64               `toml:"price_in"`
	PriceOut float64               `toml:"price_out"`
	Prices   map[string]ModelPrice `toml:"prices"`
	Currency string                `toml:"currency"`
}

var (
	envName    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
)

// Printing a Profile omits headers and queries, which may hold keys.
func (p Profile) String() string {
	return strings.TrimSpace(ShownURL(p.URL) + " " + p.Model)
}

// Format prints String under every verb.
func (p Profile) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.String()) }

// shown is a value that may be printed: references to variables stand as they
// are, because they hold no secret themselves.
func shown(name, value string) string {
	if SecretName(name) && reference.ReplaceAllString(value, "") != "" {
		return Redacted
	}
	return value
}

// ShownURL returns a URL without the values of its query.
func ShownURL(s string) string {
	base, query, ok := strings.Cut(s, "?")
	if !ok {
		return s
	}
	var names []string
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		names = append(names, name+"="+shown(name, value))
	}
	return base + "?" + strings.Join(names, "&")
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d arguments)", n)
}

func nonZero(n int) string {
	if n == 0 {
		return ""
	}
	return itoa(n)
}

func yes(b bool) string {
	if b {
		return "true"
	}
	return ""
}
