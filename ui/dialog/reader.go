package dialog

import "tokscope/ui/keys"

// still is the part of a dialog in which nothing moves and nothing can be typed.
type still struct{}

// Busy implements Dialog.
func (still) Busy() bool { return false }

// Caret implements Dialog.
func (still) Caret() (x, y int, ok bool) { return 0, 0, false }

// Type implements Dialog.
func (still) Type(string, bool) Act { return nil }

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
