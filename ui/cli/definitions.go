package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/report"
)

// Definitions holds the flags of `tokscope definitions` beyond Common.
type Definitions struct {
	Common
	Form
	File string // a session file; "" measures Target
	ID   int    // of a request in File; 0 for all
}

// DefinitionsFiles reads session files and writes the JSON document.
type DefinitionsFiles struct {
	Replayer
	Write func(w io.Writer, runs []metrics.Run) error
}

func newDefinitions(a Actions) *cobra.Command {
	var o Definitions
	cmd := &cobra.Command{
		Use:   "definitions FILE|TARGET",
		Short: "One stream under every tool's definitions: TTFT, ITL, TPOT, tok/s",
		Long: `Prints one stream under the definitions of the field's tools, and on what they differ.
FILE is a session file that tokscope has recorded, or a file of another tool; "-" is stdin. A TARGET is measured first.
With several requests it prints what each tool would say of all of them: how it joins gaps,
and how it takes percentiles.

The tools are not run: their rules were read in the versions that are named. Their own
clocks add to these figures. A tool that counts with its own tokenizer has its figure by
the server's count in parentheses.

Exit codes: 0 ok, 1 a request failed, 2 usage, 4 configuration, key or an unreadable file,
5 endpoint unreachable, 130 interrupted.`,
		Example: `tokscope definitions groq
tokscope definitions ~/.local/state/tokscope/session-20261120-140509.123-4711.ndjson --id 2
tokscope definitions groq -n 20 --json | jq '.together[] | {tool, ttft_p50_ms}'`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeTargets(a),
		RunE:              run(&o, a.Definitions),
	}
	fs := cmd.Flags()
	o.Common.flags(cmd)
	o.Form.flags(cmd, help{json: oneDocument, ascii: asciiAlone, quiet: noProgress})
	fs.IntP("requests", "n", 1, "how many requests, of a target")
	fs.IntVar(&o.ID, "id", 0, "the request of a session file (default: all)")
	return cmd
}

func (o *Definitions) take(args []string) error {
	file, err := sessionFile(args[0])
	if err != nil {
		return err
	}
	if file {
		o.File, args = args[0], nil
	}
	if err := o.Common.take(args); err != nil {
		return err
	}
	switch {
	case o.ID < 0:
		return Usage("--id %d: give the number of a request, 1 or more", o.ID)
	case o.File == "" && o.Given("id"):
		return Usage("--id chooses a request of a session file, and %s is no file", o.Target)
	case o.File != "" && o.Given("requests"):
		return Usage("--requests is for a target: %s is a file", o.File)
	}
	return nil
}

// sessionFile reports whether arg names a file: "-", one that exists, or one that
// is called like a session file. It refuses what looks like a path and names no file:
// read as a URL it would have a malformed host.
func sessionFile(arg string) (bool, error) {
	begins := func(prefix string) bool { return strings.HasPrefix(arg, prefix) }
	closes := func(suffix string) bool { return strings.HasSuffix(arg, suffix) }
	session := slices.ContainsFunc([]string{".ndjson", ".ndjson.gz"}, closes)
	isPath := slices.ContainsFunc([]string{"/", "./", "../", "~"}, begins) ||
		!strings.Contains(arg, "://") && (session || closes(".json") || closes(".txt"))
	switch info, err := os.Stat(arg); {
	case arg == "-", err == nil && !info.IsDir():
		return true, nil
	case isPath && errors.Is(err, fs.ErrNotExist):
		return false, Usage("%s: no such file; give a session file (session-*.ndjson) or a target", arg)
	case isPath && err == nil:
		return false, Usage("%s is a folder; give a session file (session-*.ndjson) or a target", arg)
	}
	return isPath && session, nil
}

// RunFile prints the requests of a session file. The end of ctx ends the wait for it.
func (o *Definitions) RunFile(ctx context.Context, c Console, files DefinitionsFiles) error {
	runs, _, err := readRuns(ctx, c, files, []string{o.File}, o.ID)
	if err != nil {
		return err
	}
	return o.print(c.Out, format.Either(o.File == "-", "stdin", filepath.Base(o.File)), runs, files)
}

// Run measures the target and prints its requests.
func (o *Definitions) Run(ctx context.Context, j *Job, p Prober, files DefinitionsFiles) error {
	w, err := o.Workload(ctx, j)
	if err != nil {
		return err
	}
	n := 1
	if o.Given("requests") {
		n = j.Settings.Int("defaults.requests")
	}
	if err := checkSize(n, 1); err != nil {
		return err
	}
	runs := j.probe(ctx, p, !o.Quiet, loadstat.ProbePlan{Work: w, Requests: n, Concurrency: 1})
	interrupted := ctx.Err() != nil
	if err := o.print(j.Out, j.Endpoint.Name, runs, files); err != nil {
		return err
	}
	return exitWith(CodeOfRuns(runs, nil, interrupted))
}

func (o *Definitions) print(out io.Writer, name string, runs []metrics.Run, files DefinitionsFiles) error {
	return o.Form.print(out, results{
		json: func(out io.Writer) error { return files.Write(out, runs) },
		doc:  func() *report.Doc { return report.Definitions(name, runs, o.ASCII) }})
}
