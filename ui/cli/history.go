package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tokscope/metrics/history"
	"tokscope/metrics/pick"
	"tokscope/ui/format"
	"tokscope/ui/html"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	screen "tokscope/ui/screen/history"
)

// History holds the flags of `tokscope history` and its commands.
type History struct {
	Common
	Filter string // terms of the arguments
	Form
	Since string
	Limit int
	Yes   bool
	// Names are of a baseline, or of the files to import.
	Names   []string
	Machine string // of imported session files
	do      historyVerb
}

// historyVerb does what a command of `tokscope history` is for.
type historyVerb func(context.Context, Console, Historian) error

// Historian is the store as `tokscope history` uses it.
type Historian interface {
	View(q history.Query) (history.View, error)
	// Remove removes all entries that match and returns their number.
	Remove(q history.Query) (int, error)
	SetBaseline(name string, series history.Series, from, to time.Time) (history.Baseline, error)
	RemoveBaseline(name string) (found bool, err error)
	Baselines() ([]history.Baseline, error)
	// ImportFile adds what a file holds; machine is who measured a session file.
	ImportFile(r io.Reader, path, machine string) (history.Imported, error)
	// Path returns the path of the file of entries.
	Path() string
	// WriteView writes the JSON document of the answer to filter.
	WriteView(out io.Writer, filter string, v *history.View) error
}

// historyRuns is the number of runs in the text.
const historyRuns = 10

func newHistory(a Actions) *cobra.Command {
	var o History
	run := func(do historyVerb, names int) func(*cobra.Command, []string) error { // the arguments after these filter
		return func(cmd *cobra.Command, args []string) error {
			names := min(names, len(args))
			o.set, o.do, o.Names = cmd.Flags(), do, args[:names]
			if err := o.filter(args[names:]); err != nil {
				return err
			}
			return a.History(cmd.Context(), &o)
		}
	}
	cmd := &cobra.Command{
		Use:   "history [FILTER…]",
		Short: "What this machine has measured: trends, change points, baselines",
		Long: `Shows what this machine has measured: a block for each series of equal conditions,
with medians, trends, change points and baselines, and the newest runs.

FILTER is one or more terms, which must all match:
` + say.HistoryFilterHelp + `
Times are in UTC. docs/history.md says what is kept and how to switch it off.`,
		Example: `tokscope history
tokscope history groq since:7d
tokscope history 'ttft>500' state:done sort:-ttft --limit 20
tokscope history groq workload:chat --csv > history.csv
tokscope history since:7d --html week.html   # a page to hand on
tokscope history baseline set usual groq workload:chat since:7d`,
		Args: cobra.ArbitraryArgs,
		RunE: run(o.show, 0),
	}
	fs := cmd.PersistentFlags()
	fs.StringVar(&o.ConfigPath, "config", "", "configuration file")
	fs.String("state-dir", "", "folder of the session files and the history")
	show := cmd.Flags()
	o.Form.flags(cmd, help{json: oneDocument + ", with slots, changes and all matching runs",
		csv: "a row for each slot of time, readable by Apache Otava", texts: withNames})
	show.StringVar(&o.Since, "since", "", "from this time on: 24h, 7d, 2026-11-20 or 2026-11-20T14:02")
	show.IntVar(&o.Limit, "limit", -1, "most runs that are listed; 0: all (default 10, with --json all)")
	show.Lookup("limit").DefValue = ""

	remove := &cobra.Command{Use: "rm FILTER…", Short: "Remove the matching runs from the history",
		Args: cobra.MinimumNArgs(1), RunE: run(o.remove, 0),
		Example: `tokscope history rm until:2026-06-01`}
	remove.Flags().BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	baseline := &cobra.Command{Use: "baseline", Short: "Name runs as usual, to compare with",
		RunE: run(o.listBaselines, 0), Args: cobra.NoArgs}
	baseline.AddCommand(
		&cobra.Command{Use: "set NAME FILTER…", Short: "Name the matching runs of one series as usual",
			Args: cobra.MinimumNArgs(2), RunE: run(o.setBaseline, 1)},
		&cobra.Command{Use: "rm NAME", Short: "Remove a baseline",
			Args: cobra.ExactArgs(1), RunE: run(o.removeBaseline, 1)},
		&cobra.Command{Use: "list", Short: "List the baselines", Args: cobra.NoArgs, RunE: run(o.listBaselines, 0)},
	)
	imported := &cobra.Command{Use: "import FILE…", Short: "Add session files, or the history of other machines",
		Args: cobra.MinimumNArgs(1), RunE: run(o.importFiles, math.MaxInt),
		Long: `Adds session files, files of other tools, of a history, and the output of tokscope history --json.
Only figures come in, each with the machine that measured it. Importing twice doubles nothing.`,
		Example: `tokscope history import other-machine.json
tokscope history import --machine office session-20261120-080000.000-1.ndjson`}
	imported.Flags().StringVar(&o.Machine, "machine", "", "who measured the session files, which do not say it")
	cmd.AddCommand(remove, &cobra.Command{Use: "path", Short: "Print the path of the history",
		Args: cobra.NoArgs, RunE: run(o.path, 0)}, baseline, imported)
	return cmd
}

// filter takes the terms of the arguments.
func (o *History) filter(args []string) error {
	o.Filter = historyFilter(args)
	if o.Since != "" {
		o.Filter = strings.TrimSpace(o.Filter + " since:" + o.Since)
	}
	if o.Given("limit") {
		if err := atLeast("--limit", o.Limit, 0); err != nil {
			return err
		}
	}
	if _, err := history.ParseFilter(o.Filter, time.Now()); err != nil {
		return Usage("%v", err)
	}
	return nil
}

// historyFilter joins arguments to a line of terms. The shell has removed the
// quotation marks of one with blanks.
func historyFilter(args []string) string {
	terms := make([]string, len(args))
	for i, arg := range args {
		terms[i] = arg
		if key, value, found := strings.Cut(arg, ":"); strings.ContainsAny(arg, " \t") && !strings.Contains(arg, `"`) {
			if found && !strings.ContainsAny(key, " \t") {
				terms[i] = key + `:"` + value + `"`
			} else if !strings.ContainsAny(arg, ":<>=") {
				terms[i] = `"` + arg + `"`
			}
		}
	}
	return strings.Join(terms, " ")
}

// Run carries out the command. The error is an *Exit.
func (o *History) Run(ctx context.Context, c Console, h Historian) error {
	return failedWith(o.do(ctx, c, h))
}

func (o *History) path(_ context.Context, c Console, h Historian) error {
	_, err := io.WriteString(c.Out, h.Path()+"\n")
	return err
}

func (o *History) listBaselines(_ context.Context, c Console, h Historian) error {
	list, err := h.Baselines()
	if err == nil {
		err = o.write(c.Out, report.HistoryBaselines(list))
	}
	return err
}

func (o *History) removeBaseline(_ context.Context, _ Console, h Historian) error {
	found, err := h.RemoveBaseline(o.Names[0])
	if err == nil && !found {
		return Usage("no baseline is called %s: tokscope history baseline list names them", sanitize.Line(o.Names[0], 80))
	}
	return err
}

// failedWith returns err with the exit code of a failure, unless it has one.
func failedWith(err error) error {
	if x := (*Exit)(nil); err == nil || errors.As(err, &x) {
		return err
	}
	return &Exit{ExitFailed, err}
}

// show prints the answer to the filter.
func (o *History) show(ctx context.Context, c Console, h Historian) error {
	q := history.Query{Filter: o.Filter, Quantiles: o.Text() || o.HTML != ""}
	switch {
	case o.CSV:
		q.Limit = 1 // only slots are printed
	case o.Limit >= 0:
		q.Limit = o.Limit
	case !o.JSON:
		q.Limit = historyRuns
	}
	v, err := Reading(ctx, c, []string{h.Path()}, func() (history.View, error) { return h.View(q) })
	switch {
	case err != nil:
	case o.JSON:
		err = h.WriteView(c.Out, o.Filter, &v)
	case o.CSV:
		var left int
		if left, err = report.HistoryCSV(c.Out, &v); left > 0 {
			Warn(c.Err, format.Plural(left, "slot has", "slots have")+" no request that ended well, "+
				"and no row: Apache Otava wants a number in every cell")
		}
	}
	if err != nil || !q.Quantiles {
		return err
	}
	now, err := screen.Lately(h.View, &v, time.Now())
	if err == nil && o.Text() {
		_, err = io.WriteString(c.Out, report.History(&v, now, o.Filter, h.Path()).Text(textWidth(os.Stdout, c.Env)))
	}
	if err != nil {
		return err
	}
	v.Entries = v.Entries[:min(len(v.Entries), max(o.Limit, historyRuns))]
	return writePage(&o.Form, &c, html.Found{View: v, Now: now, Filter: o.Filter}, html.History)
}

func (o *History) remove(ctx context.Context, c Console, h Historian) error {
	q := history.Query{Filter: o.Filter, Limit: 1}
	v, err := h.View(q)
	if err != nil {
		return err
	}
	n := 0
	if v.Matching > 0 {
		question := "Remove " + format.Count(v.Matching) + " of " + format.Plural(v.All, "run", "runs") + " from the history?"
		if err := c.consent(ctx, o.Yes, question, "", "nothing was removed"); err != nil {
			return err
		}
		if n, err = h.Remove(q); err != nil {
			return err
		}
	}
	removed := format.Plural(n, "run is", "runs are") + " removed.\n"
	_, err = io.WriteString(c.Out, format.Either(n > 0, removed, "Nothing matches, nothing was removed.\n"))
	return err
}

// setBaseline names the matching runs of one series.
func (o *History) setBaseline(_ context.Context, c Console, h Historian) error {
	f, err := history.ParseFilter(o.Filter, time.Now())
	if err != nil {
		return Usage("%v", err)
	}
	if !f.SharedOnly() {
		return Usage(
			"a baseline takes all runs of a series in a time: leave out terms on single runs, such as kind:probe or ttft>500")
	}
	v, err := h.View(history.Query{Filter: o.Filter, Limit: 1})
	switch {
	case err != nil:
		return err
	case len(v.Series) == 0:
		return Usage("nothing in the history matches %s", sanitize.Line(o.Filter, 200))
	case len(v.Series) > 1:
		names := pick.Each(v.Series, func(s *history.SeriesView) string {
			return strings.Join(say.HistorySeries(&s.Series), " ")
		})
		return Usage("%d series match (%s): a baseline is of one: add terms such as endpoint:, model:, workload: or users=1",
			len(v.Series), strings.Join(format.Few(names, 3), "; "))
	}
	b, err := h.SetBaseline(o.Names[0], v.Series[0].Series, f.From, f.To)
	if err != nil {
		return err
	}
	return o.write(c.Out, report.HistoryBaselines([]history.Baseline{b}))
}

// importFiles adds the files, each as a whole or not at all.
func (o *History) importFiles(ctx context.Context, c Console, h Historian) error {
	for _, path := range o.Names {
		in, err := Reading(ctx, c, []string{path}, func() (history.Imported, error) {
			f, err := os.Open(path)
			if err != nil {
				return history.Imported{}, err
			}
			defer func() { _ = f.Close() }()
			in, err := h.ImportFile(f, path, o.Machine)
			if err != nil {
				err = fmt.Errorf("%s: %w", path, err)
			}
			return in, err
		})
		if err != nil {
			return err
		}
		if _, err := io.WriteString(c.Out, sanitize.Line(path, 200)+": "+say.HistoryImported(in)+"\n"); err != nil {
			return err
		}
	}
	return nil
}
