package dialog

import (
	"cmp"
	"slices"
	"strings"

	"tokscope/themes"
	"tokscope/ui/draw"
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
	extra  func(filter string) (item, bool) // a row made from the filter, when nothing matches exactly
	rank   func(filter string, it item) int // orders what matches, highest first; 0 does not match. nil: all words match
	whole  bool                             // an item whose whole name was typed is selected
	filter string
	shown  []item
	at     int
	first  int

	busy   bool
	say    string // a line below the rows
	judges bool   // say is about what was typed
	role   themes.Role
	spins  func() int // returns the spinner's frame

	width int       // of the box
	aside bool      // in the lower right corner, so that the screen stays visible
	grows bool      // is filled later, and has lines below its rows
	rows  draw.Rect // where the rows were drawn
	box   draw.Rect

	caretX, caretY int
	caretOK        bool
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
	words := strings.Fields(strings.ToLower(l.filter))
	exact := false
	var ranks []ranked
	for _, it := range l.items {
		switch {
		case l.rank != nil:
			if n := l.rank(l.filter, it); n > 0 {
				ranks = append(ranks, ranked{it, n})
			}
		case all(words, strings.ToLower(it.name+" "+strings.Join(it.detail, " ")+" "+it.group)):
			l.shown = append(l.shown, it)
		}
		exact = exact || strings.EqualFold(it.name, strings.TrimSpace(l.filter))
	}
	slices.SortStableFunc(ranks, func(a, b ranked) int { return cmp.Compare(b.rank, a.rank) })
	for _, r := range ranks {
		l.shown = append(l.shown, r.item)
	}
	if l.extra != nil && l.filter != "" && !exact {
		if it, ok := l.extra(strings.TrimSpace(l.filter)); ok {
			l.shown = append(l.shown, it)
		}
	}
	l.at = min(l.at, max(len(l.shown)-1, 0))
	for i, it := range l.shown {
		if it.name == was {
			l.at = i
			break
		}
	}
}

func all(words []string, text string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// seek selects the first item for which match is true, or leaves the first
// one selected.
func (l *list) seek(match func(item) bool) {
	for i, it := range l.shown {
		if match(it) {
			l.at = i
			return
		}
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
	l.refresh()
}

// typed appends to the filter and selects the best match.
func (l *list) typed(s string) {
	s = sanitize.Line(s, filterMax)
	if s == "" {
		s = " "
	}
	if len(l.filter)+len(s) > filterMax {
		return
	}
	l.setFilter(strings.TrimLeft(l.filter+s, " "))
	l.at = 0
	if name := strings.TrimSpace(l.filter); l.whole {
		l.seek(func(it item) bool { return strings.EqualFold(it.name, name) })
	}
}

func (l *list) wheel(n int) {
	l.at = min(max(l.at+n, 0), max(len(l.shown)-1, 0))
}

// click selects the row at y. again reports a click on the selected row,
// outside one beside the box.
func (l *list) click(x, y int) (again, outside bool) {
	if !l.box.Contains(x, y) {
		return false, true
	}
	if !l.rows.Contains(x, y) {
		return false, false
	}
	i := l.first + y - l.rows.Y
	if i >= len(l.shown) {
		return false, false
	}
	again = i == l.at
	l.at = i
	return again, false
}
