package load

import (
	"math"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// steering changes a load while it runs, takes changes back, and freezes the
// picture. It belongs to its screen.
type steering struct {
	s *Screen
	// frozen is the picture that stands still; nil while it follows the load.
	frozen *View
	// cutTo is the Target whose leaving users were cut and have not left yet; 0
	// without any.
	cutTo int
}

// onFrozen is the badge in the header.
type onFrozen struct{}

// movedMsg is the answer to a wish for another model or endpoint: it was taken,
// or needs consent first.
type movedMsg struct {
	to   metrics.Endpoint
	need loadstat.Question
	err  error
}

// steers reports whether the load takes changes: it runs, and does not end.
func (t *steering) steers() bool {
	v := &t.s.view.Load
	return v.Running && (v.Target > 0 || v.Rate > 0) // in an open loop nothing may be under way
}

// cuts reports whether x cuts the requests of leaving users. It does so once: a
// canceled request takes a moment to end, and the next x stops the load.
func (t *steering) cuts() bool {
	return t.s.leaving() && (t.cutTo == 0 || t.cutTo != t.s.view.Load.Target)
}

// send lets the next requests of the load be those of the editor.
func (t *steering) send() tea.Cmd {
	s := t.s
	marks := len(s.view.Load.Marks)
	s.back.LoadSteer(s.work, s.input, s.output)
	s.refresh()
	if len(s.view.Load.Marks) == marks {
		return s.host.Say("nothing has changed")
	}
	return s.host.Say("new requests send this; running ones finish")
}

// Choose implements screen.Chooser: a load that runs goes on with the model or at
// the endpoint.
func (s *Screen) Choose(e metrics.Endpoint) (cmd tea.Cmd, taken bool) {
	if !s.steering.steers() {
		return nil, false
	}
	return s.steering.move(e, false), true
}

// move asks the backend to let the load go on at e. It may look things up.
func (t *steering) move(e metrics.Endpoint, agreed bool) tea.Cmd {
	back := t.s.back
	return func() tea.Msg {
		need, err := back.LoadMove(e, agreed)
		return movedMsg{e, need, err}
	}
}

// moved handles the answer.
func (t *steering) moved(m movedMsg) tea.Cmd {
	s := t.s
	s.host.Changed()
	s.refresh()
	switch {
	case m.err != nil:
		return s.host.Complain(m.err)
	case m.need != (loadstat.Question{}):
		s.question(m.need, func() tea.Cmd { return t.move(m.to, true) })
		return nil
	}
	return s.host.Say("new requests go there; running ones finish")
}

// undo takes the last change back.
func (t *steering) undo() tea.Cmd { return t.undoing(false) }

func (t *steering) undoing(agreed bool) tea.Cmd {
	s := t.s
	was := t.undoes()
	if was == nil {
		return nil
	}
	if need := s.back.LoadUndo(agreed); need != (loadstat.Question{}) {
		s.question(need, func() tea.Cmd { return t.undoing(true) })
		return nil
	}
	s.refresh()
	v := &s.view.Load
	switch was.Kind {
	case loadstat.MarkUsers:
		s.view.Want = max(v.Target, 1)
	case loadstat.MarkWork:
		s.work, s.input, s.output = v.Work, v.Input, v.Output
	}
	return s.host.Say(say.Undone(was))
}

// undoes returns the change that undo takes back, nil for none.
func (t *steering) undoes() *loadstat.Mark {
	if !t.steers() {
		return nil
	}
	return t.s.view.Load.Undo
}

// undoWord is the word of the key in the footer, "" while it does nothing.
func (t *steering) undoWord() string {
	m := t.undoes()
	if m == nil {
		return ""
	}
	return "undo " + string(m.Kind)
}

// Commands implements screen.Commander: the palette says what undo takes back.
func (s *Screen) Commands() []keys.Binding {
	m := s.steering.undoes()
	if m == nil {
		return nil
	}
	return []keys.Binding{{Do: keys.Intent("undo last change: " + say.Mark(m)),
		Act: s.steering.undo, Help: "take the last change of the load back"}}
}

// freeze lets the picture stand still, or follow the load again.
func (t *steering) freeze() {
	if t.frozen != nil {
		t.frozen = nil
		t.s.refresh()
		return
	}
	still := t.s.view
	still.Ended = t.s.back.LoadRequests()
	t.frozen = &still
}

// shown returns what to draw. A frozen picture follows the keys for charts and
// panels only: its sliders stand where its figures were measured.
func (t *steering) shown() *View {
	now := &t.s.view
	if t.frozen == nil {
		return now
	}
	still := *now
	still.Load, still.Ended = t.frozen.Load, t.frozen.Ended
	still.Want, still.WantRate, still.Poisson = t.frozen.Want, t.frozen.WantRate, t.frozen.Poisson
	still.Since = t.since()
	return &still
}

// since says what the load does now, "" while that is what the frozen picture
// shows.
func (t *steering) since() string {
	was, now := &t.frozen.Load, &t.s.view.Load
	same := was.Target == now.Target && was.Rate == now.Rate
	if was.Drive.Ramps() && now.Drive.Ramps() { // on its way it changes all the time
		same = was.Drive.To == now.Drive.To && was.Drive.Open() == now.Drive.Open()
	}
	switch {
	case !now.Running && was.Running:
		return "now ended"
	case now.Holding && !was.Holding:
		return "now held"
	case same && now.Holding == was.Holding:
		return ""
	case now.Rate > 0:
		return "now " + format.Exact(now.Rate) + " req/s"
	case now.Target == 0:
		return "now stopping"
	case now.Target == 1:
		return "now 1 user"
	}
	return "now " + format.Count(now.Target) + " users"
}

// status adds the badge of a frozen picture, with the time of the load at which
// it stands.
func (t *steering) status(st *screen.Status) {
	if t.frozen == nil {
		return
	}
	l := &t.frozen.Load
	text := " frozen "
	if since, ok := l.Now.Sub(l.Began); ok {
		text = " frozen at " + string(format.AppendElapsed(nil, math.Floor(float64(since)/float64(time.Second)))) + " "
	}
	st.Marks = append(st.Marks, screen.Part{Text: text, Short: " frozen ", Role: themes.Alert, Target: onFrozen{}})
}
