package setup

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
