package app

import (
	"fmt"

	"tokscope/metrics/serving"
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
	o := survey.Options{Precision: p.Precision, Prompt: p.Prompt, Output: p.Output, Speed: p.Speed}
	for _, name := range p.Names {
		if _, ok := cat.Machine(name); ok {
			o.Machines = append(o.Machines, name)
		} else if _, ok := cat.Model(name); ok {
			o.Models = append(o.Models, name)
		} else {
			machines, models := cat.Names()
			return nil, fmt.Errorf("%q is neither a machine nor a model: %s", clip(name),
				didYouMean(name, append(machines, models...), "tokscope models without a name lists them"))
		}
	}
	return survey.New(cat, o)
}
