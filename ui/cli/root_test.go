package cli

import (
	"io"
	"strings"
	"testing"
)

// TestConfigRefusesAnUnknownCommand checks that it is a usage error. Without a
// command the help is printed.
func TestConfigRefusesAnUnknownCommand(t *testing.T) {
	run := func(args ...string) error {
		root := New(Actions{Sample: "# a sample"}, "v")
		root.SetArgs(append([]string{"config"}, args...))
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		return root.Execute()
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
