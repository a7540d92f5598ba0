package ui

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/keys"
	"tokscope/ui/sanitize"
)

// Widths that outside strings may take in the header.
const (
	nameMost  = 32
	modelMost = 48
	badgeMost = 32
)

// tabsFrom is the width of the header from which it names the screens.
const tabsFrom = 70

// drawHeader draws brand, state, endpoint, model, the next run's workload,
// warnings, and the way to the help. What finds no room is left out, the
// workload first, then the model's end; warnings never.
func (m *Model) drawHeader(r draw.Rect) {
	if r.Empty() {
		return
	}
	g, e := m.grid, m.view.Endpoint
	right := m.headerRight(r)
	if m.explain.on {
		m.engineHeader(r, right)
		return
	}
	x := r.X + 1
	if r.W >= 60 {
		x += g.Text(x, r.Y, "tokscope", themes.Accent, right-x) + 2
	}
	sign, role := m.stateSign()
	g.Set(x, r.Y, sign, role)
	x += 2
	x = m.drawPart(x, r.Y, sanitize.Line(e.Name, nameMost), themes.Strong, right-x, keys.PickEndpoint) + 2
	served := m.view.Stream.Model
	if m.elsewhere() {
		served = ""
	}
	if model := sanitize.Line(modelWords(e, served), modelMost); model != "" {
		x = m.drawPart(x, r.Y, model, themes.Ink, right-x, keys.PickModel) + 2
	}
	for _, w := range m.workWords() {
		if x+draw.Width(w)+1 <= right {
			m.drawPart(x, r.Y, w, themes.Dim, right-x, keys.EditPrompt)
			break
		}
	}
}

// headerRight draws what stands at the right and returns where it begins.
func (m *Model) headerRight(r draw.Rect) int {
	x := r.Right()
	put := func(s string, role themes.Role, do keys.Intent) {
		w := draw.Width(s)
		if x-w < r.X+8 {
			return
		}
		x -= w
		m.drawPart(x, r.Y, s, role, w, do)
		x -= 2
	}
	if r.W >= 30 {
		put("? help", themes.KeyText, keys.Help)
		if x < r.Right() {
			m.grid.Set(x+2, r.Y, '?', themes.Key)
		}
	}
	m.tabs(r, func(s string, on bool, do keys.Intent) {
		role := themes.KeyText
		if on {
			role = themes.Badge
		}
		put(s, role, do)
		x += 2 // tabs touch
	})
	if m.load.back != nil || m.explain.back != nil {
		x -= 2
	}
	if l := &m.load; l.lane == 0 && !l.on && !m.explain.on && l.view.Load.Running {
		put(" "+plural(l.view.Load.Users, "user", "users")+" at load ", themes.Alert, keys.ToLoad)
	}
	if m.load.lane > 0 {
		put(" user "+strconv.Itoa(m.load.lane)+" of the load ", themes.Badge, keys.Close)
	}
	if b := m.view.Endpoint.Badge; b != "" {
		put(" "+sanitize.Line(b, badgeMost)+" ", themes.Alert, keys.None)
	}
	if m.view.Frozen {
		put(" frozen ", themes.Badge, keys.Freeze)
	}
	if m.mouse && r.W >= 100 {
		put("mouse on", themes.Dim, keys.Mouse)
	}
	return x
}

// linked writes s and makes it clickable; it returns the column behind it.
func (h *Model) drawPart(x, y int, s string, role themes.Role, room int, p keys.Intent) int {
	n := h.grid.Cut(x, y, s, h.glyphs, role, room)
	if p != keys.None && n > 0 && len(h.dialogs) == 0 {
		h.places = append(h.places, place{draw.Rect{X: x, Y: y, W: n, H: 1}, p})
	}
	return x + n
}

// stateSign shows the state by shape and colour.
func (v *Model) stateSign() (rune, themes.Role) {
	gl := v.glyphs
	if v.load.on {
		if v.load.view.Load.Running && !v.load.view.Load.Holding {
			return gl.Dot, themes.Good
		}
		return gl.Ring, themes.Dim
	}
	if v.elsewhere() {
		return gl.Ring, themes.Dim
	}
	switch v.phase {
	case metrics.Connecting:
		return gl.Ring, themes.Network
	case metrics.Waiting:
		return gl.Ring, themes.Prefill
	case metrics.Decoding:
		return gl.Dot, themes.Good
	case metrics.Done:
		if gl.ASCII {
			return '+', themes.Good // a letter would read as part of the name
		}
		return gl.Check, themes.Good
	case metrics.Failed:
		return gl.Fail, themes.Bad
	case metrics.Truncated:
		return gl.Fail, themes.Warn
	case metrics.Cancelled:
		return gl.Fail, themes.Dim
	}
	return gl.Ring, themes.Dim
}

// elsewhere reports whether the run on the screen was that of another endpoint
// than the one that was chosen since: its end says nothing about this one.
func (m *Model) elsewhere() bool {
	s := &m.view.Stream
	return s.State.Ended() && s.Endpoint.URL != m.view.Endpoint.URL
}

// modelWords names the model: what was asked for, else what the server says.
func modelWords(e metrics.Endpoint, served string) string {
	if e.Model != "" {
		return e.Model
	}
	return served
}

// workWords is the workload of the next run in a few words, and in fewer; while
// a load is shown that runs, its own: that is what the figures are of.
func (m *Model) workWords() [3]string {
	w := m.editing()
	var in, out metrics.Lengths
	switch l := &m.load; {
	case l.on && l.view.Load.Running || l.lane > 0 && l.view.Load.Work.Prompt != "":
		// Also above one user's stream: it is what was sent.
		w, in, out = &l.view.Load.Work, l.view.Load.Input, l.view.Load.Output
	case l.on:
		in, out = l.input, l.output
	}
	name, length := sanitize.Line(w.Name, nameMost), "open length"
	switch {
	case out.Varies():
		length = "up to " + m.lengths(out) + " tokens"
	case w.MaxTokens > 0:
		length = "up to " + strconv.Itoa(w.MaxTokens) + " tokens"
	}
	dot := " " + string(m.glyphs.Bullet) + " "
	short := name
	if in.Varies() { // the lengths say more than the name
		length = m.lengths(in) + " in" + dot + length
		short = length
	}
	all := name + dot + length
	if w.Connection != metrics.ReuseAuto {
		all += dot + w.Connection.String()
	}
	return [3]string{all, name + dot + length, short}
}

// lengthsMost is what a list of lengths may take in the header.
const lengthsMost = 24

// lengths writes l with the glyphs that there are.
func (m *Model) lengths(l metrics.Lengths) string {
	s := sanitize.Line(l.String(), lengthsMost)
	if m.glyphs.ASCII {
		s = string(draw.AppendASCII(nil, s))
	}
	return s
}
