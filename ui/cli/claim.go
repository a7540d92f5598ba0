package cli

import (
	"os"

	"github.com/spf13/cobra"
)

// claimFlags adds the flags of what the endpoint is said to be.
func (c *Common) claimFlags(cmd *cobra.Command, a Actions) {
	fs := cmd.Flags()
	fs.StringVar(&c.Machine, "machine", "",
		"what the endpoint is said to run on, such as rtx4090 or 2xh100: can its speed be?")
	fs.StringVar(&c.ModelSize, "model-size", "",
		"the model there: a name of tokscope models, or a size: 8b-q4, 70b-fp8, 30b-a3b-q4")
	complete(cmd, "machine", func() []string { machines, _ := a.Named(os.Getenv); return machines })
	complete(cmd, "model-size", func() []string { _, models := a.Named(os.Getenv); return models })
}
