package cli

import (
	"context"
	"io"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/report"
)

// DepthSweeper is the measuring side as `tokscope sweep --depth` uses it, for
// one plan.
type DepthSweeper interface {
	// Question returns the question for consent to the load. needed reports
	// whether it must be asked.
	Question() (question loadstat.Question, needed bool)
	// Run measures the depths.
	Run(ctx context.Context) loadstat.DepthOutcome
	// Write writes the JSON document of Run's results.
	Write(out io.Writer) error
}

// The bounds of a sweep over prompt lengths.
const (
	depthRequests     = 3 // without --requests: a median needs more than two
	mostDepthRequests = 1000
)

// withoutDepth are the flags of a load over users or rates. They mean nothing
// where one prompt length after the other is measured.
var withoutDepth = []string{
	"rate", "ramp", "poisson", "duration", "think", "input-tokens", "prompts", "messages", "shared-prefix",
	"slo", "until-slo-breaks", "resume", "request-lines", "server-metrics", "handover",
}

// readDepth parses the flags of a sweep over prompt lengths.
func (o *Sweep) readDepth(l *sweepLists) (err error) {
	if o.Depths, err = parseDepths(l.depths); err != nil {
		return err
	}
	o.Users = []int{1}
	if o.Given("users") {
		if o.Users, err = parseUsers(l.users); err != nil {
			return err
		}
		if len(o.Users) > 1 {
			return Usage("--depth and a list of --users exclude each other: give one number of users, such as --users %d",
				o.Users[0])
		}
	}
	if err := o.lengths("output-tokens", l.output, &o.Output); err != nil {
		return err
	}
	if o.Output.Varies() {
		return Usage("--depth needs answers of one limit: give --output-tokens one number")
	}
	users := o.Users[0]
	switch {
	case !o.Given("requests"):
		o.Requests = max(depthRequests, users)
	case o.Requests < users || o.Requests > mostDepthRequests:
		return Usage("--requests %d: give %d to %d with --depth, at least one per user",
			o.Requests, users, max(mostDepthRequests, users))
	}
	o.Duration = 0
	return nil
}

// parseDepths parses prompt lengths such as 1k,4k,16000. 1k is 1,000 tokens.
func parseDepths(text string) ([]int, error) {
	what := "a number of tokens from 1 to " + format.Count(metrics.MaxLength) + ", such as 4k or 4000"
	return rising("depth", text, what, "1k,4k,16k,64k", func(s string) (int, bool) {
		digits, thousands := strings.CutSuffix(s, "k")
		n, err := strconv.Atoi(digits)
		if thousands && n <= metrics.MaxLength {
			n *= 1000
		}
		return n, err == nil && n >= 1 && n <= metrics.MaxLength
	})
}

// RunDepth carries out `tokscope sweep --depth`: it asks for consent where
// needed, measures the depths and prints them. The error is an *Exit.
func (o *Sweep) RunDepth(ctx context.Context, j *Job, prepare func(loadstat.DepthPlan) DepthSweeper) error {
	w, err := o.work(ctx, j)
	if err != nil {
		return err
	}
	w.Name, w.InputTokens = "depth", 0
	progress := &steps{of: len(o.Depths)}
	plan := loadstat.DepthPlan{
		Work: w, Depths: o.Depths, Users: o.Users[0], Requests: o.Requests, Cap: o.MaxTokens,
		PriceIn: o.PriceIn, PriceOut: o.PriceOut, Pace: j.pace(),
		Begin: func(n, depth int) { progress.begin(n, metrics.LoadStep{Depth: depth}, nil) },
	}
	sweep := prepare(plan)
	question, needed := sweep.Question()
	if err := j.load(ctx, o.Yes, question, needed); err != nil {
		return err
	}
	j.announceMetrics(!o.Quiet)
	stop := j.progress(!o.Quiet, progress.line)
	result := &report.Depth{Plan: plan, Outcome: sweep.Run(ctx)}
	stop()
	if err := o.print(j.Out, results{sweep.Write, result.CSV, result.Doc}); err != nil {
		return err
	}
	return exitWith(CodeOfDepth(&result.Outcome))
}

// CodeOfDepth returns the exit code of a sweep over prompt lengths. An
// interruption has priority, then a depth where every request failed. Without
// any request that ended well it is a failure too.
func CodeOfDepth(o *loadstat.DepthOutcome) int {
	if o.Interrupted {
		return ExitInterrupted
	}
	good, failed := 0, false
	for i := range o.Rows {
		r := &o.Rows[i]
		good += r.Cold.Ended
		failed = failed || r.Cold.Ended == 0 && !r.TooLong
	}
	switch {
	case (failed || good == 0) && o.Fault != nil:
		return codeOfFault(o.Fault)
	case failed || good == 0:
		return ExitFailed
	}
	return ExitOK
}
