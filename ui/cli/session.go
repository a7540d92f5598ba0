package cli

import (
	"context"

	"github.com/spf13/cobra"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/ui/prompts"
)

// sessionFlag adds --session to cmd, which leaves others out.
func (c *Common) sessionFlag(cmd *cobra.Command, others ...string) {
	cmd.Flags().StringVar(&c.Session, "session", "",
		"play the session that a tap has recorded in this file: turns as long, prefixes shared as much and pauses as long")
	exclude(cmd, "session", append(others, "prompt", "prompt-file", "system", "workload", "messages",
		"input-tokens", "max-tokens")...)
}

// played returns the session of --session, and sets what w asks beside it; nil without the flag.
func (c *Common) played(ctx context.Context, j *Job, w *metrics.Workload) (*turn.Script, error) {
	if c.Session == "" {
		return nil, nil
	}
	s, err := Reading(ctx, j.Console, []string{c.Session}, func() (*turn.Script, error) { return j.Script(c.Session) })
	if err == nil {
		w.Name, w.Prompt, w.System, w.Messages, w.Tools = "session", prompts.Story, "", "", ""
		w.InputTokens, w.MaxTokens = 0, 0
	}
	return s, err
}
