package cli

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tokscope/ui/format"
)

// plainFlag says in the program's own words what is wrong with a flag of cmd, and
// what may be given.
func plainFlag(cmd *cobra.Command, err error) error {
	if value, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return plainValue(value)
	}
	return Usage("%w; see %s --help", err, cmd.CommandPath())
}

// plainGroups says in the program's own words that flags of cmd exclude each other,
// or that one is missing beside another.
func plainGroups(cmd *cobra.Command, _ []string) error {
	err := cmd.ValidateFlagGroups()
	if err == nil {
		return nil
	}
	text := err.Error()
	names := strings.Fields(text[strings.LastIndex(text, "[")+1 : strings.LastIndex(text, "]")])
	for i := range names {
		names[i] = "--" + names[i]
	}
	all := format.List(names, "and")
	if strings.Contains(text, "missing") {
		_, group, _ := strings.Cut(text, "[")
		group, _, _ = strings.Cut(group, "]")
		return Usage("--%s go together: add %s", strings.ReplaceAll(group, " ", " and --"), all)
	}
	return Usage("%s exclude each other: choose one", all)
}

// longestValue is the length of a wrong value up to which it is repeated.
const longestValue = 16

// plainValue says what the flag of e takes. Flags of our own types say it already.
func plainValue(e *pflag.InvalidValueError) error {
	f := e.GetFlag()
	name := format.If(f.Shorthand != "", "-"+f.Shorthand+", ") + "--" + f.Name
	cause := e.Unwrap()
	number, isNumber := errors.AsType[*strconv.NumError](cause)
	if isNumber || strings.HasPrefix(cause.Error(), "time: ") {
		give := map[string]string{"bool": "give true or false", "float64": "give a number, such as 1.5",
			"duration": "give a time with its unit, such as 500ms, 10s or 2m"}
		cause = errors.New(cmp.Or(give[f.Value.Type()], "give a whole number"))
		if isNumber && errors.Is(number.Err, strconv.ErrRange) {
			cause = errors.New("the number is too large")
		}
	}
	if len(e.GetValue()) > longestValue { // it may be a key
		return Usage("%s: %w", name, cause)
	}
	return Usage("%s %q: %w", name, e.GetValue(), cause)
}
