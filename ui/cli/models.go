package cli

import (
	"cmp"
	"io"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"tokscope/metrics/serving"
	"tokscope/ui/report"
)

// Models holds the flags of `tokscope models`.
type Models struct {
	serving.SurveyPlan
	Form
	All bool
}

func newModels(a Actions) *cobra.Command {
	var o Models
	cmd := &cobra.Command{
		Use:   "models [MACHINE or MODEL …]",
		Short: "Machines and models of the embedded endpoint: what fits, and how fast",
		Long: `Prints which models fit which machines, the speed of one user, and how many users get
20 tok/s. It computes this with the model of the embedded endpoint; nothing is measured.
Names choose rows and columns. One model or one machine gives a list with the reasons.
Machines and models of your own come from the configuration: docs/config.md.`,
		Example: `tokscope models
tokscope models h100                      # every model on one machine
tokscope models llama-3.3-70b             # one model on every machine
tokscope models r1 kimi-k2 h200 b200      # a table of these
tokscope models m4max --precision q4
tokscope models --json | jq -r '.pairs[] | select(.users_at_speed > 50) | .target'`,
		ValidArgsFunction: func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			machines, models := a.Named(os.Getenv)
			return append(machines, models...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: run(&o, a.Models),
	}
	fs := cmd.Flags()
	o.Form.flags(cmd, help{json: oneDocument + ", with sources and all pairs", ascii: asciiAlone})
	fs.BoolVar(&o.All, "all", false, "all machines, in tables one below the other")
	fs.StringVar(&o.Precision, "precision", "",
		"of the weights: bf16, fp8, int4, mxfp4, nvfp4, q4, q8 (default: the usual one, or one that fits)")
	fs.IntVar(&o.Prompt, "input-tokens", 1000, "tokens of a prompt")
	fs.IntVar(&o.Output, "max-tokens", 200, "tokens of an answer")
	fs.Float64Var(&o.Speed, "speed", 20, "tok/s per user for the count of users")
	fs.StringVar(&o.ConfigPath, "config", "", "configuration file with your machines and models")
	return cmd
}

func (o *Models) take(args []string) error {
	o.Names = args
	return cmp.Or(within("--input-tokens", o.Prompt, 1, 1<<24), within("--max-tokens", o.Output, 1, 1<<24),
		within("--speed", o.Speed, 1e-6, 1e6))
}

// textWidth returns the width of the terminal, else that of COLUMNS, else 120.
func textWidth(out *os.File, env func(string) string) int {
	if w := terminalWidth(out); w > 0 {
		return w
	}
	if w, err := strconv.Atoi(env("COLUMNS")); err == nil && w > 0 {
		return min(max(w, 40), 2000)
	}
	return 120
}

// Run prints the survey that survey makes with the variables of the environment. write
// writes it as JSON.
func (o *Models) Run(survey func(serving.SurveyPlan, func(string) string) (*serving.Survey, error),
	write func(io.Writer, *serving.Survey, string) error) error {
	s, err := survey(o.SurveyPlan, os.Getenv)
	if err != nil {
		return err
	}
	if o.JSON {
		return write(os.Stdout, s, Version())
	}
	width := textWidth(os.Stdout, os.Getenv)
	_, err = io.WriteString(os.Stdout, report.Survey(s, width, o.All, o.ASCII).Text(width))
	return err
}
