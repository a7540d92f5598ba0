package config

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"tokscope/probe/endpoint"
)

// sampleHint is the advice for an unreadable line.
const sampleHint = "fix the line; tokscope config sample prints a sample"

// decodeFault turns an error of the TOML decoder into one sentence with the
// line. walkKeys handles unknown keys. The remaining errors are of the syntax, wrong types,
// duplicate keys and numbers out of range.
func decodeFault(path string, err error) error {
	de, ok := errors.AsType[*toml.DecodeError](err)
	if !ok {
		return endpoint.Refuse(path+": "+strings.TrimPrefix(err.Error(), "toml: "), sampleHint)
	}
	line, _ := de.Position()
	// The scrubber takes "basic" for the prefix of a secret, so drop the word.
	what := strings.ReplaceAll(strings.TrimPrefix(de.Error(), "toml: "), "basic string", "string")
	switch key := keyName(de.Key()); {
	case key != "" && strings.HasPrefix(what, "cannot "): // decode or store a value of that kind
		v, _ := valueAt(reflect.ValueOf(Config{}), de.Key())
		what = key + " must be " + form(v.Type())
	case key != "" && !strings.Contains(what, key):
		what = key + ": " + what
	}
	return endpoint.Refuse(fmt.Sprintf("%s:%d: %s", path, line, what), sampleHint)
}

// tableOf returns the table with a key of that name, "" without one.
func tableOf(name string) string {
	t := reflect.TypeFor[Config]()
	for i, table := range tags(t) {
		if slices.Contains(tags(t.Field(i).Type), name) {
			return table
		}
	}
	return ""
}

// tags lists the TOML keys of a struct, whose fields without one ("-") are the last; other types
// have none.
func tags(t reflect.Type) []string {
	var out []string
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		if tag := t.Field(i).Tag.Get("toml"); tag != "" && tag != "-" {
			out = append(out, tag)
		}
	}
	return out
}

// check rejects values out of range.
func (c *Config) check() error {
	for _, s := range settings {
		if v, ok := c.value(s.name); ok {
			if err := s.check(v); err != nil {
				return c.refuse(s.name+": "+err.Error(), s.help, strings.Split(s.name, ".")...)
			}
		}
	}
	for _, n := range slices.Sorted(maps.Keys(c.Profiles)) {
		if key, what, next := c.Profiles[n].Check(n); what != "" {
			return c.refuse("profile "+n+": "+what, next, "profile", n, key)
		}
	}
	return c.checkCatalogue()
}
