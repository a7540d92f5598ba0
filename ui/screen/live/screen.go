package live

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/report"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// Screen is the Live screen: one stream in detail. Which one, and what may be done
// about it, is its source's, which embeds it.
type Screen struct {
	screen.Base
	host screen.Host
	look *screen.Look
	by   report.Origin
	from source
	pic  *picture
	view View

	meter metrics.Meter
	// limits are the rate limits that the answers tell of.
	limits  limits
	phase   metrics.State // of the stream now, even in a frozen view
	version uint64        // of the last sample
	figures metrics.Stamp // when the figures were computed

	focus   Panel       // that Z maximizes; NoPanel before the first choice
	dragged draw.Target // where the mouse was pressed
}

// newScreen returns a screen without a source.
func newScreen(d screen.Deps) *Screen {
	if !slices.Contains(Units, d.Look.Units) {
		d.Look.Units = Units[0]
	}
	return &Screen{host: d.Host, look: d.Look, by: d.Options.By, pic: newPicture(),
		view: View{Look: *d.Look}}
}

// show makes from the source of s. All sources share the tab.
func (s *Screen) show(from source, name screen.Name) source {
	s.from = from
	s.Base = screen.Base{ID: name, Place: screen.Tab{Label: "Live", Key: "1"}, Table: s.bindings()}
	return from
}

// Leave implements screen.Screen. Requests continue.
func (s *Screen) Leave() {
	s.view.Frozen = false
}

// Update implements screen.Screen. The wheel and a drag scroll the text, unless the
// cursor follows the mouse.
func (s *Screen) Update(msg tea.Msg) tea.Cmd {
	switch p, ok := msg.(screen.Pointer); {
	case !ok:
	case p.Held:
		s.pic.PointAt(&s.view.Stream, s.dragged, p.X, p.Y)
	default:
		s.rows().Move(p.Wheel + p.Drag)
	}
	return nil
}

func (s *Screen) Sample(now metrics.Stamp, force bool) bool {
	version, changed := s.from.peek()
	force = force || s.from.recorded() && version != s.version
	dirty, figures := s.sample(now, force, version)
	s.from.sampled(figures)
	return dirty || changed
}

func (s *Screen) Click(t draw.Target, at tea.Mouse) (cmd tea.Cmd, held bool) {
	if cmd, ours := s.pic.list.Click(t); ours {
		return cmd, false
	}
	if at, ok := t.(target); ok {
		if p := panelOf[at]; p != NoPanel {
			s.focus = p
		}
	}
	switch t {
	case onFigures:
		s.toggleDefinitions()
	case onReading:
		return s.nextPace(), false
	case onScope, onText:
		s.pic.PointAt(&s.view.Stream, t, at.X, at.Y)
		s.dragged = t
		return nil, true
	}
	return nil, false
}

func (s *Screen) Draw(g *draw.Grid, r draw.Rect) {
	v, l := &s.view, s.look
	s.from.dress(v)
	if v.Lens != l.Lens || v.Task != l.Task || v.Pinned != l.Pinned {
		s.conclude()
	}
	v.Look = *l
	s.pic.Draw(g, r, v)
}

// Animating implements screen.Screen: the picture changes by time alone.
func (s *Screen) Animating() bool { return !s.view.Frozen && s.pic.Animating(&s.view) }

// Slow implements screen.Screen: nothing but the seconds before a retry changes.
func (s *Screen) Slow() bool { return s.view.Stream.State.Ended() && s.pic.counting(&s.view) }

// state is the state of the request, as shape and color. A run of another
// endpoint than the one chosen since says nothing about this one.
func (s *Screen) state() (rune, themes.Role) {
	gl := s.look.Glyphs
	if s.view.Other != "" || screen.Elsewhere(&s.view.Stream, s.view.Endpoint) {
		return gl.Ring, themes.Dim
	}
	switch s.phase {
	case metrics.Connecting:
		return gl.Ring, themes.Network
	case metrics.Waiting:
		return gl.Ring, s.view.waitRole()
	case metrics.Decoding:
		return gl.Dot, themes.Good
	case metrics.Done, metrics.Failed, metrics.Truncated, metrics.Cancelled:
		return outcome(gl, s.phase, &s.view.Figures)
	}
	return gl.Ring, themes.Dim
}

// Status implements screen.Screen. The source's marks precede those of the stream,
// which precede the endpoint's. Of a recording there is the lag of then: today's
// says nothing about it.
func (s *Screen) Status(st *screen.Status) {
	s.from.status(st)
	v, recorded := &s.view, s.from.recorded()
	st.Sign, st.Role = s.state()
	st.Endpoint(v.Endpoint, screen.Served(&v.Stream, v.Endpoint))
	if v.Frozen {
		st.Marks = append(st.Marks, screen.Part{Text: " frozen ", Role: themes.Headline, Target: keys.Intent("freeze")})
	}
	if text := say.RateLimitMark(&v.Limits); text != "" && !recorded {
		st.Marks = append(st.Marks, screen.Part{Text: " " + text + " ", Role: themes.Warn})
	}
	lag := v.Stream.Observer
	if st.Observer = v.Observer; recorded {
		st.Observer = lag
	}
	if s.phase.Ended() {
		st.Run = lag // the screen shows our lag during this request: so does the footer
	}
	// The kernel took every stamp, or none was taken: our lag did not affect
	// any.
	st.Untouched = lag.UserStamps == 0 && (lag.KernelStamps > 0 || s.phase.Ended())
}

// sample takes a look at the source's stream of that version. The stream is taken
// as often as this is called; figures and observer change once in screen.FiguresEvery, and
// at once when the state changes or force asks for it. A frozen view keeps what it
// has, except for the runs that ended behind it.
func (s *Screen) sample(now metrics.Stamp, force bool, version uint64) (dirty, figures bool) {
	changed := version != s.version
	s.version = version
	v, clock := &s.view, s.from.recorded()
	if !changed && !force && s.phase.Ended() {
		if !clock {
			v.Now = now // fades continue
		}
		return false, false
	}
	st := s.from.stream()
	before := s.phase
	s.phase = st.State
	dirty = s.phase != before || force
	session := s.from.session()
	if v.Frozen {
		v.Runs, v.RunsLeftOut = session.Runs(), session.RunsLeftOut()
		return dirty, false
	}
	fresh := force || s.phase != before || st.ID != v.Stream.ID || st.Usual != v.Stream.Usual
	if v.Stream, v.Now = st, now; clock {
		v.Now = st.Now
	}
	if fresh || now-s.figures >= screen.FiguresEvery {
		s.figures = now
		v.Runs, v.RunsLeftOut = session.Runs(), session.RunsLeftOut()
		v.Observer, v.Endpoint = session.Observer(), session.Endpoint()
		s.measure()
		figures = true
	} else if ticking(v.Findings) {
		s.conclude()
	}
	return dirty || changed, figures
}

func (s *Screen) refresh() { s.Sample(s.from.session().Now(), true) }

// ticking reports whether findings hold a running clock. It must agree with
// the clock of the figures in every frame.
func ticking(found []verdict.Finding) bool {
	return slices.ContainsFunc(found, func(f verdict.Finding) bool {
		switch f.Code {
		case verdict.Asking, verdict.Connecting, verdict.Waiting, verdict.Silent:
			return true
		}
		return false
	})
}

func (s *Screen) measure() {
	s.view.Figures = s.meter.Measure(&s.view.Stream, metrics.Options{Pace: s.look.Pace})
	s.view.Limits = s.limits.forecast(&s.view)
	s.conclude()
}

// conclude says anew what the figures show, through the chosen lens.
func (s *Screen) conclude() {
	s.view.Look = *s.look
	s.view.Findings = conclude(&s.view)
}

// limits follows the rate limits over the answers of the session: each ended run
// once, and the present answer.
type limits struct {
	watch metrics.LimitWatch
	last  int // the largest ID of the counted runs; a session drops its first runs
}

// forecast counts what is new in v and returns what the answers of the shown
// endpoint and model tell. Of a recording it counts the shown request alone: the
// others may be later ones.
func (s *limits) forecast(v *View) metrics.LimitForecasts {
	newest := 0
	for i := range v.Runs {
		newest = max(newest, v.Runs[i].Stream.ID)
	}
	if newest < s.last || v.File != "" {
		*s = limits{}
	}
	if v.File == "" {
		for i := range v.Runs {
			if st := &v.Runs[i].Stream; st.ID > s.last {
				s.watch.Add(st)
			}
		}
		s.last = newest
	}
	s.watch.Add(&v.Stream)
	if !s.watch.Of(&v.Stream.Endpoint) {
		return new(metrics.LimitWatch).Forecast(v.Now)
	}
	return s.watch.Forecast(v.Now)
}
