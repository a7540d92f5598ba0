package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/condition"
	"tokscope/metrics/racestat"
	"tokscope/ui/html"
	"tokscope/ui/prompts"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen/race"
)

// Race holds the flags of `tokscope race` beyond those of the screen.
type Race struct {
	Live
	Form
	Contest racestat.Contest
	Plan    racestat.Plan // without its workload and Band
	Band    float64       // in percent

	swapLine string // the command of --swap, as typed
	swap     racestat.Swap
}

// Racer is the measuring side as `tokscope race` uses it.
type Racer interface {
	race.Backend
	// RaceWrite writes the JSON document, RaceLine a line of --ndjson: "begin",
	// "pair" or "end".
	RaceWrite(out io.Writer) error
	RaceLine(out io.Writer, kind string, v *racestat.View) error
	// Wait returns once all requests have ended.
	Wait()
}

func newRace(a Actions) *cobra.Command {
	var o Race
	cmd := &cobra.Command{
		Use:   "race A B [TARGET…] | race TARGET --vary FIELD=a,b",
		Short: "Which is faster: the same prompt to 2 to 6 targets in pairs, with an honest verdict",
		Long: `Sends the same prompt to every contestant in turn, in an order that is drawn for each round,
and says which is faster only when the difference is real. To stop early makes no verdict worse.
A race ends by itself when all is settled, or at a bound. The first round is dropped.

A contestant is TARGET[#model][+cold|+warm|+http1|+http2|+direct]: a profile, a provider, a URL,
or MODEL@MACHINE of the embedded endpoint. The same endpoint may race itself, cold against warm.

--vary FIELD=a,b[,c…] races requests to one TARGET that differ in one field alone: model, api,
tier, reasoning, speed, or extra.PATH for any field of the body. A value may be JSON. A lane is
called by its value: 'ttft of priority > 1.2x default'.

--session FILE plays a session that a tap has recorded, turn by turn, with other texts.

With --swap there is one target, a server of your own, and its settings are the contestants: before
each block of requests the command restarts it with the setting of --lanes in place of {lane}. All
blocks are judged at the end, prefill and decode apart. Without a shell; keys are not passed on.

--fail-if ends with code 3 where the whole interval of the race lies beyond the limit.

Exit codes: 0 ended, 1 a target failed throughout or a restart failed, 2 usage, 3 a condition of --fail-if is met,
4 configuration or key, 130 interrupted.`,
		Example: `tokscope race llama-3.1-8b@h100 llama-3.1-8b-q4@m3max   # no key, no network
tokscope race groq#llama-3.3-70b-versatile together#meta-llama/Llama-3.3-70B-Instruct-Turbo
tokscope race groq+cold groq+warm
tokscope race openai#gpt-5.1 --vary tier=default,priority
tokscope race openai#gpt-5.1 --vary api=chat,responses
tokscope race --session session.ndjson groq together     # the turns of an agent
tokscope race local --vary 'extra.stop=["a"],["b","c"]'
tokscope race groq together --fail-if 'ttft of B > 1.2x A'
tokscope race http://127.0.0.1:8080 --swap './serve.sh {lane}' --lanes 512,2048 --input-tokens 4000
tokscope race work work+direct --json | jq '.verdict[] | {figure, state, text}'`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeTargets(a),
		RunE:              run(&o, a.Race),
	}
	fs := cmd.Flags()
	o.Common.flags(cmd)
	o.Form.flags(cmd, help{json: oneDocument + ", with verdict and pairs",
		ndjson: "a JSON line for every pair, as it ends", markdown: forTickets, quiet: noProgress, texts: withNames})
	fs.Var(&value{kind: "FIELD=a,b", read: o.varies}, "vary", "requests to one target that differ in this field alone")
	complete(cmd, "vary", func() []string { return a.Fields }, cobra.ShellCompDirectiveNoSpace)
	fs.IntVar(&o.Plan.Bounds.Pairs, "pairs", racestat.DefaultBounds.Pairs, "end after this many pairs")
	fs.DurationVar(&o.Plan.Bounds.Most, "duration", racestat.DefaultBounds.Most, "end after this time; 0: no bound")
	fs.Float64Var(&o.Plan.Bounds.Tokens, "max-total-tokens", racestat.DefaultBounds.Tokens,
		"end before more tokens, prompt and output, are used elsewhere than on this machine; 0: no bound")
	fs.BoolVar(&o.Plan.Endless, "all-pairs", false, "go on to the bounds when all is settled")
	fs.BoolVar(&o.Plan.Parallel, "parallel", false, "all lanes at the same time: they then share this machine's network")
	fs.Float64Var(&o.Band, "band", (racestat.Band-1)*100, "differences below this percentage count as none")
	o.swapFlags(cmd)
	o.sessionFlag(cmd, "swap")
	fs.Uint64Var(&o.Plan.Seed, "order-seed", 0, "seed of the orders and nonces, to repeat a race; 0 draws one")
	failIf(cmd, &o.Plan.Conditions,
		"end with code 3 if this holds, such as 'ttft of B > 1.2x A'; may be repeated")
	for _, name := range oneTarget {
		_ = fs.MarkHidden(name)
	}
	a.screenFlags(cmd)
	return cmd
}

// varies takes a --vary.
func (o *Race) varies(text string) error {
	switch {
	case text == "":
		return errors.New("give a field with its values, such as tier=default,priority")
	case o.Contest.Vary != "":
		return errors.New("one field varies in a race, so that a verdict says which: give it once")
	}
	o.Contest.Vary = text
	return nil
}

// oneTarget are flags that would apply to all contestants: one model, or one
// provider's key, for all of them.
var oneTarget = []string{"model", "api-key-file", "api-key-env"}

func (o *Race) take(args []string) error {
	o.Contest.Targets, o.Several = args, o.Contest.Vary == ""
	if o.Given("swap") {
		return o.takeSwap()
	}
	lanes, _, err := o.Contest.Lanes()
	if err != nil {
		return Usage("%v", err)
	}
	for _, name := range slices.Concat(oneTarget, blockFlags) {
		switch {
		case !o.Given(name):
		case slices.Contains(blockFlags, name):
			return Usage("--%s is of blocks: add --swap CMD and --lanes a,b", name)
		case !o.Several: // one target has them
		case name == "model":
			return Usage("--model would be that of all contestants: write TARGET#MODEL")
		default:
			return Usage("--%s would send one key to all contestants: name the key in a profile", name)
		}
	}
	b := &o.Plan.Bounds
	return cmp.Or(within("--pairs", b.Pairs, 1, maxPairs), atLeast("--duration", b.Most, 0),
		within("--max-total-tokens", b.Tokens, 0, 1e12), within("--band", o.Band, 0, 50),
		o.checkConditions(lanes), o.Common.take(args))
}

// checkConditions refuses lanes in --fail-if that are not among these.
func (o *Race) checkConditions(lanes []racestat.Lane) error {
	for _, c := range o.Plan.Conditions {
		if _, _, err := comparison.RaceLanes(lanes, &c); err != nil {
			return Usage("--fail-if %q: %v", c, err)
		}
	}
	return nil
}

// judged returns what a race says of the conditions of --fail-if, and whether one is
// met.
func (o *Race) judged(v *racestat.View) (lines []string, met bool) {
	for _, w := range comparison.JudgeRace(v, o.Plan.Conditions) {
		lines = append(lines, w.Condition.String()+": "+say.CompareCondition(&w))
		met = met || w.Outcome == condition.Met
	}
	return lines, met
}

// ended returns the exit code of an ended race.
func (o *Race) ended(v *racestat.View) error {
	switch _, met := o.judged(v); {
	case met:
		return exitWith(ExitSLO)
	case v.Throughout() >= 0, v.Ended == racestat.EndRestart:
		return exitWith(ExitFailed)
	}
	return nil
}

// maxPairs is the largest bound of pairs. The verdicts of more would take long to
// compute after each pair.
const maxPairs = 2000

// plan returns what the flags describe.
func (o *Race) plan(w metrics.Workload) racestat.Plan {
	p := o.Plan
	p.Work, p.Band = w, 1+o.Band/100
	if s := p.Script; s != nil { // by itself it ends when every turn was played as often as any other
		if !o.Given("pairs") {
			p.Bounds.Pairs = (p.Bounds.Pairs + s.Turns - 1) / s.Turns * s.Turns
		}
		if !o.Given("duration") {
			p.Bounds.Most = 0
		}
	}
	return p
}

// RaceSession is what `tokscope race` drives: the screens, or the race alone.
type RaceSession interface {
	Session
	Racer
}

// Run carries out `tokscope race`: the Race screen, or without a terminal lines.
func (o *Race) Run(ctx context.Context, j *Job, begin func() RaceSession, yield func()) error {
	w, err := o.short(ctx, j, prompts.Race().MaxTokens)
	if err != nil {
		return err
	}
	if o.Plan.Script, err = o.played(ctx, j, &w); err != nil {
		return err
	}
	s := begin()
	if err := s.RaceSet(o.Contest); err != nil {
		s.Wait()
		return err
	}
	if o.headless(j) {
		return o.print(ctx, j, w, s)
	}
	plan := o.plan(w)
	o.Live.Race = &plan
	err = o.Live.Run(ctx, j, func() Session { return s }, yield)
	v := s.RaceView()
	if err = errors.Join(err, o.page(&j.Console, v)); err == nil {
		lines, _ := o.judged(&v)
		for _, line := range lines {
			_, _ = io.WriteString(j.Out, sanitize.Line("fail-if "+line, 400)+"\n")
		}
		return o.ended(&v)
	}
	return err
}

// print prints pairs as they end, and the verdicts.
func (o *Race) print(ctx context.Context, j *Job, w metrics.Workload, r Racer) error {
	p := racePrinter{o: o, out: j.Out, messages: j.Err, racer: r}
	progress := j.progress(!o.Quiet && !j.OutTerminal, func(time.Time) string {
		v := r.RaceView()
		if v.Swap != nil {
			return sanitize.Line(say.SwapStep(&v), 150)
		}
		return say.RaceAmount(&v) + ". " + say.RaceSentence(&v)
	})
	err := r.RaceStart(o.plan(w), p.round)
	if err == nil {
		if v := r.RaceView(); v.Swap != nil && !o.Quiet {
			Warn(j.Err, "runs "+say.SwapRuns(&v))
		}
		told := o.tellWaits(j, r)
		r.RaceWait(ctx)
		told()
	}
	progress()
	r.Wait()
	if err = errors.Join(err, p.err); err == nil {
		v := r.RaceView()
		err = p.end(&v)
	}
	if err != nil {
		return &Exit{ExitFailed, err}
	}
	v := r.RaceView()
	if err := o.page(&j.Console, v); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return exitWith(ExitInterrupted)
	}
	return o.ended(&v)
}

// page writes the page of --html.
func (o *Race) page(c *Console, v racestat.View) error {
	return writePage(&o.Form, c, v, func(v racestat.View) *html.Page {
		lines, _ := o.judged(&v)
		return html.Race(&v, report.Race(&v, origin(), false, lines...))
	})
}

// racePrinter prints a race while it runs.
type racePrinter struct {
	o   *Race
	out io.Writer
	// messages is stderr.
	messages io.Writer
	racer    Racer
	begun    bool
	err      error // the first of a write
}

// round prints the newest round, and the head before the first. If nobody can read
// it, the race stops: its requests may cost something.
func (p *racePrinter) round(v racestat.View) {
	switch {
	case p.err != nil:
	case p.o.NDJSON:
		p.err = errors.Join(p.begin(&v), p.racer.RaceLine(p.out, "pair", &v))
	case p.o.Text():
		if p.err = p.begin(&v); p.err == nil {
			_, p.err = io.WriteString(p.out, report.RacePair(&v))
		}
	}
	if p.err != nil {
		p.racer.RaceStop()
	}
}

// begin prints the head, once.
func (p *racePrinter) begin(v *racestat.View) error {
	if p.begun {
		return nil
	}
	p.begun = true
	if p.o.NDJSON {
		return p.racer.RaceLine(p.out, "begin", v)
	}
	_, err := io.WriteString(p.out, report.RaceHead(v).Text(0)+"\n")
	return err
}

// end prints the result.
func (p *racePrinter) end(v *racestat.View) error {
	lines, _ := p.o.judged(v)
	if p.o.NDJSON || p.o.JSON { // stdout is one format: a person reads the other
		Warn(p.messages, lines...)
	}
	switch {
	case p.o.NDJSON:
		return errors.Join(p.begin(v), p.racer.RaceLine(p.out, "end", v))
	case p.o.JSON:
		return p.racer.RaceWrite(p.out)
	}
	if p.begun {
		_, _ = io.WriteString(p.out, "\n")
	}
	headed := p.begun && v.Swap == nil // not all lanes had answered
	return p.o.write(p.out, report.Race(v, origin(), headed, lines...))
}
