package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/ui/html"
	"tokscope/ui/report"
	"tokscope/ui/say"
)

// Replay holds the flags of `tokscope replay` beyond those of the screen.
type Replay struct {
	Live
	metrics.ReplayPlan
	Form
	// NoText copies the file without texts; KeepWidths keeps their lengths.
	NoText, KeepWidths bool
	// Beside is the target of live runs beside the replay; "" is the embedded
	// endpoint.
	Beside string
}

// Replayer opens session files for the forms without a screen.
type Replayer interface {
	// ReplayRuns returns the requests of that id, 0 for all, with their figures
	// computed anew, and what the recording lacks of each.
	ReplayRuns(files []string, stdin io.Reader, id int) ([]metrics.Run, []metrics.ReplayMissing, error)
	// ReplayJSON writes the same as JSON.
	ReplayJSON(out io.Writer, files []string, stdin io.Reader, id int) error
	// ReplayShare writes a copy of the file without texts, names and ids.
	ReplayShare(out io.Writer, file string, stdin io.Reader, widths bool) error
}

func newReplay(a Actions) *cobra.Command {
	var o Replay
	cmd := &cobra.Command{
		Use:   "replay FILE…",
		Short: "Open a recorded session again: slower, event by event, with all figures computed anew",
		Long: `Opens session files as they happened, reads and stamps included: space pauses, . shows one event,
- and + change the speed, n and N find stalls, home and end are those of the request.
A replayed run can be pinned (=) and compared with live ones.

FILE is a session file (session-*.ndjson) or a file of another tool, such as a detailed result of vLLM,
also compressed with gzip; - is the standard input.
Without a terminal it prints a summary.`,
		Example: `tokscope replay session-20261120-140509.123-4711.ndjson
tokscope replay session.ndjson.gz --id 3 --speed 0.1 --from 2s
tokscope replay session.ndjson --no-text > shared.ndjson
tokscope replay session.ndjson --id 3 --html run.html   # a page to hand on
tokscope replay session.ndjson --json | jq '.requests[].request.figures.ttft_ms'`,
		Args: cobra.ArbitraryArgs,
		RunE: run(&o, a.Replay),
	}
	fs := cmd.Flags()
	o.Common.flags(cmd)
	o.Form.flags(cmd, help{json: oneDocument + ": every figure computed anew", texts: withNames})
	fs.IntVar(&o.ID, "id", 0, "number of the request in the file; 0 is all")
	fs.Float64Var(&o.Speed, "speed", 1, "1 is as it happened, 0.1 ten times slower")
	fs.DurationVar(&o.From, "from", 0, "begin this long after the first request was sent")
	fs.StringVar(&o.Beside, "beside", "", "target of live runs beside the replay (default: the embedded endpoint)")
	fs.BoolVar(&o.NoText, "no-text", false,
		"a copy on stdout to be shared: counts and times, without any text, name, id, host or header")
	fs.BoolVar(&o.KeepWidths, "keep-widths", false,
		"with --no-text: keep the lengths of texts, which can give a text away")
	a.screenFlags(cmd)
	return cmd
}

func (o *Replay) take(args []string) error {
	o.Files = args
	switch {
	case len(args) == 0:
		return Usage("no file: give a session file, such as session-20261120-140509.123-4711.ndjson")
	case o.HTML != "" && (o.JSON || o.NoText):
		return Usage("--html writes a page alone: leave --json and --no-text out")
	case o.NoText && (o.JSON || len(o.Files) > 1 || o.ID != 0):
		return Usage("--no-text copies one whole file: give one file, without --json and --id")
	case namesStdin(args...) > 1:
		return Usage("the standard input can be read once: give - once")
	}
	return cmp.Or(needs(o.set, "keep-widths", "no-text"), atLeast("--id", o.ID, 0),
		within("--speed", o.Speed, 0.001, 1000), atLeast("--from", o.From, 0), o.Live.check())
}

// Run carries out the command: live opens the terminal interface, files opens session
// files without it, and tapped that of a tap, which is shown as its turns.
func (o *Replay) Run(ctx context.Context, c Console, live func(context.Context, *Live) error, files Replayer,
	tapped func(path string) (TapPane, error)) error {
	switch {
	case o.NoText && c.OutTerminal:
		return Usage("--no-text writes a file: redirect it, such as > shared.ndjson")
	case o.NoText:
		if o.KeepWidths {
			fmt.Fprintln(c.Err, "tokscope: the copy keeps the lengths of texts, and lengths can give a text away")
		}
		return writing(ctx, c, o.Files, func() error { return files.ReplayShare(c.Out, o.Files[0], c.In, o.KeepWidths) })
	case o.HTML != "":
		return o.paged(ctx, c, files)
	case o.JSON:
		return writing(ctx, c, o.Files, func() error { return files.ReplayJSON(c.Out, o.Files, c.In, o.ID) })
	}
	if len(o.Files) == 1 && o.Files[0] != "-" && o.ID == 0 {
		if p, err := tapped(o.Files[0]); err == nil { // what is wrong with a file is said below
			o.Target = cmp.Or(o.Beside, embedded)
			return o.showTap(ctx, c, p, live)
		}
	}
	if o.Given("plain") || slices.Contains(o.Files, "-") || !c.drawable() {
		return o.lines(ctx, c, files)
	}
	o.Target = cmp.Or(o.Beside, embedded)
	o.Live.Replay = &o.ReplayPlan
	o.Live.ReplayLines = func() error { return o.lines(ctx, c, files) }
	return live(ctx, &o.Live)
}

// readRuns reads the requests of files, of that id or all, and what the recording lacks of each.
func readRuns(ctx context.Context, c Console, from Replayer, names []string, id int) (runs []metrics.Run,
	missing []metrics.ReplayMissing, err error) {
	runs, err = Reading(ctx, c, names, func() (runs []metrics.Run, err error) {
		runs, missing, err = from.ReplayRuns(names, c.In, id)
		return runs, err
	})
	return runs, missing, err
}

// paged writes the recorded requests as a page.
func (o *Replay) paged(ctx context.Context, c Console, files Replayer) error {
	runs, _, err := readRuns(ctx, c, files, o.Files, o.ID)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return Usage("--html: no request is recorded there")
	}
	return writePage(&o.Form, &c, runs, func(runs []metrics.Run) *html.Page {
		form := report.Form{Whole: len(runs) == 1, By: origin(), List: allRequests(len(runs))}
		return html.Runs(runs, report.Probe(runs, form))
	})
}

// lines prints the recorded requests as text.
func (o *Replay) lines(ctx context.Context, c Console, files Replayer) error {
	runs, missing, err := readRuns(ctx, c, files, o.Files, o.ID)
	if err != nil {
		return err
	}
	text := report.Runs(runs, report.Form{}).Text(terminalWidth(c.Out))
	for _, kind := range metrics.ReplayMissings[1:] {
		if n := pick.Count(missing, func(m *metrics.ReplayMissing) bool { return *m == kind }); n > 0 {
			text += say.ReplayLacks(n, len(runs), kind) + "\n"
		}
	}
	_, err = io.WriteString(c.Out, text)
	return err
}
