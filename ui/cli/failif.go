package cli

import (
	"github.com/spf13/cobra"

	"tokscope/metrics/condition"
)

// failIf adds --fail-if to cmd, which may be repeated; help says what a condition is about.
func failIf(cmd *cobra.Command, to *[]condition.Condition, help string) {
	cmd.Flags().Var(&value{kind: "condition", read: func(text string) error {
		one, err := condition.Parse(text)
		if err == nil {
			*to = append(*to, one)
		}
		return err
	}}, "fail-if", help)
}
