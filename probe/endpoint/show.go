package endpoint

import (
	"fmt"
	"io"
	"strings"
)

// Profile's own printing leaves out headers and queries, which may hold keys.
func (p Profile) String() string {
	return strings.TrimSpace(ShownURL(p.URL) + " " + p.Model)
}

// Format prints String under every verb.
func (p Profile) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.String()) }

// Show lists the profiles key by key, for config show: where a key is found is
// said, the key is not fetched, and values of headers and queries that may be
// secret are redacted.
func (c *Config) Show() []Setting {
	var out []Setting
	for _, name := range sortedKeys(c.Profiles) {
		p := c.Profiles[name]
		add := func(key, value string) {
			if value != "" {
				full := "profile." + name + "." + key
				out = append(out, Setting{full, NewScrubber().String(value), c.origin(full)})
			}
		}
		add("url", ShownURL(p.URL))
		add("model", p.Model)
		add("api_key_env", p.APIKeyEnv)
		if !p.APIKeyCmd.Empty() {
			add("api_key_cmd", p.APIKeyCmd.Args[0]+more(len(p.APIKeyCmd.Args)-1))
		}
		add("api_key_file", p.APIKeyFile)
		add("auth", p.Auth)
		for _, k := range sortedKeys(p.Headers) {
			add("headers."+k, shown(k, p.Headers[k]))
		}
		for _, k := range sortedKeys(p.Query) {
			add("query."+k, shown(k, p.Query[k]))
		}
		for _, k := range sortedKeys(p.Extra) {
			add("extra."+k, shown(k, fmt.Sprint(p.Extra[k])))
		}
		add("max_tokens", nonZero(p.MaxTokens))
		add("max_field", p.MaxField)
		add("insecure_http", yes(p.InsecureHTTP))
		add("cacert", p.CACert)
		add("http2", yes(p.HTTP2))
		add("server", p.Server)
		add("price_in", shownPrice(p.PriceIn))
		add("price_out", shownPrice(p.PriceOut))
		for _, m := range sortedKeys(p.Prices) {
			add("prices."+m+".in", shownPrice(p.Prices[m].In))
			add("prices."+m+".out", shownPrice(p.Prices[m].Out))
		}
		add("currency", p.Currency)
	}
	return out
}

// shown is a value that may be printed: references to variables stand as they
// are, because they hold no secret themselves.
func shown(name, value string) string {
	if SecretName(name) && reference.ReplaceAllString(value, "") != "" {
		return Redacted
	}
	return value
}

// shownURL is a URL without the values of its query.
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
