package load

import (
	"cmp"
	"math"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// canvas is what the panels draw with, the view they draw, and the figures that
// are shown of it.
type canvas struct {
	draw.Canvas
	v   *View
	now *figures
}

type line = draw.Line

// part is a clause of a dim row that goes by its rank where room is short, 0 never.
func part(text string, rank int) draw.Part { return brief(text, "", rank) }

// brief is a part with what stands for it where room is short.
func brief(text, short string, rank int) draw.Part {
	return draw.Part{Role: themes.Dim, Text: text, Brief: short, Rank: rank}
}

// asked is format.Asked: a rate on a ramp, with three digits.
func (p *canvas) asked(v float64) string {
	return format.Either(v == math.Trunc(v), p.Exact(v), p.Number(v))
}

// ending returns why the load ended by itself.
func (p *canvas) ending(e metrics.Ending) string { return p.now.ending.Of(e, say.Ending) }

// lateness writes in l by how much this program is late, and what that affects.
// It reports whether it is. One row of the screen calls it.
func (p *canvas) lateness(l *line) bool {
	affects := p.now.delay.Of(p.now.view.Live.Delay, say.DelayBrief)
	limits := p.now.limits.Of(p.v.Load.ClientLimits,
		func(c loadstat.ClientLimit) string { return say.ClientLimit(c).Core() })
	one := cmp.Or(affects, limits)
	both := affects != "" && limits != "" && l.Whole(themes.Warn, p.Join("▲ ", affects, "; ", limits))
	if one != "" && !both {
		l.Cut(themes.Warn, p.Join("▲ ", one))
	}
	return one != ""
}
