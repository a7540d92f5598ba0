package live

import (
	"strings"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// bigRows is the height of a big figure: its label with the unit, the number,
// its context.
const bigRows = 1 + draw.BigHeight + 1

// nowPanel shows the present values: three figures and, below, what they rest on.
func (p *canvas) nowPanel(r draw.Rect) {
	title, span := p.nowTitle(), p.trends.span(p)
	about := r.H >= bigRows+5 && draw.Width(title)+draw.Width(span)+9 <= r.W // trendRow has a row
	in := p.box(r, title, format.If(about, span))
	figs := [...]headline{p.ttft(), p.tpot(), p.speed()}
	y := len(figs)
	switch {
	case in.H < len(figs): // speed says as much as TPOT
		p.listFigures(in, []headline{figs[0], figs[2]})
	case in.W >= columnsFrom && in.H >= bigRows+3:
		p.bigFigures(in, figs[:])
		p.trendRow(in, bigRows)
		y = bigRows + 1
	default:
		p.listFigures(in, figs[:])
	}
	_, rest := in.SplitV(y)
	p.facts(rest)
}

// nowTitle is the name of the panel, or whose figures it shows.
func (p *canvas) nowTitle() string {
	if p.v.Other == "" {
		return "figures"
	}
	return p.Join("last run: ", p.v.Other)
}

// figureColumns are the widths of the three figures. Each fits four big
// digits; speed gets the rest, since its unit is the longest.
func figureColumns(w int) [3]int {
	a, b := w/3, w/3
	if w < 44 {
		a, b = 13, 11 // "p50 42.0 n=3", "p99 – n=39"
	}
	return [3]int{a, b, w - a - b}
}

// figureGap is how many columns separate two big figures at least.
const figureGap = 3

// bigFigures draws the numbers three rows high.
func (p *canvas) bigFigures(in draw.Rect, figs []headline) {
	x := in.X
	for i, w := range figureColumns(in.W) {
		f := &figs[i]
		l := p.Line(x, in.Y, w)
		l.Write(themes.Title, f.label)
		l.Skip(1)
		if !f.about || !l.Whole(themes.Unit, p.Join(f.unit, " est.")) {
			l.Whole(themes.Unit, f.unit)
		}
		if i+1 < len(figs) && figs[i+1].num != draw.Unknown {
			f.num = p.shorter(f.num, w-figureGap)
		}
		if num, more := strings.CutPrefix(f.num, ">"); draw.BigWidth(num, p.Glyphs) <= w-3 && more {
			p.Grid.Set(x, in.Y+2, '>', f.role)
			p.Grid.Big(x+2, in.Y+1, num, p.Glyphs, f.role, w-3)
		} else if draw.BigWidth(f.num, p.Glyphs) <= w-1 {
			p.Grid.Big(x, in.Y+1, f.num, p.Glyphs, f.role, w-1)
		} else {
			l = p.Line(x, in.Y+2, w-1)
			l.Whole(f.role, f.num)
		}
		x += w
	}
	p.belows(in, 1+draw.BigHeight, figs)
}

// belows writes what belongs to each figure below it. A text may run on under
// the figures after it that have none, and a reason that several figures share
// is written once.
func (p *canvas) belows(in draw.Rect, row int, figs []headline) {
	if row >= in.H {
		return
	}
	widths := figureColumns(in.W)
	x, end := in.X, in.Right()
	if in.W < 44 {
		end++ // "reading >999x" may take the blank before the border
	}
	for i := range figs {
		text := figs[i].below
		if text == "" || i > 0 && text == figs[i-1].below {
			x += widths[i]
			continue
		}
		room := end - x
		next := x + widths[i]
		for j := i + 1; j < len(figs); j++ {
			if b := figs[j].below; b != "" && b != figs[j-1].below {
				room = next - x - 1
				break
			}
			next += widths[j]
		}
		if figs[i].brief != "" && draw.Width(text) > room {
			text = figs[i].brief
		}
		l := p.Line(x, in.Y+row, room)
		l.Cut(themes.Dim, text)
		x += widths[i]
	}
}

// write puts the number and its unit into a row. An estimate is "~190". Without room for
// both it writes nothing. A number of which nothing can be known yet is blank.
func (f *headline) write(p *canvas, l *line) {
	if f.num == "" || draw.Width(f.num)+1+draw.Width(f.unit) > l.Left() {
		return
	}
	l.Write(f.role, p.Join(format.If(f.about, "~"), f.num))
	l.Skip(1)
	l.Whole(themes.Unit, f.unit)
}

// listFigures draws each number in a row of its own, with its context behind it.
func (p *canvas) listFigures(in draw.Rect, figs []headline) {
	for i := range figs {
		f, l := &figs[i], p.Row(in, i)
		l.Slot(themes.Title, f.label, LabelRoom)
		at := l.X + figureRoom
		if p.boxless { // "~12,345 tok/s "
			at += 2
		}
		f.write(p, &l)
		l.To(at)
		_ = f.below != "" && l.Whole(themes.Dim, f.below) || l.Whole(themes.Dim, f.brief)
	}
}

// figureRoom is the width of a number with its unit and a blank in a row: "~1,234 tok/s ".
const figureRoom = 12
