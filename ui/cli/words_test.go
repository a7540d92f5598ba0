package cli

import (
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// each calls f with every command below root.
func each(root *cobra.Command, f func(*cobra.Command)) {
	f(root)
	for _, c := range root.Commands() {
		each(c, f)
	}
}

// TestHelpKeepsItsFirstWords: the help writes the first word of a flag's text with
// one capital and small letters, so that word is no abbreviation and no value.
func TestHelpKeepsItsFirstWords(t *testing.T) {
	each(New(Actions{}, "v1"), func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			first, _, _ := strings.Cut(f.Usage, " ")
			if strings.HasSuffix(first, ":") || len(first) > 1 && strings.IndexFunc(first[1:], unicode.IsUpper) >= 0 {
				t.Errorf("%s --%s: the help changes %q", c.CommandPath(), f.Name, first)
			}
		})
	})
}

// TestWrongArgumentsInPlainWords: a wrong number of arguments is a usage error with
// the right usage.
func TestWrongArgumentsInPlainWords(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"history rm", "0 arguments: this does not fit `tokscope history rm FILTER…`"},
		{"history baseline set usual", "1 argument: this does not fit `tokscope history baseline set NAME FILTER…`"},
		{"history path now", "1 argument: this does not fit `tokscope history path`"},
		{"probe a b", "2 arguments: this does not fit `tokscope probe [TARGET]`"},
	} {
		err := execute(t, Actions{}, strings.Fields(c.args)...)
		if err == nil || !strings.Contains(err.Error(), c.want) || CodeOf(err) != ExitUsage {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
}
