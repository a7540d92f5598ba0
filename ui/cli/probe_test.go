package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestProbeChecksItsList holds that wrong values of --list and --warmup are
// refused with the next step.
func TestProbeChecksItsList(t *testing.T) {
	for args, say := range map[string]string{
		"":                           "",
		"--warmup=3":                 "",
		"--list":                     "",
		"--list=ttft>5":              "",
		"--warmup=-1":                "give 0 to 10000",
		"--list=color:red":           "known are status",
		"--list --json":              "choose one",
		"--list=sort:-ttft --ndjson": "choose one",
		"--list --csv":               "choose one",
	} {
		var o Probe
		fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
		o.flags(fs)
		o.set = fs
		if err := fs.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		err := o.checkList()
		switch {
		case say == "" && err != nil:
			t.Errorf("%s: %v", args, err)
		case say != "" && (err == nil || !strings.Contains(err.Error(), say) || CodeOf(err) != ExitUsage):
			t.Errorf("%s: %v with exit code %d, want one about %q", args, err, CodeOf(err), say)
		}
	}
}

// TestProbeHasOneForm holds that forms of output that exclude each other are
// refused with the next step.
func TestProbeHasOneForm(t *testing.T) {
	for args, say := range map[string]string{
		"":                   "",
		"--csv":              "",
		"--histogram":        "",
		"--histogram --list": "",
		"--json --ndjson":    "choose one",
		"--csv --json":       "choose one",
		"--csv --ndjson":     "choose one",
		"--csv --lens chat":  "choose one",
		"--csv --histogram":  "choose one",
		"--histogram --json": "choose one",
	} {
		var o Probe
		fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
		o.flags(fs)
		o.set = fs
		if err := fs.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if err := o.Lens.check(fs); err != nil {
			t.Fatal(err)
		}
		err := o.checkForm()
		switch {
		case say == "" && err != nil:
			t.Errorf("%s: %v", args, err)
		case say != "" && (err == nil || !strings.Contains(err.Error(), say) || CodeOf(err) != ExitUsage):
			t.Errorf("%s: %v with exit code %d, want one about %q", args, err, CodeOf(err), say)
		}
	}
}
