package cli

import (
	"github.com/spf13/cobra"

	"tokscope/metrics/condition"
)

// conditions is the value of --fail-if, which may be repeated.
type conditions []condition.Condition

// failIf adds the flag to cmd; help says what a condition is about.
func failIf(cmd *cobra.Command, to *[]condition.Condition, help string) {
	cmd.Flags().Var((*conditions)(to), "fail-if", help)
}

// Set implements pflag.Value: it adds a condition.
func (c *conditions) Set(text string) error {
	one, err := condition.Parse(text)
	if err == nil {
		*c = append(*c, one)
	}
	return err
}

// String implements pflag.Value. There is no default.
func (c *conditions) String() string { return "" }

// Type implements pflag.Value.
func (c *conditions) Type() string { return "condition" }
