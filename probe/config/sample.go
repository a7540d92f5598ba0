package config

import _ "embed"

//go:embed sample.toml
var sample string

// Sample is a configuration file with every key, its default or a plausible
// value. It parses. A plain copy of it changes nothing: its lines are
// comments, table headers, and defaults.
func Sample() string { return sample }
