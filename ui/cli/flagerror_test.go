package cli

import (
	"context"
	"io"
	"strings"
	"testing"
)

// TestWrongFlagsSayWhatMayBeGiven checks that no error of Go's own parsers reaches a
// person, and that every error has a next step.
func TestWrongFlagsSayWhatMayBeGiven(t *testing.T) {
	for args, want := range map[string]string{
		"probe -n abc":                  `-n, --requests "abc": give a whole number`,
		"probe -n 99999999999999999999": "-n, --requests: the number is too large",
		"probe -n sk-hunter2hunter2":    "-n, --requests: give a whole number", // a key is not repeated
		"probe -n 0":                    "0 requests: give 1 to 100000",
		"probe -n -1":                   "-1 requests: give 1 to 100000",
		"probe -c -1":                   "concurrency -1: give 1 to 1024",
		"probe --json=x":                `--json "x": give true or false`,
		"probe --input-tokens 1..2":     `--input-tokens "1..2": give one number of tokens`,
		"replay --speed abc a.ndjson":   `--speed "abc": give a number, such as 1.5`,
		"watch --every nonsense":        `--every "nonsense": give a time with its unit, such as 500ms, 10s or 2m`,
		"probe --x":                     "unknown flag: --x; see tokscope probe --help",
		"probe -Z":                      "unknown shorthand flag: 'Z' in -Z; see tokscope probe --help",
		"--x":                           "unknown flag: --x; see tokscope --help",
		"probe --prompt":                "flag needs an argument: --prompt; see tokscope probe --help",
		"config show --x":               "unknown flag: --x; see tokscope config show --help",
	} {
		root := New(Actions{
			Probe: func(context.Context, *Probe) error { t.Errorf("%s: it runs", args); return nil },
		}, "v")
		root.SetArgs(strings.Fields(args))
		root.SetOut(io.Discard)
		root.SetErr(io.Discard)
		err := root.Execute()
		if CodeOf(err) != ExitUsage || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "strconv") {
			t.Errorf("%s: %v with exit code %d, want %q", args, err, CodeOf(err), want)
		}
	}
}
