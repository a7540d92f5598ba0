package load

import (
	"slices"

	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// promised is the title of promise.
const promised = "what it will show"

// promise names in r what a load will show, as long as there are no figures: each
// name in the color that it has then, beside it what it is, and below the signs of the
// lanes. The higher r is, the more blanks are between.
func (s *lanes) promise(p *canvas, r draw.Rect) {
	goodput := "the requests that meet the objectives, which o sets"
	if slos := p.now.view.SLOs; len(slos) > 0 {
		goodput = p.Join("the requests with ", format.Objectives(slos))
	}
	rows := [...]struct {
		name string
		role themes.Role
		text string
	}{
		{"per user", themes.PerUser, "tok/s of one answer"},
		{"aggregate", themes.Aggregate, "tok/s of all answers"},
		{"knee", themes.Text, "where more users add less"},
		{"goodput", themes.Good, goodput},
		{"TTFT, gap", themes.Text, "p50 and p99, beside 1 user alone"},
		{"lanes", themes.Text, "what each user does"},
	}
	const names = 11
	blanks := min((r.H-3)/13, 2)
	y, texts := 0, draw.Rect{X: r.X + names, Y: r.Y, W: r.W - names, H: r.H}
	for _, row := range rows {
		l := p.Row(r, y)
		l.Write(row.role, row.name)
		y += p.Wrapped(texts, y, 3, themes.Dim, row.text) + blanks
	}
	s.lanesLegend(p, p.Row(r, y-blanks))
}

// blank reports whether no line of a chart has a value above 0.
func blank(to *chart.Plot) bool {
	return !slices.ContainsFunc(to.Lines, func(l chart.Line) bool {
		return slices.ContainsFunc(l.Points, func(q chart.Point) bool { return q.Y > 0 })
	})
}

// unscaled takes from a chart what only figures give it: the numbers of its axes, but
// for those of the time and of the load, and the objectives that lie on them.
func unscaled(to *chart.Plot, k Kind) {
	to.Left.Ticks, to.Right.Ticks = to.Left.Ticks[:0], to.Right.Ticks[:0]
	if !k.timed() && k != Curve && k != Rates {
		to.X.Ticks = to.X.Ticks[:0]
	}
	to.Rules = slices.DeleteFunc(to.Rules, func(r chart.Rule) bool { return !r.Vertical || !k.timed() })
}
