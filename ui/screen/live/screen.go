package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// Screen draws the Live screen. It keeps only what makes the next frame cheap
// (wrapped lines, columns of the strip) and where the person has scrolled to.
// It belongs to one goroutine.
type Screen struct {
	pen   pen
	text  lines
	ghost ghost
	strip strip

	id        int  // of the stream last drawn
	textWidth int  // columns of the text
	follow    bool // the end of the text is in view and stays there
	top       int  // first row of text in view
	shown     int  // rows of text there is room for
	total     int  // rows of text there are

	parts      []stretch    // of the wait, reused
	legendBuf  []legendItem // of the wait, reused
	faults     faultText
	prompt     memo
	noted      memo
	defs       definitions
	ttfts      []float64
	median     metrics.Value // TTFT of comparable runs
	counted    int           // runs behind it
	countedFor int           // for this stream
	lens       glass

	hits []hit
}

// hit is a panel and where it was drawn.
type hit struct {
	id string
	r  draw.Rect
}

// New returns a screen that follows the text.
func New() *Screen { return &Screen{follow: true, id: -1, countedFor: -1} }

// Draw paints v into r. Nothing outside r is touched, and what r held before
// is covered. Any size will do.
func (s *Screen) Draw(g *draw.Grid, r draw.Rect, v *View) {
	s.hits = s.hits[:0]
	if r.Empty() {
		return
	}
	defer g.Clip(r)()
	g.Fill(r, ' ', themes.Ink)
	p := &s.pen
	p.begin(g, v)
	if s.id != v.Stream.ID {
		s.id, s.follow, s.top = v.Stream.ID, true, 0
	}
	s.comparable(v)
	lay := layout(r, v.Lens != "")
	s.look(p, &lay)
	if lay.compact {
		s.prepare(v, r.W-2, r.W)
		s.essentials(p, r)
	} else {
		s.prepare(v, lay.text.Inner().W, lay.gaps.Inner().W)
		s.panels(p, lay)
	}
	if s.defs.shown = v.ShowDefinitions; s.defs.shown {
		s.define(p, lay, r)
	}
}

// prepare brings what is kept up to date: the work of a frame that grows with
// what is new.
func (s *Screen) prepare(v *View, text, strip int) {
	s.textWidth = max(text, 1)
	was := len(s.text.spans)
	if s.text.update(&v.Stream, text) {
		if was > 0 && !s.follow {
			// Another width: stay at about the same place.
			s.top = s.top * s.text.rows() / (was + 1)
		}
	}
	s.ghost.advance(&s.text, &v.Stream, v.Now, v.Pace)
	s.strip.update(&v.Stream, stripRoom(strip))
}

// panels draws the boxes of a plan.
func (s *Screen) panels(p *pen, lay plan) {
	s.place("text", lay.text)
	s.textPanel(p, lay.text)
	s.place("now", lay.now)
	s.nowPanel(p, lay.now)
	s.place("wait", lay.wait)
	s.phasePanel(p, lay.wait)
	s.place("lens", lay.lens)
	s.lensPanel(p, lay)
	s.place("gaps", lay.gaps)
	s.gapsPanel(p, lay.gaps)
	s.place("reading", lay.race)
	if lay.raceLine {
		s.raceLine(p, lay.race)
	} else {
		s.racePanel(p, lay.race)
	}
	s.place("runs", lay.runs)
	if lay.runsLine {
		s.runsLine(p, lay.runs)
	} else {
		s.runsPanel(p, lay.runs)
	}
}

func (s *Screen) place(id string, r draw.Rect) {
	if !r.Empty() {
		s.hits = append(s.hits, hit{id, r})
	}
}

// Animating reports whether the picture changes by time alone: a request is
// under way, or arrived text is still fading. A frozen picture stands still.
func (s *Screen) Animating(v *View) bool {
	st := &v.Stream
	switch {
	case v.Frozen || st.State == metrics.Idle:
		return false
	case !st.State.Ended():
		return true
	case v.ReducedMotion || len(st.Chunks) == 0:
		return false
	}
	return v.Now-st.Chunks[len(st.Chunks)-1].At < themes.Fades*fadeStep
}

// Scroll moves the text by lines, up when negative. At the end it follows the
// arriving text again. While definitions are shown it moves these.
func (s *Screen) Scroll(lines int) {
	if s.defs.shown {
		s.defs.top = min(max(s.defs.top+lines, 0), max(len(s.defs.rows)-s.defs.room, 0))
		return
	}
	last := max(s.total-s.shown, 0)
	s.top = min(max(s.top+lines, 0), last)
	s.follow = s.top == last
}

// Page moves the text by so many heights of its panel, up when negative.
func (s *Screen) Page(pages int) {
	room := s.shown
	if s.defs.shown {
		room = s.defs.room
	}
	s.Scroll(pages * max(room-1, 1))
}

// Home shows the beginning of the text.
func (s *Screen) Home() { s.Scroll(-max(s.total, len(s.defs.rows))) }

// End shows the end of the text and follows it again.
func (s *Screen) End() {
	if s.defs.shown {
		s.Scroll(len(s.defs.rows))
		return
	}
	s.follow = true
}

// Scrollable reports whether the text is longer than its panel.
func (s *Screen) Scrollable() bool {
	if s.defs.shown {
		return len(s.defs.rows) > s.defs.room
	}
	return s.total > s.shown && s.shown > 0
}

// Hit names the panel at x, y of the last frame: "text", "now", "wait",
// "lens", "gaps", "reading", "runs".
func (s *Screen) Hit(x, y int) (id string, ok bool) {
	for _, h := range s.hits {
		if h.r.Contains(x, y) {
			return h.id, true
		}
	}
	return "", false
}
