package app

import (
	"context"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
)

// Every request has a line of its own before its prompt, the first and only one
// as well: an earlier run of the program may have sent the same prompt. A person
// who asks for equal prompts gets them.
func TestEveryRequestHasItsNonce(t *testing.T) {
	t.Parallel() // most of it is waiting
	dir := t.TempDir()
	env := map[string]string{"XDG_CONFIG_HOME": dir, "XDG_STATE_HOME": dir}
	a := testkit.Must(Open(context.Background(), CommandLine{Env: func(k string) string { return env[k] },
		Changed: map[string]string{"record": "false"}}))(t)
	defer func() {
		testkit.Is(t, a.Close(), nil)
	}()
	seen := map[string]bool{}
	fresh := func(what string, v *metrics.Stream) {
		if n := v.Work.Nonce; n == "" || seen[n] {
			t.Errorf("%s: the line before the prompt is %q", what, n)
		}
		seen[v.Work.Nonce] = true
	}
	w := metrics.Workload{Prompt: "hello", MaxTokens: 2}
	for _, n := range []int{1, 1, 3} {
		for _, r := range a.Probe(context.Background(), loadstat.ProbePlan{Work: w, Requests: n, Concurrency: 1}) {
			fresh("probe", &r.Stream)
		}
	}
	for _, r := range a.Probe(context.Background(), loadstat.ProbePlan{Work: w, Requests: 2, Concurrency: 1,
		SamePrompt: true}) {
		testkit.Is(t, r.Stream.Work.Nonce, "", "equal prompts were asked for, and … is before one")
	}
	s := New(Options{Engine: a.Engine, Target: a.Target})
	s.SetNotify(func() {})
	for range 2 {
		s.Begin(w)
		s.Wait()
		v := s.Snapshot()
		fresh("the screen", &v)
	}
}
