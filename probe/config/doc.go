// Package config reads the configuration file and merges it with the
// environment and the flags. Every setting keeps its origin: the flag, the
// variable, or the file and line.
//
// The configuration never holds a key, only where one is found.
//
// A new setting is a field in config.go and one line in the table of
// settings.go; docs/config.md must name it (a test checks this).
package config
