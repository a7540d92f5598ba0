package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"
)

// requestFlags adds the flags for what requests say to cmd, which has those of a prompt.
func (c *Common) requestFlags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVarP(&c.Headers, "header", "H", nil,
		"header of every request, 'Name: value'; $NAME in single quotes stands for a variable; repeatable")
	fs.StringArrayVar(&c.Extra, "extra", nil,
		"field of every request's body as PATH=JSON, such as top_k=40; @FILE has an object of them; repeatable")
	fs.StringVar(&c.Messages, "messages", "",
		"file with a conversation as the API writes it, or a request's whole body; - reads stdin")
	exclude(cmd, "messages", "prompt", "prompt-file", "system", "workload")
}

// ReadMessages returns what the file of --messages holds, nil without the flag. The end of
// ctx ends the wait for it.
func (c *Common) ReadMessages(ctx context.Context, stdin io.Reader) ([]byte, error) {
	if !c.Given("messages") {
		return nil, nil
	}
	return readWhole(ctx, "the conversation", c.Messages, stdin)
}
