package cli

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/ui/format"
	"tokscope/ui/prompts"
)

// Sweep holds the flags of `tokscope sweep` beyond Common.
type Sweep struct {
	Common
	Users []int     // closed loop: one step for each number; empty with Rates
	Rates []float64 // open loop: requests per second of each step; empty with Users
	// Ramp is users or a rate that change all the time, instead of steps; zero
	// without.
	Ramp loadstat.Drive
	// Depths are prompt lengths in tokens, measured one after the other by Users[0]
	// users; nil: a sweep over Users or Rates.
	Depths  []int
	Poisson bool // the arrivals of an open loop are random, not evenly spaced
	// Duration limits the measured window of a step, Requests the number of its
	// requests; 0 is no limit. Exactly one of the two is set.
	Duration time.Duration
	Requests int
	Think    time.Duration // between the end of a user's request and the next
	// Input and Output are the tokens of prompts and the limits of answers,
	// fixed or drawn for each request; zero: the workload's.
	Input, Output metrics.Lengths
	Prompts       []string // sent in rotation; nil: the workload's prompt
	PromptsFile   string   // their file
	Shared        bool     // all prompts share their beginning, so that a prefix cache helps

	ServerMetrics string // "auto", "off" or an address
	RequestLines  string // a new file with a line for each request; "": none

	UntilBreaks bool // end after the first step that misses the SLOs
	Resume      string
	JSON        bool
	CSV         bool
	Markdown    bool
	Handover    bool // print only the other tools' command lines
	Quiet       bool

	Yes       bool
	MaxTokens float64 // prompt and output of the whole sweep; 0: no cap
	PriceIn   float64 // per million prompt tokens; 0: no price
	PriceOut  float64 // per million output tokens
}

// The defaults of a sweep. The steps show the seesaw, and each lasts several
// answers of a fast endpoint.
const (
	defaultUsers    = "1,2,4,8,16,32,64"
	defaultDuration = 20 * time.Second
)

// Steps returns the number of steps.
func (o *Sweep) Steps() int { return len(o.Users) + len(o.Rates) }

// Defaults returns d, with the workload of the Load screen unless another is
// set. The same load then gives the same figures.
func (o *Sweep) Defaults(d Defaults) Defaults {
	if d.Preset == "" && !o.Given("prompt") && !o.Given("prompt-file") {
		d.Preset = prompts.Load().Name
	}
	return d
}

func newSweep(a Actions) *cobra.Command {
	var (
		o     Sweep
		lists sweepLists
	)
	cmd := &cobra.Command{
		Use:   "sweep [TARGET]",
		Short: "Measure the load curve: more users at each step, per-user and aggregate speed",
		Long: `Measures at every number of users (or at every rate) until the figures are steady, and prints
how per-user speed falls while the throughput rises, where the knee is, and how many users the
SLOs allow. stdout is data, stderr is progress. Ctrl-C keeps and prints the finished steps.

Against another machine, more than 4 users or 100,000 tokens need a confirmation first,
with an estimate; without a terminal that needs --yes.

Exit codes: 0 ok, 1 requests of a step failed and none ended well, 2 usage,
3 no step met the SLOs, 4 configuration, key or a limit of this machine
(open files), 5 endpoint unreachable, 130 interrupted.`,
		Example: `tokscope sweep                                           # the embedded endpoint: the seesaw
tokscope sweep --users 1,8,64 --input-tokens 1000 --slo ttft=500ms,tpot=50ms
tokscope sweep --users 1,8 --input-tokens 200..4000 --output-tokens 50..400   # drawn for each request
tokscope sweep http://127.0.0.1:8000/v1 --rate 1,2,5,10 --poisson --duration 1m
tokscope sweep --ramp 1-64/2m                            # users rise all the time; --ramp 1-20/s/2m is a rate
tokscope sweep --depth 1k,4k,16k,64k                     # prefill and decode over the length of the prompt
tokscope sweep groq --users 1,2,4 --resume groq.sweep --markdown`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeTargets(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.set = cmd.Flags()
			if len(args) > 0 {
				o.Target = args[0]
			}
			if err := o.read(cmd.Context(), &lists); err != nil {
				return err
			}
			return a.Sweep(cmd.Context(), &o)
		},
	}
	fs := cmd.Flags()
	o.flagsButLength(fs)
	o.Export.flags(fs)
	fs.StringVarP(&lists.users, "users", "u", defaultUsers, "closed loop: concurrent users of each step")
	fs.StringVar(&lists.rates, "rate", "", "open loop instead: requests per second of each step, e.g. 1,2,5")
	fs.StringVar(&lists.ramp, "ramp", "",
		"instead of steps: users or a rate that change all the time, e.g. 1-64/2m or 1-20/s/2m")
	fs.StringVar(&lists.depths, "depth", "",
		"prompt lengths one after the other instead, e.g. 1k,4k,16k,64k: prefill cold and warm, and decode")
	fs.BoolVar(&o.Poisson, "poisson", false, "with --rate: arrivals at random moments instead of evenly spaced")
	fs.DurationVar(&o.Duration, "duration", defaultDuration,
		"longest window of a step; it ends earlier when its figures are steady")
	fs.IntVarP(&o.Requests, "requests", "n", 0,
		"requests of each step, instead of --duration; with --depth: prompts of each depth, 3 without the flag")
	fs.DurationVar(&o.Think, "think", 0, "pause of a user between two requests")
	fs.StringVar(&lists.input, "input-tokens", "",
		"tokens of a prompt, padded with prose: one length, or drawn per request: "+metrics.LengthForms)
	fs.StringVar(&lists.output, "output-tokens", "",
		"most output tokens: one length, or drawn per request: 200, 100..400 and so on")
	fs.StringVar(&o.PromptsFile, "prompts", "", "file of prompts, one a line, that are sent in rotation")
	fs.BoolVar(&o.Shared, "shared-prefix", false, "prompts begin alike, so that a prefix cache of the server helps")
	fs.String("slo", "", "limits every request should meet, e.g. ttft=500ms,tpot=50ms")
	fs.BoolVar(&o.UntilBreaks, "until-slo-breaks", false, "end after the first step that misses the SLOs")
	fs.StringVar(&o.Resume, "resume", "",
		"file of finished steps, created if it is missing: they are not run again, new ones are added")
	fs.StringVar(&o.RequestLines, "request-lines", "", "new file with a JSON line for each request")
	fs.StringVar(&o.ServerMetrics, "server-metrics", "auto",
		"read the server's own metrics before and after each step: "+
			"auto is /metrics of an endpoint on this machine; off, or an address")
	fs.BoolVar(&o.JSON, "json", false, "one JSON document on stdout")
	fs.BoolVar(&o.CSV, "csv", false, "a line for every step, for spreadsheets")
	fs.BoolVar(&o.Markdown, "markdown", false, "a table for tickets")
	fs.BoolVar(&o.Handover, "handover", false,
		"only print the same sweep as command lines of other tools; nothing is sent")
	fs.BoolVarP(&o.Quiet, "quiet", "q", false, "no progress on stderr")
	fs.BoolVarP(&o.Yes, "yes", "y", false, "do not ask before a load on another machine")
	fs.Float64Var(&o.MaxTokens, "max-total-tokens", 0, "hard cap of prompt and output tokens of the whole sweep")
	fs.Float64Var(&o.PriceIn, "price-in", 0,
		"price of a million prompt tokens, for the cost; else that of the configuration")
	fs.Float64Var(&o.PriceOut, "price-out", 0,
		"price of a million output tokens, for the cost; else that of the configuration")
	return cmd
}

// sweepLists are the flags with more than one number, as typed.
type sweepLists struct{ users, rates, ramp, depths, input, output string }

// read parses the list flags and refuses contradictory ones.
func (o *Sweep) read(ctx context.Context, l *sweepLists) (err error) {
	if err := o.Common.check(); err != nil {
		return err
	}
	if o.Given("depth") {
		if err := o.readDepth(l); err != nil {
			return err
		}
		return o.readOutput()
	}
	if l.ramp != "" {
		if err := o.readRamp(l.ramp); err != nil {
			return err
		}
	} else if l.rates != "" {
		if o.Given("users") {
			return Usage("--users and --rate exclude each other: a closed or an open loop")
		}
		if o.Rates, err = parseRates(l.rates); err != nil {
			return err
		}
	} else if o.Users, err = parseUsers(l.users); err != nil {
		return err
	}
	if err := o.readWork(ctx, l); err != nil {
		return err
	}
	if err := o.readOutput(); err != nil {
		return err
	}
	switch {
	case o.Requests > 0 && o.Given("duration"):
		return Usage("--requests and --duration exclude each other: choose one")
	case o.Given("requests") && (o.Requests < 1 || o.Requests > 1_000_000):
		return Usage("--requests %d: give 1 to 1000000", o.Requests)
	case o.Requests == 0 && (o.Duration < 10*time.Millisecond || o.Duration > 24*time.Hour):
		return Usage("--duration %v: give 10ms to 24h", o.Duration)
	case o.Think < 0 || o.Think > time.Hour:
		return Usage("--think %v: give 0 to 1h", o.Think)
	case o.Think > 0 && len(o.Rates) > 0:
		return Usage("--think needs --users; it cannot be combined with --rate")
	case o.Poisson && len(o.Rates) == 0:
		return Usage("--poisson needs --rate")
	case !serverMetrics(o.ServerMetrics):
		return Usage(
			"--server-metrics: give auto, off, or an address without a password, such as http://127.0.0.1:8000/metrics")
	}
	if o.Requests > 0 {
		o.Duration = 0
	}
	return nil
}

// readOutput refuses wrong values of the flags of all sweeps: the form of the
// results, and the bounds of use.
func (o *Sweep) readOutput() error {
	forms := 0
	for _, on := range []bool{o.JSON, o.CSV, o.Markdown, o.Handover} {
		if on {
			forms++
		}
	}
	switch {
	case forms > 1:
		return Usage("--json, --csv, --markdown and --handover exclude each other: choose one")
	case o.MaxTokens < 0 || o.PriceIn < 0 || o.PriceOut < 0:
		return Usage("--max-total-tokens, --price-in and --price-out cannot be negative")
	}
	return nil
}

// serverMetrics reports whether s is a word or an address for
// --server-metrics. The address is printed, so it must hold no password.
func serverMetrics(s string) bool {
	if s == "auto" || s == "off" {
		return true
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// PlanSweep parses the objectives of a sweep: the flag merged with
// environment and file.
func PlanSweep(o *Sweep, objective string) ([]slo.Objective, error) {
	slos, err := slo.Parse(objective)
	if err != nil {
		return nil, &Exit{ExitUsage, err}
	}
	if o.UntilBreaks && len(slos) == 0 {
		return nil, Usage("--until-slo-breaks needs limits: add --slo, such as --slo ttft=500ms,tpot=50ms")
	}
	return slos, nil
}

// Loop describes the load: "closed loop" or "open loop", with its parameters.
func (o *Sweep) Loop() string {
	s := "closed loop"
	if len(o.Rates) > 0 {
		s = "open loop, evenly spaced"
		if o.Poisson {
			s = "open loop, Poisson"
		}
	}
	if r := o.Ramp; r.Ramps() {
		unit := " users"
		if r.Open() {
			unit = " requests/s"
		}
		return s + ", ramp from " + format.Exact(r.From()) + " to " + format.Exact(r.To) + unit + " in " + r.Within.String()
	}
	if o.Think > 0 {
		s += fmt.Sprintf(", %v between requests", o.Think)
	}
	if o.Shared {
		s += ", shared prefix"
	}
	if o.Requests > 0 {
		return s + ", " + format.Plural(o.Requests, "request", "requests") + " a step"
	}
	return s + fmt.Sprintf(", at most %v a step", o.Duration)
}
