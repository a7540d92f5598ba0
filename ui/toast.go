package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen"
)

// toast is one line that reports what a key did, for a few seconds.
type toast struct {
	text string
	role themes.Role
	id   int
}

// How long a toast is shown: the time to read it twice.
const (
	toastFor    = 3 * time.Second
	complainFor = 8 * time.Second
	toastMost   = 400
)

// say shows a line.
func (m *Model) say(s string) tea.Cmd { return m.tell(s, themes.Badge, toastFor) }

// complain shows an error.
func (m *Model) complain(err error) tea.Cmd { return m.tell(err.Error(), themes.Alert, complainFor) }

// tell shows a line for d and replaces the one before.
func (m *Model) tell(s string, role themes.Role, d time.Duration) tea.Cmd {
	t := &m.toast
	id := t.id + 1
	*t, m.dirty = toast{sanitize.Line(s, toastMost), role, id}, true
	return tea.Tick(d, func(time.Time) tea.Msg {
		return screen.Reply(func() tea.Cmd {
			if id == t.id && t.text != "" {
				t.text, m.dirty = "", true
			}
			return nil
		})
	})
}

// toastRows is how many rows a long line, such as a path, may take.
const toastRows = 3

// draw draws the line at the foot of r, on several rows if it is long.
func (t *toast) draw(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	if t.text == "" || r.W < 3 || r.H < 1 {
		return
	}
	w := min(draw.Width(t.text)+2, r.W)
	var rows []string
	for row, rest := range draw.Rows(t.text, w-2) {
		if len(rows) == min(toastRows, r.H)-1 {
			rows = append(rows, rest)
			break
		}
		rows = append(rows, row)
	}
	x, y := r.X+(r.W-w)/2, r.Bottom()-len(rows)
	g.Fill(draw.Rect{X: x, Y: y, W: w, H: len(rows)}, ' ', t.role)
	for i, row := range rows {
		g.Cut(x+1, y+i, row, gl, t.role, w-2)
	}
}
