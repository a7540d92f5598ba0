package app

import "tokscope/probe/endpoint"

// TargetNames are the names that a target can be given by: the profiles of the
// file in the usual place, then the known providers.
func TargetNames(env func(string) string) []string {
	var names []string
	if config, _, err := Configuration("", nil, env); err == nil {
		for name := range config.Profiles {
			names = append(names, name)
		}
	}
	for _, p := range endpoint.Providers() {
		names = append(names, p.Name)
	}
	return names
}

// InForce are the settings in force, profiles included, each with its name,
// value and origin, and the file that was looked for.
func InForce(path string, changed map[string]string, env func(string) string) (file string, rows [][3]string, err error) {
	config, settings, err := Configuration(path, changed, env)
	if err != nil {
		return "", nil, err
	}
	for _, s := range append(settings.All(), config.Show()...) {
		rows = append(rows, [3]string{s.Name, s.Value, s.Origin})
	}
	return config.Path(), rows, nil
}
