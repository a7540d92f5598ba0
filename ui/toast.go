package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/themes"
	"tokscope/ui/draw"
)

// toast is one line that reports what a key did, for a few seconds.
type toast struct {
	text string
	role themes.Role
	id   int
}

type toastGone struct{ id int }

// How long a toast is shown: the time to read it twice.
const (
	toastFor    = 3 * time.Second
	complainFor = 8 * time.Second
	toastMost   = 400
)

// say shows a line.
func (m *Model) say(s string) tea.Cmd { return m.show(s, themes.Badge, toastFor) }

// complain shows an error.
func (m *Model) complain(err error) tea.Cmd { return m.show(err.Error(), themes.Alert, complainFor) }

func (m *Model) clearToast(g toastGone) {
	if g.id == m.toast.id && m.toast.text != "" {
		m.toast.text = ""
		m.dirty = true
	}
}

// drawToast draws the line at the foot of r.
func (t *Model) drawToast(r draw.Rect) {
	if t.toast.text == "" || r.Empty() {
		return
	}
	w := min(draw.Width(t.toast.text)+2, r.W)
	x, y := r.X+(r.W-w)/2, r.Bottom()-1
	t.grid.Fill(draw.Rect{X: x, Y: y, W: w, H: 1}, ' ', t.toast.role)
	t.grid.Cut(x+1, y, t.toast.text, t.glyphs, t.toast.role, w-2)
}
