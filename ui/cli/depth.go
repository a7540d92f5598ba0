package cli

import (
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/ui/format"
)

// The bounds of a sweep over prompt lengths.
const (
	depthRequests     = 3 // without --requests: a median needs more than two
	mostDepthRequests = 1000
)

// withoutDepth are the flags of a load over users or rates. They mean nothing
// where one prompt length after the other is measured.
var withoutDepth = []string{
	"rate", "ramp", "poisson", "duration", "think", "input-tokens", "prompts", "messages", "shared-prefix",
	"slo", "until-slo-breaks", "resume", "request-lines", "benchmark-report", "server-metrics", "handover",
}

// readDepth parses the flags of a sweep over prompt lengths.
func (o *Sweep) readDepth(l *sweepLists) (err error) {
	if o.Depths, err = parseDepths(l.depths); err != nil {
		return err
	}
	o.Users = []int{1}
	if o.Given("users") {
		if o.Users, err = parseUsers(l.users, o.Shard); err != nil {
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
	o.Duration, o.ServerMetrics = 0, "off"
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

// codeOfDepth is CodeOfSweep of a sweep over prompt lengths: a failure is a depth where every
// request failed, or that none ended well.
func codeOfDepth(o *loadstat.DepthOutcome) int {
	good := pick.Count(o.Rows, func(r *loadstat.DepthRow) bool { return r.Cold.Ended > 0 })
	left := pick.Count(o.Rows, func(r *loadstat.DepthRow) bool { return r.TooLong })
	switch {
	case good > 0 && good+left == len(o.Rows):
		return ExitOK
	case o.Fault != nil:
		return codeOfFault(o.Fault)
	}
	return ExitFailed
}
