package config

import "tokscope/probe/secret"

// Show lists the profiles key by key, for config show. It names where a key
// is found, without reading the key. Values of headers and queries that may
// be secret are redacted.
func (c *Config) Show() []Setting {
	var out []Setting
	for _, name := range sortedKeys(c.Profiles) {
		c.Profiles[name].Show(func(key, value string) {
			full := "profile." + name + "." + key
			out = append(out, Setting{full, secret.NewScrubber().String(value), c.origin(full)})
		})
	}
	return out
}
