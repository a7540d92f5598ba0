package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"tokscope/metrics/loadstat"
	"tokscope/ui/report"
)

// Merge holds the arguments and flags of `tokscope merge`.
type Merge struct {
	Files        []string
	AllowMissing bool
	Report       string // a new folder for llm-d's Benchmark Reports; "" for none
	Form
}

// ShardMerger makes one sweep of the documents of its shards.
type ShardMerger interface {
	Add(r io.Reader, name string) error
	Merge(allowMissing bool) (p loadstat.SweepPlan, o loadstat.SweepOutcome, warnings []string, err error)
	Write(out io.Writer, v loadstat.SweepVerdicts, warnings []string) error
	// BenchmarkReports writes llm-d's Benchmark Report of each step into the new folder dir.
	BenchmarkReports(dir string) error
}

func newMerge(a Actions) *cobra.Command {
	var o Merge
	cmd := &cobra.Command{
		Use:   "merge FILE…",
		Short: "Make one load of the parts that several machines have sent",
		Long: `Reads the documents of sweep --shard I/N --json and prints the sweep that the machines have
sent together. Its figures are computed from all requests, gaps and tokens in the time that the
shards have in common, never from figures of the shards. docs/fleet.md has the whole way.

Exit codes are those of sweep; 2 also means that the files are no parts of one load.`,
		Example: `tokscope merge shard-*.json
tokscope merge shard-*.json --json > sweep.json`,
		RunE: run(&o, a.Merge),
	}
	cmd.Flags().BoolVar(&o.AllowMissing, "allow-missing", false,
		"merge although shards are missing: the figures are of a smaller load, and never steady")
	cmd.Flags().StringVar(&o.Report, "benchmark-report", "", reportOfSteps)
	o.Form.flags(cmd, help{json: oneDocument, csv: "a line for every step, for spreadsheets", markdown: forTickets,
		ascii: asciiAlone})
	return cmd
}

func (o *Merge) take(args []string) error {
	if o.Files = args; len(args) == 0 {
		return Usage("no files: give the documents of all shards, such as shard-*.json")
	}
	return nil
}

// Run reads the files, merges them and prints the sweep.
func (o *Merge) Run(ctx context.Context, c Console, m ShardMerger) error {
	_, err := Reading(ctx, c, o.Files, func() (struct{}, error) {
		for _, name := range o.Files {
			f, err := os.Open(name)
			if err == nil {
				err = m.Add(f, name)
				_ = f.Close()
			}
			if err != nil {
				return struct{}{}, fmt.Errorf("%s: %w", name, err)
			}
		}
		return struct{}{}, nil
	})
	if err != nil {
		return err
	}
	plan, outcome, warnings, err := m.Merge(o.AllowMissing)
	if err == nil && o.Report != "" {
		err = m.BenchmarkReports(o.Report)
	}
	if err != nil {
		return &Exit{ExitUsage, err}
	}
	r := &report.Sweep{Plan: plan, Loop: (&Sweep{SweepPlan: plan}).Loop(), SweepOutcome: outcome, Merged: warnings}
	err = o.print(c.Out, results{
		func(out io.Writer) error { return m.Write(out, r.Verdicts(), r.Warnings()) },
		r.CSV, func() *report.Doc { return r.Doc(o.ASCII) }})
	if err != nil {
		return err
	}
	return exitWith(CodeOfSweep(r))
}
