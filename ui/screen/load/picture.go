package load

import (
	"cmp"
	"math"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen"
	"tokscope/ui/screen/listing"
)

// picture draws the Load screen. It keeps the shown numbers until they may
// change; its panels keep their own state. It belongs to one goroutine.
type picture struct {
	canvas canvas
	now    figures

	head     head
	charts   charts
	lanes    lanes
	requests *listing.List // nil without one
}

// moment is what a person chose, and how far the load is: other figures are of another
// moment.
type moment struct {
	began                  metrics.Stamp
	running, holding, open bool // open: the slider of the rate is in use
	users, setup           int
	rate                   float64
	path, slos, marks      int             // how many
	next                   say.Start       // before a load: what would start
	replay                 loadstat.Replay // which load is replayed: its Index and Count
}

// figures are the numbers of the screen. They change at most once in
// screen.FiguresEvery, so that they can be read, and at once after a person's
// change.
type figures struct {
	of       moment
	version  uint64 // 0 before the first frame
	view     loadstat.View
	sentence string
	title    [3]string    // of the chart over users, and shorter
	failed   say.Sentence // how many requests of the load failed; nil for none
	width    int          // of that sentence, 0: none yet
	rows     int          // that it may take
	// those of the path with the present work, then the live window if it is a point of its users
	points   []loadstat.Point
	works    []earlierWork // the latest works before, the last one first
	live     bool          // the last point is the live window
	closed   course        // of the points of a closed loop
	rates    course        // of those of an open loop
	present  *course       // of the loop that runs, or of the slider in use
	knee     int           // users at the knee, 0: none
	breaks   string
	breaksAt float64          // load at which an objective breaks, 0: none broken
	meets    float64          // load that meets the objectives, 0: none known
	judged   []loadstat.Point // room for those of the present loop
	lengths  lengths          // as long as their chart is shown

	unsteady draw.Memo[loadstat.Unsteady, string]
	limits   draw.Memo[loadstat.ClientLimit, string]
	delay    draw.Memo[metrics.Delay, string]
	ending   draw.Memo[metrics.Ending, string]
	failure  draw.Memo[*metrics.Fault, string]
}

// target is a part of the screen that can be clicked.
type target uint8

const (
	onSlider target = iota
	onChart
	onGoodput
)

// Draw paints v into r. It covers everything in r and touches nothing
// outside. Any size works.
func (s *picture) Draw(g *draw.Grid, r draw.Rect, v *View) {
	s.lanes.lines, s.head.track = s.lanes.lines[:0], draw.Rect{}
	p := &s.canvas
	defer p.Open(g, r, v.Look.Glyphs)()
	p.v, p.now = v, &s.now
	s.refresh(v)
	if v.showsLengths() || v.Replay != nil {
		s.now.lengths.follow(v)
	}
	if v.Max != NoPanel {
		s.maximized(p, r)
		return
	}
	lay := layout(r, 2, v.idle())
	if lay.compact {
		s.essentials(p, r)
		return
	}
	if p.hidden(lay.lanes) {
		lay = layout(r, 1, false)
	}
	if lay.bigHead {
		s.head.head(p, lay)
	} else {
		s.head.slider(p, lay.users)
	}
	s.head.sentence(p, lay.sentence)
	s.charts.chartPanel(p, lay.chart, v.Kind%Kinds)
	if v.idle() {
		s.lanes.promise(p, p.Box(lay.lanes, themes.Border, promised, ""))
		return
	}
	second, third := companions(v)
	s.charts.chartPanel(p, lay.second, second)
	s.charts.chartPanel(p, lay.third, third)
	if v.Replay != nil {
		s.requests.Draw(&p.Canvas, lay.lanes)
	} else {
		s.lanes.warns = !roomForLag(lay.comparison)
		s.lanes.lanesPanel(p, lay.lanes)
	}
	p.goodput(lay.goodput)
	p.comparison(lay.comparison)
}

// refresh copies new numbers when they may change.
func (s *picture) refresh(v *View) {
	n, l := &s.now, &v.Load
	of := moment{began: l.Began, running: l.Running, holding: l.Holding, open: v.Open, users: l.Target, setup: l.Setup,
		rate: l.Rate, path: len(l.Path), slos: len(l.SLOs), marks: len(l.Marks)}
	if v.idle() {
		of.next = v.Next
		of.next.Drive = v.asks()
	}
	if v.Replay != nil {
		of.replay = *v.Replay
	}
	if n.version > 0 && of == n.of && l.Now >= n.view.Now && l.Now-n.view.Now < screen.FiguresEvery {
		return
	}
	n.of, n.view = of, *l
	n.version++
	n.width = 0
	n.failed = say.Failed(l.Failed, l.Done+l.Failed, l.Faults)
	title := say.LoadTitle(l)
	n.title = [...]string{title.String(), title[:min(len(title), 2)].String(), title[0].Text}
	n.points = n.points[:0]
	for i := range l.Path {
		if q := &l.Path[i]; !q.Warmup && q.Setup == l.Setup { // points of the ramp-up do not count
			n.points = append(n.points, *q)
		}
	}
	n.earlier(l)
	if n.live = v.Replay == nil && plotted(l); n.live {
		n.points = append(n.points, l.Live)
	}
	n.rates.open = true
	n.closed.follow(n.points)
	n.rates.follow(n.points)
	n.present = format.Either(n.open(), &n.rates, &n.closed)
	n.judge(l.SLOs)
}

// open reports which slider sets the load: that of the rate, as an open loop has it,
// or that of the users. Without a load it is the slider in use; of an ended one that
// is set too, for the next load.
func (n *figures) open() bool {
	return format.Either(n.view.Running || n.view.Sent > 0, n.view.Rate > 0, n.of.open)
}

// judge finds the knee and what the objectives allow, among the points of the
// present loop. Rates are counted in thousandths, as whole numbers.
func (n *figures) judge(slos []slo.Objective) {
	n.knee, n.breaks, n.breaksAt, n.meets = 0, "", 0, 0
	if i := loadstat.Knee(n.points); i >= 0 {
		n.knee = n.points[i].Users
	}
	const thousand = 1000
	unit := 1.0
	n.judged = n.judged[:0]
	for i := range n.points {
		if q := n.points[i]; q.Asked > 0 == n.present.open {
			if n.present.open {
				q.Users, unit = int(math.Round(q.Asked*thousand)), thousand
			}
			n.judged = append(n.judged, q)
		}
	}
	largest, first, name := loadstat.Meeting(n.judged, slos)
	if n.breaks = name; first >= 0 {
		n.breaksAt = float64(n.judged[first].Users) / unit
	}
	if largest >= 0 {
		n.meets = float64(n.judged[largest].Users) / unit
	}
}

// load writes a load of the present loop: "8 users", "12 req/s".
func (p *canvas) load(v float64) string {
	if p.now.present != nil && p.now.present.open {
		return p.Join(p.Exact(v), " req/s")
	}
	return p.Join(p.Count(int(v)), format.Either(v == 1, " user", " users"))
}

// lanes returns the lanes to draw. With reduced motion they are as old as the
// figures.
func (n *figures) lanes(v *View) []loadstat.Lane {
	return format.Either(v.Look.ReducedMotion && n.version > 0 && n.view.Began == v.Load.Began, n.view.Lanes, v.Load.Lanes)
}

// leastList is the height from which the list of requests has rows in its box.
const leastList = 6

// essentials is the screen where there is no room for boxes: the sentence, the
// slider, state, TTFT, gaps, goodput, and lanes in what is left.
func (s *picture) essentials(p *canvas, r draw.Rect) {
	_, r = r.SplitV(p.Wrapped(r, 0, 2, themes.Strong, p.said(r.W, 2)))
	users, r := r.SplitV(format.Either(r.W < compactW && p.v.Replay == nil && !p.v.idle(), 3, 2))
	s.head.slider(p, users)
	if p.v.idle() {
		s.lanes.promise(p, r)
		return
	}
	v := &s.now.view
	l := p.Row(r, 0)
	p.dist(&l, "TTFT", 5, true, themes.Strong, &v.Live.TTFT)
	l = p.Row(r, 1)
	p.dist(&l, "gap", 5, true, themes.Strong, &v.Live.Gaps)
	l = p.Row(r, 2)
	l.Write(themes.Dim, "good ")
	l.Field(themes.Text, p.PercentOf(v.Live.GoodShare), 5)
	l.Skip(2)
	p.troubles(l)
	_, r = r.SplitV(3)
	if p.v.Replay != nil {
		if r.H >= leastList {
			s.requests.Draw(&p.Canvas, r)
		}
		return
	}
	s.lanes.perRow, s.lanes.rows = 1, 0
	if r.H > 0 && r.W > 12 {
		lanes := p.now.lanes(p.v)
		s.lanes.arrange(lanes, r)
		s.lanes.drawLanes(p, r, lanes)
	}
}

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
