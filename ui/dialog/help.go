package dialog

import (
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
)

// Help is the overlay that lists the keys of a screen. It is made from the key table.
type Help struct {
	reader
	sections []keys.Section // in the order shown
}

// NewHelp returns the overlay, at its top, with these sections.
func NewHelp(table ...keys.Section) *Help {
	d := &Help{sections: table}
	d.keys = readerKeys("?", keys.When(func() bool { return d.last > 0 }, "scroll"), "f1")
	return d
}

const (
	helpWidth = 78  // of a column of the help with the gap to the next, at most
	helpTwo   = 110 // from here on there are two
	helpKey   = 10  // of the key
)

// helpLine is a line of the overlay: a heading, or a key and a part of its
// sentence.
type helpLine struct {
	head, key, text string
}

func helpLines(sections []keys.Section, w int, ascii bool) []helpLine {
	var out []helpLine
	for _, s := range sections {
		if len(out) > 0 {
			out = append(out, helpLine{})
		}
		out = append(out, helpLine{head: s.Name})
		for i := range s.Bindings {
			b := &s.Bindings[i]
			key := b.Name(ascii)
			for _, part := range format.Wrap(b.Help, max(w-helpKey-2, 10)) {
				out = append(out, helpLine{key: key, text: part})
				key = ""
			}
		}
	}
	return out
}

// Draw implements Dialog with one column, or two where they fit.
func (d *Help) Draw(g *draw.Grid, area draw.Rect, gl *themes.Glyphs) {
	cols, width := 1, min(helpWidth, area.W-4)
	if area.W >= helpTwo {
		cols, width = 2, min(helpWidth, (area.W-6)/2)
	}
	lines := helpLines(d.sections, width-1, gl.ASCII)
	split := len(lines)
	for i, l := range lines { // the second column begins with a heading
		if cols == 2 && l.head != "" && max(i, len(lines)-i) < max(split, len(lines)-split) {
			split = i
		}
	}
	rows := max(split, len(lines)-split)
	box, in := frame(g, area, gl, area.Center(cols*width+4, min(rows+4, area.H)), "keys", "")
	in = air(in)
	d.box, d.page, d.last = box, in.H-1, rows-in.H
	d.at = max(min(d.at, d.last), 0)
	hidden := 0
	for c, part := range [...][]helpLine{lines[:split], lines[split:]} {
		col := draw.Rect{X: in.X + c*(in.W/2+1), Y: in.Y, W: in.W/cols - cols + 1, H: 1}
		end := shownTo(part, d.at+in.H)
		for _, l := range part[min(d.at, end):end] {
			drawHelpLine(g, col, gl, l)
			col.Y++
		}
		for _, l := range part[end:] {
			hidden += format.Either(l.key != "", 1, 0)
		}
	}
	switch {
	case hidden > 0:
		drawFoot(g, box, format.Count(hidden)+" more below", themes.Title)
	case d.at > 0:
		drawFoot(g, box, "more above", themes.Title)
	}
}

// shownTo returns how many of lines are shown where n have room: no heading stands
// alone at the end, and no sentence is cut.
func shownTo(lines []helpLine, n int) int {
	n = min(n, len(lines))
	for 0 < n && n < len(lines) && (lines[n-1].head != "" || lines[n].key == "" && lines[n].text != "") {
		n--
	}
	return n
}

func drawHelpLine(g *draw.Grid, r draw.Rect, gl *themes.Glyphs, l helpLine) {
	if l.head != "" {
		g.Text(r.X, r.Y, l.head, themes.Title, r.W)
		return
	}
	g.Right(r.X+helpKey, r.Y, l.key, themes.Key, helpKey)
	g.Cut(r.X+helpKey+2, r.Y, l.text, gl, themes.Text, r.W-helpKey-2)
}
