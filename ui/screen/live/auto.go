package live

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen"
)

// auto is the trigger of the screen, and the first minute that it drives.
type auto struct {
	own *own
	trigger
	show    show
	ticking bool // a look is due
	stopped int  // the run that the person stopped last
	held    bool // another screen needs the machine: no run begins by itself
}

// lookEvery is the time between two looks. A countdown of seconds and a count
// of tokens need no more.
const lookEvery = time.Second / 4

// watchOn plans the next look at the trigger, unless one is due already. It comes
// whether the screen is shown or not, and only while the trigger is active.
func (a *auto) watchOn() tea.Cmd {
	if a.ticking || !a.active() {
		return nil
	}
	a.ticking = true
	return tea.Tick(lookEvery, func(time.Time) tea.Msg {
		return screen.Reply(func() tea.Cmd {
			a.ticking = false
			return a.look()
		})
	})
}

// look carries out what the trigger wants now.
func (a *auto) look() tea.Cmd {
	o := a.own
	now := o.back.Now()
	was := a.stage
	st := o.back.Snapshot()
	switch a.step(now, sight{&st, o.back.Runs(), o.work, a.holds()}) {
	case sendNext:
		o.back.Begin(o.work)
		a.begun(now, o.back.Snapshot().ID)
		o.refresh()
	case stopRun:
		o.back.Stop()
	}
	a.joinIn(&st, now)
	if was == triggerRunning && a.stage == triggerOff && a.show.stage == showOn {
		a.show.stage = showOver
	}
	if a.stage != was || a.active() {
		o.host.Changed()
	}
	return a.watchOn()
}

// holds reports whether the person looks at something of the last run, which
// the next one would take away, or another screen needs the machine.
func (a *auto) holds() bool {
	return a.held || a.own.pic.scope.cursor >= 0 && a.own.phase.Ended() && !a.own.view.Frozen
}

// toggle is the key of auto: it switches it on and off. At its bound it
// asks whether to raise it.
func (a *auto) toggle() tea.Cmd {
	o := a.own
	a.show = show{}
	a.held = false
	switch a.stage {
	case triggerOff:
		return o.beside(a.begin)
	case triggerEnded:
		return a.askMore()
	}
	a.off()
	if o.running() {
		return o.host.Say("auto off: this run is the last")
	}
	return o.host.Say("auto off")
}

// begin begins to send again and again. Where not even one run fits the
// bound, it asks first.
func (a *auto) begin() tea.Cmd {
	o := a.own
	id := 0
	if st := o.back.Snapshot(); o.running() && st.ID != a.stopped {
		id = st.ID
	}
	a.start(o.back.Now(), newAllowance(o.back.Endpoint()), id)
	if id == 0 && !a.allow.fits(&o.work) {
		a.stage = triggerEnded
		return a.askMore()
	}
	return a.look()
}

func (a *auto) askMore() tea.Cmd {
	o := a.own
	more := a.allow.raise(&o.work)
	o.host.Open(dialog.NewConfirm("auto", raiseQuestion(&a.allow, o.back.Endpoint().Name, &o.work, more)),
		func(act dialog.Act) tea.Cmd {
			if _, yes := act.(dialog.Confirmed); !yes {
				return nil
			}
			a.raise(o.back.Now(), more)
			return a.look()
		})
	return nil
}

func raiseQuestion(a *allowance, endpoint string, w *metrics.Workload, more spend) string {
	prompt, output := a.expect(w)
	return "Auto has used " + format.Whole(a.used.tokens) + " of " + format.Whole(a.bound.tokens) + " tokens" +
		paid(a, a.used.money) + " on " + safeName(endpoint) + ". The next run may use " + format.Whole(prompt+output) +
		". Allow " + format.Whole(more.tokens) + " more" + paid(a, more.money) + "?"
}

// paid is an amount in parentheses with its currency, "" without a price.
func paid(a *allowance, money float64) string {
	if !a.priced() {
		return ""
	}
	return " (" + amount(a, money) + ")"
}

func amount(a *allowance, money float64) string {
	return strings.TrimSpace(format.Money(money) + " " + sanitize.Line(a.price.Currency, 8))
}

// end ends auto and the first minute, with the reason.
func (a *auto) end() {
	a.show = show{}
	a.off()
	a.held = false
}

func (a *auto) changeInterval(by int) tea.Cmd {
	o := a.own
	a.change(by, o.back.Now())
	if d := intervals[a.interval]; d > 0 {
		return o.host.Say("auto: a run every " + format.Limit(float64(d.Milliseconds())))
	}
	return o.host.Say("auto: again when a run ends")
}

// mark is the state of auto in the header, as long as w columns permit.
func (a *auto) mark(w int) screen.Part {
	o := a.own
	part := screen.Part{Role: themes.Strong, Target: keys.Intent("auto")}
	text := " auto "
	switch left, ok := a.wait(o.back.Now()); {
	case a.stage == triggerOff:
		return screen.Part{}
	case a.stage == triggerEnded:
		text, part.Role = text+"ended ", themes.Headline
	case a.stage == triggerPaused && ok:
		text, part.Role = text+"paused "+format.Count(left)+" s ", themes.Headline
	case a.stage == triggerPaused:
		text, part.Role = text+"paused ", themes.Headline
	case a.stage == triggerWaiting && a.holds():
		text += format.Count(a.runs) + " holds "
	case a.stage == triggerWaiting && ok && left > 1:
		text += format.Count(a.runs) + ", next in " + format.Count(left) + " s "
	case a.most > 0:
		text += format.Count(min(a.runs+1, a.most)) + " of " + format.Count(a.most) + " "
	default:
		text += format.Count(a.runs) + " "
	}
	if a.allow.bounded && w >= markFrom {
		chunks := format.Either(o.running(), len(o.view.Stream.Chunks), 0)
		left := a.allow.left(&o.work, a.stage == triggerRunning, chunks)
		switch {
		case w < markWide:
			text += "· " + format.Whole(left.tokens) + " left "
		case a.allow.priced():
			text += "· " + format.Whole(left.tokens) + " tokens, " + amount(&a.allow, left.money) + " left "
		default:
			text += "· " + format.Whole(left.tokens) + " tokens left "
		}
	}
	part.Text = format.Either(o.look.Glyphs.ASCII, format.ASCII(text), text)
	return part
}

// Widths of the terminal from which the mark shows what is left of the bound,
// and from which with its units.
const (
	markFrom = 80
	markWide = 110
)

// wait is the time to the next run in whole seconds, rounded up; ok is false
// without one.
func (t *trigger) wait(now metrics.Stamp) (seconds int, ok bool) {
	if !t.due.Known() || t.stage != triggerWaiting && t.stage != triggerPaused {
		return 0, false
	}
	return int((max(t.due-now, 0) + metrics.Stamp(time.Second) - 1) / metrics.Stamp(time.Second)), true
}

// message is what auto has to say in a sentence, "" for nothing. warn reports
// that it stands still.
func (a *auto) message() (text string, warn bool) {
	o := a.own
	switch {
	case a.stage == triggerEnded:
		return "auto ended at its limit: " + atBound(&a.allow, &o.work) + "; a raises it", true
	case a.stage == triggerPaused:
		why := "the run failed"
		if a.fault != nil {
			why = strings.TrimSuffix(sanitize.Line(a.fault.Message, 120), ".")
		}
		if left, ok := a.wait(o.back.Now()); ok {
			return "auto paused, next in " + format.Count(left) + " s as the server asks: " + why, true
		}
		return "auto paused, space goes on: " + why, true
	case a.held && a.stage == triggerWaiting:
		return "auto is on hold: space goes on", false
	case a.stage == triggerWaiting && a.holds():
		return "auto holds while the cursor is shown: esc goes on", false
	}
	return a.caption(), false
}

// atBound says how the next run of w does not fit the bound.
func atBound(a *allowance, w *metrics.Workload) string {
	next := a.cost(a.expect(w))
	if a.used.plus(next).tokens > a.bound.tokens {
		return format.Whole(a.used.tokens) + " of " + format.Whole(a.bound.tokens) +
			" tokens, a run needs " + format.Whole(next.tokens)
	}
	return format.Money(a.used.money) + " of " + amount(a, a.bound.money) + ", a run costs " + format.Money(next.money)
}

// captioned draws the message of v in one row.
func captioned(p *canvas, r draw.Rect) {
	l := p.Row(r, 0)
	l.Skip(1)
	role := themes.Strong
	if p.v.Warn {
		role = themes.Warn
		l.Write(role, "! ")
	} else {
		l.Write(themes.Accent, "▸ ")
	}
	l.Cut(role, p.v.Message)
}

func (a *auto) bindings() []keys.Binding {
	return []keys.Binding{
		{Do: "auto", Keys: []string{"a"}, Rank: 15, Act: a.toggle,
			Word: keys.First(keys.When(a.active, "auto off"),
				keys.Either(func() bool { return a.stage == triggerEnded }, "raise limit", "auto")),
			Help: "repeat the request; at its limit: raise it"},
		{Do: "slower", Keys: []string{"-"}, Foot: "-+", Rank: 41,
			Word: keys.When(a.active, "interval"), Act: func() tea.Cmd { return a.changeInterval(-1) },
			Help: "a longer interval between runs of auto"},
		{Do: "faster", Keys: []string{"+"}, Word: nil,
			Act: func() tea.Cmd { return a.changeInterval(1) }, Help: "a shorter interval between runs of auto"},
	}
}

// show is the first minute on the embedded endpoint: three runs, another
// user's long prompt in the first of them, and captions that say what one
// looks at.
type show struct {
	stage  showStage
	joined bool // the other user's prompt was sent
}

type showStage uint8

const (
	showOff showStage = iota
	showOn
	showOver // it ran to its end: the last caption stays until the person does something
)

const (
	// showRuns is how many runs a newcomer sees: the third has a trend behind it.
	showRuns = 3
	// joinAfter is when the other user comes: the eye has learned the even trace.
	joinAfter = metrics.Stamp(9 * time.Second)
	// joinTokens make the gaps longer for about half a second on the default
	// model.
	joinTokens = 12_000
)

// beginShow starts the first minute.
func (a *auto) beginShow() {
	o := a.own
	a.start(o.back.Now(), newAllowance(o.back.Endpoint()), 0)
	a.most = showRuns
	a.show = show{stage: showOn}
}

// joinIn sends the other user's prompt once its time has come.
func (a *auto) joinIn(st *metrics.Stream, now metrics.Stamp) {
	o := a.own
	x := &a.show
	if x.stage != showOn || x.joined || a.runs > 0 || st.State != metrics.Decoding || now-a.began < joinAfter {
		return
	}
	x.joined = o.back.OtherUser(joinTokens)
}

// bandInView is how long the first caption stays, which tells of the band. At 80x24 the
// wait has left it then, and only its names are in view.
const bandInView = 3 * time.Second

// captions are shown from their moment to the next one's. Each fits one row at
// 80x24 and at 120x40, and stays long enough to be read.
var captions = [...]struct {
	run   int           // from 1
	after time.Duration // since its request began
	joins bool          // it tells of the other user
	text  string
}{
	{run: 1, text: "Phases begin with the wait: the model reads the prompt."},
	{run: 1, after: bandInView, text: "Now it writes token by token: decode. The trace: the gaps."},
	{run: 1, after: 9 * time.Second, joins: true, text: "Another user's long prompt: its prefill stretches your gaps."},
	{run: 1, after: 15 * time.Second, text: "The sentence on top says what the figures show."},
	{run: 2, text: "Auto sends it again. The run before stays behind, dim."},
	{run: 2, after: 8 * time.Second, text: "A gap far outside has a mark at the edge, with its time."},
	{run: 3, text: "The same a third time. = pins a run for comparison."},
	{run: 3, after: 8 * time.Second, text: "Next: 2 many users, 4 why it is so, e an endpoint of yours."},
}

// lastCaption stays after the last run.
const lastCaption = "space again, 2 many users, 4 why it is so, e your endpoint."

// caption is the present caption, "" for none.
func (a *auto) caption() string {
	x := &a.show
	switch x.stage {
	case showOff:
		return ""
	case showOver:
		return lastCaption
	}
	text, run := "", a.runs
	if a.stage == triggerRunning {
		run++
	}
	for i := range captions {
		c := &captions[i]
		if c.run < run || c.run == run && a.own.back.Now()-a.began >= metrics.Stamp(c.after) && (!c.joins || x.joined) {
			text = c.text
		}
	}
	return text
}
