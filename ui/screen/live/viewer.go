package live

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/screen"
)

// figuresEvery is the time between two changes of a number. A number that
// changes faster cannot be read.
const figuresEvery = metrics.Stamp(time.Second / 4)

// viewer shows one stream. It is the common part of Screen and Lane.
type viewer struct {
	host  screen.Host
	look  *screen.Look
	back  Backend
	pic   *picture
	view  View
	meter metrics.Meter
	// limits are the rate limits that the answers tell of.
	limits limits
	phase  metrics.State // of the stream now, even in a frozen view

	replays bool // the stream has a clock of its own
	// refresh samples at once; it is the screen's own.
	refresh func()

	focus   Panel         // that Z maximizes; NoPanel before the first choice
	version uint64        // of the last sample
	figures metrics.Stamp // when the figures were computed
	dragged draw.Target   // where the mouse was pressed
}

func newViewer(d screen.Deps, b Backend) viewer {
	return viewer{host: d.Host, look: d.Look, back: b, pic: newPicture(),
		view: View{Glyphs: d.Look.Glyphs, ReducedMotion: d.Look.ReducedMotion}}
}

// sample takes a look at a stream of that version. The stream is taken as often
// as this is called; figures and observer change once in figuresEvery, and at
// once when the state changes or force asks for it. A frozen view keeps what it
// has, except for the runs that ended behind it.
func (v *viewer) sample(now metrics.Stamp, force bool,
	version uint64, current func() metrics.Stream) (dirty, figures bool) {
	changed := version != v.version
	v.version = version
	if !changed && !force && v.phase.Ended() {
		if !v.replays {
			v.view.Now = now // fades continue
		}
		return false, false
	}
	s := current()
	before := v.phase
	v.phase = s.State
	dirty = v.phase != before || force
	if v.view.Frozen {
		v.view.Runs = v.back.Runs()
		return dirty, false
	}
	fresh := force || v.phase != before || s.ID != v.view.Stream.ID
	if v.view.Stream, v.view.Now = s, now; v.replays {
		v.view.Now = s.Now
	}
	if fresh || now-v.figures >= figuresEvery {
		v.figures = now
		v.view.Runs, v.view.Observer, v.view.Endpoint = v.back.Runs(), v.back.Observer(), v.back.Endpoint()
		v.measure()
		figures = true
	} else if ticking(v.view.Findings) {
		v.conclude()
	}
	return dirty || changed, figures
}

// ticking reports whether findings hold a running clock. It must agree with
// the clock of the figures in every frame.
func ticking(found []verdict.Finding) bool {
	if len(found) == 0 {
		return false
	}
	switch found[0].Code {
	case verdict.Asking, verdict.Connecting, verdict.Waiting, verdict.Silent:
		return true
	}
	return false
}

func (v *viewer) measure() {
	v.view.Figures = v.meter.Measure(&v.view.Stream, metrics.Options{Pace: v.look.Pace})
	v.view.Limits = v.limits.forecast(&v.view)
	v.conclude()
}

// conclude says anew what the figures show, through the chosen lens.
func (v *viewer) conclude() {
	v.view.Lens, v.view.Task = v.look.Lens, v.look.Task
	v.view.Findings = conclude(&v.view)
}

// Draw implements screen.Screen.
func (v *viewer) Draw(g *draw.Grid, r draw.Rect) {
	l := v.look
	if v.view.Lens != l.Lens || v.view.Task != l.Task {
		v.conclude()
	}
	v.pic.scope.pinned = l.Pinned
	v.view.Pace, v.view.Units, v.view.Lens, v.view.Task, v.view.ShowDefinitions = l.Pace,
		l.Units, l.Lens, l.Task, l.Definitions
	v.pic.Draw(g, r, &v.view)
}

// running reports whether a request is running, frozen or not.
func (v *viewer) running() bool { return v.phase != metrics.Idle && !v.phase.Ended() }

// agent reports whether the lens shows an agent's task.
func (v *viewer) agent() bool { return v.look.Lens == "agent" }

func (v *viewer) has(n screen.Name) bool { return v.host.Has(n) }

// to returns the action of a key that shows another screen.
func (v *viewer) to(n screen.Name) func() tea.Cmd {
	return func() tea.Cmd { return v.host.Show(n) }
}

func (v *viewer) up()       { v.pic.Scroll(-1) }
func (v *viewer) down()     { v.pic.Scroll(1) }
func (v *viewer) pageUp()   { v.pic.Page(-1) }
func (v *viewer) pageDown() { v.pic.Page(1) }

func (v *viewer) toggleFreeze() {
	v.view.Frozen = !v.view.Frozen
	v.refresh()
}

func (v *viewer) toggleDefinitions() { v.look.Definitions = !v.look.Definitions }

func (v *viewer) nextPace() tea.Cmd {
	i := slices.IndexFunc(metrics.Paces, func(p metrics.Pace) bool { return p.Name == v.look.Pace.Name })
	v.look.Pace = metrics.Paces[(i+1)%len(metrics.Paces)]
	v.measure()
	return v.host.Say(fmt.Sprintf("pace: %s, %s words a minute", v.look.Pace.Name, format.Exact(v.look.Pace.WPM)))
}

func (v *viewer) nextUnits() tea.Cmd {
	i := slices.Index(Units, v.look.Units)
	v.look.Units = Units[(i+1)%len(Units)]
	return v.host.Say("speed in " + v.look.Units)
}

// nextLens chooses the next workload lens; none follows the last one.
func (v *viewer) nextLens() tea.Cmd {
	about := v.look.NextLens()
	box, line := LensAt(v.look.W, v.look.H)
	return screen.SayLens(v.host, v.look, about, box, line)
}

// pickTask opens the picker for the task of the lens's agent.
func (v *viewer) pickTask() { screen.PickTask(v.host, v.look) }

// click carries out the click on a panel. held reports that the cursor follows
// the mouse.
func (v *viewer) click(t draw.Target, at tea.Mouse) (cmd tea.Cmd, held bool) {
	if at, ok := t.(target); ok {
		if p := panelOf[at]; p != NoPanel {
			v.focus = p
		}
	}
	switch t {
	case onFigures:
		v.toggleDefinitions()
	case onReading:
		return v.nextPace(), false
	case onFrozen:
		v.toggleFreeze()
	case onScope, onText:
		v.pic.PointAt(&v.view.Stream, t, at.X, at.Y)
		v.dragged = t
		return nil, true
	}
	return nil, false
}

// pointer handles the wheel and a drag: both scroll the text, unless the
// cursor follows the mouse.
func (v *viewer) pointer(p screen.Pointer) {
	if p.Held {
		v.pic.PointAt(&v.view.Stream, v.dragged, p.X, p.Y)
		return
	}
	v.pic.Scroll(p.Wheel + p.Drag)
}

func (v *viewer) cursorLeft()     { v.pic.MoveCursor(&v.view.Stream, -1) }
func (v *viewer) cursorRight()    { v.pic.MoveCursor(&v.view.Stream, 1) }
func (v *viewer) cursorFarLeft()  { v.pic.MoveCursor(&v.view.Stream, -farStep) }
func (v *viewer) cursorFarRight() { v.pic.MoveCursor(&v.view.Stream, farStep) }

// inside reports whether goBack has a panel, the definitions or the cursor to leave.
func (v *viewer) inside() bool {
	return v.maximized() || v.look.Definitions || v.pic.scope.cursor >= 0
}

func (v *viewer) hasChunks() bool { return len(v.view.Stream.Chunks) > 0 }

func (v *viewer) nextZoom() { v.pic.scope.nextZoom(v.view.Stream.State.Ended()) }

func (v *viewer) toggleLinear() { v.pic.scope.linear = !v.pic.scope.linear }

// togglePin pins the shown run for all screens, or unpins.
func (v *viewer) togglePin() {
	v.pic.scope.pinned = v.look.Pinned
	v.pic.Pin(&v.view)
	v.look.Pinned = v.pic.scope.pinned
}

// animating reports whether the picture changes by time alone.
func (v *viewer) animating() bool { return !v.view.Frozen && v.pic.Animating(&v.view) }

// Slow implements screen.Slow: nothing but the seconds before a retry changes.
func (v *viewer) Slow() bool { return v.view.Stream.State.Ended() && v.pic.counting(&v.view) }

// state is the state of the request, as shape and color. A run of another
// endpoint than the one chosen since says nothing about this one.
func (v *viewer) state() (rune, themes.Role) {
	gl := v.look.Glyphs
	if v.view.Other != "" || screen.Elsewhere(&v.view.Stream, v.view.Endpoint) {
		return gl.Ring, themes.Dim
	}
	switch v.phase {
	case metrics.Connecting:
		return gl.Ring, themes.Network
	case metrics.Waiting:
		return gl.Ring, themes.Prefill
	case metrics.Decoding:
		return gl.Dot, themes.Good
	case metrics.Done, metrics.Failed, metrics.Truncated, metrics.Cancelled:
		return draw.Outcome(gl, v.phase)
	}
	return gl.Ring, themes.Dim
}

// status fills in the stream's part of header and footer. Its own marks
// precede the endpoint's.
func (v *viewer) status(st *screen.Status) {
	st.Sign, st.Role = v.state()
	st.Endpoint(v.view.Endpoint, screen.Served(&v.view.Stream, v.view.Endpoint))
	st.Badge(v.view.Endpoint)
	if v.view.Frozen {
		st.Marks = append(st.Marks, screen.Part{Text: " frozen ", Role: themes.Alert, Target: onFrozen})
	}
	if text := format.RateLimitMark(&v.view.Limits); text != "" && !v.replays {
		st.Marks = append(st.Marks, screen.Part{Text: " " + text + " ", Role: themes.Alert})
	}
	e := v.view.Stream.Observer
	st.Observer = v.view.Observer
	if v.phase.Ended() {
		st.Run = e // the screen shows our lag during this request: so does the footer
	}
	// The kernel took every stamp, or none was taken: our lag did not affect
	// any.
	st.Untouched = e.UserStamps == 0 && (e.KernelStamps > 0 || v.phase.Ended())
}
