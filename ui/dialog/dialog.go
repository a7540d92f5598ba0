package dialog

import (
	"cmp"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
)

// Dialog is a dialog as the root sees it.
type Dialog interface {
	// Bindings are its keys. The slice is the same each time.
	Bindings() []keys.Binding
	// Do carries out an intent of its keys.
	Do(keys.Intent) Act
	// Type takes printable text, typed or pasted.
	Type(text string, pasted bool) Act
	// Click handles a click on a cell of the grid. Wheel handles n rows of the
	// wheel, down positive.
	Click(x, y int) Act
	Wheel(n int) Act
	// Draw draws the dialog into area, which it may cover.
	Draw(g *draw.Grid, area draw.Rect, gl *themes.Glyphs)
	// Caret is the text position in the last frame; ok is false when nothing
	// can be typed. Input methods open their window there.
	Caret() (x, y int, ok bool)
	// Busy reports whether something in it moves (a spinner).
	Busy() bool
}

// Act is a dialog's request to its opener; nil requests nothing.
type Act any

// Closed reports that the dialog was left without a choice.
type Closed struct{}

// RunPrompt closes the dialog and sends a request with this workload.
type RunPrompt struct{ Work metrics.Workload }

// UseEndpoint reports the chosen endpoint; the choice of its model follows.
type UseEndpoint struct{ Endpoint metrics.Endpoint }

// UseModel reports the chosen model, "" for the server's first.
type UseModel struct {
	Endpoint metrics.Endpoint
	Model    string
}

// PreviewTheme shows this theme while the picker is open.
type PreviewTheme struct{ Name string }

// UseTheme keeps this theme and closes the picker.
type UseTheme struct{ Name string }

// airFrom is the inner height from which a box has a blank row at top and
// bottom.
const airFrom = 12

// caret is the place of the caret in the last frame.
type caret struct {
	x, y  int
	shown bool
}

func (c *caret) Caret() (x, y int, ok bool) { return c.x, c.y, c.shown }

func (c *caret) mark(g *draw.Grid, x, y int) {
	*c = caret{x, y, true}
	under, _ := g.At(x, y)
	under = cmp.Or(under, " ")
	g.Text(x, y, under, themes.Badge, max(draw.Width(under), 1))
}

// frame draws a box in area, whose rows beside it and one above and below are blank, and
// returns it and its inside. A box that nearly fills the width takes all of it; where a border does
// not fit, the whole box is the inside.
func frame(g *draw.Grid, area draw.Rect, gl *themes.Glyphs, box draw.Rect, title, right string) (drawn, in draw.Rect) {
	if area.W-box.W < 4 {
		box.X, box.W = area.X, area.W
	}
	g.Fill(area.Intersect(draw.Rect{X: area.X, Y: box.Y - 1, W: area.W, H: box.H + 2}), ' ', themes.Text)
	if box.W < 8 || box.H < 3 {
		return box, box
	}
	g.Box(box, gl, themes.BorderFocus, title, themes.Title, right)
	return box, box.Inner()
}

// air leaves the first and the last row of the inside of a box blank, where it has room.
func air(in draw.Rect) draw.Rect {
	return format.Either(in.H < airFrom, in, in.Inset(0, 1))
}

// drawFoot writes text into the lower border of a box, where it has room.
func drawFoot(g *draw.Grid, box draw.Rect, text string, role themes.Role) {
	if n := draw.Width(text); n > 0 && n+8 < box.W {
		g.Text(box.Right()-n-5, box.Bottom()-1, " "+text+" ", role, n+2)
	}
}

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
