package live

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/report"
	"tokscope/ui/screen"
)

// Lane is the Live screen on the stream of one of many users or of a lane of a
// race, which another screen lends to it. It shares the tab of Live.
type Lane struct {
	viewer
	from  screen.Source // nil before the first View
	place screen.Place  // of it
	live  Backend       // of the session
	by    report.Origin
	table []keys.Binding

	beside int // the run of the session that streams; 0 for none
}

// onClose is the mark in the header that returns to the screen that lends it.
type onClose struct{}

// NewLane returns the screen, nil when the backend cannot drive one.
func NewLane(d screen.Deps) screen.Screen {
	b, ok := d.Backend.(Backend)
	if !ok {
		return nil
	}
	s := &Lane{viewer: newViewer(d, b), live: b, by: d.Options.By}
	s.refresh = func() { s.Sample(s.back.Now(), true) }
	s.table = s.bindings()
	return s
}

// View implements screen.Viewer.
func (s *Lane) View(from screen.Source) {
	s.from = from
	s.lent()
}

// Name implements screen.Screen.
func (s *Lane) Name() screen.Name { return "a lane on Live" }

// Tab implements screen.Screen.
func (s *Lane) Tab() screen.Tab { return tab }

// Bindings implements screen.Screen.
func (s *Lane) Bindings() []keys.Binding { return s.table }

// Enter implements screen.Screen.
func (s *Lane) Enter(bool) (tea.Cmd, error) {
	s.pic.End()
	return nil, nil
}

// Leave implements screen.Screen.
func (s *Lane) Leave() bool {
	s.view.Frozen = false
	return false
}

// Busy implements screen.Screen. The load belongs to another screen.
func (s *Lane) Busy() string { return "" }

// Stop implements screen.Screen.
func (s *Lane) Stop() {}

// Update implements screen.Screen.
func (s *Lane) Update(msg tea.Msg) tea.Cmd {
	if p, ok := msg.(screen.Pointer); ok {
		s.pointer(p)
	}
	return nil
}

// Sample implements screen.Screen.
func (s *Lane) Sample(now metrics.Stamp, force bool) bool {
	dirty, figures := s.sample(now, force, s.from.Version(), s.current)
	dirty = s.streaming() || dirty
	if figures {
		s.from.Sample()
	}
	// A lane of a race has an endpoint of its own.
	if e := s.view.Stream.Endpoint; e.Name != "" {
		s.view.Endpoint = e
	}
	return dirty
}

// current is the user's stream. When the user has left, it is the last one seen.
func (s *Lane) current() metrics.Stream {
	if st, ok := s.from.Stream(); ok {
		return st
	}
	return s.view.Stream
}

// Click implements screen.Screen.
func (s *Lane) Click(t draw.Target, at tea.Mouse) (tea.Cmd, bool) {
	if t == (onClose{}) {
		return s.close(), false
	}
	return s.click(t, at)
}

// Status implements screen.Screen.
func (s *Lane) Status(st *screen.Status) {
	s.place = s.from.Place()
	st.Marks = append(st.Marks, screen.Part{Text: " " + s.place.Stream + " ", Role: themes.Badge, Target: onClose{}})
	s.marks(st)
	s.status(st)
	if s.replays { // today's lag says nothing about a recording
		st.Observer = s.view.Stream.Observer
	}
	w, in, out := s.from.Sent() // above a user's stream the header shows what was sent
	st.Work = screen.WorkWords(&w, in, out, s.look.Glyphs)
}

// Aside implements screen.Screen.
func (s *Lane) Aside() string { return "" }

// Summary implements screen.Screen.
func (s *Lane) Summary() []string { return nil }

// Animating implements screen.Screen. The stream of a user restarts by
// itself.
func (s *Lane) Animating() bool { return !s.view.Frozen && (!s.past() || s.animating()) }

// close leaves the maximized panel, else the lane.
func (s *Lane) close() tea.Cmd {
	if s.maximized() {
		s.view.Max = NoPanel
		return nil
	}
	return s.from.Close()
}

// backWord is the word of the key that closes the lane.
func (s *Lane) backWord() string {
	if s.maximized() || s.from == nil {
		return "back"
	}
	return "back to " + s.from.Place().From
}

// unitWord is the word of the keys that show the next lane, "" while there is none.
func (s *Lane) unitWord() string {
	if s.from == nil || !s.from.Running() {
		return ""
	}
	return s.from.Place().Unit
}

func (s *Lane) previous() { s.step(-1) }
func (s *Lane) next()     { s.step(1) }

// step shows the user by places on.
func (s *Lane) step(by int) {
	if s.from.Next(by) {
		s.lent()
		s.pic.End()
		s.refresh()
	}
}
