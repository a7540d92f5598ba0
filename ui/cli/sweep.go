package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"tokscope/metrics"
	"tokscope/ui/prompts"
)

// Sweep is what `tokscope sweep` takes beyond Common.
type Sweep struct {
	Common
	Users   []int     // closed loop: a step each; empty with Rates
	Rates   []float64 // open loop: requests per second of each step; empty with Users
	Poisson bool      // the arrivals of an open loop are random, not evenly spaced
	// Duration bounds the measured window of a step, Requests the number of
	// requests that it sends; 0 is no bound of that kind. One of the two is set.
	Duration time.Duration
	Requests int
	Think    time.Duration // between the end of a user's request and the next
	// Input and Output are the tokens of prompts and the bounds of answers, one
	// for all or drawn for each request; zero: the workload's.
	Input, Output metrics.Lengths
	Prompts       []string // sent in rotation; nil: the workload's one
	PromptsFile   string   // where they come from
	Shared        bool     // all prompts begin alike, so that a prefix cache helps

	UntilBreaks bool // end after the first step that meets the SLOs no more
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

// MostUsers is the largest number of users asked for; 0 for an open loop,
// which has as many as the endpoint leaves unanswered.
func (o *Sweep) MostUsers() int {
	most := 0
	for _, n := range o.Users {
		most = max(most, n)
	}
	return most
}

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
		Short: "Measure the load curve: more users at each step, speed for each and for all",
		Long: `Measures at every number of users (or at every rate) until the figures are steady, and prints
how per-user speed falls while the throughput rises, where the knee is, and how many users the
SLOs allow. stdout is data, stderr is progress. Ctrl-C keeps and prints the finished steps.

Against anything but this machine, more than 4 users or 100,000 tokens are asked for first,
with an estimate; without a terminal that needs --yes.

Exit codes: 0 ok, 1 every request of a step failed, 2 usage, 3 no step met the SLOs,
4 configuration or key, 5 endpoint unreachable, 130 interrupted.`,
		Example: `tokscope sweep                                           # the embedded endpoint: the seesaw
tokscope sweep --users 1,8,64 --input-tokens 1000 --slo ttft=500ms,tpot=50ms
tokscope sweep --users 1,8 --input-tokens 200..4000 --output-tokens 50..400   # drawn for each request
tokscope sweep http://127.0.0.1:8000/v1 --rate 1,2,5,10 --poisson --duration 1m
tokscope sweep groq --users 1,2,4 --resume groq.sweep --markdown`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeTargets(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.set = cmd.Flags()
			if len(args) > 0 {
				o.Target = args[0]
			}
			if err := o.read(&lists); err != nil {
				return err
			}
			return a.Sweep(cmd.Context(), &o)
		},
	}
	fs := cmd.Flags()
	o.flagsButLength(fs)
	fs.StringVarP(&lists.users, "users", "u", defaultUsers, "closed loop: concurrent users of each step")
	fs.StringVar(&lists.rates, "rate", "", "open loop instead: requests per second of each step, e.g. 1,2,5")
	fs.BoolVar(&o.Poisson, "poisson", false, "with --rate: arrivals at random moments instead of evenly spaced")
	fs.DurationVar(&o.Duration, "duration", defaultDuration, "longest window of a step; it ends earlier when its figures are steady")
	fs.IntVarP(&o.Requests, "requests", "n", 0, "requests of each step, instead of --duration")
	fs.DurationVar(&o.Think, "think", 0, "pause of a user between two requests")
	fs.StringVar(&lists.input, "input-tokens", "", "tokens of each prompt, padded with prose, for all or drawn for each request: "+metrics.LengthForms)
	fs.StringVar(&lists.output, "output-tokens", "", "bound of the output, for all or drawn for each request: 200, 100..400 and so on")
	fs.StringVar(&o.PromptsFile, "prompts", "", "file of prompts, one a line, that are sent in rotation")
	fs.BoolVar(&o.Shared, "shared-prefix", false, "prompts begin alike, so that a prefix cache of the server helps")
	fs.String("slo", "", "limits every request should meet, e.g. ttft=500ms,tpot=50ms")
	fs.BoolVar(&o.UntilBreaks, "until-slo-breaks", false, "end after the first step that meets the SLOs no more")
	fs.StringVar(&o.Resume, "resume", "", "file of finished steps: they are not run again, new ones are added")
	fs.BoolVar(&o.JSON, "json", false, "one JSON document on stdout")
	fs.BoolVar(&o.CSV, "csv", false, "a line for every step, for spreadsheets")
	fs.BoolVar(&o.Markdown, "markdown", false, "a table for tickets")
	fs.BoolVar(&o.Handover, "handover", false, "only print the same sweep as command lines of other tools; nothing is sent")
	fs.BoolVarP(&o.Quiet, "quiet", "q", false, "no progress on stderr")
	fs.BoolVarP(&o.Yes, "yes", "y", false, "do not ask before a load on somebody else's machine")
	fs.Float64Var(&o.MaxTokens, "max-total-tokens", 0, "hard cap of prompt and output tokens of the whole sweep")
	fs.Float64Var(&o.PriceIn, "price-in", 0, "price of a million prompt tokens, for the cost; else that of the configuration")
	fs.Float64Var(&o.PriceOut, "price-out", 0, "price of a million output tokens, for the cost; else that of the configuration")
	return cmd
}

// sweepLists are the flags with more than one number, as typed.
type sweepLists struct{ users, rates, input, output string }

// read takes the flags that are lists and refuses what cannot be meant.
func (o *Sweep) read(l *sweepLists) (err error) {
	if err := o.Common.check(); err != nil {
		return err
	}
	if l.rates != "" {
		if o.Given("users") {
			return Usage("--users and --rate exclude each other: a closed or an open loop")
		}
		if o.Rates, err = parseRates(l.rates); err != nil {
			return err
		}
	} else if o.Users, err = parseUsers(l.users); err != nil {
		return err
	}
	if err := o.readWork(l); err != nil {
		return err
	}
	forms := 0
	for _, on := range []bool{o.JSON, o.CSV, o.Markdown, o.Handover} {
		if on {
			forms++
		}
	}
	switch {
	case forms > 1:
		return Usage("--json, --csv, --markdown and --handover exclude each other: choose one")
	case o.Requests > 0 && o.Given("duration"):
		return Usage("--requests and --duration exclude each other: choose one")
	case o.Given("requests") && (o.Requests < 1 || o.Requests > 1_000_000):
		return Usage("--requests %d: give 1 to 1000000", o.Requests)
	case o.Requests == 0 && (o.Duration < 10*time.Millisecond || o.Duration > 24*time.Hour):
		return Usage("--duration %v: give 10ms to 24h", o.Duration)
	case o.Think < 0 || o.Think > time.Hour:
		return Usage("--think %v: give 0 to 1h", o.Think)
	case o.Think > 0 && len(o.Rates) > 0:
		return Usage("--think belongs to users, not to --rate: choose one")
	case o.Poisson && len(o.Rates) == 0:
		return Usage("--poisson belongs to --rate: give the rates")
	case o.MaxTokens < 0 || o.PriceIn < 0 || o.PriceOut < 0:
		return Usage("--max-total-tokens, --price-in and --price-out cannot be negative")
	}
	if o.Requests > 0 {
		o.Duration = 0
	}
	return nil
}

// PlanSweep reads the limits of a sweep: the flag merged with environment and file.
func PlanSweep(o *Sweep, objective string) ([]metrics.Objective, error) {
	slos, err := metrics.Parse(objective)
	if err != nil {
		return nil, &Exit{ExitUsage, err}
	}
	if o.UntilBreaks && len(slos) == 0 {
		return nil, Usage("--until-slo-breaks needs limits: add --slo, such as --slo ttft=500ms,tpot=50ms")
	}
	return slos, nil
}

// Loop names the load: "closed loop" or "open loop", with what belongs to it.
func (o *Sweep) Loop() string {
	s := "closed loop"
	if len(o.Rates) > 0 {
		s = "open loop, evenly spaced"
		if o.Poisson {
			s = "open loop, Poisson"
		}
	}
	if o.Think > 0 {
		s += fmt.Sprintf(", %v between requests", o.Think)
	}
	if o.Shared {
		s += ", shared prefix"
	}
	if o.Requests > 0 {
		return s + ", " + plural(o.Requests, "request") + " a step"
	}
	return s + fmt.Sprintf(", at most %v a step", o.Duration)
}
