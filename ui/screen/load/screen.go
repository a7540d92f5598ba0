package load

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
)

// Screen draws the Load screen. It keeps the selected lane, the numbers shown
// until they may change again, and the pictures of the charts. It belongs to
// one goroutine.
type Screen struct {
	pen    canvas
	now    figures
	charts [Kinds]chart.Chart

	cursor int // selected user, 0: none yet
	first  int // first lane shown
	perRow int // lanes a row, of the last frame
	rows   int // lanes, or rows of several, there is room for
	tall   int // rows a lane
	label  int // columns before the lanes of a row of several
	count  int // lanes

	track draw.Rect // of the slider
	hits  []hit
}

// hit is a part of the screen and where it was drawn.
type hit struct {
	id string
	r  draw.Rect
	// lanes: the first user of the row, and the column from which on each column is the next user
	user, from, per int
}

// New returns a screen at rest.
func New() *Screen { return &Screen{} }

// refresh takes over new numbers when they may change.
func (s *Screen) refresh(v *View) {
	n, l := &s.now, &v.Load
	same := n.known && n.view.Began == l.Began && n.view.Running == l.Running && n.view.Holding == l.Holding &&
		n.view.Target == l.Target && len(n.view.Path) == len(l.Path) && len(n.view.SLOs) == len(l.SLOs)
	if same && l.Now >= n.view.Now && l.Now-n.view.Now < figuresEvery {
		return
	}
	n.known, n.view = true, *l
	n.version++
	n.width = 0
	n.points = n.points[:0]
	for i := range l.Path {
		if !l.Path[i].Warmup { // the way to a load is no point of it
			n.points = append(n.points, l.Path[i])
		}
	}
	if n.live = plotted(l); n.live {
		n.points = append(n.points, l.Live)
	}
	n.chosen = choose(n.chosen[:0], n.points)
	n.knee, n.breaks, n.breaksAt, n.meets = 0, "", 0, 0
	if i, ok := metrics.Knee(n.points); ok {
		n.knee = n.points[i].Users
	}
	if name, users, ok := metrics.BreaksFirst(n.points, l.SLOs); ok {
		n.breaks, n.breaksAt = name, users
	}
	if users, ok := metrics.LargestMeeting(n.points, l.SLOs); ok {
		n.meets = users
	}
}

// lanes are those to draw: with reduced motion as old as the figures.
func (n *Screen) lanes(v *View) []metrics.Lane {
	if v.ReducedMotion && n.now.known && n.now.view.Began == v.Load.Began {
		return n.now.view.Lanes
	}
	return v.Load.Lanes
}

// Draw paints v into r. Nothing outside r is touched, and what r held before
// is covered. Any size will do.
func (s *Screen) Draw(g *draw.Grid, r draw.Rect, v *View) {
	s.hits, s.track = s.hits[:0], draw.Rect{}
	if r.Empty() {
		return
	}
	defer g.Clip(r)()
	g.Fill(r, ' ', themes.Ink)
	p := &s.pen
	p.begin(g, v)
	s.count = len(s.lanes(v))
	s.refresh(v)
	lay := layout(r)
	if lay.compact {
		s.essentials(p, r)
		return
	}
	if lay.bigHead {
		s.head(p, lay)
	} else {
		s.slider(p, lay.users)
	}
	s.sentence(p, lay.sentence)
	s.chartPanel(p, lay.chart, v.Kind%Kinds)
	s.chartPanel(p, lay.second, (v.Kind+1)%Kinds)
	s.chartPanel(p, lay.third, (v.Kind+2)%Kinds)
	s.lanesPanel(p, lay.lanes)
	s.goodputPanel(p, lay.goodput)
	s.againstPanel(p, lay.comparison)
}

// Animating reports whether the picture changes by time alone.
func (s *Screen) Animating(v *View) bool { return v.Load.Running }

// Move moves the selection by so many lanes.
func (s *Screen) Move(v *View, by int) {
	lanes := v.Load.Lanes
	if len(lanes) == 0 {
		s.cursor = 0
		return
	}
	i := s.index(lanes)
	if i < 0 {
		i = 0
	} else {
		i = min(max(i+by, 0), len(lanes)-1)
	}
	s.cursor = lanes[i].User
}

// MoveRow moves the selection by rows, MovePage by heights of the panel.
func (s *Screen) MoveRow(v *View, by int)  { s.Move(v, by*max(s.perRow, 1)) }
func (s *Screen) MovePage(v *View, by int) { s.MoveRow(v, by*max(s.rows-1, 1)) }

// index is the place of the selected lane, -1 when there is none.
func (s *Screen) index(lanes []metrics.Lane) int {
	for i := range lanes {
		if lanes[i].User == s.cursor {
			return i
		}
	}
	return -1
}

// Selected is the user whose lane is selected: the first when none was chosen.
// ok is false when there are no lanes.
func (s *Screen) Selected(v *View) (user int, ok bool) {
	lanes := v.Load.Lanes
	if len(lanes) == 0 {
		return 0, false
	}
	if s.index(lanes) < 0 {
		return lanes[0].User, true
	}
	return s.cursor, true
}

// Chosen reports whether a person selected a lane.
func (s *Screen) Chosen() bool { return s.cursor != 0 }

// Select selects the lane of a user.
func (s *Screen) Select(user int) { s.cursor = user }

func (g *Screen) place(id string, r draw.Rect) {
	if !r.Empty() {
		g.hits = append(g.hits, hit{id: id, r: r})
	}
}

// Hit names what is at x, y of the last frame: "slider", "lane", "chart",
// "goodput", "against", "sentence".
func (g *Screen) TargetAt(x, y int) (id string, ok bool) {
	for i := len(g.hits) - 1; i >= 0; i-- {
		if g.hits[i].r.Contains(x, y) {
			return g.hits[i].id, true
		}
	}
	return "", false
}

// LaneAt is the user whose lane is drawn at x, y.
func (s *Screen) LaneAt(x, y int) (user int, ok bool) {
	for _, h := range s.hits {
		if h.id != "lane" || !h.r.Contains(x, y) {
			continue
		}
		return h.user + min(max(x-h.from, 0), h.per-1), true
	}
	return 0, false
}

// UsersAt is the number of users that column x of the slider stands for,
// whatever the row: a drag may leave it.
func (s *Screen) UsersAt(x int) int { return usersAt(s.track, x) }
