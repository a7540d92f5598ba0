package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

func (m *Model) resize(w, h int) {
	m.look.W, m.look.H = max(w, 0), max(h, 0)
	margin := min(m.look.W, 1) // the last column stays empty: a full row may wrap
	m.surface.grid.Resize(m.look.W-margin, m.look.H)
	m.surface.grid.Margin(margin)
	m.dirty = true
}

// draw draws the frame: a header row, the screen, dialogs and toast over it,
// a footer row. With fewer than three rows the header is dropped first.
func (m *Model) draw() {
	g := m.surface.grid
	g.Clear()
	body := g.Bounds()
	var header, footer draw.Rect
	if body.H >= 3 {
		header, body = body.SplitV(1)
	}
	if body.H >= 2 {
		body, footer = body.SplitV(-1)
	}
	s, d := m.screens.shown(), m.stack.top()
	m.status.Clear()
	s.Status(&m.status)
	m.drawHeader(header)
	s.Draw(g, body)
	if d != nil {
		if _, preview := d.(*dialog.Themes); !preview {
			g.Recede(body)
		}
		d.Draw(g, body, m.look.Glyphs)
	}
	m.toast.draw(g, body, m.look.Glyphs)
	c := &m.surface.caret
	if *c = (caret{}); d != nil {
		c.x, c.y, c.shown = d.Caret()
	}
	m.footer.draw(g, footer, m.keys(), &m.status, m.look.Glyphs.ASCII)
	m.surface.drawn++
}

// surface holds the grid that is drawn on, and where the cursor stands in it.
type surface struct {
	grid     *draw.Grid
	palette  *themes.Palette
	dark     bool // the terminal's background, as far as known
	grounded bool // the palette paints its own background
	drawn    int  // frames so far
	caret    caret
}

// caret is where text is typed, if it is. The terminal's cursor is put there, because
// input methods and screen readers follow it; the caret is drawn as well.
type caret struct {
	x, y  int
	shown bool
}

// theme compiles the theme of that name; "" follows the terminal. A theme for
// the opposite background brings its own. That background is drawn as cells,
// since a terminal setting would outlive a killed program. It reports whether
// the palette changed.
func (s *surface) theme(name string, p themes.Profile) bool {
	t, ok := themes.ByName(name)
	if !ok {
		t = themes.Default(s.dark)
	}
	grounded := t.Dark != s.dark
	if s.palette != nil && s.palette.Theme().Name == t.Name && s.grounded == grounded {
		return false
	}
	s.palette, s.grounded = format.Either(grounded, themes.CompileOnGround, themes.Compile)(t, p), grounded
	return true
}

// frameMsg is a tick of the frame clock.
type frameMsg struct{}

// clock is the only clock of the interface. It ticks only while something
// moves; otherwise no message comes and nothing is drawn.
type clock struct {
	ticking bool      // a tick is pending
	beats   int       // counts up, for spinners
	next    time.Time // when the pending tick is due
}

// slowly is the time between two frames that change seconds alone.
const slowly = 200 * time.Millisecond

// tick returns the command for the next tick. It is nil when no tick is
// needed or one is pending.
func (m *Model) tick() tea.Cmd {
	if m.clock.ticking || !m.moving() {
		return nil
	}
	m.clock.ticking = true
	period := time.Second / time.Duration(m.opt.fps())
	if m.screens.shown().Slow() && !m.stack.busy() {
		period = max(period, slowly)
	}
	return tea.Tick(m.clock.beat(time.Now(), period), func(time.Time) tea.Msg { return frameMsg{} })
}

// beat returns the time until the next tick. It counts one period from when
// the last tick was due, so that drawing does not slow the clock. After a
// rest, or after a tick that came more than a period late, it is a whole
// period. now is the time of tea.Tick's own timer.
func (c *clock) beat(now time.Time, period time.Duration) time.Duration {
	c.next = c.next.Add(period)
	if d := c.next.Sub(now); d <= 0 || d > period {
		c.next = now.Add(period)
	}
	return c.next.Sub(now)
}

func (m *Model) moving() bool { return m.stack.busy() || m.screens.shown().Animating() }

// spin is the frame number of all spinners: ten a second, at any frame rate.
func (m *Model) spin() int { return m.clock.beats * 10 / m.opt.fps() }
