package load

import (
	"strings"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// leastList is the height from which the list of requests has rows in its box.
const leastList = 6

// essentials is the screen where there is no room for boxes: the sentence, the
// slider, state, TTFT, gaps, goodput, and lanes in what is left.
func (s *picture) essentials(p *canvas, r draw.Rect) {
	text := p.Chrome(p.now.said(2 * r.W))
	for range 2 { // the sentence may take two rows, or fewer words where they are short
		if rest := strings.TrimLeft(text[draw.Fit(text, r.W):], " "); draw.Width(rest) > r.W {
			text = p.Chrome(p.now.said(draw.Width(text) - 1))
		}
	}
	y := p.Wrapped(r, 0, 2, themes.Strong, text)
	if p.v.Replay != nil {
		s.head.recorded(p, draw.Rect{X: r.X, Y: r.Y + y, W: r.W, H: min(r.H-y, 2)})
		y += 2
	} else {
		y = s.sliderRows(p, r, y)
	}
	v := &s.now.view
	for _, f := range [...]func(l *line){
		func(l *line) { p.dist(l, "TTFT", 5, true, themes.Strong, &v.Live.TTFT) },
		func(l *line) { p.dist(l, "gap", 5, true, themes.Strong, &v.Live.Gaps) },
		func(l *line) {
			l.Write(themes.Dim, "good ")
			l.Field(themes.Text, p.PercentOf(v.Live.GoodShare), 5)
			l.Skip(2)
			p.troubles(*l)
		},
	} {
		if l := p.Row(r, y); y < r.H {
			f(&l)
		}
		y++
	}
	area := draw.Rect{X: r.X, Y: r.Y + y, W: r.W, H: r.H - y}
	if p.v.Replay != nil {
		if area.H >= leastList {
			s.list(p, area)
		}
		return
	}
	s.lanes.perRow, s.lanes.rows = 1, 0
	if area.H > 0 && area.W > 12 {
		lanes := p.now.lanes(p.v)
		s.lanes.arrange(lanes, area)
		s.lanes.drawLanes(p, area, lanes)
	}
}

// sliderRows draws the slider, the state and the requests under way in the rows of r
// from y on. It returns the next row.
func (s *picture) sliderRows(p *canvas, r draw.Rect, y int) int {
	l := p.Row(r, y)
	l.Write(themes.Dim, format.Either(p.v.Open, "req/s ", "users "))
	at := p.inUse()
	l.Write(at.role(), at.text)
	if l.Skip(1); p.now.view.Running && p.now.open() != p.v.Open {
		l.Write(themes.Figure, p.setting(12))
		l.Skip(1)
	}
	if track := (draw.Rect{X: l.X, Y: l.Y, W: l.Left(), H: 1}); y < r.H {
		p.Grid.Target(draw.Rect{X: r.X, Y: r.Y + y, W: r.W, H: 1}, onSlider)
		s.head.drawTrack(p, track)
	}
	for i, f := range [...]func(*canvas, line){s.head.state, s.head.flow} {
		if y+1+i < r.H {
			f(p, p.Row(r, y+1+i))
		}
	}
	return y + 3
}
