package load

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// picture draws the Load screen. It keeps the shown numbers until they may
// change; its panels keep their own state. It belongs to one goroutine.
type picture struct {
	canvas canvas
	now    figures

	head       head
	charts     charts
	lanes      lanes
	goodput    goodput
	comparison comparison
}

// figures are the numbers of the screen. They change at most once in
// figuresEvery, so that they can be read, and at once after a person's
// change.
type figures struct {
	known    bool
	version  uint64
	view     loadstat.View
	sentence string
	width    int              // of that sentence, 0: none yet
	points   []loadstat.Point // the path, then the live window if it is a point of its users
	live     bool             // the last point is the live window
	replays  bool             // the load is a recorded one
	chosen   []int            // indexes of points: the one for each number of users, ascending
	guessed  bool             // a line leads over what was not measured, or not steady
	knee     int              // users at the knee, 0: none
	breaks   string
	breaksAt int // users at which an objective breaks, 0: none broken
	meets    int // users that meet the objectives, 0: none known

	unsteady format.Memo[loadstat.Unsteady]
	limits   format.Memo[loadstat.ClientLimit]
	delay    format.Memo[metrics.Delay]
	ending   format.Memo[metrics.Ending]
}

// target is a part of the screen that can be clicked.
type target uint8

const (
	onSlider target = iota
	onChart
	onGoodput
	onWork // the workload in the header
)

// newPicture returns an empty screen.
func newPicture() *picture { return &picture{} }

// Draw paints v into r. It covers everything in r and touches nothing
// outside. Any size works.
func (s *picture) Draw(g *draw.Grid, r draw.Rect, v *View) {
	s.lanes.lines, s.head.track = s.lanes.lines[:0], draw.Rect{}
	if r.Empty() {
		return
	}
	defer g.Clip(r)()
	g.Fill(r, ' ', themes.Text)
	p := &s.canvas
	p.begin(g, v, &s.now)
	s.refresh(v)
	if v.Max != NoPanel {
		s.maximized(p, r)
		return
	}
	lay := layout(r)
	if lay.compact {
		s.essentials(p, r)
		return
	}
	if lay.bigHead {
		s.head.head(p, lay)
	} else {
		s.head.slider(p, lay.users)
	}
	s.head.sentence(p, lay.sentence)
	s.charts.chartPanel(p, lay.chart, v.Kind%Kinds)
	s.charts.chartPanel(p, lay.second, (v.Kind+1)%Kinds)
	s.charts.chartPanel(p, lay.third, (v.Kind+2)%Kinds)
	s.lanes.warns = !roomForLag(lay.comparison)
	s.lanes.lanesPanel(p, lay.lanes)
	s.goodput.goodputPanel(p, lay.goodput)
	s.comparison.panel(p, lay.comparison)
}

// refresh copies new numbers when they may change.
func (s *picture) refresh(v *View) {
	n, l := &s.now, &v.Load
	same := n.known && n.view.Began == l.Began && n.view.Running == l.Running && n.view.Holding == l.Holding &&
		n.view.Target == l.Target && len(n.view.Path) == len(l.Path) && len(n.view.SLOs) == len(l.SLOs)
	if v.Replay != nil && v.Replay.Paused && l.Now != n.view.Now {
		same = false // nothing comes later that would show it
	}
	if same && l.Now >= n.view.Now && l.Now-n.view.Now < figuresEvery {
		return
	}
	n.known, n.view, n.replays = true, *l, v.Replay != nil
	n.version++
	n.width = 0
	n.points = n.points[:0]
	for i := range l.Path {
		if !l.Path[i].Warmup { // points of the ramp-up do not count
			n.points = append(n.points, l.Path[i])
		}
	}
	if n.live = v.Replay == nil && plotted(l); n.live {
		n.points = append(n.points, l.Live)
	}
	n.chosen = choose(n.chosen[:0], n.points)
	n.guessed = false
	for k := 1; k < len(n.chosen); k++ {
		n.guessed = n.guessed || !measured(&n.points[n.chosen[k-1]], &n.points[n.chosen[k]])
	}
	n.knee, n.breaks, n.breaksAt, n.meets = 0, "", 0, 0
	if i, ok := loadstat.Knee(n.points); ok {
		n.knee = n.points[i].Users
	}
	if name, users, ok := loadstat.BreaksFirst(n.points, l.SLOs); ok {
		n.breaks, n.breaksAt = name, users
	}
	if users, ok := loadstat.LargestMeeting(n.points, l.SLOs); ok {
		n.meets = users
	}
}

// lanes returns the lanes to draw. With reduced motion they are as old as the
// figures.
func (n *figures) lanes(v *View) []loadstat.Lane {
	if v.ReducedMotion && n.known && n.view.Began == v.Load.Began {
		return n.view.Lanes
	}
	return v.Load.Lanes
}

// Animating reports whether the picture changes by time alone.
func (s *picture) Animating(v *View) bool { return v.Load.Running }
