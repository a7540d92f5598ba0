package load

import (
	"math"
	"strconv"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// head is the part above the panels: the slider, the big figures, and the
// sentence.
type head struct {
	track draw.Rect // of the slider
}

// UsersAt is the number of users at column x of the slider, on any row: a
// drag may leave it.
func (s *head) UsersAt(x int) int { return usersAt(s.track, x) }

// columnOf is the column of n users on a track, 0 to w-1.
func columnOf(n, w int) int {
	f := math.Log2(float64(min(max(n, 1), MaxUsers))) / math.Log2(MaxUsers)
	return int(math.Round(f * float64(max(w-1, 0))))
}

// usersAt is the inverse of columnOf: a step of the slider if one lies in the
// column, else a number between steps.
func usersAt(track draw.Rect, x int) int {
	w := track.W
	if w < 2 {
		return 1
	}
	col := min(max(x-track.X, 0), w-1)
	for n := 1; n <= MaxUsers; n *= 2 {
		if columnOf(n, w) == col {
			return n
		}
	}
	return int(math.Round(math.Pow(2, float64(col)/float64(w-1)*math.Log2(MaxUsers))))
}

// slider draws two rows without a box: the track, and its numbers with the
// state of the load.
func (s *head) slider(p *canvas, r draw.Rect) {
	p.Grid.Target(r, onSlider)
	l := p.Row(r, 0)
	l.Skip(1)
	l.Write(themes.Dim, "users ")
	l.Field(themes.Figure, p.Int(p.v.Want), 4)
	l.Skip(2)
	track := draw.Rect{X: l.X, Y: r.Y, W: l.Left() - 2 - stateWidth, H: 1}
	s.drawTrack(p, track)
	l.X = track.Right() + 2
	s.state(p, l)
	s.drawSteps(p, draw.Rect{X: track.X, Y: r.Y + 1, W: track.W, H: 1})
	l = p.Row(r, 1)
	l.To(track.Right() + 2)
	s.flow(p, l)
}

// stateWidth is the width of the state beside the track: "running 1024
// waiting 1024".
const stateWidth = 26

// state writes what the load does, at the moment of the other figures. So it
// counts as many leaving users as the sentence below.
func (s *head) state(p *canvas, l line) {
	v := &p.now.view
	switch {
	case p.v.Replay != nil:
		l.Whole(themes.Dim, format.LoadReplayState(p.v.Replay, v.Running))
	case v.Broken.Code != "":
		l.Whole(themes.Alert, " failed ")
	case !v.Running && !p.begun():
		l.Whole(themes.Dim, "not begun")
	case !v.Running:
		l.Whole(themes.Dim, "ended")
	case v.Holding:
		l.Whole(themes.Badge, " held ")
		l.Skip(1)
		l.Whole(themes.Dim, "none starts")
	case v.Target == 0:
		l.Write(themes.Warn, "stopping")
		l.Skip(2)
		l.Whole(themes.Dim, p.Join(p.Count(v.Users), " still run"))
	case v.ClientLimits.Code != "":
		if !l.Whole(themes.Warn, "▲ client-bound") {
			l.Whole(themes.Warn, "▲ client")
		}
	case v.Users > v.Target:
		l.Write(themes.Warn, p.Join(p.Count(v.Users-v.Target), " leaving"))
	case v.Users < v.Target:
		l.Write(themes.Accent, p.Join(p.Count(v.Users), " of ", p.Count(v.Target)))
		l.Whole(themes.Accent, " users")
	case v.Live.Steady:
		l.Write(themes.Good, p.Join(string(p.Glyphs.Dot), " steady"))
	default:
		l.Write(themes.Dim, p.Join(string(p.Glyphs.Ring), " not steady"))
	}
}

// flow says how many requests run, and how many wait in the server's queue: "–"
// when it does not tell.
func (s *head) flow(p *canvas, l line) {
	v := &p.now.view
	if p.v.Replay != nil {
		l.Whole(themes.Dim, p.Chrome("running – not recorded"))
		return
	}
	l.Write(themes.Dim, "running ")
	waiting, text := 0, draw.Unknown
	if v.Waiting.OK {
		waiting = int(v.Waiting.V)
		text = p.Count(waiting)
	}
	l.Slot(themes.Text, p.Count(max(v.InFlight-waiting, 0)), 5)
	l.Whole(themes.Dim, "waiting ")
	if l.Left() >= 4 {
		l.Slot(themes.Text, text, 4)
	}
}

func (p *canvas) begun() bool { return p.v.Load.Sent > 0 || p.v.Load.Running }

// drawTrack draws the line: strong up to the users that exist, the handle
// where they are asked for, and dashed from where an objective breaks.
func (s *head) drawTrack(p *canvas, r draw.Rect) {
	if r.W < 4 {
		return
	}
	s.track = r
	have := -1
	if p.v.Load.Users > 0 {
		have = columnOf(p.v.Load.Users, r.W)
	}
	breaks := r.W
	if p.now.breaksAt > 0 {
		breaks = columnOf(p.now.breaksAt, r.W)
	}
	for x := range r.W {
		glyph, st := p.Glyphs.H, themes.Faint
		switch {
		case x <= have && x >= breaks:
			glyph, st = p.Glyphs.Heavy, hot
		case x <= have:
			glyph, st = p.Glyphs.Heavy, themes.Accent
		case x >= breaks:
			glyph, st = p.Glyphs.LineDash, hot
		}
		p.Grid.Set(r.X+x, r.Y, glyph, st)
	}
	for n := 1; n <= MaxUsers; n *= 2 {
		if x := columnOf(n, r.W); x > have {
			st := themes.Dim
			if x >= breaks {
				st = hot
			}
			p.Grid.Set(r.X+x, r.Y, p.Glyphs.TeeT, st)
		}
	}
	p.Grid.Set(r.X+columnOf(p.v.Want, r.W), r.Y, p.Glyphs.Diamond, themes.Figure)
}

// drawSteps prints the numbers that fit below the track. It always prints the
// slider's own number, in color.
func (s *head) drawSteps(p *canvas, r draw.Rect) {
	at := func(n int) (x, w int) {
		text := strconv.Itoa(n)
		return min(max(columnOf(n, r.W)-(len(text)-1)/2, 0), max(r.W-len(text), 0)), len(text)
	}
	wx, ww := at(p.v.Want)
	free := -1
	for n := 1; n <= MaxUsers; n *= 2 {
		x, w := at(n)
		if x < free || x+w > r.W || x < wx+ww+1 && x+w+1 > wx || n < MaxUsers && x+w+1 > r.W-4 {
			continue // the last number keeps its place
		}
		st := themes.Axis
		if p.now.breaksAt > 0 && n >= p.now.breaksAt {
			st = hot
		}
		p.Grid.Text(r.X+x, r.Y, p.Int(n), st, w)
		free = x + w + 1
	}
	if wx+ww <= r.W {
		p.Grid.Text(r.X+wx, r.Y, p.Int(p.v.Want), themes.Figure, ww)
	}
}
