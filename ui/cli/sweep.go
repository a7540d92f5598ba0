package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/ui/cli/handover"
	"tokscope/ui/format"
	"tokscope/ui/html"
	"tokscope/ui/prompts"
	"tokscope/ui/report"
	"tokscope/ui/say"
)

// Sweep holds the flags of `tokscope sweep` beyond Common: its plan, without what
// Common and the settings decide. ServerMetrics is "auto", "off" or an address.
type Sweep struct {
	Common
	loadstat.SweepPlan
	PromptsFile string // of Prompts
	Form
	Handover bool // print only the other tools' command lines
	Yes      bool
}

// The defaults of a sweep. The steps show the seesaw, and each lasts several
// answers of a fast endpoint.
const (
	defaultUsers    = "1,2,4,8,16,32,64"
	defaultDuration = 20 * time.Second
)

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
tokscope sweep --session session.ndjson --users 1,4      # users that work as an agent did
tokscope sweep --users 1,8,64 --html load.html           # a page to hand on
tokscope sweep groq --users 1,2,4 --resume groq.sweep --markdown`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeTargets(a),
		RunE: run(&o, func(ctx context.Context, o *Sweep) error {
			if err := o.read(ctx, &lists); err != nil {
				return err
			}
			return a.Sweep(ctx, o)
		}),
	}
	fs := cmd.Flags()
	o.flagsButLength(cmd)
	o.curlFlags(cmd)
	o.exportFlags(fs)
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
	fs.BoolVar(&o.SharedPrefix, "shared-prefix", false, "prompts begin alike, so that a prefix cache of the server helps")
	fs.String("slo", "", "limits every request should meet, e.g. ttft=500ms,tpot=50ms")
	fs.BoolVar(&o.UntilBreaks, "until-slo-breaks", false, "end after the first step that misses the SLOs")
	fs.StringVar(&o.Resume, "resume", "",
		"file of finished steps, created if it is missing: they are not run again, new ones are added")
	fs.StringVar(&o.RequestLines, "request-lines", "", "new file with a JSON line for each request")
	fs.StringVar(&o.BenchmarkReport, "benchmark-report", "", reportOfSteps)
	fs.StringVar(&o.ServerMetrics, "server-metrics", "auto",
		"read the server's own metrics before and after each step: "+
			"auto is /metrics of an endpoint on this machine; off, or an address")
	fs.BoolVar(&o.Handover, "handover", false,
		"only print the same sweep as command lines of other tools; nothing is sent")
	fs.BoolVarP(&o.Yes, "yes", "y", false, "do not ask before a load on another machine")
	fs.Float64Var(&o.MaxTokens, "max-total-tokens", 0, "hard cap of prompt and output tokens of the whole sweep")
	fs.Float64Var(&o.PriceIn, "price-in", 0,
		"price of a million prompt tokens, for the cost; else that of the configuration")
	fs.Float64Var(&o.PriceOut, "price-out", 0,
		"price of a million output tokens, for the cost; else that of the configuration")
	exclude(cmd, "handover", o.Form.flags(cmd, help{json: oneDocument,
		csv: "a line for every step, for spreadsheets", markdown: forTickets, quiet: noProgress, texts: withNames})...)
	exclude(cmd, "rate", "users", "think")
	cmd.MarkFlagsMutuallyExclusive("requests", "duration")
	cmd.MarkFlagsMutuallyExclusive("output-tokens", "max-tokens")
	exclude(cmd, "prompts", "prompt", "prompt-file", "workload", "messages")
	exclude(cmd, "ramp", withoutRamp...)
	o.sessionFlag(cmd, "rate", "ramp", "depth", "think", "output-tokens", "prompts", "shared-prefix", "handover")
	exclude(cmd, "depth", withoutDepth...)
	o.shardFlags(cmd, &lists)
	return cmd
}

// sweepLists are the flags with more than one number, as typed.
type sweepLists struct{ users, rates, ramp, depths, input, output, shard, startAt string }

// withoutRamp are the flags of steps. They mean nothing where the load changes all
// the time.
var withoutRamp = []string{"users", "rate", "requests", "duration", "resume",
	"until-slo-breaks", "request-lines", "benchmark-report", "handover"}

// read parses the list flags and refuses values that make no sense.
func (o *Sweep) read(ctx context.Context, l *sweepLists) error {
	if o.MaxTokens < 0 || o.PriceIn < 0 || o.PriceOut < 0 {
		return Usage("--max-total-tokens, --price-in and --price-out cannot be negative")
	}
	if o.Given("depth") {
		return o.readDepth(l)
	}
	if err := o.readShard(l, time.Now(), os.Getenv); err != nil {
		return err
	}
	if err := cmp.Or(o.readLoad(l), o.readWork(ctx, l)); err != nil {
		return err
	}
	if o.Given("requests") {
		if err := within("--requests", o.Requests, 1, 1_000_000); err != nil {
			return err
		}
		o.Duration = 0
	} else if o.Session != "" && !o.Given("duration") { // whole sessions
		o.Duration = 0
	} else if err := within("--duration", o.Duration, 10*time.Millisecond, 24*time.Hour); err != nil {
		return err
	}
	if err := o.checkShard(); err != nil {
		return err
	}
	if !serverMetrics(o.ServerMetrics) {
		return Usage(
			"--server-metrics: give auto, off, or an address without a password, such as http://127.0.0.1:8000/metrics")
	}
	if err := within("--think", o.Think, 0, time.Hour); err != nil || !o.Poisson || len(o.Rates) > 0 {
		return err
	}
	return Usage("--poisson needs --rate")
}

// readLoad parses the users or rates of the steps, or the ramp.
func (o *Sweep) readLoad(l *sweepLists) (err error) {
	switch {
	case l.ramp != "":
		return o.readRamp(l.ramp)
	case l.rates != "":
		o.Rates, err = rising("rate", l.rates, "a rate from 0.001 to "+format.Exact(mostRate)+" requests per second",
			"1,2,5", func(s string) (float64, bool) {
				v, err := strconv.ParseFloat(s, 64)
				return v, err == nil && v >= 0.001 && v <= mostRate
			})
	default:
		o.Users, err = parseUsers(l.users, o.Shard)
	}
	return err
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

// Loop describes the load: "closed loop" or "open loop", with its parameters.
func (o *Sweep) Loop() string {
	s := "closed loop"
	if len(o.Rates) > 0 {
		s = format.Either(o.Poisson, "open loop, Poisson", "open loop, evenly spaced")
	}
	if r := o.Ramp; r.Ramps() {
		unit := format.Either(r.Open(), " requests/s", " users")
		return s + ", ramp from " + format.Exact(r.From()) + " to " + format.Exact(r.To) + unit + " in " + r.Within.String()
	}
	requests := format.Plural(o.Requests, "request", "requests")
	if o.Session != "" && o.Duration+time.Duration(o.Requests) == 0 {
		return s + ", a whole session a user and step"
	}
	return format.Join(", ", s, format.If(o.Think > 0, o.Think.String()+" between requests"),
		format.If(o.SharedPrefix, "shared prefix"),
		format.Either(o.Requests > 0, requests, format.If(!o.Shard.Parted(), "at most ")+o.Duration.String())+" a step",
		format.If(o.Shard.Of > 1, format.Count(o.Shard.Of)+" shards"))
}

// reportOfSteps is the sentence of --benchmark-report.
const reportOfSteps = "new folder with the Benchmark Report of llm-d for each step"

// The limits of a sweep's lists. 64 steps of a minute take about an hour.
const (
	mostSteps = 64
	mostRate  = 10_000.0
)

// rising parses a list such as 1,2,4 of flag. Each value must be larger than the one
// before, so that the curve has a direction. one reads a value, which must be what;
// such is an example of the list.
func rising[T int | float64](flag, text, what, such string, one func(string) (T, bool)) ([]T, error) {
	var out []T
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		v, ok := one(part)
		switch n := len(out); {
		case !ok:
			return nil, Usage("--%s %q: %q is not %s", flag, text, part, what)
		case n > 0 && v <= out[n-1]:
			return nil, Usage("--%s %q: %v is not above %v: give rising values such as %s", flag, text, v, out[n-1], such)
		}
		out = append(out, v)
	}
	if len(out) > mostSteps {
		return nil, Usage("--%s: %d steps, give at most %d", flag, len(out), mostSteps)
	}
	return out, nil
}

// parseUsers parses numbers of users such as 1,2,4, those of all shards together.
func parseUsers(text string, s loadstat.Shard) ([]int, error) {
	most := loadstat.MaxUsers * max(s.Of, 1)
	wanted := "a number from 1 to " + strconv.Itoa(most)
	return rising("users", text, wanted, defaultUsers, func(s string) (int, bool) {
		n, err := strconv.Atoi(s)
		return n, err == nil && n >= 1 && n <= most
	})
}

// readRamp parses the value of --ramp. One step stands for its larger end.
func (o *Sweep) readRamp(text string) error {
	d, err := loadstat.ParseDrive(text, loadstat.Drive{}, loadstat.MaxUsers)
	if err != nil {
		return Usage("--ramp %v: give 1-64/2m, or 1-20/s/2m for a rate", err)
	}
	if !d.Ramps() {
		return Usage("--ramp %q: say in which time, such as 1-64/2m", text)
	}
	if d.Poisson = d.Poisson || o.Poisson; d.Open() {
		o.Rates, o.Poisson = []float64{max(d.Rate, d.To)}, d.Poisson
	} else {
		o.Users = []int{max(d.Users, int(d.To))}
	}
	o.Ramp, o.Duration, o.ServerMetrics = d, d.Within, "off"
	return nil
}

// lengths parses the value of flag, where it is given, with metrics.ParseLengths.
func (o *Sweep) lengths(flag, text string, to *metrics.Lengths) (err error) {
	if !o.Given(flag) {
		return nil
	}
	switch *to, err = metrics.ParseLengths(text); {
	case err != nil:
		return Usage("--%s %q: %v", flag, text, err)
	case to.IsZero():
		return Usage("--%s is empty: give %s", flag, metrics.LengthForms)
	}
	return nil
}

// maxPrompts limits the prompts of a sweep. More would be a data set, and
// show no more about a server.
const maxPrompts = 10_000

// readWork reads the workload's flags beyond those of Common.
func (o *Sweep) readWork(ctx context.Context, l *sweepLists) (err error) {
	err = cmp.Or(o.lengths("input-tokens", l.input, &o.Input), o.lengths("output-tokens", l.output, &o.Output))
	if err != nil || o.PromptsFile == "" {
		return err
	}
	o.Prompts, err = readPrompts(ctx, o.PromptsFile)
	return err
}

// readPrompts reads one prompt from each line and skips blank lines. The end of
// ctx ends the wait for the file.
func readPrompts(ctx context.Context, path string) ([]string, error) {
	data, err := readWhole(ctx, "--prompts", path, strings.NewReader(""))
	if err != nil {
		return nil, err
	}
	var out []string
	for l := range strings.Lines(string(data)) {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	if len(out) == 0 || len(out) > maxPrompts {
		return nil, Usage("--prompts: %s holds %d prompts, give 1 to %d, one a line", path, len(out), maxPrompts)
	}
	return out, nil
}

// Run carries out `tokscope sweep`: it asks for consent where needed,
// measures the steps and prints them. prepare prepares a plan; its error is a
// usage error.
func (o *Sweep) Run(ctx context.Context, j *Job, prepare func(loadstat.SweepPlan) (Sweeper, error)) error {
	w, err := o.work(ctx, j)
	if err != nil {
		return err
	}
	o.Script, err = o.played(ctx, j, &w)
	if s := o.Script; s != nil { // the means, for the estimate
		w.InputTokens, w.MaxTokens = s.Prompt/s.Turns, s.Output/s.Turns
	}
	if o.Depths != nil {
		w.Name, w.InputTokens = "depth", 0
	}
	for i := range o.Prompts {
		if j.Check != nil && err == nil {
			err = j.Check(&metrics.Workload{Prompt: o.Prompts[i]})
		}
	}
	if err != nil {
		return err
	}
	slos, err := slo.Parse(j.Settings.String("defaults.slo"))
	if err == nil && o.UntilBreaks && len(slos) == 0 {
		err = Usage("--until-slo-breaks needs limits: add --slo, such as --slo ttft=500ms,tpot=50ms")
	}
	if err != nil {
		return err
	}
	if o.Handover {
		return handover.PrintHandover(j.Out, handover.Handovers(o.load(j.Endpoint, w, slos)))
	}
	progress := &steps{starts: o.StartAt, of: cmp.Or(len(o.Depths), len(o.Users)+len(o.Rates))}
	plan := o.SweepPlan
	plan.Work, plan.SLOs, plan.Pace, plan.Begin = w, slos, j.pace(), progress.begin
	sweep, err := prepare(plan)
	if err != nil {
		return &Exit{ExitUsage, err}
	}
	defer func() { _ = sweep.Close() }()
	Warn(j.Err, sweep.Warning())
	if err := j.room(o.Shard.Users(slices.Max(append(o.Users, 0))), !o.Quiet); err != nil {
		return err
	}
	question, needed := sweep.Question()
	err = j.consent(ctx, o.Yes || !needed, say.Question(question), ", or use fewer users", "nothing was sent")
	if err != nil {
		return err
	}
	if o.Shard.Parted() {
		warnings, err := sweep.Await(ctx)
		if err != nil {
			return &Exit{ExitUsage, err}
		}
		Warn(j.Err, warnings...)
	}
	j.announceMetrics(!o.Quiet)
	stop, began := j.progress(!o.Quiet, progress.line), time.Now()
	outcome, err := sweep.Run(ctx)
	stop()
	result := &report.Sweep{Plan: plan, Loop: o.Loop(), SweepOutcome: outcome}
	document := func(out io.Writer) error {
		var handovers []loadstat.Handover
		if !o.Ramp.Ramps() && o.Script == nil && o.Depths == nil && !o.Shard.Parted() { // no other tool has them
			handovers = handover.Handovers(o.load(result.Endpoint, w, slos))
		}
		return sweep.Write(out, result.Verdicts(), result.Warnings(), handovers)
	}
	text := func() *report.Doc { return result.Doc(j.Settings.Bool("ui.ascii")) }
	err = errors.Join(err, o.print(j.Out, results{document, result.CSV, text}),
		writePage(&o.Form, &j.Console, *result, func(r report.Sweep) *html.Page {
			r.Loop = result.Loop // words of this program
			p := html.Load(&r, r.Doc(false))
			p.When = began
			return p
		}))
	if err != nil {
		return &Exit{ExitFailed, err}
	}
	code := CodeOfSweep(result)
	if o.Shard.Parted() && code == ExitSLO { // merge judges the whole
		code = ExitOK
	}
	return exitWith(code)
}

// work returns the workload of the requests: a preset is that of the Load screen unless
// another is set, so that the same load gives the same figures.
func (o *Sweep) work(ctx context.Context, j *Job) (metrics.Workload, error) {
	preset := j.Settings.String("defaults.workload")
	if preset == "" && !o.Given("prompt") && !o.Given("prompt-file") {
		preset = prompts.Load().Name
	}
	w, err := o.workload(ctx, j, preset)
	return o.Bound(w), err
}

// Bound returns w with the lengths of the flags. MaxTokens becomes the upper
// limit of the answers. InputTokens becomes 0 when prompt lengths vary.
func (o *Sweep) Bound(w metrics.Workload) metrics.Workload {
	if !o.Output.IsZero() {
		_, w.MaxTokens = o.Output.Bounds()
	}
	if !o.Input.IsZero() {
		asked := w.InputTokens
		_, w.InputTokens = o.Input.Bounds()
		if o.Input.Varies() || asked > 0 && w.InputTokens != asked {
			w.Name = prompts.Custom // "1k in" would be untrue
		}
		if o.Input.Varies() {
			w.InputTokens = 0
		}
	}
	if len(o.Prompts) > 0 { // in rotation: its own prompt is the first of them
		w.Name, w.Prompt = prompts.Custom, o.Prompts[0]
		if !o.Given("input-tokens") {
			w.InputTokens = 0
		}
	}
	return w
}

// load returns what a sweep sends, for another tool.
func (o *Sweep) load(e metrics.Endpoint, w metrics.Workload, slos []slo.Objective) handover.Load {
	l := handover.Load{SweepPlan: o.SweepPlan, Endpoint: e, File: o.PromptsFile}
	if l.Work, l.SLOs = w, slos; l.Input.IsZero() {
		l.Input = metrics.FixedLength(w.InputTokens)
	}
	return l
}
