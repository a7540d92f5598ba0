package dialog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// Sizes of a picker, in cells.
const (
	listWidth  = 84
	listHeight = 24
	listLeast  = 15 // so that a list keeps its size when it is filled
	sayMost    = 3  // rows of the message: a reason and the next step
	cutRows    = 2  // of a sentence that its row cuts
	nameLeast  = 14
	nameMost   = 34
	partMost   = 400 // of a name or a part of a detail, before it is cut
)

// Draw implements Dialog: the box with the filter line, the rows and the message.
func (l *list) Draw(g *draw.Grid, area draw.Rect, gl *themes.Glyphs) {
	w := cmp.Or(l.width, listWidth)
	if area.W < w+4 {
		w = area.W
	}
	said, under := l.below(w - 4)
	h := l.height(len(l.items), under)
	if l.aside && area.H > h+8 {
		_, area = area.SplitV(-(h + 1))
		_, area = area.SplitH(-(w + 2))
	}
	if l.eager { // as high as what matches; the line of the filter stays at its place
		whole := area.Center(w, h)
		h = min(l.height(len(l.shown), under), whole.H)
		area.Y, area.H = whole.Y, h
	}
	count := ""
	switch n, all := l.matches(), len(l.items); {
	case n != all:
		count = strconv.Itoa(n) + " of " + strconv.Itoa(all)
	case all+6 > min(h, area.H): // not all are visible
		count = strconv.Itoa(n)
	}
	box, in := frame(g, area, gl, w, h, l.title, count)
	l.box, l.rows, l.caretOK = box, draw.Rect{}, false
	if in.Empty() {
		return
	}
	top, rest := in.SplitV(1)
	l.drawFilter(g, top, gl)
	if rest.H > 4 {
		_, rest = rest.SplitV(1)
	}
	rows, foot := rest, draw.Rect{}
	if rest.H > 1 && under > 0 {
		rows, foot = rest.SplitV(-max(min(under, sayMost, rest.H-3), 1))
		if rows.H > 5 {
			rows.H--
		}
	}
	l.rows = rows
	l.first = window(l.first, l.at, rows.H, len(l.shown))
	name := l.nameWidth(rows.W)
	for i := 0; i < rows.H && l.first+i < len(l.shown); i++ {
		l.drawRow(g, draw.Rect{X: rows.X, Y: rows.Y + i, W: rows.W, H: 1}, gl, l.first+i, name)
	}
	if len(l.shown) == 0 && !l.busy && !rows.Empty() {
		l.drawNothing(g, rows, gl)
	}
	l.drawSay(g, foot, gl, said)
}

// height is that of the box for n rows, and under them so many of a message.
func (l *list) height(n, under int) int {
	h := max(n, 2) + 6 // with two, a blank row below the filter has room
	if under > 0 {
		if h += under - 1; h-2 >= airFrom {
			h += 2
		}
	}
	if l.grows && l.busy {
		h = max(h, listLeast)
	}
	return min(h, listHeight)
}

// below returns what stands below the rows, and for how many rows of w columns there is
// room: the message, else in the palette the sentence of the selected row where its row
// cuts it. There the room is the same whichever row is selected.
func (l *list) below(w int) (text string, rows int) {
	text = l.say
	if l.eager {
		name := l.nameWidth(w)
		for i, it := range l.shown {
			if !l.cuts(it, w, name) {
				continue
			}
			rows = cutRows
			if i == l.at && text == "" {
				text = strings.Join(it.detail, ", ")
			}
		}
	}
	if text = sanitize.Line(text, max(sayMost*w, 0)); text != "" || l.busy {
		rows = max(rows, len(format.Wrap(text, w)), 1)
	}
	return text, rows
}

// cuts reports whether a row of w columns has no room for all of the sentence of it.
func (l *list) cuts(it item, w, name int) bool {
	room := w - 2 - name - 2
	if it.key != "" {
		room -= draw.Width(it.key) + 2
	}
	return draw.Width(strings.Join(it.detail, " · ")) > room
}

// drawNothing says in rows that nothing matches, and what can be typed.
func (l *list) drawNothing(g *draw.Grid, rows draw.Rect, gl *themes.Glyphs) {
	g.Text(rows.X+1, rows.Y, "nothing matches", themes.Dim, rows.W-1)
	if l.forms == "" {
		return
	}
	for i, line := range format.Wrap("type "+l.forms, rows.W-1) {
		if i+1 < rows.H {
			g.Cut(rows.X+1, rows.Y+1+i, line, gl, themes.Dim, rows.W-1)
		}
	}
}

// matches is how many items match the filter.
func (l *list) matches() int {
	n := len(l.shown)
	if n > 0 && l.shown[n-1].mark == isOffer {
		n--
	}
	return n
}

func (l *list) drawFilter(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	if l.filter == "" {
		l.caretAt(g, r.X, r.Y)
		g.Cut(r.X+2, r.Y, l.hint, gl, themes.Dim, r.W-2)
		return
	}
	s := l.masked(l.filter)
	for draw.Width(s) > r.W-1 { // the end is the text being typed
		n, _ := draw.Cluster(s)
		s = s[n:]
	}
	n := g.Text(r.X, r.Y, s, themes.Strong, r.W-1)
	l.caretAt(g, r.X+n, r.Y)
}

func (l *list) caretAt(g *draw.Grid, x, y int) {
	drawCaret(g, x, y)
	l.caretX, l.caretY, l.caretOK = x, y, true
}

// nameWidth is the width of the name column. It fits the names, so that the
// details line up, and always leaves room for the details.
func (l *list) nameWidth(w int) int {
	name, detail := nameLeast, false
	for _, it := range l.shown {
		if it.mark != isOffer {
			name = max(name, draw.Width(sanitize.Line(it.name, nameMost)))
		}
		detail = detail || it.detail != nil
	}
	if !detail {
		return w - 3
	}
	return min(name, max(w/2, 12))
}

func (l *list) drawRow(g *draw.Grid, r draw.Rect, gl *themes.Glyphs, i, nameW int) {
	it := l.shown[i]
	text, dim, at := themes.Text, themes.Dim, i == l.at
	if it.dim {
		text = themes.Dim
	}
	if at {
		text, dim = themes.Selected, themes.Selected
		g.Fill(r, ' ', themes.Selected)
		g.Set(r.X, r.Y, gl.Ghost, themes.Selected)
	}
	if it.mark != noMark {
		c, role := it.mark.draw(gl)
		g.Set(r.X+2, r.Y, c, format.Either(at, themes.Selected, role))
	}
	x := r.X + 2
	if slices.ContainsFunc(l.items, func(it item) bool { return it.mark != noMark }) {
		x += 2
	}
	room := r.Right() - x
	if it.key != "" {
		g.Right(r.Right(), r.Y, it.key, format.Either(at, themes.Selected, themes.Key), room)
		room -= draw.Width(it.key) + 2
	}
	most := format.Either(it.detail == nil, room, min(nameW, room))
	write := format.Either(l.terms, g.Cut, g.Name)
	write(x, r.Y, sanitize.Line(it.name, partMost), gl, text, most)
	if it.detail != nil && room > nameW+4 {
		drawDetail(g, draw.Rect{X: x + nameW + 2, Y: r.Y, W: room - nameW - 2, H: 1}, gl, dim, it.detail)
	}
}

// drawDetail writes the parts of a detail; without room an address loses its middle, and
// a sentence its end.
func drawDetail(g *draw.Grid, r draw.Rect, gl *themes.Glyphs, role themes.Role, parts []string) {
	for i, part := range parts {
		write := format.Either(strings.Contains(part, " "), g.Cut, g.Name)
		n := write(r.X, r.Y, sanitize.Line(part, partMost), gl, role, r.W)
		if i < len(parts)-1 {
			n += g.Cut(r.X+n, r.Y, " "+string(gl.Bullet)+" ", gl, role, r.W-n)
		}
		_, r = r.SplitH(n)
	}
}

func (l *list) drawSay(g *draw.Grid, r draw.Rect, gl *themes.Glyphs, text string) {
	if r.Empty() {
		return
	}
	if l.busy {
		frame := 0
		if l.spins != nil {
			frame = l.spins()
		}
		g.Set(r.X, r.Y, gl.Spinner[frame%len(gl.Spinner)], themes.Accent)
		g.Cut(r.X+2, r.Y, text, gl, themes.Dim, r.W-2)
		return
	}
	lines := format.Wrap(text, r.W)
	for i := range min(len(lines), r.H) {
		line := lines[i]
		if i == r.H-1 {
			line = strings.Join(lines[i:], " ")
		}
		g.Cut(r.X, r.Y+i, line, gl, l.role, r.W)
	}
}
