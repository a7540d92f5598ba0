package app

import (
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
)

func TestModelsWithOwn(t *testing.T) {
	path := configFile(t, "[machine.mybox]\nbase = \"4090\"\nmemory_gb = 48\n[model.mine]\nbase = \"llama-8b\"\n", nil)
	env := func(string) string { return "" }
	s, err := Models(serving.SurveyPlan{ConfigPath: path}, env)
	testkit.Given(t, err == nil, "%v", err)
	if s.Machines[0].Key != "mybox" || !s.Machines[0].Custom || s.Models[0].Key != "mine" || s.Machines[1].Custom {
		t.Errorf("first %+v and %+v", s.Machines[0], s.Models[0])
	}
	p := s.Pair(0, 0)
	testkit.That(t, p.Target == "mine@mybox" && p.One.OK, "%+v", p)
	s, err = Models(serving.SurveyPlan{ConfigPath: path, Names: []string{"R1", "mybox", "h200", "mine"}}, env)
	testkit.That(t, err == nil && len(s.Machines) == 2 && len(s.Models) == 2 && s.Models[0].Key == "deepseek-r1",
		"%v %+v", err, s)
	for name, words := range map[string]string{"mybx": "did you mean mybox?", "zzzzzzzz": "without a name lists them"} {
		if _, err := Models(serving.SurveyPlan{ConfigPath: path, Names: []string{name}}, env); err == nil ||
			!strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTargetsAreCompleted(t *testing.T) {
	path := configFile(t, "[machine.mybox]\nbase = \"4090\"\n[model.mine]\nbase = \"r1\"\n[profile.work]\nurl = "+
		"\"http://127.0.0.1:9/v1\"\n", nil)
	env := func(name string) string {
		if name == "TOKSCOPE_CONFIG" {
			return path
		}
		return ""
	}
	for typed, want := range map[string][]string{"": {"work", "groq"}, "m": {"mine@", "mistral-7b@", "mistral"},
		"mine@": {"mine@mybox", "mine@h100"}, "r1-q4@m": {"r1-q4@m3ultra"}} {
		got := TargetNames(typed, env)
		for _, name := range want {
			testkit.That(t, slices.Contains(got, name), "%q: no %s", typed, name)
		}
	}
	testkit.That(t, !slices.Contains(TargetNames("", env), "mine@"), "an empty line offers models")
	machines, models := CatalogueNames(env)
	if machines[0] != "mybox" || models[0] != "mine" {
		t.Errorf("%v %v", machines[:1], models[:1])
	}
}
