package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/pick"
	"tokscope/metrics/watchstat"
	"tokscope/ui"
	"tokscope/ui/prompts"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
	"tokscope/ui/screen"
	"tokscope/ui/screen/watch"
)

// Watch holds the flags of `tokscope watch` beyond those of the screen.
type Watch struct {
	Live
	Form
	Order    watchstat.Order // without its workloads
	Baseline string          // as typed
	Exec     string
	JUnit    string
	program  []string // of Exec, with its arguments
}

// Watcher is the measuring side as `tokscope watch` uses it.
type Watcher interface {
	ui.Backend
	watch.Backend
	// SetNotify sets what is called when something has happened.
	SetNotify(f func())
	// Start begins to watch until ctx ends; each is called after each probe and at
	// both ends of a pause, one call at a time.
	Start(ctx context.Context, o watchstat.Order, each func(watchstat.Update)) error
	// Wait returns once the watch has ended, and Stop ends it.
	Wait()
	Stop()
	// WriteBegin, WriteUpdate and WriteEnd write lines of --ndjson; the end indented
	// is the document of --json. --exec gets the line of a probe, too.
	WriteBegin(out io.Writer, b *watchstat.Board) error
	WriteUpdate(out io.Writer, u *watchstat.Update) error
	WriteEnd(out io.Writer, b *watchstat.Board, indented bool) error
	// SaveAs writes to a path that the person gave: a regular file is replaced as a
	// whole, anything else is written into.
	SaveAs(path string, write func(io.Writer) error) error
	// Exec runs a program without a shell, with in on stdin, until it ends or ctx does,
	// which kills it and what it has started. Redact returns text without keys.
	programs
}

// Bounds of the flags of a watch.
const (
	leastEvery = time.Second
	mostEvery  = 24 * time.Hour
	maxWatched = 32
	maxProbes  = 10_000_000
)

func newWatch(a Actions) *cobra.Command {
	var o Watch
	cmd := &cobra.Command{
		Use:   "watch [TARGET…]",
		Short: "Probe again and again, and say when something gets slower, since when and in which phase",
		Long: `Sends a small probe to each target on a fixed schedule, learns what is usual, and prints a sentence
when a figure gets worse and when it is usual again. Each probe opens a new connection (--warm does not).
How rare false alarms are stands beside the baseline. docs/watch.md explains every figure.

Exit codes: 0 stopped (SIGTERM too) or done, 1 a target failed throughout, 2 usage,
3 a condition of --fail-if is met, 4 configuration or key.`,
		Example: `tokscope watch groq --every 30s
tokscope watch groq together#llama-3.3-70b --exec 'notify-send tokscope'
tokscope watch work -n 30 --baseline good-week --fail-if 'ttft.p50 > 1.2x baseline' --junit watch.xml
tokscope watch groq --program aa        # 1k and 10k prompts, 8 a day, median of 72 h`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeTargets(a),
		RunE:              run(&o, a.Watch),
	}
	fs := cmd.Flags()
	o.Common.flags(cmd)
	o.curlFlags(cmd)
	o.exportFlags(fs)
	o.Form.flags(cmd, help{json: oneDocument + " at the end; needs -n or --for",
		ndjson: "a JSON line for every probe, as it ends", quiet: "no sentences on stderr beside JSON"})
	fs.DurationVar(&o.Order.Plan.Every, "every", watchstat.DefaultEvery, "time between two probes of a target")
	fs.IntVarP(&o.Order.Probes, "probes", "n", 0, "end after so many probes of each target; 0: no bound")
	fs.DurationVar(&o.Order.Most, "for", 0, "end after this time; 0: no bound")
	fs.StringVar(&o.Baseline, "baseline", "first "+strconv.Itoa(watchstat.DefaultLearn),
		"what is usual: 'first N' good probes, a time of the history such as 24h, or the name of a baseline")
	fs.StringVar(&o.Order.Program, "program", "",
		"a fixed series of workloads; aa has those, the interval and the median of Artificial Analysis")
	fs.DurationVar(&o.Order.Plan.Between, "false-alarms", 0,
		"least time between false alarms (default a week, or 500 intervals)")
	fs.Float64Var(&o.Order.Bounds.Tokens, "max-day-tokens", watchstat.DefaultBounds.Tokens,
		"most tokens a day (UTC) elsewhere than on this machine; 0: no bound")
	fs.Float64Var(&o.Order.Bounds.Money, "max-day-money", watchstat.DefaultBounds.Money,
		"the same of money, where prices are known; 0: no bound")
	fs.StringVar(&o.Exec, "exec", "",
		"program to run when something changes, with the probe as JSON on its stdin; split at blanks, quotes group, no shell")
	fs.StringVar(&o.JUnit, "junit", "", "write the result to this file as JUnit XML; needs -n or --for")
	failIf(cmd, &o.Order.Conditions,
		"end with exit code 3 once a condition is met by its whole "+
			"interval, such as 'ttft.p50 > 1.2x baseline'; can be repeated")
	a.screenFlags(cmd)
	return cmd
}

func (o *Watch) take(args []string) (err error) {
	w := &o.Order
	w.Targets, o.Several = args, len(args) > 1
	every, between := w.Plan.Every, w.Plan.Between
	if err := within("--every", every, leastEvery, mostEvery); err != nil {
		return err
	}
	bounded := w.Probes > 0 || w.Most > 0
	switch {
	case len(w.Targets) > maxWatched:
		return Usage("%d targets: give at most %d", len(w.Targets), maxWatched)
	case o.Several && o.Given("model"):
		return Usage("--model would be that of all targets: write TARGET#MODEL")
	case o.Several && (o.Given("api-key-file") || o.Given("api-key-env")):
		return Usage("one key would go to all targets: name the keys in profiles")
	case between != 0 && (between < 100*every || between > 10*365*24*time.Hour):
		return Usage("--false-alarms %v: give at least 100 intervals, %v, and at most 10 years", between, 100*every)
	case !bounded && (o.JSON || o.JUnit != ""):
		return Usage("--json and --junit are written at the end: give it with -n or --for, or use --ndjson")
	case w.Program != "" && w.Program != watchstat.ProgramAA:
		return Usage("--program %q: give aa", w.Program)
	case w.Program != "" && (o.NamesWork() || o.Given("every")):
		return Usage("--program aa has its own workloads and interval: leave out --every, --workload and lengths")
	}
	if o.program, err = splitWords(o.Exec); err != nil {
		return Usage("--exec: %v", err)
	}
	if err := o.readBaseline(); err != nil {
		return err
	}
	for _, c := range w.Conditions {
		if c.Unit == condition.Ratio && c.Than != "" && c.Than != condition.Baseline {
			return Usage("--fail-if %q: a watch compares with the baseline; tokscope race compares targets", c)
		}
	}
	return cmp.Or(within("--probes", w.Probes, 0, maxProbes), atLeast("--for", w.Most, 0),
		within("--max-day-tokens", w.Bounds.Tokens, 0, 1e12), within("--max-day-money", w.Bounds.Money, 0, 1e9),
		o.Common.take(args))
}

// readBaseline reads --baseline: so many first probes, a span before now, or a name.
func (o *Watch) readBaseline() error {
	text := strings.TrimSpace(o.Baseline)
	if rest, ok := strings.CutPrefix(text, "first"); ok {
		n, err := strconv.Atoi(strings.TrimSpace(rest))
		if err != nil || n < watchstat.MinValues || n > maxLearn {
			return Usage("--baseline %q: give first %d to first %d", o.Baseline, watchstat.MinValues, maxLearn)
		}
		o.Order.Plan.Learn = n
		return nil
	}
	if d, err := time.ParseDuration(text); err == nil {
		o.Order.Past = d
		if d <= 0 || d > maxPast {
			return Usage("--baseline %q: give a time up to %v, such as 24h", o.Baseline, maxPast)
		}
		return nil
	}
	if o.Order.Baseline = text; text == "" {
		return Usage("--baseline is empty: give 'first 20', 24h or a name")
	}
	return nil
}

// maxLearn bounds the probes of a baseline, maxPast the time of the history that is
// one.
const (
	maxLearn = 10_000
	maxPast  = 90 * 24 * time.Hour
)

// order returns what the flags ask for.
func (o *Watch) order(ctx context.Context, j *Job) (order watchstat.Order, err error) {
	w, err := o.short(ctx, j, prompts.WatchTokens)
	order = o.Order
	order.Work = []metrics.Workload{w}
	if order.Program == watchstat.ProgramAA {
		order.Plan.Every, order.Work = watchstat.ProgramEvery, nil
		for _, preset := range []string{"1k in", "10k in"} {
			p, _ := prompts.ByName(preset)
			p.Work.Connection = w.Connection
			order.Work = append(order.Work, p.Work)
		}
	}
	for i := range order.Work {
		if order.Work[i].Connection == metrics.ReuseAuto {
			order.Work[i].Connection = metrics.ReuseCold // else connecting would not be measured
		}
	}
	return order, err
}

// Run carries out `tokscope watch`: the screen, or without a terminal lines. The
// error is an *Exit where a condition is met or a target failed throughout.
func (o *Watch) Run(ctx context.Context, j *Job, w Watcher, yield func()) error {
	order, err := o.order(ctx, j)
	if err != nil {
		return err
	}
	j.announceMetrics(!o.Quiet)
	p := watchPrinter{o: o, j: j, w: w, started: make(chan struct{}), hook: newHook(o.program, w, j.Err)}
	defer p.hook.listen(ctx)()
	if p.screen = !o.headless(j); p.screen {
		p.hook.err = &p.later
		err = p.show(ctx, order, yield)
	} else {
		err = p.lines(ctx, order)
	}
	if err != nil {
		return err
	}
	b := w.Board()
	failed := func(t *watchstat.Target) bool { return t.View.Probes > 0 && t.View.Failed == t.View.Probes }
	switch { // a target that failed throughout is lost
	case b.Ended == watchstat.EndMet:
		return exitWith(ExitSLO)
	case b.Ended != watchstat.EndStopped && pick.First(b.Targets, failed) != nil:
		return exitWith(ExitFailed)
	}
	return nil
}

// say writes a sentence for a person beside JSON.
func (o *Watch) say(j *Job, label, text string) {
	if o.Quiet || o.Text() || text == "" {
		return
	}
	Warn(j.Err, label+": "+text)
}

// watchPrinter prints a watch while it runs. Its methods are called one at a time.
type watchPrinter struct {
	o       *Watch
	j       *Job
	w       Watcher
	hook    *hook
	started chan struct{} // closed once the head is printed
	err     error         // the first of a write
	screen  bool          // the screen shows the watch
	later   bytes.Buffer  // what --exec says while the screen is shown
}

// lines prints a line a probe until the end.
func (p *watchPrinter) lines(ctx context.Context, order watchstat.Order) error {
	if err := p.w.Start(ctx, order, p.each); err != nil {
		return err
	}
	b := p.w.Board()
	p.begin(&b)
	close(p.started)
	p.hook.pass(p.w.Warnings())
	p.w.Wait()
	p.hook.wait(ctx)
	b = p.w.Board()
	return failedWith(p.end(&b))
}

// show shows the screen until the person quits or ctx ends. The result stays in the
// scrollback.
func (p *watchPrinter) show(ctx context.Context, order watchstat.Order, yield func()) error {
	opt, err := p.o.screens(p.j, order.Work[0], yield)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	close(p.started)
	if err := p.w.Start(ctx, order, p.each); err != nil {
		return err
	}
	m := ui.New([]screen.Maker{screen.For(watch.New)}, p.w, opt)
	p.w.SetNotify(m.Notify)
	err = m.Run(ctx, tea.WithoutSignalHandler())
	p.w.Stop()
	p.w.Wait()
	p.hook.pass(p.w.Warnings()) // those that the screen has not shown
	p.hook.to(p.j.Err, &p.later)
	p.hook.wait(ctx)
	if errors.Is(err, ui.ErrStuck) { // the result would wait too
		return &Exit{Code: ExitInterrupted}
	}
	b := p.w.Board()
	if p.err = p.end(&b); err == nil || errors.Is(err, context.Canceled) || errors.Is(err, ui.ErrInterrupted) {
		err = p.err
	}
	return failedWith(err)
}

// begin prints the head.
func (p *watchPrinter) begin(b *watchstat.Board) {
	switch {
	case p.o.NDJSON:
		p.err = p.w.WriteBegin(p.j.Out, b)
	case p.o.Text():
		_, p.err = io.WriteString(p.j.Out, report.WatchHead(b))
	}
}

// each prints an update. If nobody can read it, the watch stops: its probes may cost
// something.
func (p *watchPrinter) each(u watchstat.Update) {
	<-p.started
	if p.err != nil {
		p.w.Stop()
		return
	}
	t := &u.Board.Targets[u.Target]
	switch {
	case p.screen:
	case p.o.NDJSON:
		p.err = p.w.WriteUpdate(p.j.Out, &u)
	case p.o.Text():
		_, p.err = io.WriteString(p.j.Out, report.WatchLine(&u))
	}
	if !u.Probe {
		p.o.say(p.j, t.Label, say.WatchPause(t, &u.Board))
		return
	}
	p.o.say(p.j, t.Label, say.WatchEvent(u.Event, t, t.View.Last.At))
	switch u.Event {
	case watchstat.Began, watchstat.Worse, watchstat.Ended:
		if p.j.ErrTerminal && !p.screen { // the bell, and a notification where the terminal has them (OSC 9)
			notice := sanitize.Notice(t.Label + ": " + say.WatchEvent(u.Event, t, t.View.Last.At))
			_, _ = io.WriteString(p.j.Err, notice) // one that is lost changes nothing
		}
		var doc bytes.Buffer
		if err := p.w.WriteUpdate(&doc, &u); err == nil {
			p.hook.run(t.Label, doc.Bytes())
		}
	}
}

// end prints the result, and writes the file of --junit.
func (p *watchPrinter) end(b *watchstat.Board) error {
	now := time.Now()
	if p.err == nil {
		if p.o.Text() {
			if _, p.err = io.WriteString(p.j.Out, "\n"); p.err == nil {
				p.err = p.o.write(p.j.Out, report.WatchResult(b, now))
			}
		} else {
			p.err = p.w.WriteEnd(p.j.Out, b, p.o.JSON)
		}
	}
	if p.o.JUnit == "" {
		return p.err
	}
	err := p.w.SaveAs(p.o.JUnit, func(out io.Writer) error { return report.WatchJUnit(out, b, now) })
	if err != nil {
		err = fmt.Errorf("--junit: %w; check the path, or name another file", err)
	}
	return cmp.Or(p.err, err)
}
