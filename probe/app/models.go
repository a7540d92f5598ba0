package app

import (
	"fmt"

	"tokscope/metrics/serving"
	"tokscope/probe/sim/physics"
	"tokscope/probe/sim/survey"
)

// Models says which models fit which machines, with those of the configuration.
// It returns a *metrics.Fault for a wrong configuration. Any other error is
// about the options.
func Models(p serving.SurveyPlan, env func(string) string) (*serving.Survey, error) {
	c, _, err := Configuration(p.ConfigPath, nil, env)
	if err != nil {
		return nil, err
	}
	cat, err := Catalogue(c, env)
	if err != nil {
		return nil, err
	}
	var machines []physics.Hardware
	var models []physics.Model
	for _, name := range p.Names {
		if h, ok := cat.Machine(name); ok {
			machines = append(machines, h)
		} else if m, ok := cat.Model(name); ok {
			models = append(models, m)
		} else {
			machines, models := cat.Names()
			return nil, fmt.Errorf("%q is neither a machine nor a model: %s", clip(name),
				didYouMean(name, append(machines, models...), "tokscope models without a name lists them"))
		}
	}
	return survey.New(cat, p, machines, models)
}
