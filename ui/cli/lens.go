package cli

import (
	"io"
	"strings"

	"github.com/spf13/pflag"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/slo"
	"tokscope/ui/report"
)

// Lens is the workload lens of a probe; the zero value is none.
type Lens struct {
	Key  string
	Task slo.AgentTask
}

// Of returns the lens, nil without one.
func (o *Lens) Of() *slo.Lens { return slo.LensByKey(o.Key) }

func (o *Lens) flags(fs *pflag.FlagSet) {
	fs.StringVar(&o.Key, "lens", "", "judge the figures for a use: "+lensNames())
	fs.IntVar(&o.Task.Steps, "agent-steps", slo.DefaultAgentTask.Steps, "steps of the task of --lens agent")
	fs.IntVar(&o.Task.Tokens, "agent-tokens", slo.DefaultAgentTask.Tokens, "output tokens of each of its steps")
}

// lensNames lists the lenses, for a flag's help and its error.
func lensNames() string {
	return strings.Join(pick.Each(slo.Lenses(), func(l *slo.Lens) string { return l.Key }), ", ")
}

// check refuses contradictory flags, and names the next step.
func (o *Lens) check(fs *pflag.FlagSet) error {
	switch {
	case o.Key == "" && fs.Changed("lens"), o.Key != "" && o.Of() == nil:
		return Usage("--lens %q: give one of %s", o.Key, lensNames())
	case o.Key != "agent" && (fs.Changed("agent-steps") || fs.Changed("agent-tokens")):
		return Usage("--agent-steps and --agent-tokens need --lens agent")
	case !o.Task.OK():
		return Usage("--agent-steps %d and --agent-tokens %d: give 1 to %d and 1 to %d",
			o.Task.Steps, o.Task.Tokens, slo.MaxAgentSteps, slo.MaxAgentTokens)
	}
	return nil
}

// Print prints the verdict of the lens on runs, nothing without a lens.
func (o *Lens) Print(w io.Writer, runs []metrics.Run) error {
	if o.Key == "" || len(runs) == 0 {
		return nil
	}
	_, err := io.WriteString(w, "\n"+report.Lens(runs, o.Of(), o.Task).Text(terminalWidth(w)))
	return err
}
