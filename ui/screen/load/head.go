package load

import (
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// head is the slider with the two figures of the seesaw, in numerals that can
// be read from the other side of a room.
func (s *head) head(p *canvas, lay plan) {
	if !p.v.idle() {
		s.figure(p, lay.each, false)
		s.figure(p, lay.total, true)
	}
	if p.v.Replay != nil {
		load, rows := s.recordedFacts(p)
		s.numeral(p, lay.users, "recorded load", load, themes.Figure, func(l *line, i int) {
			if i < len(rows) {
				l.Cut(themes.Dim, p.Chrome(rows[i]))
			}
		})
		return
	}
	title := "users"
	if p.v.Open {
		title = format.Either(p.v.Poisson, "requests a second, at random (Poisson)", "requests a second, evenly spaced")
	}
	in := p.Box(lay.users, themes.Border, title, "")
	p.Grid.Target(lay.users, onSlider)
	p.Grid.Big(in.X, in.Y, p.plain(p.v.asks().From()), p.Glyphs, themes.Figure, in.W)
	const numerals = 15 // four of them
	track := draw.Rect{X: in.X + numerals + 2, Y: in.Y, W: in.W - numerals - 2, H: 1}
	s.drawTrack(p, track)
	track.Y++
	s.drawSteps(p, track)
	l := p.Row(in, 2)
	l.To(track.X)
	if p.v.idle() {
		l.Whole(themes.Dim, "moves at any time: now, and while the load runs")
		return
	}
	s.flow(p, l)
	l.To(track.X + stateWidth)
	s.state(p, l)
	l = p.Row(in, 3)
	l.To(track.X)
	p.other(l, false)
}

// recordedFacts are the load of the last window of a recorded load, and rows about it:
// its words, how long it lasted, how many requests it sent, and why it ended or what
// the recording lacks. They stand in the place of the slider.
func (s *head) recordedFacts(p *canvas) (load string, rows [4]string) {
	q, words := &p.now.view.Live, ""
	switch {
	case len(p.now.view.Path) == 0:
		load, words = draw.Unknown, "users: no window has ended"
	case q.Asked > 0:
		load, words = p.plain(q.Asked), "requests a second asked for in the last window"
	default:
		load, words = p.Int(q.Users), format.Either(q.Users == 1, "user in the last window", "users in the last window")
	}
	r := p.v.Replay
	lasted := say.LoadReplayState(&p.now.view, r)
	return load, [...]string{words, lasted, say.LoadReplaySent(r), say.LoadReplayNote(r)}
}

// recorded draws them without a box, in two rows.
func (s *head) recorded(p *canvas, r draw.Rect) {
	load, rows := s.recordedFacts(p)
	l := p.Row(r, 0)
	l.Skip(1)
	l.Write(themes.Figure, load)
	l.Skip(1)
	l.Cut(themes.Dim, rows[0])
	below := p.Join(rows[2], ", ", rows[1])
	if rows[3] != "" {
		below = p.Join(below, ": ", rows[3])
	}
	l = p.Row(r, 1)
	l.Skip(1)
	l.Cut(themes.Dim, p.Chrome(below))
}

// bigRows is the height of the numerals.
const bigRows = 3

// numeral is a box with a large number, and rows at its right and below it.
func (s *head) numeral(p *canvas, r draw.Rect, title, number string, role themes.Role, row func(l *line, i int)) {
	in := p.Box(r, themes.Border, title, "")
	n := p.Grid.Big(in.X, in.Y, number, p.Glyphs, role, in.W)
	for i := range in.H {
		l := p.Row(in, i)
		if i < bigRows {
			l.To(in.X + n + 2)
		}
		row(&l, i)
	}
}

// figure is a box with one of the figures of the seesaw.
func (s *head) figure(p *canvas, r draw.Rect, total bool) {
	live, alone := &p.now.view.Live, p.now.view.One()
	title, v, between, role := "per user", live.Speed, &live.SpeedInterval, themes.PerUser
	if total {
		title, v, between, role = "aggregate", live.Total, &live.TotalInterval, themes.Aggregate
	}
	if !v.OK { // why not is said once, in the sentence
		l := p.Row(p.Box(r, themes.Border, title, ""), 0)
		l.Whole(themes.Unit, "tok/s")
		return
	}
	s.numeral(p, r, title, p.NumberOf(v), role, func(l *line, i int) {
		if i < bigRows {
			l.To(r.Inner().X + 13) // a short number does not move what is beside it
		}
		switch {
		case i == 0:
			l.Whole(themes.Unit, "tok/s")
		case i == bigRows:
			p.interval(l, "", between)
		case i == 1 && total:
			rate := p.NumberOf(live.Rate)
			l.Fit(brief(p.Join(rate, " req/s"), p.Join(rate, "/s"), 0)) // a large number needs the columns
		case i == 1:
			l.Whole(themes.Dim, p.Join("p5 ", p.NumberOf(live.SpeedP5)))
		case !total && alone != nil && alone.Steady:
			l.Whole(themes.Dim, p.Join("1 user ", p.NumberOf(alone.Speed)))
		}
	})
	if p.now.view.Running {
		p.Grid.Set(r.Right()-3, r.Y, format.Either(live.Steady, p.Glyphs.Dot, p.Glyphs.Ring), role)
	}
}

// said is what the load shows in words, in so many rows of width columns where possible.
func (p *canvas) said(width, rows int) string {
	n := p.now
	if n.width != width || n.rows != rows || n.sentence == "" {
		said := say.Load(&n.view)
		switch {
		case p.v.Replay != nil:
			said = say.LoadReplay(&n.view, &n.of.replay)
		case n.of.next.Work != "": // no load has begun
			said = n.of.next.Sentence()
		}
		n.sentence, n.width, n.rows = said.FitRows(width, rows), width, rows
	}
	return n.sentence
}

// sentence is what the load shows in words: always there.
func (s *head) sentence(p *canvas, r draw.Rect) {
	r.X, r.W = r.X+1, r.W-1
	v, said := &p.v.Load, p.Chrome(p.said(r.W, r.H))
	if rows := p.Wrapped(r, 0, r.H, themes.Strong, said); rows > 1 || r.W-draw.Width(said) <= 12 {
		return
	}
	l := p.Row(r, 0)
	l.Skip(draw.Width(said))
	l.Skip(2)
	switch n := len(v.Marks); {
	case p.v.Replay != nil && n > 0:
		l.Cut(themes.Dim, p.Chrome("last change: "+say.Mark(&v.Marks[n-1])))
	case v.Stopped.Code != "" && v.Broken.Code == "" && !v.Running: // the lanes show what broke
		l.Cut(themes.Dim, p.ending(v.Stopped))
	}
}
