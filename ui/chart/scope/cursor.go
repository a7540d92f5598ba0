package scope

import (
	"math"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// cursor marks the chunk of the cursor: the cell of its gap, or its place at the
// edge where the gap lies outside the axis or is unknown.
func (s *Scope) cursor(p *draw.Canvas, d *Data) {
	x, ok := s.placeOf(d, d.Cursor)
	if !ok {
		return
	}
	at := draw.Rect{X: s.plot.X + x/2, Y: s.edges.below, W: 1, H: 1}
	if ms, known := d.Stream.Gap(d.Cursor); known {
		switch row, off := s.y.Row(ms); {
		case off > 0:
			at.Y = s.edges.above
		case off == 0:
			at.Y = s.plot.Y + row
		}
	}
	p.Grid.Style(at, themes.Badge)
}

// Area is where the trace was drawn last, without axes.
func (s *Scope) Area() draw.Rect { return s.plot }

// ChunkAt is the chunk drawn nearest to a cell of the screen. ok is false
// outside of the trace and where nothing is in view.
func (s *Scope) ChunkAt(st *metrics.Stream, x, y int) (chunk int, ok bool) {
	if !s.plot.Contains(x, y) || s.sweep.id != st.ID || len(st.Chunks) < s.sweep.seen {
		return -1, false
	}
	want := 4*(s.plot.Bottom()-1-y) + 2
	best := math.Inf(1)
	chunk = -1
	for i := range s.sweep.cols {
		c := &s.sweep.cols[i]
		far := math.Abs(float64(i) - float64(2*(x-s.plot.X)) - 0.5)
		if far -= 0.5; far > best {
			continue
		}
		for j := c.first; j < c.last; j++ {
			dist := far * 1000
			if ms, known := st.Gap(int(j)); known {
				row, _ := s.y.Dot(ms)
				dist += math.Abs(float64(row - want))
			} else {
				dist += 999
			}
			if dist < best {
				best, chunk = dist, int(j)
			}
		}
	}
	return chunk, chunk >= 0
}
