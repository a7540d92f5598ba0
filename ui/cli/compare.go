package cli

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tokscope/metrics/comparison"
	"tokscope/metrics/condition"
	"tokscope/metrics/pick"
	"tokscope/ui/format"
	"tokscope/ui/html"
	"tokscope/ui/report"
	"tokscope/ui/say"
)

// Compare holds the arguments and flags of `tokscope compare`.
type Compare struct {
	A, B   string
	Allow  []comparison.Point
	FailIf []condition.Condition
	Form
	ConfigPath string
	StateDir   string
	allow      []string
}

// ReadSample reads a side of a comparison by its name. It may wait for a pipe.
// configPath and stateDir are those of the flags.
type ReadSample func(name, configPath, stateDir string,
	stdin io.Reader, env func(string) string) (*comparison.Sample, error)

// WriteComparison writes the JSON document of a comparison.
type WriteComparison func(out io.Writer, c *comparison.Comparison, version string) error

func newCompare(a Actions) *cobra.Command {
	var o Compare
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "What changed between two saved results, and whether it is more than chance",
		Long: `Compares the figures of two saved results: B to A, as ratios with 95 % intervals, medians,
failures and distributions. What is no clear change has a ~.
Each is the output of probe (--json, --ndjson) or sweep (--json, --request-lines), a session file, one of another tool,
or a part of the history of this machine: baseline:NAME or history:FILTER.
It refuses requests of another model, workload, connection or load; --allow compares them anyway.

--fail-if ends with code 3 where the whole interval lies beyond the limit.

Exit codes: 0 ended, 1 every request of A or B failed, 2 usage, or nothing to compare,
3 a condition of --fail-if is met, 130 interrupted.`,
		Example: `tokscope compare before.json after.json
tokscope compare before.json after.json --fail-if 'ttft.p50 > 1.2x' --fail-if 'failures > 2%'
tokscope compare groq.json together.json --allow model
tokscope compare baseline:usual 'history:endpoint:groq since:24h'
tokscope compare monday.ndjson friday.ndjson --markdown`,
		Args: cobra.ArbitraryArgs,
		RunE: run(&o, a.Compare),
	}
	fs := cmd.Flags()
	fs.StringSliceVar(&o.allow, "allow", nil, "compare although these differ: "+strings.Join(pointNames(), ", "))
	failIf(cmd, &o.FailIf,
		"end with code 3 if this holds, such as 'ttft.p50 > 1.2x'; may be repeated")
	o.Form.flags(cmd, help{json: oneDocument, markdown: forTickets, ascii: asciiAlone, texts: withNames})
	fs.StringVar(&o.ConfigPath, "config", "", "configuration file")
	fs.StringVar(&o.StateDir, "state-dir", "", "folder of the history")
	complete(cmd, "allow", pointNames)
	return cmd
}

// pointNames are the values of --allow.
func pointNames() []string {
	return pick.Each(comparison.Points, func(p *comparison.Point) string { return string(*p) })
}

func (o *Compare) take(args []string) error {
	if len(args) != 2 {
		return Usage("%s: give two, such as before.json after.json", format.Plural(len(args), "result", "results"))
	}
	o.A, o.B = args[0], args[1]
	for _, name := range o.allow {
		p := comparison.Point(strings.TrimSpace(name))
		if !slices.Contains(comparison.Points, p) {
			return Usage("--allow %s: known are %s", name, strings.Join(pointNames(), ", "))
		}
		o.Allow = append(o.Allow, p)
	}
	for i := range o.FailIf {
		if _, err := o.turned(&o.FailIf[i]); err != nil {
			return err
		}
	}
	if namesStdin(args...) > 1 {
		return Usage("A and B cannot both be read from stdin: name a file for one of them")
	}
	return nil
}

// turned reports whether a condition is on A, compared with B.
func (o *Compare) turned(c *condition.Condition) (bool, error) {
	switch {
	case (c.Of == "" || c.Of == "B") && (c.Than == "" || c.Than == "A"):
		return false, nil
	case c.Of == "A" && (c.Than == "" || c.Than == "B"), c.Of == "" && c.Than == "B":
		return true, nil
	case c.Than == condition.Baseline && (c.Of == "" || c.Of == "B") && strings.HasPrefix(o.A, condition.Baseline+":"):
		return false, nil
	}
	return false, Usage("--fail-if %q: a comparison has the targets A and B: write such as 'ttft of B > 1.2x A'", c)
}

// Run reads both sides, compares them and prints what they show.
func (o *Compare) Run(ctx context.Context, console Console, read ReadSample, write WriteComparison) error {
	var sides [2]*comparison.Sample
	for i, name := range []string{o.A, o.B} {
		s, err := Reading(ctx, console, []string{name}, func() (*comparison.Sample, error) {
			return read(name, o.ConfigPath, o.StateDir, console.In, console.Env)
		})
		if err != nil {
			return err
		}
		sides[i] = s
	}
	if n := comparison.Common(sides[0], sides[1]); n > 0 {
		return Usage("%s", say.CompareCommon(n))
	}
	c := comparison.Compare(sides[0], sides[1], o.Allow)
	if len(c.Pairs) == 0 {
		return Usage("%s", say.CompareRefusal(c))
	}
	met := false
	for i := range o.FailIf {
		turned, _ := o.turned(&o.FailIf[i]) // take has refused others
		met = c.Judge(o.FailIf[i], turned) || met
	}
	err := o.print(console.Out, results{
		json: func(out io.Writer) error { return write(out, c, Version()) },
		doc:  func() *report.Doc { return report.Compare(c, origin(), o.ASCII) }})
	if err == nil {
		err = writePage(&o.Form, &console, c, func(c *comparison.Comparison) *html.Page {
			return html.Compare(c, report.Compare(c, origin(), false))
		})
	}
	switch {
	case err != nil:
		return err
	case met:
		return exitWith(ExitSLO)
	case allFailed(c):
		return exitWith(ExitFailed)
	}
	return nil
}

// allFailed reports whether every request of a side failed.
func allFailed(c *comparison.Comparison) bool {
	var failedA, nA, failedB, nB int
	for i := range c.Pairs {
		f := &c.Pairs[i].Failures
		failedA, nA, failedB, nB = failedA+f.FailedA, nA+f.NA, failedB+f.FailedB, nB+f.NB
	}
	return nA > 0 && failedA == nA || nB > 0 && failedB == nB
}
