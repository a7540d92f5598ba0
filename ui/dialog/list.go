package dialog

import (
	"cmp"
	"slices"
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
