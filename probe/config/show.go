package config

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"tokscope/probe/secret"
)

// Show lists the profiles, machines and models key by key, for config show. It names where a key
// is found, without reading the key. Values of headers and queries that may
// be secret are redacted.
func (c *Config) Show() []Setting {
	var out []Setting
	for _, name := range slices.Sorted(maps.Keys(c.Profiles)) {
		c.Profiles[name].Show(func(key, value string) {
			full := "profile." + name + "." + key
			out = append(out, Setting{full, secret.NewScrubber().String(value), c.origin(full)})
		})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Machines)) {
		out = append(out, c.showTable("machine."+name, c.Machines[name])...)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Models)) {
		out = append(out, c.showTable("model."+name, c.Models[name])...)
	}
	return out
}

// showTable lists the fields of a table that are set in the file, in the order
// of the struct.
func (c *Config) showTable(table string, of any) []Setting {
	var out []Setting
	v := reflect.ValueOf(of)
	for i := range v.NumField() {
		full := table + "." + v.Type().Field(i).Tag.Get("toml")
		if c.Line(full) > 0 {
			out = append(out, Setting{full, secret.NewScrubber().String(fmt.Sprint(v.Field(i).Interface())), c.origin(full)})
		}
	}
	return out
}
