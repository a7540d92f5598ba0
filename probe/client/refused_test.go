package client_test

import (
	"context"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
	"tokscope/probe/secret"
	"tokscope/probe/sim"
)

// TestRefusedKeySaysWhereItCameFrom checks that the next step after a 401
// helps. OPENAI_API_KEY does not apply to every URL, so the message must not
// name it there.
func TestRefusedKeySaysWhereItCameFrom(t *testing.T) {
	e, demo := demoOf(t, sim.Options{Key: "the-key-of-this-test"})
	for _, c := range []struct {
		name   string
		env    map[string]string
		flags  endpoint.Flags
		say    string
		absent string
	}{
		{"no key, although one is in OPENAI_API_KEY", map[string]string{"OPENAI_API_KEY": "another-key-of-this-test"},
			endpoint.Flags{}, "--api-key-env", "OPENAI_API_KEY"},
		{"a wrong key in a variable that a scrubber takes for a field",
			map[string]string{"OPENAI_API_KEY": "a-wrong-key-of-this-test"}, endpoint.Flags{APIKeyEnv: "OPENAI_API_KEY",
				Model: "m"}, "env OPENAI_API_KEY; check that", "a-wrong-key"},
		{"a wrong key", map[string]string{"MINE": "a-wrong-key-of-this-test"}, endpoint.Flags{APIKeyEnv: "MINE"}, "env MINE",
			"a-wrong-key"},
	} {
		r := endpoint.Resolver{Env: func(n string) string { return c.env[n] }, Flags: c.flags}
		target, err := r.Resolve(demo.URL)
		testkit.OK(t, err, c.name)
		v := ended(e.Start(context.Background(), target, metrics.Workload{Prompt: "Hello", MaxTokens: 4}))
		testkit.Given(t, v.Fault != nil && v.Fault.Kind == metrics.FaultAuth, "%s: fault %v", c.name, v.Fault)
		testkit.That(t, strings.Contains(v.Fault.Next, c.say) && !strings.Contains(v.Fault.Next, c.absent),
			"%s: next step %q, want %q and not %q", c.name, v.Fault.Next, c.say, c.absent)
		testkit.Is(t, secret.NewScrubber(target.Key).String(v.Fault.Next), v.Fault.Next, c.name, "the scrubber makes")
	}
}
