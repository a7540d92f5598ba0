package cli

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/say"
)

// Tap holds the flags of `tokscope tap`.
type Tap struct {
	Live
	Form
	Words  []string // of the command that is tapped; none: clients that a person starts
	To     string
	List   bool
	Out    string
	Exec   string
	Silent time.Duration
	Split  bool

	yes     bool
	program []string // of Exec
}

// Tapper is a tap that runs, as `tokscope tap` uses it.
type Tapper interface {
	About() turn.Tapped
	// Agents returns the clients that can be started for this tap, and how.
	Agents() []turn.Agent
	// Changed receives after changes of View. open: the client goes on.
	Changed() <-chan struct{}
	View(open bool) turn.View
	// Run runs the command to its end, in this terminal, and returns its exit code.
	Run() (code int, err error)
	MetricsURL() string // where Prometheus can read, "" for nowhere
	// Record stores and exports the figures of a turn whose answer has ended, and Export exports
	// its time once that is known whole.
	Record(t *turn.Turn)
	Export(t *turn.Turn)
	// WriteTurn writes the line of turn i of v; event is what --exec is about, or "".
	WriteTurn(out io.Writer, v *turn.View, i int, event string) error
	// WriteEnd writes the document of --json.
	WriteEnd(out io.Writer, v *turn.View) error
	// Create opens a new file.
	Create(path string) (io.WriteCloser, error)
	programs
	// End ends the tap, so that View is final. Close ends the rest, and returns sentences.
	End() error
	Close() []string
}

func newTap(a Actions) *cobra.Command {
	var o Tap
	var fs *pflag.FlagSet
	cmd := &cobra.Command{
		Use:   "tap [-- CMD …]",
		Short: "Run a coding agent as ever, and see where its time goes",
		Long: `Stands between an agent and its provider on this machine, passes on what both say unchanged, and
measures each turn: upload, wait, thinking, text, the agent's tools, and the wait for you.
The agent keeps its terminal, its settings and its exit code; the summary comes after it.
--list shows the agents that are known. For any other client, --to URL prints what to set.
tokscope tap alone, in another terminal, shows the turns of the tap that runs.`,
		Example: `tokscope tap -- claude
tokscope tap                                     # in another terminal: its turns
tokscope tap --split -- claude                   # the same in a pane of tmux
tokscope tap -- codex exec "fix the tests"
tokscope tap --ndjson --out turns.ndjson -- claude
tokscope tap --to https://api.openai.com/v1      # for any client
tokscope tap --list`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.take(args); err != nil {
				return err
			}
			if o.List {
				return o.write(cmd.OutOrStdout(), report.TapAgents(a.Agents))
			}
			if c := Process(); fs.Lookup("record").Value.String() == recordText {
				if err := c.consent(cmd.Context(), o.yes, say.TapTexts, "", "nothing was started"); err != nil {
					return err
				}
			}
			return a.Tap(cmd.Context(), &o)
		},
	}
	fs = cmd.Flags()
	fs.SetInterspersed(false) // what follows the command is its own
	o.set = fs
	o.Form.flags(cmd, help{json: "one JSON document at the end", ndjson: "a JSON line for each turn, as it ends",
		markdown: "write the summary as Markdown"})
	fs.StringVar(&o.To, "to", "", "where requests are passed on to, in place of the agent's own address")
	fs.BoolVar(&o.Split, "split", false, "in tmux: show the turns in a pane below")
	fs.BoolVar(&o.List, "list", false, "list the agents that are known, and how they are started")
	fs.StringVar(&o.Out, "out", "", "write --json or --ndjson into this file: stdout is the agent's")
	fs.StringVar(&o.Exec, "exec", "", "program to run when a turn failed, is silent, or the agent waits for you, "+
		"with the turn as JSON on its stdin; split at blanks, quotes group, no shell")
	fs.DurationVar(&o.Silent, "silent", 20*time.Second, "with --exec: how long a turn is silent before it runs")
	o.exportFlags(fs)
	fs.Lookup("otlp-endpoint").Usage = "send the figures to this OpenTelemetry collector over HTTP " +
		"(the one in the environment is the agent's)"
	fs.BoolVar(&o.InsecureHTTP, "insecure-http", false,
		"allow headers for the collector over plain http to another machine")
	fs.StringVar(&o.ConfigPath, "config", "", "configuration file")
	fs.BoolVar(&o.noHistory, "no-history", false, "keep no figures in the history (tokscope history)")
	recordFlag(fs, recordText, "write the session file, figures and times alone; =false leaves no trace, "+
		"=text keeps prompts and answers too, after a question")
	fs.BoolVar(&o.yes, "yes", false, "with --record=text: do not ask")
	fs.String("state-dir", "", "folder of the session files and the history")
	fs.String("stamps", "", "source of arrival times: auto (the kernel where possible) or user")
	a.screenFlags(cmd)
	return cmd
}

// Alone reports whether nothing is to be tapped: the tap that runs is shown.
func (o *Tap) Alone() bool { return len(o.Words) == 0 && o.To == "" }

func (o *Tap) take(args []string) (err error) {
	o.Words = args
	switch child := len(args) > 0; {
	case o.List:
		return nil
	case o.Alone() && (o.JSON || o.NDJSON || o.Markdown || o.Exec != "" || o.Split):
		return Usage("no command: run an agent with tokscope tap -- claude, or give --to URL for any client")
	case child && o.Given("plain"):
		return Usage("stdout is the agent's: run tokscope tap --plain in another terminal")
	case child && (o.JSON || o.NDJSON) && o.Out == "":
		return Usage("stdout is the agent's: name a file with --out")
	case o.Out != "" && !o.JSON && !o.NDJSON:
		return Usage("--out needs --json or --ndjson")
	}
	if o.program, err = splitWords(o.Exec); err != nil {
		return Usage("--exec: %v", err)
	}
	return cmp.Or(atLeast("--silent", o.Silent, 100*time.Millisecond), o.checkExport())
}

// Run carries out `tokscope tap`, and closes t. The error has the exit code of the command.
func (o *Tap) Run(ctx context.Context, c Console, t Tapper) (err error) {
	defer func() { Warn(c.Err, t.Close()...) }()
	about, data, child := t.About(), c.Out, len(o.Words) > 0
	Warn(c.Err, say.TapBegins(&about), format.If(t.MetricsURL() != "", "metrics at "+t.MetricsURL()))
	if o.Out != "" {
		file, err := t.Create(o.Out)
		if err != nil {
			return failedWith(cmp.Or(err, t.End()))
		}
		defer func() { _ = file.Close() }()
		data = file
	}
	p := tapPrinter{o: o, t: t, hook: newHook(o.program, t, c.Err), told: map[told]bool{}}
	switch {
	case o.NDJSON:
		p.line = func(v *turn.View, i int) error { return t.WriteTurn(data, v, i, "") }
	case o.Given("plain"):
		p.line = func(v *turn.View, i int) error { return tapLine(c.Out, v, i) }
	}
	if child {
		p.hook.err = &p.later // the terminal is the child's
	}
	if o.Split {
		Warn(c.Err, o.split(ctx, c, t))
	}
	stop, code := p.follow(), ExitOK
	if child {
		code, err = t.Run()
		c.Out = c.Err // its stdout is no place for a summary
	} else {
		_, _ = io.WriteString(c.Err, report.TapAgents(t.Agents()).Text(0)) // lines to be copied
		<-ctx.Done()
	}
	stop()
	ended, v := t.End(), t.View(false)
	p.look(&v, true)
	if child {
		_, _ = io.WriteString(c.Err, "\n") // apart from what it wrote last
	}
	p.hook.to(c.Err, &p.later)
	p.hook.wait(context.Background())
	var wrote error
	if o.JSON {
		wrote = t.WriteEnd(data, &v)
	}
	if o.Out == "" && (o.JSON || o.NDJSON) {
		c.Out = c.Err
	}
	summary := o.write(c.Out, report.Tap(&v, t.About()))
	return failedWith(cmp.Or(err, ended, wrote, summary, p.err, exitWith(code)))
}

// tapPrinter tells of turns while a tap runs. look is called by one goroutine at a time.
type tapPrinter struct {
	o     *Tap
	t     Tapper
	hook  *hook
	line  func(v *turn.View, i int) error // of a turn that has ended; nil without lines
	later bytes.Buffer
	told  map[told]bool
	err   error // the first of a line
}

// told is something that was told of a turn, by its Stream.ID.
type told struct {
	id   int
	what string
}

// lookEvery is how often silences are looked at.
const lookEvery = time.Second

// follow looks at the turns until stop is called, which waits.
func (p *tapPrinter) follow() (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		var tick <-chan time.Time
		if len(p.o.program) > 0 {
			tick = time.Tick(lookEvery)
		}
		for {
			select {
			case <-quit:
				return
			case <-tick:
			case <-p.t.Changed():
			}
			v := p.t.View(true)
			p.look(&v, false)
		}
	}()
	return func() { close(quit); <-done }
}

// look tells what is new of the turns, and runs --exec. last: none goes on.
func (p *tapPrinter) look(v *turn.View, last bool) {
	for i := range v.Turns {
		t := &v.Turns[i]
		s := t.Stream()
		ended, whole := s.State.Ended(), last || t.Until.Known() && !t.Open
		first := func(what string, is bool) bool {
			key := told{s.ID, what}
			is = is && !p.told[key]
			p.told[key] = p.told[key] || is
			return is
		}
		event := func(what string, is bool) {
			var doc bytes.Buffer
			if len(p.o.program) > 0 && first(what, is) && p.t.WriteTurn(&doc, v, i, what) == nil {
				p.hook.run("turns that are "+what, doc.Bytes())
			}
		}
		quiet := turn.Deadlines{}.Quiet(s.Marks.Sent, s.LastData, metrics.NoStamp, s.Now).For
		event("silent", !ended && quiet.OK && quiet.V >= float64(p.o.Silent)/1e6)
		if first("ended", ended) {
			p.t.Record(t)
			if p.line != nil && p.err == nil {
				p.err = p.line(v, i)
			}
		}
		event("failed", s.State > metrics.Done && s.State != metrics.Cancelled)
		if first("whole", ended && whole) {
			p.t.Export(t)
		}
		event("waiting", t.Open && t.Time(turn.You) >= lookEvery)
	}
}
