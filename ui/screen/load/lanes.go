package load

import (
	"fmt"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/screen"
)

// lanes is the panel of all users, one or several in a row. It keeps the
// selection and the scroll position.
type lanes struct {
	of     *View // whose lanes are selected
	cursor int   // selected user; 0 before any selection
	first  int   // first lane shown
	perRow int   // lanes in a row, in the last frame
	rows   int   // lanes that fit, or rows of several
	tall   int   // rows a lane
	label  int   // columns before the lanes of a shared row

	lines  []laneRow     // rows of the drawn lanes
	stalls bool          // a stall of the load that began at began was drawn
	drawn  extent        // of the gaps in the last frame, ms: those of its colors
	began  metrics.Stamp // of that load
	warns  bool          // the last row may say how late this program is: no other has room

	totals []total // memory of sums
}

// onLane is a row of lanes: its index in the picture's lines.
type onLane int

// laneRow is a row of lanes: its first user, its first column, and its number
// of users. From that column on, each column is the next user.
type laneRow struct{ user, from, per int }

// Step moves the selection by that many lanes.
func (s *lanes) Step(by int) {
	lanes := s.of.Load.Lanes
	if len(lanes) == 0 {
		s.cursor = 0
		return
	}
	i := 0
	if at := s.index(lanes); at >= 0 {
		i = min(max(at+by, 0), len(lanes)-1)
	}
	s.cursor = lanes[i].User
}

// Move implements listing.Mover, as do Page and Edge.
func (s *lanes) Move(by int) { s.Step(by * max(s.perRow, 1)) }
func (s *lanes) Page(by int) { s.Move(by * max(s.rows-1, 1)) }
func (s *lanes) Edge(by int) { s.Step(by * loadstat.MaxUsers) }

// index is the place of the selected lane, or -1 without one.
func (s *lanes) index(lanes []loadstat.Lane) int {
	return slices.IndexFunc(lanes, func(l loadstat.Lane) bool { return l.User == s.cursor })
}

// Selected is the user of the selected lane, the first when none was
// selected. ok is false without lanes.
func (s *lanes) Selected() (user int, ok bool) {
	lanes := s.of.Load.Lanes
	if len(lanes) == 0 {
		return 0, false
	}
	return lanes[max(s.index(lanes), 0)].User, true
}

// place registers r of g as the row of lanes l.
func (s *lanes) place(g *draw.Grid, r draw.Rect, l laneRow) {
	g.Target(r, onLane(len(s.lines)))
	s.lines = append(s.lines, l)
}

// laneAt is the user of the lane in column x of a row.
func (s *lanes) laneAt(row onLane, x int) (user int, ok bool) {
	if int(row) >= len(s.lines) {
		return 0, false
	}
	h := s.lines[row]
	return h.user + min(max(x-h.from, 0), h.per-1), true
}

// lanesPanel shows what every user does, newest right: a row each, or several
// a row when there are more users than rows.
func (s *lanes) lanesPanel(p *canvas, r draw.Rect) {
	if r.Empty() {
		return
	}
	lanes := p.now.lanes(p.v)
	in := r.Inner()
	foot, queue := p.aroundLanes(in)
	area := draw.Rect{X: in.X, Y: in.Y, W: in.W, H: in.H - foot - queue}
	s.arrange(lanes, area)
	p.Box(r, themes.Border, s.lanesTitle(p, len(lanes), r.W), s.chosenWords(p, lanes))
	s.drawn = extent{}
	if b := p.v.Load.Began; s.began != b {
		s.began, s.stalls = b, false
	}
	if queue > 0 {
		s.unsent(p, p.Row(in, in.H-foot-1))
	}
	if len(lanes) == 0 {
		s.empty(p, area)
	} else {
		s.drawLanes(p, area, lanes)
	}
	if foot > 0 { // after the lanes: it names the signs that they have
		l := p.Row(in, in.H-1)
		if !s.warns || !p.lateness(&l) {
			s.lanesLegend(p, l)
		}
	}
	if why := p.v.Load.Broken; why.Code != "" && area.H > 0 && len(lanes) > 0 {
		s.alert(p, area, p.ending(why))
	}
}

// aroundLanes is how many rows legend and queue have of the inside of the panel.
func (p *canvas) aroundLanes(in draw.Rect) (foot, queue int) {
	return format.Either(in.H >= 6, 1, 0), format.Either(p.now.open() && p.now.view.Running && in.H >= 8, 1, 0)
}

// hidden reports whether the panel r has no room for a cell of every lane.
func (p *canvas) hidden(r draw.Rect) bool {
	in, n := r.Inner(), len(p.now.lanes(p.v))
	foot, queue := p.aroundLanes(in)
	return p.v.Replay == nil && n > (in.W-digitsOf(n)-1)*(in.H-foot-queue)
}

// unsent is the queue in front of the users of an open loop: the requests that are
// due and wait for one, a dot each as far as there is room. Those that wait at the
// server are counted where there is room.
func (s *lanes) unsent(p *canvas, l line) {
	n := p.now.view.Backlog
	role := format.Either(n > 0, themes.Warn, themes.Dim)
	l.Write(role, p.Join(p.Count(n), format.Either(l.Left() >= 40, " due and unsent", " unsent")))
	if at := p.now.view.Waiting; at.OK && at.V > 0 {
		text := p.Join(", ", p.Count(int(at.V)), " wait at the server")
		if room := l.Left() - draw.Width(text); room > min(n, 8) {
			l.Write(themes.Dim, text)
		}
	}
	l.Skip(1)
	for range min(n, l.Left()) {
		l.Set(role, p.Glyphs.Bullet)
	}
}

// alert writes why errors stopped the load, over the first lanes, in as many
// rows as needed: the cause is at the end of the text.
func (s *lanes) alert(p *canvas, r draw.Rect, why string) {
	in := draw.Rect{X: r.X + 1, Y: r.Y, W: r.W - 2, H: r.H}
	rows := p.Wrapped(in, 0, in.H, themes.Alert, why)
	p.Grid.Fill(draw.Rect{X: r.X, Y: r.Y, W: r.W, H: rows}, ' ', themes.Alert)
	p.Wrapped(in, 0, in.H, themes.Alert, why)
}

// empty says that it begins, or how it ended.
func (s *lanes) empty(p *canvas, r draw.Rect) {
	v := &p.v.Load
	text, role := "", themes.Dim
	switch {
	case v.Broken.Code != "":
		text, role = p.ending(v.Broken), themes.Bad
	case v.Running:
		text = "users start"
	case v.Stopped.Code != "":
		text = p.ending(v.Stopped)
	default:
		text = "ended; space restarts"
	}
	p.Middle(r, role, text)
}

func (s *lanes) lanesTitle(p *canvas, n, w int) string {
	if n == 0 {
		return "lanes"
	}
	text, last := p.Count(n), min(s.first+s.rows*s.perRow, n)
	if s.first > 0 || last < n {
		text = p.Join(p.Count(s.first+1), "–", p.Count(last), " of ", text)
	}
	text = p.Join("lanes ─ ", text)
	if s.perRow <= 1 || w < 40 {
		return text
	}
	text = p.Join(text, " ─ ", p.Count(s.perRow), " a row")
	past := s.pastOf(draw.Rect{W: w - 2*boxSide}, n).W > 1
	// of a selected lane this panel has words beside its title
	if parts := p.Join(text, ": now │ before"); past && draw.Width(parts) <= w-4 && s.index(p.now.lanes(p.v)) < 0 {
		return parts
	}
	return text
}

// chosenWords are about the selected lane, for the upper border.
func (s *lanes) chosenWords(p *canvas, lanes []loadstat.Lane) string {
	i := s.index(lanes)
	if i < 0 {
		return ""
	}
	l := &lanes[i]
	gap := format.If(l.State == loadstat.LaneDecoding && l.Gap > 0, p.Join(" ", p.Ms(l.Gap)))
	return p.Join("user ", p.Int(l.User), " ", l.State.String(), gap)
}

// arrange decides how many lanes share a row of r, and which is the first
// shown, so that the selected one is in view.
func (s *lanes) arrange(lanes []loadstat.Lane, r draw.Rect) {
	n := len(lanes)
	s.rows, s.perRow, s.tall = max(r.H, 0), 1, 1
	if n == 0 || r.H <= 0 {
		s.first = 0
		return
	}
	s.label = gridLabel(n)
	if n > (r.W-s.label)*r.H {
		s.label = digitsOf(n) + 1 // the lanes get the columns, not the last number of each row
	}
	most := max(r.W-s.label, 1)
	s.perRow = min((n+r.H-1)/r.H, most)
	s.tall = min(max(r.H/n, 1), tallest)
	s.rows = r.H / s.tall
	shown := s.perRow * s.rows
	if i := s.index(lanes); i >= 0 {
		row, top := i/s.perRow, s.first/s.perRow
		top = max(min(top, row), row-s.rows+1)
		s.first = top * s.perRow
	}
	last := max((n-shown+s.perRow-1)/s.perRow, 0) * s.perRow
	s.first = min(s.first/s.perRow*s.perRow, last)
}

// lane is the stream of one user, lent to the screen that shows streams.
type lane struct {
	s    *Screen
	user int
}

func (l *lane) Place() screen.Place {
	short := fmt.Sprintf("user %d", l.user)
	v := &l.s.view.Load
	return screen.Place{Stream: short + " of the load", Short: short, From: "the load", Of: screen.Load,
		Unit: format.Either(v.Running, "user", ""), Work: v.Work, Input: v.Input, Output: v.Output}
}

func (l *lane) Version() uint64                { return l.s.back.LoadVersion() }
func (l *lane) Stream() (metrics.Stream, bool) { return l.s.back.LoadStream(l.user) }
func (l *lane) Sample()                        { l.s.view.Load = l.s.back.LoadView() }

// Next implements screen.Source. It also moves the selection on the Load
// screen.
func (l *lane) Next(by int) bool {
	s := l.s
	l.Sample()
	s.pic.lanes.cursor = l.user
	s.pic.lanes.Step(by)
	user, ok := s.pic.lanes.Selected()
	if !ok {
		return false
	}
	if _, ok = s.back.LoadStream(user); ok {
		l.user = user
	}
	return ok
}

// Sizes of the summary below the lanes.
const (
	leastAggregate = 4  // rows that must be left below the lanes
	mostAggregate  = 12 // rows of its picture: more rows show no more
	boxSide        = 2  // columns of a box beside its inside: a border and a blank
)

// aggregate sums up all lanes in the rows that they leave free, below a rule and on
// their time: from below the mean of the longest gap that each had in a slice, so that
// a prefill that stretches those of all is seen, and from above how many have no token
// yet.
func (s *lanes) aggregate(p *canvas, r draw.Rect, lanes []loadstat.Lane, end int) {
	used := (len(lanes) + s.perRow - 1) / s.perRow * s.tall
	past := s.pastOf(r, len(lanes))
	if s.first > 0 || len(lanes) < 2 || r.H-used < leastAggregate || past.W < 8 {
		return
	}
	h := min(r.H-used-1, mostAggregate)
	if h > leastAggregate-2 {
		h-- // a blank row above the legend of the lanes
	}
	past.Y, past.H = r.Y+used+1, h
	box := draw.Rect{X: r.X - boxSide, Y: r.Y, W: r.W + 2*boxSide, H: r.H}
	title := draw.FirstFit(r.W-2, "all users: waiting (top), gap (bottom)", "all users")
	p.Grid.Rule(box, past.Y-1, p.Glyphs, themes.Border, p.Chrome(title), themes.Dim)
	for i, t := range s.sums(lanes, end, past.W) {
		s.drawTotal(p, draw.Rect{X: past.X + i, Y: past.Y, W: 1, H: h}, &t)
	}
}

// pastOf is where the past of the lanes in r is drawn.
func (s *lanes) pastOf(r draw.Rect, n int) draw.Rect {
	before, behind := s.label+s.perRow+1, 0
	if s.perRow == 1 {
		before, behind = digitsOf(n)+1, laneNow
	}
	return draw.Rect{X: r.X + before, Y: r.Y, W: r.W - before - behind, H: r.H}
}

// drawTotal draws one slice of all lanes into the column r.
func (s *lanes) drawTotal(p *canvas, r draw.Rect, t *total) {
	first, back := t.first(), t.back()
	here := first + t.decode() + back // those who are idle do not count
	if here == 0 {
		return
	}
	above := 0
	if first > 0 { // one is visible, however many lanes exist
		above = max((2*first*r.H+here)/(2*here), 1)
	}
	p.Grid.Down(r.X, r.Y, above, p.Glyphs.MidShade, t.firstRole())
	h := r.H - above
	switch {
	case h <= 0:
	case t.gaps > 0:
		mean := t.sum / float64(t.gaps)
		p.Grid.Bar(r.X, r.Bottom()-1, h, min(share(mean)*float64(r.H)/float64(h), 1), p.Glyphs,
			format.Either(t.stalled() > 0, hot, s.heat(mean)))
	case back > 0:
		n := min((2*back*r.H+here)/(2*here), h)
		p.Grid.Down(r.X, r.Bottom()-n, n, p.Glyphs.Times, themes.Warn)
	case t.stalled() > 0:
		p.Grid.Bar(r.X, r.Bottom()-1, h, 1, p.Glyphs, hot)
	}
}

// total is one slice of several lanes: how many are in each state, and their gaps.
type total struct {
	in   [loadstat.LaneLeaving + 1]int32
	gaps int32
	sum  float64 // of the longest gaps that lanes had in it, ms
}

// wait, first, decode, stalled and back are how many wait for the server, have no token
// yet, decode, decode and stall, and wait after a failure; here is how many there are.
func (t *total) wait() int {
	return int(t.in[loadstat.LaneWaiting] + t.in[loadstat.LaneConnecting])
}
func (t *total) first() int {
	return t.wait() + int(t.in[loadstat.LanePrefill]+t.in[loadstat.LaneNoToken])
}
func (t *total) decode() int {
	return t.stalled() + int(t.in[loadstat.LaneDecoding]+t.in[loadstat.LaneLeaving])
}
func (t *total) stalled() int { return int(t.in[loadstat.LaneStalled]) }
func (t *total) back() int    { return int(t.in[loadstat.LaneBackoff]) }
func (t *total) here() int    { return int(t.in[loadstat.LaneIdle]) + t.first() + t.decode() + t.back() }

// firstRole is the color of those without a token: of what most of them do.
func (t *total) firstRole() themes.Role {
	switch {
	case 2*t.wait() > t.first():
		return themes.Queue
	case 2*int(t.in[loadstat.LanePrefill]) >= t.first():
		return themes.Prefill
	}
	return themes.Dim
}

// sums are the totals of the w slices of lanes before end, the oldest first. They are
// valid until the next call.
func (s *lanes) sums(lanes []loadstat.Lane, end, w int) []total {
	s.totals = append(s.totals[:0], make([]total, max(w, 0))...)
	for i := range lanes {
		l := &lanes[i]
		from := l.Offset - (end - w) // the place of its first slice
		for j := max(-from, 0); j < len(l.Past) && from+j < w; j++ {
			sl, t := &l.Past[j], &s.totals[from+j]
			if t.in[sl.State%loadstat.LaneState(len(t.in))]++; sl.Gap > 0 {
				t.sum += float64(sl.Gap)
				t.gaps++
			}
		}
	}
	return s.totals
}
