package endpoint

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/probe/dialect"
	"tokscope/probe/secret"
)

// Profile is a table [profile.NAME]: a target by name. At most one of
// APIKeyEnv, APIKeyCmd and APIKeyFile may be set.
type Profile struct {
	// URL is a base URL in any usual form, or the name of a provider.
	URL   string `toml:"url"`
	Model string `toml:"model"`
	// API is the name of the API that the endpoint speaks: "messages", ….
	API        string  `toml:"api"`
	APIKeyEnv  string  `toml:"api_key_env"`
	APIKeyCmd  Command `toml:"api_key_cmd"`
	APIKeyFile string  `toml:"api_key_file"`
	// Auth overrides how the key is sent: "bearer", "api-key", "x-api-key", "x-goog-api-key",
	// "none".
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
	Cert         string         `toml:"cert"`
	CertKey      string         `toml:"cert_key"`
	HTTP2        bool           `toml:"http2"`
	// Server says what the server is when it cannot be recognised: "vllm", ….
	Server string `toml:"server"`
	// Machine and ModelSize are what the endpoint is said to be: "2xh100", "70b-fp8".
	Machine   string `toml:"machine"`
	ModelSize string `toml:"model_size"`
	// PriceIn and PriceOut are what a million tokens cost, prompt and output, of
	// Model; 0: not known. Those of the cache are of prompt tokens, 0: as PriceIn. Prices
	// are those of other models, by their names.
	PriceIn         float64                  `toml:"price_in"`
	PriceOut        float64                  `toml:"price_out"`
	PriceCacheRead  float64                  `toml:"price_cache_read"`
	PriceCacheWrite float64                  `toml:"price_cache_write"`
	Prices          map[string]metrics.Price `toml:"prices"`
	Currency        string                   `toml:"currency"`
}

var (
	envWord    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
)

// envName reports whether s may be the name of a variable; a longer text is a key.
func envName(s string) bool { return len(s) <= 128 && envWord.MatchString(s) }

// Check refuses a profile that could never be used: key is the place, what is
// wrong, and step is the next step. what is "" when nothing is wrong.
func (p Profile) Check(name string) (key, what, step string) {
	_, provider := ProviderByName(cmp.Or(p.URL, name))
	_, bad := ParseURL(p.URL)
	keys := []bool{p.APIKeyEnv != "", !p.APIKeyCmd.Empty(), p.APIKeyFile != ""}
	switch {
	case name == "" || strings.ContainsAny(name, "/:@?# \t\r\n"):
		return "", "a profile's name cannot be empty or hold spaces or any of / : @ ? #", "rename it"
	case name == embeddedName:
		return "", "this name means the embedded endpoint", "rename the profile"
	case p.URL == "" && !provider:
		return "url", "url is missing", "add url = \"https://HOST/v1\" or the name of a provider"
	case p.URL != "" && !provider && bad != nil:
		return "url", "url cannot be used: " + message(bad), next(bad)
	case !p.APIKeyCmd.Empty() && strings.TrimSpace(p.APIKeyCmd.Args[0]) == "":
		return "api_key_cmd", "api_key_cmd names no program", "give a command as a string, or as a list of strings"
	case pick.Count(keys, func(set *bool) bool { return *set }) > 1:
		return "api_key_env", "more than one of api_key_env, api_key_cmd and api_key_file is set", "keep one of them"
	case p.APIKeyEnv != "" && !envName(p.APIKeyEnv):
		return "api_key_env", "api_key_env is not the name of a variable",
			"write the name of the variable, never the key itself"
	case p.CertKey != "" && p.Cert == "":
		return "cert_key", "cert_key is set without cert", "name the file of the client certificate in cert"
	case p.Auth != "" && !slices.Contains(auths, p.Auth):
		return "auth", "auth must be one of " + strings.Join(auths, ", "), "did you mean " + Closest(p.Auth, auths) + "?"
	case dialect.Speaks(p.API) == nil:
		return "api", "api must be one of " + strings.Join(dialect.Names(), ", "), "leave it out for chat completions"
	case !slices.Contains([]string{"", maxTokens, maxCompletionTokens}, p.MaxField):
		return "max_field", "max_field must be max_tokens or max_completion_tokens", "leave it out to let tokscope find out"
	case p.MaxTokens < 0:
		return "max_tokens", "max_tokens is negative", "give a number above 0, or leave it out"
	}
	if key, what := p.checkPrices(); key != "" {
		return key, what, "prices are for a million tokens: price_in = 0.59"
	}
	for _, k := range sortedKeys(p.Headers) {
		if what := checkHeader(k, p.Headers[k]); what != "" {
			return "headers", what, "write a name of letters, digits and -, and its value in one line, or leave it out"
		}
	}
	for _, k := range sortedKeys(p.Extra) {
		if next, own := ownFields[k]; own {
			return "extra", k + " is a field that tokscope sets itself", next
		}
	}
	return "", "", ""
}

// Printing a Profile omits headers and queries, which may hold keys.
func (p Profile) String() string {
	return strings.TrimSpace(ShownURL(p.URL) + " " + p.Model)
}

// Format prints String under every verb.
func (p Profile) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.String()) }

// Show calls show with the key and the value of everything that is set, in
// the order of the fields. Values that may be secret are redacted.
func (p Profile) Show(show func(key, value string)) {
	p.URL = ShownURL(p.URL)
	showValue("", reflect.ValueOf(p), show)
}

// showValue shows a value, or each value of a table, unless it is zero. A name in
// a table may say that its value is secret.
func showValue(key string, v reflect.Value, show func(key, value string)) {
	inner := func(name string, x reflect.Value) { showValue(strings.TrimPrefix(key+"."+name, "."), x, show) }
	command, isCommand := v.Interface().(Command)
	switch {
	case isCommand:
		if words := command.shown(); words != "" {
			show(key, words)
		}
	case v.Kind() == reflect.Struct:
		for f, x := range v.Fields() {
			inner(f.Tag.Get("toml"), x)
		}
	case v.Kind() == reflect.Map:
		for _, k := range slices.SortedFunc(slices.Values(v.MapKeys()), byName) {
			x := v.MapIndex(k)
			if x.Kind() != reflect.Struct {
				x = reflect.ValueOf(shown(k.String(), fmt.Sprint(x.Interface())))
			}
			inner(k.String(), x)
		}
	case !v.IsZero():
		show(key, fmt.Sprint(v.Interface()))
	}
}

func byName(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }

// shown returns a printable value. References to variables stay, because they
// hold no secret themselves.
func shown(name, value string) string {
	if SecretName(name) && reference.ReplaceAllString(value, "") != "" {
		return secret.Redacted
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
