package explain

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/report"
	"tokscope/ui/screen"
)

// Screen is the Explain screen: the open embedded engine, and the tour.
type Screen struct {
	screen.Base
	host screen.Host
	look *screen.Look
	back Backend
	pic  *picture
	view View

	first int // number of the opening lesson; 0 resumes the person's last one
	// verdicts holds the verdict of each lesson shown to its end, by number -
	// 1.
	verdicts []report.Verdict

	version  uint64
	endpoint metrics.Endpoint // the endpoint that the other screens measure

	until metrics.Stamp // until then the stopped engine is sampled
}

// lookFor is how long a stopped engine is sampled after a key. A single step,
// or one that was due when time stopped, ends a moment later.
const lookFor = metrics.Stamp(500 * time.Millisecond)

// New returns the Explain screen.
func New(d screen.Deps, b Backend) screen.Screen {
	s := &Screen{host: d.Host, look: d.Look, back: b, pic: &picture{}, first: d.Options.Lesson}
	s.Base = screen.Base{ID: screen.Explain, Place: screen.Tab{Label: "Explain", Short: "Expl", Key: "4"}}
	s.Table = s.bindings()
	for i := range s.Table {
		if act := s.Table[i].Act; act != nil {
			s.Table[i].Act = func() tea.Cmd {
				s.until = s.back.Now() + lookFor
				return act()
			}
		}
	}
	s.view.Table = s.Table
	return s
}

// Enter implements screen.Screen. The knobs' users stream from then on, and
// whatever would send requests beside them is held.
func (s *Screen) Enter() (tea.Cmd, error) {
	if err := s.back.ExplainOpen(); err != nil {
		return nil, fmt.Errorf("the engine cannot be shown: %w", err)
	}
	s.Shown, s.view.Cursor = true, 0 // its users stream
	if held := s.host.HoldOthers(); held != "" {
		return s.host.Say(held), nil
	}
	return nil, nil
}

// Leave implements screen.Screen. It ends the users' requests.
func (s *Screen) Leave() {
	if s.Shown {
		s.Shown = false
		s.back.ExplainClose()
	}
}

func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Start:
		if s.first == 0 {
			s.first = s.back.TourAt()
		}
		s.lesson(s.first)
	case screen.Pointer:
		if msg.Held {
			s.lookAt(msg.X, msg.Y)
		} else {
			s.pic.Move(&s.view, msg.Wheel)
		}
	}
	return nil
}

func (s *Screen) Sample(_ metrics.Stamp, force bool) bool {
	version := s.back.ExplainVersion()
	if version == s.version && !force {
		return false
	}
	s.version = version
	s.view.Explain = s.back.ExplainView()
	s.judge(&s.view.Explain.Tour)
	s.endpoint = s.back.Endpoint()
	return true
}

func (s *Screen) refresh() { s.Sample(0, true) }

func (s *Screen) Draw(g *draw.Grid, r draw.Rect) {
	s.lensAs()
	s.pic.Draw(g, r, &s.view)
}

// lensAs is how the chosen lens is shown here.
func (s *Screen) lensAs() LensAs {
	s.view.Look = *s.look
	// The root takes one row above, one below, and one column.
	return s.pic.lensAs(draw.Rect{W: s.look.W - 1, H: s.look.H - 2}, &s.view)
}

// Click implements screen.Screen. It moves the cursor to a step, selects a
// knob, opens the selected knob, or watches a request's user.
func (s *Screen) Click(t draw.Target, at tea.Mouse) (tea.Cmd, bool) {
	switch t := t.(type) {
	case onKnob:
		if serving.Knob(t) == s.view.Knob {
			s.openKnob(s.view.Knob)
		}
		s.view.Knob = serving.Knob(t)
	case onUser:
		if t > 0 {
			s.back.ExplainWatch(int(t))
			s.refresh()
		}
	case onTimeline:
		s.lookAt(at.X, at.Y)
		return nil, true
	}
	return nil, false
}

// lookAt moves the cursor to the step at x, y.
func (s *Screen) lookAt(x, y int) {
	if n, ok := s.pic.timeline.StepAt(x, y); ok {
		s.view.Cursor = n
	}
}

// Status implements screen.Screen. It names the embedded endpoint, whose
// engine is open. While Live measures another endpoint, it says that this is not
// it. The screen itself shows what the engine runs.
func (s *Screen) Status(st *screen.Status) {
	v := &s.view.Explain
	st.Runs(s.look.Glyphs, v.Running && !v.Paused)
	name := screen.Part{Text: "embedded engine", Short: "embedded", Role: themes.Strong}
	if s.endpoint.Kind != metrics.EndpointEmbedded {
		name.Text, name.Short = "simulated engine, not your endpoint", "simulated engine"
	}
	st.Parts = append(st.Parts, name)
	st.Badge(s.endpoint)
	st.Observer, st.Guided = v.Observer, true
}

func (s *Screen) Summary() *report.Doc { return report.Tour(s.verdicts) }

// Animating implements screen.Screen. The picture changes by itself, or will
// once a requested result is ready.
func (s *Screen) Animating() bool {
	v := &s.view.Explain
	return v.Running && !v.Paused || v.Busy || v.Tour.On && !v.Tour.Ready || s.back.Now() < s.until
}

// backOut is the action of esc: it returns to the newest step, else leaves
// the tour, else goes back to the screen before.
func (s *Screen) backOut() tea.Cmd {
	switch {
	case s.view.Max:
		s.view.Max = false
	case s.view.Cursor != 0:
		s.newest()
	case s.view.Explain.Tour.On:
		s.back.TourGo(0)
		s.refresh()
		return s.host.Say("tour closed; the knobs stay, T resumes it")
	default:
		return s.host.Back()
	}
	return nil
}
