package app

import (
	"strings"

	"tokscope/metrics/pick"
	"tokscope/probe/endpoint"
	"tokscope/probe/secret"
	"tokscope/probe/sim/physics"
)

// TargetNames returns the possible targets for what was typed: profiles of the
// file in the usual place, providers, and models of the embedded endpoint with
// an @ at their end. After the @ it returns that model on every machine.
func TargetNames(typed string, env func(string) string) []string {
	cat := completionCatalogue(env)
	if model, _, ok := strings.Cut(typed, "@"); ok {
		return pick.Each(cat.Machines(), func(h *physics.Hardware) string { return model + "@" + h.Key })
	}
	var names []string
	if config, _, err := Configuration("", nil, env); err == nil {
		for name := range config.Profiles {
			names = append(names, name)
		}
	}
	for _, p := range endpoint.Providers() {
		names = append(names, p.Name)
	}
	if typed != "" { // an empty line offers the targets of somebody else first
		for _, m := range cat.Models() {
			names = append(names, m.Key+"@")
		}
	}
	return names
}

// FieldNames returns the beginnings of settings of a field of a request: "tier=", "extra.".
func FieldNames() []string {
	return pick.Each(endpoint.FieldNames(), func(name *string) string { return strings.TrimSuffix(*name+"=", "PATH=") })
}

// CatalogueNames returns the keys of the machines and models, with those of the
// configuration in the usual place.
func CatalogueNames(env func(string) string) (machines, models []string) {
	cat := completionCatalogue(env)
	return pick.Each(cat.Machines(), func(h *physics.Hardware) string { return h.Key }),
		pick.Each(cat.Models(), func(m *physics.Model) string { return m.Key })
}

// completionCatalogue returns the catalogue of the file in the usual place, or
// the built-in one if the file is wrong.
func completionCatalogue(env func(string) string) *physics.Catalogue {
	if c, _, err := Configuration("", nil, env); err == nil {
		if cat, err := Catalogue(c, env); err == nil {
			return cat
		}
	}
	return nil
}

// InForce returns the effective settings, with profiles, each with its name,
// value and origin. It also returns the path of the configuration file.
func InForce(path string, changed map[string]string,
	env func(string) string) (file string, rows [][3]string, err error) {
	config, settings, err := Configuration(path, changed, env)
	if err != nil {
		return "", nil, err
	}
	for _, s := range append(settings.All(), config.Show()...) {
		rows = append(rows, [3]string{s.Name, s.Value, s.Origin})
	}
	for _, of := range endpoint.Account(env) {
		rows = append(rows, [3]string{"header " + of[0], secret.Redacted, "env " + of[1]})
	}
	return config.Path(), rows, nil
}
