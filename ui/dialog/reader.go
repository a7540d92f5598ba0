package dialog

import (
	"tokscope/ui/draw"
	"tokscope/ui/keys"
)

// still is the part of a dialog in which nothing moves and nothing can be typed.
type still struct{}

func (still) Busy() bool                 { return false }
func (still) Caret() (x, y int, ok bool) { return 0, 0, false }
func (still) Type(string, bool) Act      { return nil }

// scrolled returns the row that in leads to from row at, by pages of that many rows,
// within 0 and last. ok is false where in does not scroll.
func scrolled(in keys.Intent, at, page, last int) (to int, ok bool) {
	page = max(page, 1)
	switch in {
	case keys.Up:
		at--
	case keys.Down:
		at++
	case keys.PageUp:
		at -= page
	case keys.PageDown:
		at += page
	case keys.Home:
		at = 0
	case keys.End:
		at = last
	default:
		return at, false
	}
	return max(min(at, last), 0), true
}

// reader is a dialog that is only read, by rows.
type reader struct {
	still
	keys           []keys.Binding
	at, page, last int       // the row, and those of a page and the end, as drawn
	box            draw.Rect // as drawn
}

func (d *reader) Bindings() []keys.Binding { return d.keys }

func (d *reader) Do(in keys.Intent) Act {
	if in == keys.Close {
		return Closed{}
	}
	d.at, _ = scrolled(in, d.at, d.page, d.last)
	return nil
}

// Click implements Dialog. A click beside the box closes the dialog.
func (d *reader) Click(x, y int) Act {
	if !d.box.Contains(x, y) {
		return Closed{}
	}
	return nil
}

func (d *reader) Wheel(n int) Act {
	d.at = max(min(d.at+n, d.last), 0)
	return nil
}
