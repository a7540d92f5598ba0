package tap

import (
	"cmp"
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/turn"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// axis is the clock of the lanes: the times in which something was done, each to one scale,
// with a gap of so many columns behind each for a longer wait for a person.
type axis struct {
	own   bool // the clock of each turn begins with it
	parts []part
	step  float64 // ns a column
	gap   int     // columns
}

// part is a time, and the column at which it begins.
type part struct {
	from, to metrics.Stamp
	x        int
}

// A wait for a person that is longer than this share of all that was done is cut. gapMost is the
// room for how long it was.
const (
	cutShare = 12
	gapMost  = 9
)

// steps are the times that a column may stand for. One grows into the next while a turn lasts, so
// that lanes do not move all the time.
var steps = chart.Series{1, 1.5, 2, 3, 4, 5, 7}

// newAxis returns the axis of turns in w columns.
func newAxis(turns []*turn.Turn, own bool, w int) *axis {
	a := &axis{own: own}
	var busy []part
	var all, shown metrics.Stamp
	for _, t := range turns {
		at := a.at(t, t.Stream().Marks.Start)
		busy = append(busy, part{from: at, to: at})
		for _, s := range t.Spans {
			if s.Activity != turn.You {
				busy = append(busy, part{from: a.at(t, s.From), to: a.at(t, s.To)})
				all += s.To - s.From
			}
		}
	}
	slices.SortFunc(busy, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	for _, b := range busy {
		if n := len(a.parts); n > 0 && b.from-a.parts[n-1].to <= all/cutShare {
			a.parts[n-1].to = max(a.parts[n-1].to, b.to)
		} else {
			a.parts = append(a.parts, b)
		}
	}
	for _, p := range a.parts {
		shown += p.to - p.from
	}
	n := max(len(a.parts), 1)
	a.gap = min(gapMost, w/2/n)
	a.step = steps.At(steps.Above(max(float64(shown)/float64(max(w-a.gap*n, 1)), 1)))
	x := 0
	for i := range a.parts {
		a.parts[i].x = x
		x += a.columns(a.parts[i].to-a.parts[i].from) + a.gap
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

// column returns the column of a moment of a turn. A gap has its columns alone.
func (a *axis) column(t *turn.Turn, at metrics.Stamp) (x int) {
	at = a.at(t, at)
	for _, p := range a.parts {
		if at < p.from {
			break
		}
		x = p.x + min(a.columns(at-p.from), a.columns(p.to-p.from)+a.gap)
	}
	return x
}

// span returns the columns of a span of a turn, and whether it is longer than these.
func (a *axis) span(t *turn.Turn, s *turn.Span) (from, to int, cut bool) {
	from, to = a.column(t, s.From), a.column(t, s.To)
	if a.own && s.Activity == turn.You {
		to = min(to, from+a.gap)
	}
	return from, to, a.columns(s.To-s.From) > to-from+1
}

// tickRoom is the least distance of two numbers of the axis.
const tickRoom = 12

// ticks writes the numbers of the axis: when a part begins, and how long it lasts behind that.
func (a *axis) ticks(p *draw.Canvas, l draw.Line, turns []*turn.Turn) {
	every := chart.Nice(a.step * tickRoom)
	from := l.X
	for i, b := range a.parts {
		last, end := i+1 == len(a.parts), l.End
		if !last {
			end = min(from+a.parts[i+1].x, end)
		}
		write := func(after metrics.Stamp, text string) {
			if x := from + b.x + a.columns(after); x >= l.X && x+draw.Width(text) < end {
				l.To(x)
				l.Write(themes.Axis, text)
				l.Skip(1)
			}
		}
		write(0, a.begins(i, turns))
		for n := 1; n < 64 && (last || metrics.Stamp(float64(n)*every) <= b.to-b.from); n++ {
			at := metrics.Stamp(float64(n) * every)
			write(at, p.Join("+", format.Limit(float64(at)/1e6)))
		}
	}
}

// begins says when a part of the axis of turns begins.
func (a *axis) begins(i int, turns []*turn.Turn) string {
	if a.own {
		return format.If(i == 0, "0 s")
	}
	first := func(t **turn.Turn) bool { return (*t).Stream().Marks.Start == a.parts[i].from }
	if t, ok := pick.Value(turns, first); ok {
		return t.Stream().Wall.UTC().Format("15:04:05") + format.If(i == 0, " UTC")
	}
	return ""
}
