package cli

import (
	"context"
	"io"
	"os"

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
