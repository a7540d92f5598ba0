package endpoint

import _ "embed"

//go:embed sample.toml
var sample string

// Sample is a configuration that shows every key with its default or a
// plausible value. It parses, and does nothing when it is copied as it is: all
// of its lines are comments but the table headers and those that repeat a
// default.
func Sample() string { return sample }
