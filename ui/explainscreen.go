package ui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen/explain"
)

// explaining is the Explain screen's part of the root: what it shows, and where
// a person looks. It is at rest, and no key leads to it, when the backend is no
// ExplainBackend.
type explaining struct {
	back   ExplainBackend // nil: there is no Explain screen
	on     bool           // it is shown, and its users stream
	screen *explain.Screen
	view   explain.View
	seen   uint64
	drag   bool          // the cursor follows the mouse
	look   metrics.Stamp // until when the engine is looked at although it stands
	// verdicts are those of the lessons that were shown to theirs, by number - 1.
	verdicts []verdict
}

// newExplaining prepares the Explain screen if b can drive one.
func (m *Model) newExplaining(b Backend) {
	name := func(do keys.Intent) string { return keys.NameOf(keys.Explain, do, m.glyphs.ASCII) }
	m.explain = explaining{screen: explain.New(), view: explain.View{
		Glyphs: m.glyphs, ReducedMotion: m.opt.ReducedMotion,
		Keys: explain.Keys{Stage: name(keys.GoOn), Next: name(keys.NextLesson), Back: name(keys.PrevLesson), Leave: name(keys.Close), Panel: name(keys.NextPanel)},
	}}
	m.explain.back, _ = b.(ExplainBackend)
}

// toExplain shows the Explain screen: the users of its knobs stream from then
// on, and whatever ran on the other screens is stopped.
func (m *Model) toExplain() tea.Cmd {
	e := &m.explain
	if e.back == nil || e.on {
		return nil
	}
	note := m.explainNote()
	if err := e.back.ExplainOpen(); err != nil {
		return m.complain(fmt.Errorf("the engine cannot be laid open: %w", err))
	}
	m.view.Frozen = false
	m.load.on, m.load.lane, m.load.drag, m.load.view.Typed = false, 0, false, ""
	m.editor.Load(m.work)
	e.on = true
	e.view.Cursor = 0
	m.sample(true)
	if note == "" {
		return nil
	}
	return m.say(note)
}

// explainNote says what opening the screen means for what runs, and for whom
// its figures are.
func (s *Model) explainNote() string {
	stopped := ""
	switch {
	case s.load.back != nil && s.load.back.LoadView().Running:
		stopped = "the load was stopped"
	case s.running():
		stopped = "the request of Live was stopped"
	}
	where := ""
	if end := s.back.Endpoint(); end.Kind != metrics.EndpointEmbedded {
		where = "this is the embedded engine, not " + end.Name
	}
	return words("; ", where, stopped)
}

// leaveExplain ends the users of the knobs: nobody streams behind the other
// screens.
func (m *Model) leaveExplain() {
	if e := &m.explain; e.on {
		e.on, e.drag = false, false
		e.back.ExplainClose()
		m.dirty = true
	}
}

// lookFor is how long after a key a standing engine is looked at: a single
// step, or the one that was due when time stopped, ends a moment later.
const lookFor = metrics.Stamp(500 * time.Millisecond)

// engineMoves reports whether the picture changes by itself, or will when
// something that was asked for is there.
func (s *Model) engineMoves() bool {
	e := &s.explain
	v := &e.view.Explain
	return e.screen.Animating(&e.view) || v.Busy || v.Tour.On && !v.Tour.Ready || s.back.Now() < e.look
}

// engineHeader says whose engine is laid open: the embedded one, also while
// Live measures another endpoint, which is then named as not meant. What the
// engine runs is said by the screen.
func (m *Model) engineHeader(r draw.Rect, right int) {
	g, v := m.grid, &m.explain.view.Explain
	x := r.X + 1
	if r.W >= 60 {
		x += g.Text(x, r.Y, "tokscope", themes.Accent, right-x) + 2
	}
	sign, role := m.glyphs.Dot, themes.Good
	if !v.Running || v.Paused {
		sign, role = m.glyphs.Ring, themes.Dim
	}
	g.Set(x, r.Y, sign, role)
	x += 2
	end := &m.view.Endpoint
	elsewhere := end.Kind != metrics.EndpointEmbedded && end.Name != ""
	x += g.Cut(x, r.Y, "embedded engine", m.glyphs, themes.Strong, right-x) + 2
	if elsewhere {
		g.Cut(x, r.Y, " not "+sanitize.Line(end.Name, nameMost)+" ", m.glyphs, themes.Badge, right-x)
	}
}

// sampleExplain takes a look at the engine.
func (s *Model) sampleExplain(now bool) {
	e := &s.explain
	version := e.back.ExplainVersion()
	if version == e.seen && !now {
		return
	}
	e.seen, s.dirty = version, true
	e.view.Explain = e.back.ExplainView()
	e.judge(&e.view.Explain.Tour)
	s.view.Endpoint, s.view.Observer = s.back.Endpoint(), e.view.Explain.Observer
}

// turnKnob moves a knob by positions, over those that do not fit. The knob of
// time is listed from real time down; turned on it runs faster all the same.
func (s *Model) turnKnob(k metrics.Knob, by int) tea.Cmd {
	choices := s.explain.back.ExplainChoices(k)
	if n := len(choices); k == metrics.KnobTime && n > 0 && choices[0].Knobs.Time > choices[n-1].Knobs.Time {
		by = -by
	}
	at := -1
	for i := range choices {
		if choices[i].Now {
			at = i
		}
	}
	why := ""
	for i := at + by; at >= 0 && i >= 0 && i < len(choices); i += by {
		c := &choices[i]
		if c.Why == "" {
			return tea.Batch(s.setKnobs(c.Knobs), s.sayIf(why))
		}
		why = fmt.Sprintf("%s %s: %s", k, c.Label, c.Why)
	}
	if why == "" {
		why = fmt.Sprintf("%s: there is no further position", k)
	}
	return s.say(why)
}

// setKnobs turns the engine to k from its next step on.
func (s *Model) setKnobs(k metrics.Knobs) tea.Cmd {
	err := s.explain.back.ExplainTurn(k)
	s.sample(true)
	if err != nil {
		return s.complain(err)
	}
	return nil
}

// sayIf says s unless it is empty.
func (s *Model) sayIf(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	return s.say(text)
}

// openKnob lists the positions of a knob.
func (m *Model) openKnob(k metrics.Knob) {
	m.open(dialog.NewKnob(k, m.explain.back.ExplainChoices(k)))
}

// watch looks at the user by places further, round and round.
func (s *Model) watch(by int) {
	v := &s.explain.view.Explain
	n := max(v.Knobs.Users, 1)
	s.explain.back.ExplainWatch((max(v.Watched.User, 1)-1+by+n)%n + 1)
	s.sample(true)
}

// pause stops the engine's time, or lets it go on.
func (s *Model) pause() {
	s.explain.back.ExplainPause(!s.explain.view.Explain.Paused)
	s.sample(true)
}

// stepOnce lets one more step happen, and looks at it.
func (s *Model) stepOnce() {
	s.newest()
	s.explain.back.ExplainStep()
	s.sample(true)
}

// newest follows the newest step again.
func (s *Model) newest() { s.explain.view.Cursor = 0 }

// zoomMost bounds how far the timeline is from the scale that fits.
const zoomMost = 6

func (s *Model) zoom(by int) {
	v := &s.explain.view
	v.Zoom = min(max(v.Zoom+by, -zoomMost), zoomMost)
}

// selectKnob selects the knob by places further, round and round.
func (s *Model) selectKnob(by int) {
	v := &s.explain.view
	v.Knob = metrics.Knob((int(v.Knob) + by + int(metrics.NumKnobs)) % int(metrics.NumKnobs))
}

// backOut is what esc does: it takes back the last thing that led away.
func (s *Model) backOut() tea.Cmd {
	e := &s.explain
	switch {
	case e.view.Cursor != 0:
		s.newest()
	case e.view.Explain.Tour.On:
		e.back.TourGo(0)
		s.sample(true)
		return s.say("the tour is left; the knobs stay, t goes on with it")
	default:
		s.toLive()
	}
	return nil
}
