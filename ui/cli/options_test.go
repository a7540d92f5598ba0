package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestOptionsThatCannotBeMeant checks that each is a usage error that names
// the flag, before anything is sent.
func TestOptionsThatCannotBeMeant(t *testing.T) {
	for _, c := range []struct{ args, say string }{
		{"--cold --warm", "--cold and --warm"},
		{"--prompt x --prompt-file y", "--prompt and --prompt-file"},
		{"--input-tokens 0", "--input-tokens"},
		{"--input-tokens 3000000", "--input-tokens"},
		{"--temperature -1", "--temperature"},
		{"--temperature nan", "--temperature"},
		{"--temperature inf", "--temperature"},
		{"--timeout -1s", "--timeout"},
		{"--prompt - --api-key-file -", "stdin"},
	} {
		var o Common
		fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
		o.flags(fs)
		if err := fs.Parse(strings.Fields(c.args)); err != nil {
			t.Fatal(err)
		}
		err := o.check()
		if err == nil || !strings.Contains(err.Error(), c.say) || CodeOf(err) != ExitUsage {
			t.Errorf("%s: %v with exit code %d, want one about %q with %d", c.args, err, CodeOf(err), c.say, ExitUsage)
		}
	}
}

// A distribution is for sweep; probe refuses it with that reason.
func TestOneLengthIsNotDrawn(t *testing.T) {
	var o Common
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	o.flags(fs)
	if err := fs.Parse([]string{"--input-tokens", "200..4000"}); err == nil || !strings.Contains(err.Error(), "one number of tokens") || !strings.Contains(err.Error(), "sweep") {
		t.Error(err)
	}
	if err := fs.Parse([]string{"--input-tokens", "1000"}); err != nil || o.InputTokens != 1000 || !o.Given("input-tokens") {
		t.Errorf("%d, %v", o.InputTokens, err)
	}
}

// --record is on by itself, and takes true, false and raw.
func TestRecordFlag(t *testing.T) {
	for arg, want := range map[string]string{"": "", "--record": "true", "--record=false": "false", "--record=raw": "raw", "--record=all": "true, false or raw"} {
		var o Common
		fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
		o.flags(fs)
		err := fs.Parse(strings.Fields(arg))
		if err != nil && !strings.Contains(err.Error(), want) || (err != nil) != (arg == "--record=all") {
			t.Errorf("%q: %v", arg, err)
		}
		if got := o.Changed()["record"]; err == nil && got != want {
			t.Errorf("%q: record is %q, want %q", arg, got, want)
		}
	}
}
