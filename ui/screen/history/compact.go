package history

import (
	"tokscope/metrics/history"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/screen/listing"
)

// compact draws what a small terminal has room for: the sentence, then the
// newest runs.
func (p *picture) compact(r draw.Rect) {
	top, _ := r.SplitV(max(r.H-4, 1))
	y := p.sentence(top)
	v := p.v
	if v.rows.All == 0 || y >= r.H {
		return
	}
	p.visible = max(r.H-y-1, 0)
	v.scroll(p.visible)
	l := p.Row(r, y)
	l.Skip(2)
	listing.Heads(&p.Canvas, l, compactColumns, "", false, nil)
	for i := range min(p.visible, v.rows.Matching-v.Top) {
		at := draw.Rect{X: r.X, Y: r.Y + y + 1 + i, W: r.W, H: 1}
		if l, e := p.run(at, v.Top+i); e != nil {
			listing.Cells(&p.Canvas, l, compactColumns, cell{p, e})
		}
	}
}

// compactColumns are those of the runs there.
var compactColumns = []listing.Column[cell]{
	{Head: "UTC", Width: 9, Text: true, Write: func(l line, r cell) {
		l.Write(themes.Dim, r.p.Keep(r.At.UTC().AppendFormat(r.p.Scratch(), "15:04:05")))
	}},
	{Head: "TTFT", Width: 10, Text: true,
		Write: func(l line, r cell) { l.Write(themes.Text, r.p.Duration(r.Figures[history.TTFT])) }},
	{Head: "TPOT", Width: 10, Text: true,
		Write: func(l line, r cell) { l.Write(themes.Text, r.p.Duration(r.Figures[history.TPOT])) }},
	{Width: endedMost, Text: true, Write: ended},
}
