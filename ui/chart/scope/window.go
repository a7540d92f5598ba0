package scope

import (
	"math"

	"tokscope/metrics"
	"tokscope/ui/chart"
	"tokscope/ui/format"
)

// Zoom is a choice of the time that is shown.
type Zoom uint8

const (
	// Auto is Follow while the stream runs, then Whole.
	Auto Zoom = iota
	// Follow shows the last seconds, which slide to the left.
	Follow
	// Whole shows everything from the start of the request to its end.
	Whole
	// Wait shows the time up to the first chunk.
	Wait
	// Around shows the gap before the chunk of the cursor, and the chunks around it. Without
	// a cursor that is the longest gap of an ended stream, and else the last one.
	Around
)

// String is the word on screen.
func (z Zoom) String() string {
	return [...]string{"auto", "follow", "whole run", "wait", "close-up"}[z]
}

// Window is a range of time in columns of dots. Columns are counted from
// Origin, so that a time keeps its column when the window slides.
type Window struct {
	Origin  float64 // ms after the request was sent; below 0 before that
	Step    float64 // ms a column
	First   int     // the leftmost column
	Columns int
}

// from is the left edge of the window in ms.
func (w Window) from() float64 { return w.Origin + w.Step*float64(w.First) }

// column is the column that holds the time ms. It may lie outside the window.
func (w Window) column(ms float64) int {
	c := math.Floor((ms-w.Origin)/w.Step) - float64(w.First)
	switch {
	case !(c >= 0): // also NaN
		return -1
	case c >= float64(w.Columns):
		return w.Columns
	}
	return int(c)
}

// edge is the column edge nearest to the time ms, 0 to Columns.
func (w Window) edge(ms float64) int {
	return int(min(max(math.Round((ms-w.Origin)/w.Step)-float64(w.First), 0), float64(w.Columns)))
}

// to is the end of the window in ms.
func (w Window) to() float64 { return w.Origin + w.Step*float64(w.First+w.Columns) }

// shift is how many columns w lies to the right of old. ok is false where the
// columns of old are none of w.
func (w Window) shift(old Window) (n int, ok bool) {
	n = w.First - old.First
	ok = w.Origin == old.Origin && w.Step == old.Step && w.Columns == old.Columns && n >= 0 && n < w.Columns
	return n, ok
}

// The scale of Follow, with its reasons.
const (
	// cellMs is the shortest time of a cell in Follow: faster than 50 cells a
	// second nobody reads.
	cellMs = 20.0
	// narrowCells is the width below which a cell lasts longer, so that the
	// window holds 2 s.
	narrowCells = 60
	// ahead is the share of the window to the right of the present moment.
	ahead = 0.08
	// held is the share of the window for which the scale of a long gap stays,
	// so that it is still seen when the stream goes on.
	held = 0.4
)

// pace keeps the scale of Follow, so that it changes rarely.
type pace struct {
	id   int
	cell float64 // ms a cell
	hold float64 // the scale stays until then, ms after sent
}

// view is the time of a stream that a window is chosen for, in ms after sent.
type view struct {
	start, now, first, last float64 // first and last chunk; NaN without one
	ended                   bool
	cursor                  float64 // NaN without one
	around, before          float64 // the chunk of Around, NaN without one, and the gap before it, 0 where unknown
	gap                     float64 // median gap, 0 while it is not known
	open                    float64 // gap under way, 0 for none
}

func viewOf(d *Data, zero metrics.Stamp) view {
	s := d.Stream
	v := view{first: math.NaN(), last: math.NaN(), cursor: math.NaN(), around: math.NaN(), ended: s.State.Ended()}
	v.start = min(bounded(sinceMs(s.Marks.Start, zero), 0), 0)
	v.now = bounded(sinceMs(d.Now, zero), 0)
	if n := len(s.Chunks); n > 0 {
		v.first, v.last = sinceMs(s.Chunks[0].At, zero), sinceMs(s.Chunks[n-1].At, zero)
		at := n - 1
		if long := d.Figures.LongestChunk; v.ended && long >= 0 && long < n {
			at = long
		}
		if d.Cursor >= 0 && d.Cursor < n {
			at, v.cursor = d.Cursor, sinceMs(s.Chunks[d.Cursor].At, zero)
		}
		v.around = sinceMs(s.Chunks[at].At, zero)
		v.before, _ = s.Gap(at)
		v.now = max(v.now, bounded(v.last, 0))
	}
	if v.ended {
		if v.now = v.last; math.IsNaN(v.last) || s.State != metrics.Done && v.first < v.last {
			v.now = max(bounded(sinceMs(s.Marks.End, zero), 0), bounded(v.last, 0))
		}
	}
	v.now = max(bounded(v.now, 0), v.start)
	if d.Open > 0 {
		v.open = bounded(d.Open, 0)
	}
	if g := d.Figures.Gaps.P50; g.OK {
		v.gap = g.V
	}
	return v
}

// longestMs bounds all times of a window: a year.
const longestMs = 365 * 24 * 3600e3

// bounded is ms, or instead where ms is no time at all.
func bounded(ms, instead float64) float64 {
	if !(math.Abs(ms) <= longestMs) {
		return instead
	}
	return ms
}

// choose returns the window of a zoom for a plot of that many cells.
func (p *pace) choose(d *Data, v view, cells int) Window {
	z := d.Zoom
	if z == Auto {
		if z = Follow; v.ended {
			z = Whole
		}
	}
	switch z {
	case Whole:
		return fit(v.start, v.now, cells, v.ended)
	case Wait:
		to := format.Either(math.IsNaN(v.first), v.now, v.first)
		span := (bounded(to, v.now) - v.start) * 1.1
		return fit(v.start, v.start+span, cells, !math.IsNaN(v.first) || v.ended || !d.Still)
	case Around:
		return v.closeUp(cells)
	}
	return p.follow(d, v, cells)
}

// longGap is how many times as long as a gap its close-up is at least: the chunks at both of
// its ends are in view.
const longGap = 1.5

// closeUp is the window around a gap. It does not reach beyond an ended stream, which is
// shown whole where it is shorter.
func (v view) closeUp(cells int) Window {
	cell := chart.Nice(max(v.gap, 0.01) / 4)
	if v.gap == 0 {
		cell = cellMs
	}
	if least := longGap * v.before / float64(cells); least > cell {
		cell = chart.Nice(least)
	}
	span := cell * float64(cells)
	from := bounded(v.around, v.now) - v.before/2 - span/2
	if !v.ended {
		return aligned(from, cell, cells)
	}
	from = max(min(from, v.now-span), v.start)
	return fit(from, min(from+span, v.now), cells, true)
}

// follow is the window that slides with the present moment. A cursor outside
// of it holds it back.
func (p *pace) follow(d *Data, v view, cells int) Window {
	if id := d.Stream.ID; p.id != id {
		*p = pace{id: id}
	}
	least := format.Either(cells < narrowCells, 50, cellMs)
	switch {
	case math.IsNaN(v.first): // the whole wait stays in view
		want := (v.now - v.start) / (float64(cells) * (1 - ahead))
		if d.Still {
			want = chart.Nice(want)
		}
		p.cell = max(p.cell, least, want)
		p.hold = v.now + p.cell*float64(cells)*held
	case v.gap > 0:
		if want := max(chart.Nice(v.gap), least); v.gap > p.cell || v.now > p.hold && want*4 <= p.cell {
			p.cell = want
		}
	}
	p.cell = max(p.cell, least)
	if v.open > 0 { // the last chunk stays in view until the next one comes
		p.cell = max(p.cell, chart.Nice(2*v.open/float64(cells)))
		p.hold = v.now + p.cell*float64(cells)*held
	}
	span := p.cell * float64(cells)
	from := v.now - span*(1-ahead)
	if quarter := span / 4; d.Still {
		from = math.Ceil(from/quarter) * quarter
	}
	from = max(v.start, from)
	w := aligned(from, p.cell, cells)
	if c := bounded(v.cursor, v.now); !math.IsNaN(v.cursor) && (c < w.from() || c >= w.to()) {
		return aligned(c-span/2, p.cell, cells)
	}
	return w
}

// aligned is a window whose cells begin at multiples of their time, so that a
// chunk keeps its dot when the window slides.
func aligned(from, cell float64, cells int) Window {
	return Window{Step: cell / 2, First: 2 * int(math.Floor(from/cell)), Columns: 2 * cells}
}

// fit is a window from one time to another: exactly where the end is known,
// else with a scale that grows in few steps.
func fit(from, to float64, cells int, exact bool) Window {
	span := max(to-from, 1)
	if !exact {
		return aligned(from, max(chart.Nice(span*(1+ahead)/float64(cells)), 1), cells)
	}
	n := 2 * cells
	return Window{Origin: from, Step: span / (float64(n) - 0.5), Columns: n}
}
