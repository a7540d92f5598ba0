package load

import (
	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// Sizes of the table below the chart.
const (
	lengthTableW = 62 // columns of it
	lengthTableH = 18 // rows of a panel from which it has one
)

// tableRows returns the rows of the table, with its heading, in a panel of that
// size: a row for each group, at most a quarter of the panel.
func (s *lengths) tableRows(w, h int) int {
	if w < lengthTableW || h < lengthTableH || len(s.by.Groups) == 0 {
		return 0
	}
	return 1 + min(len(s.by.Groups), h/4)
}

// table draws cold and warm prompts of about one length beside each other. Where
// there are more groups than rows, it has the shortest, the longest and some between
// them.
func (s *lengths) table(p *canvas, r draw.Rect) {
	first := format.Either(s.of == request.Unstated, request.Unstated, request.Cold)
	heading := p.Row(r, 0)
	for _, c := range [...]struct {
		text  string
		width int
	}{{"prompt", 8}, {format.Either(first == request.Cold, "cold TTFT", "TTFT"), 11},
		{"prefill", 9}, {"n", 4}, {"warm TTFT", 11}, {"prefill", 9}, {"n", 4}, {"decode", 9}} {
		heading.Field(themes.Dim, c.text, c.width)
	}
	groups, rows := len(s.by.Groups), r.H-1
	if groups > rows {
		heading.Whole(themes.Dim, p.Join("  ", p.Count(rows), " of ", p.Count(groups), " lengths"))
	}
	for i := range rows {
		at := i
		if groups > rows && rows > 1 {
			at = i * (groups - 1) / (rows - 1)
		}
		g := &s.by.Groups[at]
		l := p.Row(r, 1+i)
		l.Field(themes.Text, p.WholeOf(g.Prompt), 8)
		for _, prefix := range [...]request.Prefix{first, request.Warm} {
			q := &g.Sides[prefix]
			l.Field(themes.Text, p.Duration(q.TTFT), 11)
			l.Field(themes.Prefill, p.NumberOf(q.Prefill), 9)
			l.Field(themes.Dim, p.WholeOf(metrics.Known(float64(q.Prefill.N), 0)), 4)
		}
		l.Field(themes.Decode, p.NumberOf(g.Speed), 9)
	}
}
