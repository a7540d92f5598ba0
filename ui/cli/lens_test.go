package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
)

func TestLensFlags(t *testing.T) {
	for _, c := range []struct {
		args string
		want Lens
	}{
		{"", Lens{"", slo.DefaultAgentTask}},
		{"--lens voice", Lens{"voice", slo.DefaultAgentTask}},
		{"--lens agent --agent-steps 5 --agent-tokens 70", Lens{"agent", slo.AgentTask{Steps: 5, Tokens: 70}}},
		{"--lens agent --json", Lens{"agent", slo.DefaultAgentTask}},
	} {
		var got *Probe
		take := func(_ context.Context, o *Probe) error { got = o; return nil }
		err := execute(t, Actions{Probe: take}, append([]string{"probe"}, strings.Fields(c.args)...)...)
		testkit.That(t, err == nil && got.Lens == c.want, "%s: %+v (%v), want %+v", c.args, got, err, c.want)
	}
}

// Without a lens, and of nothing, nothing is printed.
func TestNoLensPrintsNothing(t *testing.T) {
	var b bytes.Buffer
	for _, err := range []error{(&Lens{}).Print(&b, make([]metrics.Run, 1)), (&Lens{Key: "chat"}).Print(&b, nil)} {
		testkit.That(t, err == nil && b.Len() <= 0, "%q, %v", b.String(), err)
	}
}
