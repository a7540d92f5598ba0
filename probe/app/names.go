package app

import "tokscope/probe/endpoint"

// TargetNames returns the possible names of a target: the profiles of the
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

// InForce returns the effective settings, with profiles, each with its name,
// value and origin. It also returns the path of the configuration file.
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
