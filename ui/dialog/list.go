package dialog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/sanitize"
)

// item is one row of a list. Its strings come from outside.
type item struct {
	name   string
	detail []string // joined by bullets
	mark   mark
	dim    bool   // visible, but not selectable
	group  string // matched by the filter, not shown
	key    string // at the right end of the row; "" for none
	value  any
}

// mark is the sign before a row.
type mark uint8

const (
	noMark  mark = iota
	isReady      // can be used
	notReady
	isCurrent // in use now
	isOffer   // made from typed text
)

func (m mark) draw(gl *themes.Glyphs) (rune, themes.Role) {
	switch m {
	case isReady, isCurrent:
		return gl.Dot, themes.Good
	case notReady:
		return gl.Ring, themes.Dim
	case isOffer:
		return gl.Right, themes.Accent
	}
	return ' ', themes.Text
}

// list is a filtered, scrolled column of items, the inside of every picker.
type list struct {
	title  string
	hint   string // explains typing, while the filter is empty
	forms  string // what can be typed, shown where nothing matches; "" for none
	items  []item
	eager  bool                             // the palette: a changed filter selects the first row, a click chooses one
	extra  func(filter string) (item, bool) // a row made from the filter, when nothing matches exactly
	rank   func(filter string, it item) int // orders what matches, highest first; 0 does not match. nil: all words match
	whole  bool                             // an item whose whole name was typed is selected
	filter string
	shown  []item
	at     int
	first  int

	busy   bool
	say    string // a line below the rows
	judges bool   // say is about what was typed, or about the row that it selects
	terms  bool   // rows are figures, which lose their end; names lose their middle
	role   themes.Role
	spins  func() int // returns the spinner's frame

	commands bool // a command is taken as it is typed or pasted, and goes to extra

	width int       // of the box
	aside bool      // in the lower right corner, so that the screen stays visible
	rows  draw.Rect // where the rows were drawn
	box   draw.Rect

	wrapped int // further rows of the selected one, as drawn

	caret
}

const filterMax = 200

// ranked is an item with its place among those that match.
type ranked struct {
	item
	rank int
}

// refresh rebuilds the visible rows. It keeps the selected row at its place
// when it still exists.
func (l *list) refresh() {
	var was string
	if l.at < len(l.shown) {
		was = l.shown[l.at].name
	}
	l.shown = l.shown[:0]
	rank, exact := format.Either(l.rank != nil, l.rank, rankWords), false
	var ranks []ranked
	for _, it := range l.items {
		if n := rank(l.filter, it); n > 0 {
			ranks = append(ranks, ranked{it, n})
		}
		exact = exact || strings.EqualFold(it.name, strings.TrimSpace(l.filter))
	}
	slices.SortStableFunc(ranks, func(a, b ranked) int { return cmp.Compare(b.rank, a.rank) })
	for _, r := range ranks {
		l.shown = append(l.shown, r.item)
	}
	if l.extra != nil && l.filter != "" && !exact {
		typed := l.filter
		if !l.commands {
			typed = l.masked(typed)
		}
		if it, ok := l.extra(strings.TrimSpace(typed)); ok {
			l.shown = append(l.shown, it)
		}
	}
	l.at = min(l.at, max(len(l.shown)-1, 0))
	l.seek(func(it item) bool { return it.name == was })
}

// rankWords is 1 where every word of filter is somewhere in it, else 0.
func rankWords(filter string, it item) int {
	text := strings.ToLower(it.name + " " + strings.Join(it.detail, " ") + " " + it.group)
	lacks := func(word string) bool { return !strings.Contains(text, word) }
	return format.Either(slices.ContainsFunc(strings.Fields(strings.ToLower(filter)), lacks), 0, 1)
}

// seek selects the first item for which match is true, if there is one.
func (l *list) seek(match func(item) bool) {
	if i := slices.IndexFunc(l.shown, match); i >= 0 {
		l.at = i
	}
}

func (l *list) selected() (item, bool) {
	if l.at < 0 || l.at >= len(l.shown) {
		return item{}, false
	}
	return l.shown[l.at], true
}

// move carries out the intents that move or filter. It returns false for all
// others.
func (l *list) move(in keys.Intent) bool {
	switch in {
	case keys.DeleteBack:
		l.setFilter(l.filter[:len(l.filter)-draw.LastCluster(l.filter)])
	case keys.DeleteWord:
		s := strings.TrimRight(l.filter, " ")
		l.setFilter(s[:strings.LastIndexByte(s, ' ')+1])
	case keys.Clear:
		l.setFilter("")
	default:
		var moves bool
		l.at, moves = scrolled(in, l.at, l.rows.H-1, len(l.shown)-1)
		return moves
	}
	return true
}

func (l *list) setFilter(s string) {
	if l.filter = s; l.judges {
		l.say = "" // what was wrong is no longer said
	}
	if l.refresh(); l.eager {
		l.at = 0
	}
}

// typed appends to the filter and selects the best match.
func (l *list) typed(s string) {
	if l.commands && l.secretive(l.filter+s) {
		s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s) // terminals paste line ends so
		if len(l.filter)+len(s) <= curlMost {
			l.setFilter(l.filter + s)
		}
		return
	}
	s = cmp.Or(sanitize.Line(s, filterMax), " ")
	if len(l.filter)+len(s) > filterMax {
		return
	}
	l.setFilter(strings.TrimLeft(l.filter+s, " "))
	l.at = 0
	if name := strings.TrimSpace(l.filter); l.whole {
		l.seek(func(it item) bool { return strings.EqualFold(it.name, name) })
	}
}

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
	l.box, l.rows, l.caret = box, draw.Rect{}, caret{}
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

func (l *list) matches() int {
	n := len(l.shown)
	if n > 0 && l.shown[n-1].mark == isOffer {
		n--
	}
	return n
}

func (l *list) drawFilter(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	if l.filter == "" {
		l.mark(g, r.X, r.Y)
		g.Cut(r.X+2, r.Y, l.hint, gl, themes.Dim, r.W-2)
		return
	}
	s := l.masked(l.filter)
	for draw.Width(s) > r.W-1 { // the end is the text being typed
		n, _ := draw.Cluster(s)
		s = s[n:]
	}
	n := g.Text(r.X, r.Y, s, themes.Strong, r.W-1)
	l.mark(g, r.X+n, r.Y)
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
