package load

import (
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// head is the slider with the two figures of the seesaw, in numerals that can
// be read from the other side of a room.
func (s *head) head(p *canvas, lay plan) {
	s.figure(p, lay.each, false)
	s.figure(p, lay.total, true)
	if p.v.Replay != nil {
		s.recordedBox(p, lay.users)
		return
	}
	title := "users"
	if p.v.Open {
		title = format.Either(p.v.Poisson, "requests a second, at random (Poisson)", "requests a second, evenly spaced")
	}
	if p.now.view.Running && p.now.open() != p.v.Open {
		title = p.Join(format.Either(p.v.Open, "requests a second that end", "users busy"), ", ", p.setting(lay.users.W))
	}
	in := p.Box(lay.users, themes.Border, title, "")
	p.Grid.Target(lay.users, onSlider)
	at := p.inUse()
	p.Grid.Big(in.X, in.Y, at.text, p.Glyphs, at.role(), in.W)
	const numerals = 15 // four of them
	track := draw.Rect{X: in.X + numerals + 2, Y: in.Y, W: in.W - numerals - 2, H: 1}
	s.drawTrack(p, track)
	track.Y++
	s.drawSteps(p, track)
	l := p.Row(in, 2)
	l.To(track.X)
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

// recordedBox draws them in a box with a large number.
func (s *head) recordedBox(p *canvas, r draw.Rect) {
	load, rows := s.recordedFacts(p)
	s.numeral(p, r, "recorded load", load, themes.Figure, func(l *line, i int) {
		if i < len(rows) {
			l.Cut(themes.Dim, p.Chrome(rows[i]))
		}
	})
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
		case alone == nil:
		case total:
			s.gain(p, l, alone)
		default:
			mark := hollow(p, alone) // nothing more fits
			l.Whole(themes.Dim, p.Join("1", format.Either(mark == "", " user", mark), " ", p.NumberOf(alone.Speed)))
		}
	})
	if v.OK && p.now.view.Running {
		p.Grid.Set(r.Right()-3, r.Y, format.Either(live.Steady, p.Glyphs.Dot, p.Glyphs.Ring), role)
	}
}

// gain writes how many times the aggregate is that of one user. On hold and during
// changes there is none, nor where users who share an endpoint would get faster: the
// window of one user was too short then.
func (s *head) gain(p *canvas, l *line, alone *loadstat.Point) {
	v := &p.now.view
	if !alone.Total.OK || !v.Live.Total.OK || !(alone.Total.V > 0) || !p.now.live {
		return
	}
	if times := v.Live.Total.V / alone.Total.V; alone.Steady || times <= float64(max(v.Users, 1)) {
		l.Whole(themes.Dim, p.Join(p.Keep(format.AppendFactor(p.Scratch(), times)), hollow(p, alone)))
	}
}

// hollow marks what rests on a point that was not steady.
func hollow(p *canvas, a *loadstat.Point) string {
	return format.Either(a.Steady, "", p.Join(" ", string(p.Glyphs.Ring)))
}

// said is the seesaw in words, in width columns where possible.
func (n *figures) said(width int) string {
	if n.width != width || n.sentence == "" {
		said := say.Load(&n.view)
		if n.replays {
			said = say.LoadReplay(&n.view, &n.replay)
		}
		n.sentence, n.width = said.Fit(width), width
	}
	return n.sentence
}

// sentence is the seesaw in words: always there.
func (s *head) sentence(p *canvas, r draw.Rect) {
	l := p.Row(r, 0)
	l.Skip(1)
	v := &p.v.Load
	l.Cut(themes.Strong, p.now.said(l.Left()))
	if l.Left() <= 12 {
		return
	}
	l.Skip(2)
	switch n := len(v.Marks); {
	case p.v.Replay != nil && n > 0:
		l.Cut(themes.Dim, p.Chrome(say.LastChange(&v.Marks[n-1])))
	case v.Stopped.Code != "" && v.Broken.Code == "" && !v.Running: // the lanes show what broke
		l.Cut(themes.Dim, p.ending(v.Stopped))
	}
}
