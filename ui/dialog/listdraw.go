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
	sayMost    = 3 // rows of the message: a reason and the next step
	nameLeast  = 14
	nameMost   = 34
	actionMost = 24  // of the names of actions; a longer one shifts its own sentence
	partMost   = 400 // of a name or a part of a detail, before it is cut
)

// Draw implements Dialog: the box with the filter line, the rows and the message. The box
// is as high as they are, and the line of the filter stays at its place.
func (l *list) Draw(g *draw.Grid, area draw.Rect, gl *themes.Glyphs) {
	w := cmp.Or(l.width, listWidth)
	if area.W < w+4 {
		w = area.W
	}
	said := sanitize.Line(l.say, max(sayMost*(w-4), 0))
	n, under := l.content(w-4, gl), 0
	if said != "" || l.busy {
		under = max(len(format.Wrap(said, w-4)), 1)
	}
	place := area.Center(w, listHeight)
	if most := min(boxHeight(len(l.items), under), listHeight); l.aside && area.H > most+8 {
		_, area = area.SplitV(-(most + 2))
		_, area = area.SplitH(-(w + 4))
		place = area.Inset(2, 1)
	}
	h := boxHeight(n, under)
	count, all := "", len(l.items)
	switch n := l.matches(); {
	case n != all:
		count = strconv.Itoa(n) + " of " + strconv.Itoa(all)
	case h > place.H: // not all are visible
		count = strconv.Itoa(n)
	}
	place.H = min(h, place.H)
	box, in := frame(g, area, gl, place, l.title, count)
	l.box, l.rows, l.caretOK = box, draw.Rect{}, false
	if in.Empty() {
		return
	}
	top, rest := in.SplitV(1)
	l.drawFilter(g, top, gl)
	if rest.H > min(n+under, 4) {
		_, rest = rest.SplitV(1)
	}
	rows, foot := rest, draw.Rect{}
	if rest.H > 1 && under > 0 {
		rows, foot = rest.SplitV(-max(min(under, sayMost, rest.H-min(n+1, 3)), 1))
		if rows.H > min(n, 5) {
			rows.H--
		}
	}
	l.rows = rows
	l.drawRows(g, rows, gl)
	l.drawSay(g, foot, gl, said)
}

// boxHeight is that of the box around n rows, and under them so many of a message.
func boxHeight(n, under int) int {
	if n += 4; under > 0 { // borders, the filter, a blank row
		n += under + 1
	}
	return n
}

// content is how many rows of w columns there are to show: those that match, the selected
// one with all of its sentence, or that nothing does.
func (l *list) content(w int, gl *themes.Glyphs) int {
	l.wrapped = 0
	it, ok := l.selected()
	if !ok {
		return max(len(l.nothing(w)), 1)
	}
	if l.eager {
		_, at := l.columns(it, draw.Rect{W: w, H: 1}, l.nameWidth(w))
		l.wrapped = min(len(format.Wrap(sentence(it, gl), at.W)), sayMost) - 1
	}
	return len(l.shown) + l.wrapped
}

// sentence is what a row of the palette says after its name.
func sentence(it item, gl *themes.Glyphs) string {
	return sanitize.Line(strings.Join(it.detail, " "+string(gl.Bullet)+" "), partMost)
}

// nothing says in rows of w columns that nothing matches, and what can be typed.
func (l *list) nothing(w int) []string {
	if l.busy {
		return nil
	}
	out := []string{"nothing matches"}
	if l.forms != "" {
		out = append(out, format.Wrap("type "+l.forms, w)...)
	}
	return out
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
	name, most, detail := nameLeast, nameMost, false
	if l.eager {
		name, most = 0, actionMost
	}
	for _, it := range l.shown {
		if it.mark != isOffer {
			name = max(name, draw.Width(sanitize.Line(it.name, most)))
		}
		detail = detail || it.detail != nil
	}
	if !detail {
		return w - 3
	}
	return min(name, max(w/2, 12))
}

// columns returns where the name of it stands in row r, and its detail, where the column
// of names has that width.
func (l *list) columns(it item, r draw.Rect, names int) (name, detail draw.Rect) {
	_, r = r.SplitH(format.Either(slices.ContainsFunc(l.items, func(it item) bool { return it.mark != noMark }), 4, 2))
	if it.key != "" {
		r, _ = r.SplitH(-(draw.Width(it.key) + 2))
	}
	if it.detail == nil {
		return r, detail
	}
	if l.eager {
		names = max(names, draw.Width(sanitize.Line(it.name, nameMost)))
	}
	name, r = r.SplitH(names)
	_, detail = r.SplitH(2)
	return name, detail
}

// drawRows draws the rows around the selected one, or that there is none.
func (l *list) drawRows(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	if len(l.shown) == 0 {
		for i, line := range l.nothing(r.W - 1) {
			if i < r.H {
				g.Cut(r.X+1, r.Y+i, line, gl, themes.Dim, r.W-1)
			}
		}
		return
	}
	l.wrapped = max(min(l.wrapped, r.H-1), 0)
	l.first = draw.Scroll(l.first, l.at, r.H-l.wrapped, len(l.shown))
	names := l.nameWidth(r.W)
	for i := l.first; i < len(l.shown) && !r.Empty(); i++ {
		var row draw.Rect
		row, r = r.SplitV(format.Either(i == l.at, 1+l.wrapped, 1))
		l.drawRow(g, row, gl, i, names)
	}
}

func (l *list) drawRow(g *draw.Grid, r draw.Rect, gl *themes.Glyphs, i, names int) {
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
	if it.key != "" {
		g.Right(r.Right(), r.Y, it.key, format.Either(at, themes.Selected, themes.Key), r.W-2)
	}
	name, detail := l.columns(it, r, names)
	write := format.Either(l.terms, g.Cut, g.Name)
	write(name.X, r.Y, sanitize.Line(it.name, partMost), gl, text, name.W)
	switch {
	case r.H > 1:
		drawLines(g, detail, gl, dim, sentence(it, gl))
	case detail.W > 2:
		drawDetail(g, detail, gl, dim, it.detail)
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
	drawLines(g, r, gl, l.role, text)
}

// drawLines writes text in the rows of r, and cuts it in the last one.
func drawLines(g *draw.Grid, r draw.Rect, gl *themes.Glyphs, role themes.Role, text string) {
	lines := format.Wrap(text, r.W)
	for i := range min(len(lines), r.H) {
		line := lines[i]
		if i == r.H-1 {
			line = strings.Join(lines[i:], " ")
		}
		g.Cut(r.X, r.Y+i, line, gl, role, r.W)
	}
}
