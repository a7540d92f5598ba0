package sim

import (
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed scenarios
var scenarioFiles embed.FS

// scenarios returns every file of the folder, by name.
var scenarios = sync.OnceValues(func() (map[string]*Scenario, error) {
	list, err := scenarioFiles.ReadDir("scenarios")
	if err != nil {
		return nil, err
	}
	all := map[string]*Scenario{}
	for _, f := range list {
		src, err := scenarioFiles.ReadFile(path.Join("scenarios", f.Name()))
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(f.Name(), ".txt")
		if all[name], err = ParseScenario(name, string(src)); err != nil {
			return nil, err
		}
	}
	return all, nil
})

// Scenarios returns the ready-made scenarios, sorted by name.
func Scenarios() []*Scenario {
	all, err := scenarios()
	if err != nil {
		return nil // a test checks that every file parses
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *Scenario) int { return strings.Compare(a.Name, b.Name) })
}

// ScenarioOf returns the ready-made scenario of that name, or parses
// directives separated by semicolons. "" returns nil.
func ScenarioOf(spec string) (*Scenario, error) {
	spec = strings.TrimSpace(spec)
	if spec == "" {
		return nil, nil
	}
	all, err := scenarios()
	if err != nil {
		return nil, err
	}
	if s := all[spec]; s != nil {
		return s, nil
	}
	s, err := ParseScenario("given", strings.ReplaceAll(spec, ";", "\n"))
	if err != nil && !strings.ContainsAny(spec, " ;") {
		return nil, fmt.Errorf("no scenario %q: there are %s", clip(spec),
			keys(Scenarios(), func(s *Scenario) string { return s.Name }))
	}
	return s, err
}
