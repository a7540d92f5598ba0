package tap

import (
	"cmp"
	"math"
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// axis is the clock of the lanes, without the times in which nothing was done but the first columns
// of each.
type axis struct {
	own  bool // the clock of each turn begins with it
	from metrics.Stamp
	cuts []turn.Span // that are left out; the last has no end
	step float64     // ns a column
}

// A time in which nothing is done is cut where it is longer than this share of all that is. gapMost
// are its columns, the room for how long it was.
const (
	cutShare = 12
	gapMost  = 9
)

// steps are the times that a column may stand for. One grows into the next while a turn lasts, so
// that lanes do not move all the time.
var steps = chart.Series{1, 1.5, 2, 3, 4, 5, 7}

func newAxis(turns []*turn.Turn, own bool, w int) *axis {
	a := &axis{own: own}
	var busy []turn.Span
	var all, idle metrics.Stamp
	for _, t := range turns {
		begin := a.at(t, t.Stream().Marks.Start)
		busy = append(busy, turn.Span{From: begin, To: begin})
		for _, s := range t.Spans {
			if s.Activity != turn.You {
				busy = append(busy, turn.Span{From: a.at(t, s.From), To: a.at(t, s.To)})
				all += s.To - s.From
			}
		}
	}
	slices.SortFunc(busy, func(a, b turn.Span) int { return cmp.Compare(a.From, b.From) })
	end := metrics.Stamp(0)
	for i, b := range busy {
		if i == 0 {
			a.from, end = b.From, b.To
		}
		if b.From-end > all/cutShare {
			a.cuts = append(a.cuts, turn.Span{From: end, To: b.From})
			idle += b.From - end
		}
		end = max(end, b.To)
	}
	a.cuts = append(a.cuts, turn.Span{From: end, To: math.MaxInt64})
	gap := min(gapMost, w/2/len(a.cuts))
	a.step = steps.At(steps.Above(max(float64(end-a.from-idle)/float64(max(w-gap*len(a.cuts), 1)), 1)))
	for i := range a.cuts {
		c := &a.cuts[i]
		c.From = min(c.From+metrics.Stamp(float64(gap)*a.step), c.To)
	}
	return a
}

// at returns a moment on the clock of a turn.
func (a *axis) at(t *turn.Turn, at metrics.Stamp) metrics.Stamp {
	if a.own {
		at -= t.Stream().Marks.Start
	}
	return at
}

// columns returns how many columns a time has.
func (a *axis) columns(d metrics.Stamp) int { return int(math.Round(float64(d) / a.step)) }

// column returns the column of a moment on the clock.
func (a *axis) column(at metrics.Stamp) int {
	d := at - a.from
	for _, c := range a.cuts {
		d -= max(min(at, c.To)-c.From, 0)
	}
	return a.columns(d)
}

// tickRoom is the least distance of two numbers of the axis.
const tickRoom = 12

// ticks writes the numbers of the axis: when it begins, and goes on behind a cut, and how long each
// part of it lasts. first is one of the turns.
func (a *axis) ticks(p *draw.Canvas, l draw.Line, first *metrics.Stream) {
	every, from, begin := chart.Nice(a.step*tickRoom), l.X, a.from
	for i, c := range a.cuts {
		end := min(from+a.column(c.To), l.End)
		write := func(at metrics.Stamp, text string) {
			if x := from + a.column(at); x >= l.X && x+draw.Width(text) < end {
				l.To(x)
				l.Write(themes.Axis, text)
				l.Skip(1)
			}
		}
		if wall := first.Wall.Add(time.Duration(begin - first.Marks.Start)).UTC(); !a.own {
			write(begin, wall.Format("15:04:05")+format.If(i == 0, " UTC"))
		} else if i == 0 {
			write(begin, "0 s")
		}
		for at := every; at <= float64(c.From-begin); at += every {
			write(begin+metrics.Stamp(at), p.Join("+", format.Limit(at/1e6)))
		}
		begin = c.To
	}
}
