package cli

import (
	"context"

	"github.com/spf13/cobra"
)

// curlFlags adds --curl to a command with one target.
func (c *Common) curlFlags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&c.Curl, "curl", "", "a curl command in place of TARGET: where to send, and what; - reads it from stdin")
	fs.StringSliceVar(&c.CurlReads, "curl-reads", nil,
		"variables (NAME) and files (@PATH) that the command of --curl may read, because it names them")
	exclude(cmd, "messages", "curl")
}

// ReadCurl reads the command of --curl where stdin has it.
func (c *Common) ReadCurl(ctx context.Context, console Console) error {
	switch {
	case !c.Given("curl"):
		return nil
	case c.Curl != "-":
		Warn(console.Err, "a command in --curl stands in the process list; --curl - reads it from stdin")
		return nil
	}
	data, err := readWhole(ctx, "the curl command", c.Curl, console.In)
	c.Curl = string(data)
	return err
}
