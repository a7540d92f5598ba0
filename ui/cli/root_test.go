package cli

import (
	"context"
	"io"
	"strings"
	"testing"

	"tokscope/metrics"
)

// execute runs the command line of args with these actions. What cobra prints goes
// nowhere.
func execute(t *testing.T, a Actions, args ...string) error {
	t.Helper()
	root := New(a, "v")
	root.SetArgs(args)
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	return root.ExecuteContext(t.Context())
}

// TestAMisspelledCommandIsNamed checks that a word that is no target suggests the
// command that is meant, and keeps the rest of the advice.
func TestAMisspelledCommandIsNamed(t *testing.T) {
	unknown := &metrics.Fault{Kind: metrics.FaultConfig, Code: metrics.CodeUnknownTarget, Message: "no target", Next: "name a profile"}
	other := &metrics.Fault{Kind: metrics.FaultConfig, Message: "no key", Next: "set it"}
	for _, c := range []struct {
		args string
		err  error
		want string
	}{
		{"prob", unknown, "no target: did you mean the command probe? Else name a profile"},
		{"swep", unknown, "did you mean the command sweep?"},
		{"xyzzyplugh", unknown, "no target: name a profile"},
		{"prob", other, "no key: set it"},
		{"prob groq", nil, `"prob" is no command; did you mean the command probe?`},
		{"xyzzyplugh groq", nil, "this does not fit"},
	} {
		live := func(context.Context, *Live) error { return c.err }
		if err := execute(t, Actions{Live: live}, strings.Fields(c.args)...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
}

// TestConfigRefusesAnUnknownCommand checks that it is a usage error. Without a
// command the help is printed.
func TestConfigRefusesAnUnknownCommand(t *testing.T) {
	run := func(args ...string) error {
		return execute(t, Actions{Sample: "# a sample"}, append([]string{"config"}, args...)...)
	}
	for _, args := range [][]string{{}, {"sample"}} {
		if err := run(args...); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	if err := run("nosuch"); CodeOf(err) != ExitUsage || !strings.Contains(err.Error(), `no command "nosuch": see tokscope config --help`) {
		t.Errorf("%v with exit code %d", err, CodeOf(err))
	}
}
