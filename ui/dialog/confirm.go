package dialog

import (
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/sanitize"
)

// Confirm is a yes-or-no question. To leave it, also by a click beside it, says no. A
// click on it does nothing, since a yes must be deliberate.
type Confirm struct {
	reader
	title, text string
}

// Confirmed is the answer yes.
type Confirmed struct{}

// questionMost limits the text of a question, in columns.
const questionMost = 900

// NewConfirm returns the question; its text may come from outside.
func NewConfirm(title, text string) *Confirm {
	return &Confirm{reader: reader{keys: askKeys()}, title: title, text: sanitize.Line(text, questionMost)}
}

func (d *Confirm) Do(in keys.Intent) Act {
	if in == keys.Accept {
		return Confirmed{}
	}
	return d.reader.Do(in)
}

func (d *Confirm) Draw(g *draw.Grid, area draw.Rect, gl *themes.Glyphs) {
	const width = 66
	lines := format.Wrap(d.text, max(min(width, area.W)-4, 1))
	box, in := frame(g, area, gl, area.Center(width, len(lines)+4), d.title, "")
	d.box, in = box, air(in)
	for i, s := range lines {
		if i < in.H {
			g.Cut(in.X, in.Y+i, s, gl, themes.Text, in.W)
		}
	}
	if y := len(lines) + 1; y < in.H {
		x := in.X
		for _, h := range keys.Hints(nil, d.keys, gl.ASCII) {
			x += g.Text(x, in.Y+y, h.Key, themes.Key, in.Right()-x)
			x += g.Text(x, in.Y+y, " "+h.Word+"    ", themes.KeyText, in.Right()-x)
		}
	}
}
