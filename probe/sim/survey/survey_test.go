package survey

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/enginetest"
	"tokscope/probe/sim/physics"
)

// The figures agree with the engine in virtual time, which has chunks, a
// queue and a front end.
func TestAgreesWithTheEngine(t *testing.T) {
	for _, id := range []string{"llama-3.1-8b@h100", "llama-3.3-70b-fp8@2xh100", "qwen3-8b-q4@rtx4090",
		"gpt-oss-120b@h100", "llama-3.1-8b-q4@m4max", "deepseek-r1@8xh200"} {
		c, _, err := sim.ParseID(nil, id)
		testkit.OK(t, err)
		s := testkit.Must(physics.New(c))(t)
		for _, users := range []int{1, 8, 64} {
			if users > s.MaxSeqs || users*1300 > s.Capacity {
				continue
			}
			r := enginetest.Run(t, engine.Options{Config: engine.Config{Setup: s}},
				engine.Workload{Users: users, Prompt: 1000, Output: 200})
			got, want := PerUser(s, users, 1000, 200), 1/r.TPOT
			t.Logf("%s, %d users: %.1f tok/s, the engine %.1f (%+.0f %%)", id, users, got, want, 100*(got/want-1))
			limit := .02
			if users > 1 {
				limit = .11
			}
			testkit.That(t, math.Abs(got/want-1) <= limit, "%s, %d users: %.1f tok/s, the engine %.1f", id, users, got, want)
		}
	}
}

// Every pair fits with a target that the endpoint serves, or says why not.
func TestSurveyOfEverything(t *testing.T) {
	s := testkit.Must(New(nil, serving.SurveyPlan{}, nil, nil))(t)
	if len(s.Machines) != len(physics.Machines) || len(s.Models) != len(physics.Models) ||
		len(s.Pairs) != len(s.Machines)*len(s.Models) {
		t.Fatalf("%d machines, %d models, %d pairs", len(s.Machines), len(s.Models), len(s.Pairs))
	}
	fit := 0
	for i, m := range s.Models {
		for j, h := range s.Machines {
			p := s.Pair(i, j)
			testkit.Given(t, p.Model == m.Key && p.Machine == h.Key,
				"%s on %s stands at %s on %s", p.Model, p.Machine, m.Key, h.Key)
			if p.Why != "" {
				testkit.That(t, p.Target == "" && !p.One.OK && p.Users == 0, "%s on %s does not fit, %+v", m.Key, h.Key, p)
				continue
			}
			fit++
			err := sim.Check(nil, p.Target)
			testkit.That(t, err == nil, "%s: %v", p.Target, err)
			testkit.That(t, p.One.V > 0 && p.Devices >= 1 && (p.Users > 0) == (p.One.V >= s.Speed),
				"%s: %.1f tok/s, %d users, %d devices", p.Target, p.One.V, p.Users, p.Devices)
		}
	}
	testkit.That(t, fit >= len(s.Pairs)/2, "%d of %d pairs fit", fit, len(s.Pairs))
}

// of is the survey of one pair.
func of(p serving.SurveyPlan, machine, model string) (*serving.Survey, error) {
	h, _ := physics.Machine(machine)
	m, _ := physics.ModelOf(model)
	return New(nil, p, []physics.Hardware{h}, []physics.Model{m})
}

// Known answers: what people run where.
func TestWhatIsChosen(t *testing.T) {
	for _, c := range []struct{ model, machine, target string }{
		{"llama-8b", "h100", "llama-3.1-8b@h100"}, {"llama-3.3-70b", "h100", "llama-3.3-70b-fp8@h100"},
		{"llama-3.3-70b", "4090", "llama-3.3-70b-q4@2xrtx4090"},
		{"llama-3.3-70b", "m4max", "llama-3.3-70b-q4@m4max"}, {"r1", "h200", "deepseek-r1@8xh200"},
		{"gpt-oss", "h100", "gpt-oss-120b@h100"}, {"gpt-oss", "spark", "gpt-oss-120b@dgx-spark"}, {"r1", "4090", ""},
		{"llama-3.3-70b", "groq", "llama-3.3-70b@groq"},
	} {
		s := testkit.Must(of(serving.SurveyPlan{}, c.machine, c.model))(t)
		if p := s.Pair(0, 0); p.Target != c.target || (p.Why == "") != (c.target != "") {
			t.Errorf("%s on %s: %q %s, want %q", c.model, c.machine, p.Target, p.Why, c.target)
		}
	}
	s, err := of(serving.SurveyPlan{Precision: "fp8", Prompt: 200000}, "h100", "llama-8b")
	testkit.That(t, err == nil && strings.Contains(s.Pair(0, 0).Why, "200000 + 200 tokens, the context has 131072"),
		"%v %+v", err, s)
	_, err = New(nil, serving.SurveyPlan{Precision: "fp6"}, nil, nil)
	testkit.Refuses(t, err, `precision "fp6": known are bf16`)
}

// The survey of everything is part of a command that a person waits for.
func BenchmarkSurvey(b *testing.B) {
	for b.Loop() {
		if _, err := New(nil, serving.SurveyPlan{}, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// The list of features counts what there is.
func TestFeaturesCount(t *testing.T) {
	b := testkit.Must(os.ReadFile(filepath.Join("..", "..", "..", "docs", "features.md")))(t)
	testkit.Has(t, string(b), fmt.Sprintf("%d machines and %d models", len(physics.Machines), len(physics.Models)))
}
