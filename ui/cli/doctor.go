package cli

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
	"tokscope/themes"
	"tokscope/ui/format"
	"tokscope/ui/prompts"
	"tokscope/ui/report"
	"tokscope/ui/say"
)

// Doctor holds the flags of `tokscope doctor` beyond Common.
type Doctor struct {
	Common
	Form
	Color string
}

// Examiner is the measuring side as `tokscope doctor` uses it.
type Examiner interface {
	// Intend returns the target and what a check-up of w will send, and sends
	// nothing.
	Intend(w doctor.Work) *doctor.Report
	// Examine does the check-up, also a part of it when ctx ends.
	Examine(ctx context.Context, w doctor.Work) *doctor.Report
	// WriteCheckUp writes the JSON document.
	WriteCheckUp(out io.Writer, r *doctor.Report) error
}

func newDoctor(a Actions) *cobra.Command {
	var o Doctor
	cmd := &cobra.Command{
		Use:   "doctor [TARGET]",
		Short: "Check what stands between you and a good measurement, and say what to do",
		Long: `Checks one step after the other, and prints what it found and the next step:
key, proxy, name lookup, TCP over IPv4 and IPv6, TLS and its certificate, the list of models,
a short stream over HTTP/1.1, over HTTP/2 and without the environment's proxy, a long stream,
what buffers on the way, and tokscope itself.

It sends two to four requests: short ones of 16 output tokens, a long one of 200.

Exit codes: 0 nothing found, 1 something found, 2 usage, 4 configuration or key,
130 interrupted.`,
		Example: `tokscope doctor groq
tokscope doctor http://127.0.0.1:8080/v1 --timeout 5s
tokscope doctor groq --json | jq -r '.checks[] | select(.grade == "bad") | .text'`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeTargets(a),
		RunE:              run(&o, a.Doctor),
	}
	o.Common.flags(cmd)
	o.curlFlags(cmd)
	o.Form.flags(cmd, help{json: oneDocument})
	cmd.Flags().StringVar(&o.Color, "color", "auto", "auto, always or never; NO_COLOR is honored")
	complete(cmd, "color", colors)
	return cmd
}

func (o *Doctor) take(args []string) error {
	if _, err := themes.ProfileOf(o.Color, os.Getenv, false); err != nil {
		return Usage("%v", err)
	}
	return o.Common.take(args)
}

// shortPrompt is that of the short streams.
const shortPrompt = "Count from one to nine in words."

// Run carries out `tokscope doctor`. The error is an *Exit where something was
// found.
func (o *Doctor) Run(ctx context.Context, j *Job, e Examiner) error {
	long, err := o.Workload(ctx, j)
	if err != nil {
		return err
	}
	if !o.Given("max-tokens") || long.MaxTokens <= 0 {
		long.MaxTokens = doctor.LongTokens
	}
	colors, _ := themes.ProfileOf(o.Color, j.Env, j.OutTerminal) // take has refused others
	text := report.Doctor{W: format.Either(o.JSON, io.Discard, j.Out), Width: textWidth(os.Stdout, j.Env),
		Color: colors != themes.NoColor}
	work := doctor.Work{Long: long,
		Short: metrics.Workload{Name: prompts.Custom, Prompt: shortPrompt, MaxTokens: doctor.ShortTokens}}
	done := func() {}
	work.Begin = func(c doctor.Code) {
		began := time.Now()
		done = j.progress(true, func(now time.Time) string {
			return "checking " + say.CheckName(c) + " for " + format.Duration(now.Sub(began).Truncate(time.Second))
		})
	}
	work.Say = func(k *doctor.Check) {
		done()
		done = func() {}
		text.Check(k)
	}
	text.Head(e.Intend(work))
	r := e.Examine(ctx, work)
	done()
	err = text.End(r)
	if o.JSON {
		err = e.WriteCheckUp(j.Out, r)
	}
	switch {
	case err != nil:
		return &Exit{ExitFailed, err}
	case ctx.Err() != nil:
		return exitWith(ExitInterrupted)
	case len(r.Found()) > 0:
		return exitWith(ExitFailed)
	}
	return nil
}
