package endpoint

import "fmt"

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
