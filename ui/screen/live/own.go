package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/format"
	"tokscope/ui/html"
	"tokscope/ui/keys"
	"tokscope/ui/prompts"
	"tokscope/ui/report"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// own is the source of the session's own requests, one at a time.
type own struct {
	*Screen
	back   Backend
	work   metrics.Workload
	editor *dialog.Editor
	auto   auto
	list   *lister
	more   []keys.Binding // its commands: the way back to a replay that waits, and the comparison with usual
	shows  bool           // Start begins the first minute
	curlOf int            // the stream of view.Curl
}

// New returns the Live screen on the session's own requests.
func New(d screen.Deps, b Backend) screen.Screen {
	o := &own{Screen: newScreen(d), back: b, work: d.Options.Work, editor: d.Editor, shows: d.Options.FirstMinute}
	if o.work.Blank() {
		c, n := o.work.Connection, o.work.MaxTokens
		o.work = prompts.Default()
		o.work.Connection = c
		if n > 0 {
			o.work.MaxTokens = n
		}
	}
	o.auto.own = o
	o.list = newLister(o)
	v := &o.view
	o.more = append(toReplay(o.Screen, b), keys.Binding{Do: "compare with usual",
		Word: keys.When(func() bool { return v.Figures.TTFT.OK }, "usual"),
		Act:  func() tea.Cmd { return o.host.Say(say.AgainstUsual(&v.Stream, &v.Figures).String()) },
		Help: "this run's wait and speed against your earlier runs of the same endpoint and model"},
		screen.Paged(o.host, "run", o.hasRun, func() metrics.Run { return *o.last() }, nil,
			func(run metrics.Run) *html.Page {
				runs := []metrics.Run{run}
				return html.Runs(runs, report.Probe(runs, report.Form{Whole: true, By: o.by}))
			}))
	return o.show(o, screen.Live)
}

func (o *own) session() session         { return o.back }
func (o *own) peek() (uint64, bool)     { return o.back.Version(), false }
func (o *own) stream() metrics.Stream   { return o.back.Snapshot() }
func (o *own) Commands() []keys.Binding { return o.more }

// Enter gives this screen's workload to the editor, which all screens share.
func (o *own) Enter() (tea.Cmd, error) {
	o.editor.Load(o.work)
	return nil, nil
}

func (o *own) Busy() string {
	if o.auto.active() {
		return "auto on Live"
	}
	return format.If(o.sends(), "the request on Live")
}

// sends reports whether a request is under way, shown or not.
func (o *own) sends() bool {
	st := o.back.Snapshot().State
	return st != metrics.Idle && !st.Ended()
}

func (o *own) Stop() {
	o.auto.end()
	o.back.Stop()
}

// Hold holds auto; a single request goes on.
func (o *own) Hold() (said string, sends bool) {
	o.auto.held = o.auto.active()
	return format.If(o.auto.held, "auto is on hold; on Live space goes on"), o.sends()
}

func (o *own) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.WorkChanges:
		msg.Work.Connection = o.work.Connection
		o.work = msg.Work
		o.workChanged()
	case screen.Start:
		if o.shows {
			o.auto.beginShow()
			return o.auto.look()
		}
		return o.begin()
	case screen.EndpointChanges: // its figures would stand under the name of the next one
		o.Stop()
	default:
		return o.Screen.Update(msg)
	}
	return nil
}

func (o *own) sampled(bool) {
	v := &o.view
	o.list.sample()
	switch st := &v.Stream; {
	case !failedEarly(st):
		v.Curl = ""
	case v.Curl == "" || o.curlOf != st.ID:
		v.Curl, o.curlOf = o.back.Curl(), st.ID
	}
}

func (o *own) status(st *screen.Status) {
	if m := o.auto.mark(o.look.W); m.Text != "" {
		st.Marks = append(st.Marks, m)
	}
	work := o.work
	if c := work.Connection; c != metrics.ReuseAuto {
		st.Marks = append(st.Marks, screen.Part{Text: " " + c.String() + " ", Role: themes.Strong})
		work.Connection = metrics.ReuseAuto // the mark stays where there is no room for the rest
	}
	st.Work = screen.WorkWords(&work, metrics.Lengths{}, metrics.Lengths{}, o.look.Glyphs)
	st.WorkTarget = keys.EditPrompt
}

func (o *own) Aside() string {
	switch st := o.back.Snapshot(); {
	case o.auto.held:
		return "auto on hold"
	case o.auto.active() && o.auto.runs > 0:
		return "auto, " + format.Plural(o.auto.runs, "run", "runs")
	case o.auto.active():
		return "auto runs on Live"
	case st.State != metrics.Idle && !st.State.Ended():
		return "run " + format.Count(st.ID) + " streams"
	}
	return ""
}

func (o *own) dress(v *View) {
	v.Other = o.other()
	v.Message, v.Warn = o.auto.message()
}

func (o *own) Summary() *report.Doc {
	form := report.Form{Path: o.back.SessionPath(), By: o.by}
	form.Lens, form.Task = o.look.Lens, o.look.Task
	return report.Runs(o.back.Runs(), form)
}

// ended is the shown run, or else the last one.
func (o *own) ended() (id int, ok bool) {
	r := o.last()
	if r == nil {
		return 0, false
	}
	return r.Stream.ID, true
}

func (o *own) run() (run metrics.Run, name string) {
	r := o.last()
	return *r, "run " + format.Count(r.Stream.Number())
}

// last is the shown run where it has ended, else the last one; nil before any.
func (o *own) last() *metrics.Run {
	v := &o.view
	if r := pick.First(v.Runs, func(r *metrics.Run) bool { return r.Stream.ID == v.Stream.ID }); r != nil {
		return r
	}
	if n := len(v.Runs); n > 0 {
		return &v.Runs[n-1]
	}
	return nil
}

// begin sends a request and shows it, even over a frozen picture. Between the
// runs of auto it is the next of them.
func (o *own) begin() tea.Cmd { return o.beside(o.beginNow) }

// beside calls do, where a race runs once that is on hold: a request beside it would
// slow its lanes.
func (o *own) beside(do func() tea.Cmd) tea.Cmd {
	if h := o.host; h.Runs(screen.Race) {
		return h.Alone("the request is sent in a moment", do)
	}
	return do()
}

// beginNow is begin beside whatever runs.
func (o *own) beginNow() tea.Cmd {
	o.view.Frozen = false
	o.pic.End()
	if o.auto.held = false; o.auto.active() && !o.running() {
		o.auto.next(o.back.Now())
		return o.auto.look()
	}
	o.auto.show = show{}
	o.back.Begin(o.work)
	o.refresh()
	return nil
}

// cancel ends the running request, and auto.
func (o *own) cancel() {
	o.auto.end()
	o.auto.stopped = o.back.Snapshot().ID
	o.back.Stop()
	o.refresh()
}

// workChanged ends the first minute: its captions tell of its own requests.
func (o *own) workChanged() {
	if o.auto.show.stage != showOff {
		o.auto.end()
	}
}

func (o *own) openEditor() {
	o.editor.Load(o.work)
	o.host.Open(o.editor, o.edited)
}

// edited keeps the edited workload, and runs it if requested.
func (o *own) edited(a dialog.Act) tea.Cmd {
	_, _, _, err := o.editor.Keep(&o.work)
	o.workChanged()
	return screen.Edited(o.host, a, err, o.begin)
}

// stepLength takes the next shorter or longer output.
func (o *own) stepLength(by int) func() tea.Cmd {
	return func() tea.Cmd { return o.setLength(prompts.Step(o.work.MaxTokens, by)) }
}

func (o *own) setLength(n int) tea.Cmd {
	o.work.MaxTokens = n
	o.workChanged()
	if n == 0 {
		return o.host.Say("next run: the server decides when to stop")
	}
	return o.host.Say(fmt.Sprintf("next run: up to %d tokens", n))
}

func (o *own) nextConnection() tea.Cmd {
	o.work.Connection = (o.work.Connection + 1) % (metrics.ReuseWarm + 1)
	o.workChanged()
	return o.host.Say("next: " + connectionWords[o.work.Connection])
}

// connectionWords describe the choices of connection.
var connectionWords = [...]string{
	metrics.ReuseAuto: "auto (reuses an idle connection, if any)",
	metrics.ReuseCold: "cold (opens a new connection)",
	metrics.ReuseWarm: "warm (reuses the connection)",
}

// copyRequest copies the shown request as a command for a shell.
func (o *own) copyRequest() tea.Cmd {
	text := o.back.Curl()
	if text == "" || !o.hasRun() {
		return o.host.Say("nothing to copy: no request has ended")
	}
	return o.host.Save(o.back.Save, text, ".sh")
}

// runWord is the word of the key that sends.
func (o *own) runWord() string {
	switch {
	case o.running():
		return ""
	case o.auto.stage == triggerPaused, o.auto.held:
		return "go on"
	case o.auto.active(): // between two runs
		return "now"
	case o.hasRun() && o.other() == "":
		return "again"
	}
	return "run"
}

func (o *own) keys() []keys.Binding {
	s := o.Screen
	return slices.Concat([]keys.Binding{
		{Do: "run", Keys: []string{"space"}, Rank: 10, RankNow: keys.When(s.listed, 16), Word: o.runWord, Act: o.begin,
			Help: "send the request, or the next of auto now"},
		{Do: keys.Stop, Keys: []string{"x"}, Rank: 11,
			Word: keys.When(func() bool { return s.running() || o.auto.active() }, "stop"),
			Act:  keys.Do(o.cancel), Help: "stop request and auto; what arrived is kept"},
	}, o.auto.bindings(), []keys.Binding{
		{Do: keys.EditPrompt, Keys: []string{"p"}, Rank: 20,
			Word: keys.Always("prompt"), Act: keys.Do(o.openEditor), Help: "edit the prompt, or choose a preset"},
		{Do: keys.PickEndpoint, Keys: []string{"e"}, Rank: 21,
			Word: keys.Always("endpoint"), Help: "choose the endpoint, or type a URL"},
		{Do: keys.PickModel, Keys: []string{"m"}, Rank: 40,
			Word: keys.Always("model"), Help: "choose a model of the endpoint"},
		{Do: "shorter output", Keys: []string{"["}, Act: o.stepLength(-1), Help: "ask for a shorter output next time"},
		{Do: "longer output", Keys: []string{"]"}, Act: o.stepLength(1), Help: "ask for a longer output next time"},
		{Do: "output length", Keys: []string{"L"}, Rank: 48,
			Word: keys.Always("length"), Help: "choose the output length from a list",
			Act: keys.Do(func() { s.host.Open(dialog.NewLength(o.work.MaxTokens), dialog.Chose(o.setLength)) })},
		{Do: "connection", Keys: []string{"c"}, Rank: 45, Word: keys.Always("connection"), Act: o.nextConnection,
			Help: "connection: auto, cold (new), warm (reused)"},
		{Do: "open run", Keys: []string{"enter"}, Rank: 5,
			Word: keys.When(o.list.list.Openable, "open"), Act: o.list.list.Open, Help: "the selected run in the scope"},
		{Do: "filter", Keys: []string{"/"}, Rank: 23, RankNow: keys.When(s.listed, 7),
			Word: func() string { return format.If(s.hasRun(), format.Either(s.listed(), "filter", "list")) },
			Act:  keys.Do(o.list.list.Ask), Help: "list the runs: ttft>500 sort:-ttft"},
		{Do: "copy request", Keys: []string{"Y"}, Act: o.copyRequest, Help: "copy as curl, with the key as a variable"},
		{Do: keys.Save, Keys: []string{"s"}, Rank: 32,
			Word: keys.When(s.hasRun, "save"), Act: func() tea.Cmd { return s.host.Save(o.back.Save, "", "") },
			Help: "write the session's results to a file"},
	})
}

// other names what the shown run differs in from the next request, "" where
// it does not: then its figures are not those of what the header names.
func (o *own) other() string {
	st, e, w := &o.view.Stream, &o.view.Endpoint, &o.work
	switch {
	case !st.State.Ended():
		return ""
	case !st.Endpoint.Same(e):
		return safeName(st.Endpoint.Name)
	case e.Model != "" && e.Model != st.Endpoint.Model && !strings.EqualFold(e.Model, st.Model):
		return safeName(cmp.Or(st.Endpoint.Model, st.Model))
	case st.Work.Prompt != w.Prompt || st.Work.System != w.System || st.Work.InputTokens != w.InputTokens ||
		st.Work.Messages != w.Messages || st.Work.Tools != w.Tools:
		return safeName(st.Work.Name)
	case st.Work.MaxTokens != w.MaxTokens && st.Work.MaxTokens == 0:
		return "open length"
	case st.Work.MaxTokens != w.MaxTokens:
		return "up to " + format.Count(st.Work.MaxTokens) + " tokens"
	}
	return ""
}
