package tap

import (
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// axis is the clock of the lanes: the times in which something was done, each to one scale,
// with a gap of so many columns between two of them for a longer wait for a person.
type axis struct {
	parts []part
	step  float64 // ns a column
	cut   int     // columns of a gap
}

// part is a time of the session, and the column at which it begins.
type part struct {
	from, to metrics.Stamp
	x        int
}

// A wait for a person that is longer than this share of what was done is cut. cutMost is the
// room for how long it was.
const (
	cutShare = 12
	cutMost  = 9
)

// clock returns the axis of all turns in w columns.
func clock(turns []*turn.Turn, w int) (a axis) {
	var busy []part
	for _, t := range turns {
		from := t.Stream().Marks.Start
		busy = append(busy, part{from: from, to: from})
		for _, s := range t.Spans {
			if s.Activity != turn.You {
				busy = append(busy, part{from: s.From, to: s.To})
			}
		}
	}
	slices.SortFunc(busy, func(a, b part) int { return int(min(max(a.from-b.from, -1), 1)) })
	join := func(all []part, least metrics.Stamp) (out []part) {
		for _, b := range all {
			if n := len(out); n > 0 && b.from-out[n-1].to <= least {
				out[n-1].to = max(out[n-1].to, b.to)
			} else {
				out = append(out, b)
			}
		}
		return out
	}
	sum := func(all []part) (d metrics.Stamp) {
		for _, b := range all {
			d += b.to - b.from
		}
		return d
	}
	a.parts = join(busy, 0)
	a.parts = join(a.parts, sum(a.parts)/cutShare)
	a.cut = min(cutMost, w/2/max(len(a.parts), 1))
	room := max(w-a.cut*len(a.parts), 1) // one behind the last, too
	a.step = scale(float64(sum(a.parts)) / float64(room))
	a.place()
	return a
}

// steps are the times that a column may stand for. One grows into the next while a turn lasts, so
// that lanes do not move all the time.
var steps = chart.Series{1, 1.5, 2, 3, 4, 5, 7}

func scale(ns float64) float64 { return steps.At(steps.Above(max(ns, 1))) }

// side returns the axis on which each of turns has its own place, from its own start.
func side(turns []*turn.Turn, w int) func(*turn.Turn) *axis {
	longest := metrics.Stamp(0)
	for _, t := range turns {
		longest = max(longest, answered(t)-t.Stream().Marks.Start)
	}
	a := axis{step: scale(float64(longest) / float64(max(w-cutMost, 1))), cut: cutMost}
	return func(t *turn.Turn) *axis {
		a.parts = append(a.parts[:0], part{from: t.Stream().Marks.Start, to: answered(t)})
		return &a
	}
}

// answered returns the end of a turn without the wait for a person at its end.
func answered(t *turn.Turn) metrics.Stamp {
	end := t.Stream().Marks.Start
	for _, s := range t.Spans {
		if s.Activity != turn.You {
			end = s.To
		}
	}
	return end
}

// place sets the columns of the parts.
func (a *axis) place() {
	x := 0
	for i := range a.parts {
		p := &a.parts[i]
		p.x = x
		x = p.x + a.columns(p.to-p.from) + a.cut
	}
}

// columns returns how many columns a time has.
func (a *axis) columns(d metrics.Stamp) int { return int(math.Round(float64(d) / a.step)) }

// column returns the column of a moment. A gap has its columns alone.
func (a *axis) column(at metrics.Stamp) int {
	for i := range a.parts {
		if p := &a.parts[i]; at <= p.to {
			return p.x + a.columns(max(at-p.from, 0))
		}
	}
	if len(a.parts) == 0 {
		return 0
	}
	last := &a.parts[len(a.parts)-1]
	end := last.x + a.columns(last.to-last.from)
	return min(end+a.columns(at-last.to), end+a.cut)
}

// cuts reports whether a time is longer than its columns.
func (a *axis) cuts(from, to metrics.Stamp) bool {
	return a.columns(to-from) > a.column(to)-a.column(from)+1
}

// tickRoom is the least distance of two numbers of the axis.
const tickRoom = 12

// ticks writes the numbers of the axis: what begins says of the beginning of a part, and how
// long that lasts behind it.
func (a *axis) ticks(p *draw.Canvas, l draw.Line, begins func(*part) string) {
	every := chart.Nice(a.step * tickRoom)
	from := l.X
	for i := range a.parts {
		b := &a.parts[i]
		end := l.End
		if i+1 < len(a.parts) {
			end = from + a.parts[i+1].x
		}
		write := func(x int, text string) {
			if x = from + x; x >= l.X && x+draw.Width(text) < min(end, l.End) {
				l.To(x)
				l.Write(themes.Axis, text)
				l.Skip(1)
			}
		}
		write(b.x, begins(b))
		for n := 1; n < 64; n++ {
			at := metrics.Stamp(float64(n) * every)
			if at > b.to-b.from && i+1 < len(a.parts) {
				break
			}
			write(b.x+a.columns(at), p.Join("+", format.Limit(float64(at)/1e6)))
		}
	}
}
