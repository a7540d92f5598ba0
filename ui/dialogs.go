package ui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
	"tokscope/ui/screen"
)

// overlay is a dialog with the function that gets its closing act.
type overlay struct {
	dialog.Dialog
	answered func(dialog.Act) tea.Cmd // may be nil
}

// stack holds the dialogs over the screen. The last one gets the keys.
type stack []overlay

// top is the dialog that gets the keys, or nil when the screen gets them.
func (s stack) top() dialog.Dialog {
	if len(s) == 0 {
		return nil
	}
	return s[len(s)-1].Dialog
}

func (s stack) busy() bool {
	return slices.ContainsFunc(s, func(d overlay) bool { return d.Busy() })
}

func (m *Model) open(d dialog.Dialog, answered func(dialog.Act) tea.Cmd) {
	m.stack = append(m.stack, overlay{d, answered})
	m.dirty = true
}

// act carries out a request of the top dialog. An act that closes the dialog
// is passed to its opener, and so is a preview.
func (m *Model) act(a dialog.Act) tea.Cmd {
	switch a := a.(type) {
	case nil:
	case dialog.PreviewTheme:
		m.applyTheme(a.Name)
	case dialog.PreviewFilter: // the dialog stays
		if d := m.stack[len(m.stack)-1]; d.answered != nil {
			return d.answered(a)
		}
	case dialog.UseCurl:
		return m.choice.curl(a)
	case dialog.UseEndpoint:
		return m.choice.models(a.Endpoint)
	case dialog.UseModel:
		m.choice.cancel()
		m.stack = m.stack[:0]
		e := a.Endpoint
		e.Model = a.Model
		if cmd, taken := m.screens.shown().Choose(e); taken {
			return cmd
		}
		return tea.Batch(m.screens.broadcast(screen.EndpointChanges{}), m.choice.choose(e))
	default:
		last := len(m.stack) - 1
		d := m.stack[last]
		m.stack = m.stack[:last]
		m.choice.cancel()
		m.dirty = true
		if d.answered != nil {
			return d.answered(a)
		}
	}
	return nil
}

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

func (m *Model) say(s string) tea.Cmd { return m.tell(s, themes.Badge, toastFor) }

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
