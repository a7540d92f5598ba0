package dialog

import (
	"fmt"
	"strings"

	"tokscope/themes"
	"tokscope/ui/dialog/edit"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// Sizes of the editor, in cells: lines longer than about 90 characters are
// hard to read.
const (
	editorWidth = 100
	editorLeast = 14
	editorMost  = 30
)

func (d *Editor) Draw(g *draw.Grid, area draw.Rect, gl *themes.Glyphs) {
	text := d.buf.String()
	about := "about " + format.Count(AboutTokens(text))
	if prose := d.prose(gl); prose != "" {
		about += " + " + prose
	}
	count := fmt.Sprintf("%s characters ─ %s tokens", format.Count(d.buf.Len()), about)
	if area.W < 60 {
		count = about + " tokens"
	}
	if d.sendsMessages() {
		count = "an edit replaces them"
	}
	h := min(max(area.H*6/10, editorLeast), editorMost)
	box, in := frame(g, area, gl, area.Center(editorWidth, h), "prompt", count)
	in = air(in)
	d.box, d.text, d.tabs, d.caretOK = box, draw.Rect{}, d.tabs[:0], false
	if in.Empty() {
		return
	}
	if in.H >= 3 {
		var top draw.Rect
		top, in = in.SplitV(1)
		d.drawTabs(g, top, gl)
		if in.H >= 5 {
			_, in = in.SplitV(1)
		}
	}
	rows := format.Either(d.lengths.on, lengthsRows, 1)
	if in.H >= 2+rows {
		var foot draw.Rect
		in, foot = in.SplitV(-rows)
		d.drawFoot(g, foot, gl)
		if in.H >= 5 {
			in, _ = in.SplitV(-1)
		}
	}
	d.text = in
	d.drawText(g, in, gl)
}

// drawTabs draws the presets and the person's own text, the shown one filled.
// Where they do not fit, the row begins one tab before the shown one.
func (d *Editor) drawTabs(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	names := make([]string, 0, len(d.presets)+1)
	for _, p := range d.presets {
		names = append(names, p.Name)
	}
	if d.hasCustom {
		names = append(names, "yours")
	}
	from := 0
	for from < d.at && draw.Width(strings.Join(names[from:d.at+1], "   "))+2 > r.W {
		from++
	}
	x := r.X
	for i := from; i < len(names); i++ {
		w := draw.Width(names[i]) + 2
		if x+w > r.Right() {
			g.Set(r.Right()-1, r.Y, gl.Ellipsis, themes.Dim)
			return
		}
		g.Text(x, r.Y, " "+names[i]+" ", format.Either(i == d.at, themes.Badge, themes.KeyText), w)
		d.tabs = append(d.tabs, span{draw.Rect{X: x, Y: r.Y, W: w, H: 1}, i})
		x += w + 1
	}
}

// drawFoot describes the request around the text.
func (d *Editor) drawFoot(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	if d.lengths.on && d.buf.Len() > 0 {
		d.drawLengths(g, r, gl)
		return
	}
	w := d.now
	_, _, _, _ = d.Keep(&w) // an unchanged text keeps the length of now
	out := "the server decides how long the answer is"
	if w.MaxTokens > 0 {
		out = "up to " + format.Count(w.MaxTokens) + " tokens out"
	}
	if w.InputTokens > 0 {
		out = "about " + format.Count(w.InputTokens) + " tokens of prose are added before it " + string(gl.Bullet) + " " + out
	}
	if d.at < len(d.presets) && draw.Width(out)+draw.Width(d.presets[d.at].About)+3 <= r.W {
		out += " " + string(gl.Bullet) + " " + d.presets[d.at].About
	}
	role := themes.Dim
	if d.buf.Len() == 0 {
		out, role = "an empty prompt cannot be sent", themes.Warn
	}
	g.Cut(r.X, r.Y, out, gl, role, r.W)
}

// drawText draws the rows around the caret, and the caret.
func (d *Editor) drawText(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	bar := r.W > 10
	width := r.W - 1 // the caret needs a cell behind a full row
	if bar {
		width -= 2
	}
	d.buf.Wrap(width)
	rows, at := d.buf.Rows(), d.buf.CaretRow()
	d.first = draw.Scroll(d.first, at, r.H, len(rows))
	for y := 0; y < r.H && d.first+y < len(rows); y++ {
		x := r.X
		for _, c := range d.buf.Clusters(rows[d.first+y]) {
			s, w := edit.Show(c)
			if x+w > r.X+width {
				break
			}
			g.Text(x, r.Y+y, s, format.Either(s != c && c != "\t", themes.Substitute, themes.Text), w)
			x += w
		}
	}
	if bar && len(rows) > r.H {
		d.drawBar(g, draw.Rect{X: r.Right() - 1, Y: r.Y, W: 1, H: r.H}, gl, len(rows))
	}
	if d.field() != nil {
		return // the caret is at this place
	}
	x, y := r.X+min(d.buf.CaretX(), width), r.Y+at-d.first
	drawCaret(g, x, y)
	d.caretX, d.caretY, d.caretOK = x, y, true
}

// drawBar draws a scroll bar: the position of the shown rows in the text.
func (d *Editor) drawBar(g *draw.Grid, r draw.Rect, gl *themes.Glyphs, n int) {
	size := max(r.H*r.H/n, 1)
	top := d.first * (r.H - size) / max(n-r.H, 1)
	for i := range r.H {
		c, role := gl.V, themes.Faint
		if i >= top && i < top+size {
			c, role = gl.Block, themes.Border
		}
		g.Set(r.X, r.Y+i, c, role)
	}
}

// AboutTokens estimates the tokens of a text: four characters of Latin script
// a token, one for every other character. It is accurate to about a third and
// always shown as "about".
func AboutTokens(s string) int {
	latin, other := 0, 0
	for _, r := range s {
		if r < 0x250 {
			latin++
		} else {
			other++
		}
	}
	return (latin+3)/4 + other
}
