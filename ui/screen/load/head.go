package load

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// head is the slider with the two figures of the seesaw, in numerals that can
// be read from the other side of a room.
func (s *head) head(p *canvas, lay plan) {
	s.bigFigure(p, lay.each, "per user", &p.now.view.Live.Speed,
		&p.now.view.Live.SpeedInterval, themes.PerUser, s.eachRows)
	s.bigFigure(p, lay.total, "aggregate", &p.now.view.Live.Total,
		&p.now.view.Live.TotalInterval, themes.Aggregate, s.totalRows)
	if p.v.Replay != nil {
		s.recordedBox(p, lay.users)
		return
	}
	title := "users"
	if p.v.Open {
		title = draw.Either(p.v.Poisson, "requests a second, at random (Poisson)", "requests a second, evenly spaced")
	}
	if p.now.view.Running && p.now.open() != p.v.Open {
		title = p.Join(draw.Either(p.v.Open, "requests a second that end", "users busy"), ", ", p.setting(lay.users.W))
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
	l.Whole(themes.Dim, p.other())
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
		load, words = p.Int(q.Users), draw.Either(q.Users == 1, "user in the last window", "users in the last window")
	}
	r := p.v.Replay
	lasted := say.LoadReplayState(&p.now.view, r)
	return load, [...]string{words, lasted, say.LoadReplaySent(r), say.LoadReplayNote(r)}
}

// recordedBox draws them in a box with a large number.
func (s *head) recordedBox(p *canvas, r draw.Rect) {
	load, rows := s.recordedFacts(p)
	in := p.Box(r, themes.Border, "recorded load", "")
	n := p.Grid.Big(in.X, in.Y, load, p.Glyphs, themes.Figure, in.W)
	for i, text := range rows {
		l := p.Row(in, i)
		if i < bigRows {
			l.To(in.X + n + 2)
		}
		l.Cut(themes.Dim, p.Chrome(text))
	}
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

// between writes between what the mean above lies, or as much of the reason as
// fits why that is unknown.
func (s *head) between(p *canvas, l line, i *loadstat.Interval) {
	l.Write(themes.Dim, "95 % ")
	if !i.Low.OK {
		l.Write(themes.Dim, draw.Unknown)
		why := format.Why(i.Low.Why)
		switch {
		case i.Low.Why == metrics.WhyNotSteady, p.now.view.Live.Ramp != nil:
			why = "not steady"
		case i.Low.Why == metrics.WhyDependent:
			why = "varies slowly"
		}
		l.Whole(themes.Dim, p.Join(" ", why))
		return
	}
	l.Whole(themes.Dim, format.KnownRange(i.Low, i.High, format.Number))
}

// bigFigure is a box with a large number, its unit, and rows beside it.
func (s *head) bigFigure(p *canvas, r draw.Rect, title string, v *metrics.Value,
	between *loadstat.Interval, role themes.Role, rows func(p *canvas, i int) (text, brief string)) {
	live := &p.now.view.Live
	mark := p.Glyphs.Ring
	if live.Steady {
		mark = p.Glyphs.Dot
	}
	in := p.Box(r, themes.Border, title, "")
	if v.OK && p.now.view.Running {
		p.Grid.Set(r.Right()-3, r.Y, mark, role)
	}
	n := p.Grid.Big(in.X, in.Y, p.NumberOf(*v), p.Glyphs, role, in.W)
	for i := range in.H {
		l := p.Row(in, i)
		if i == bigRows {
			s.between(p, l, between)
			return
		}
		l.To(in.X + max(n, 11) + 2)
		if i == 0 {
			l.Whole(themes.Unit, "tok/s")
			continue
		}
		text, brief := rows(p, i)
		_ = l.Whole(themes.Dim, text) || l.Whole(themes.Dim, brief) // a large number needs the columns
	}
}

func (s *head) eachRows(p *canvas, i int) (text, brief string) {
	v := &p.now.view
	if i == 1 {
		return p.Join("p5 ", p.NumberOf(v.Live.SpeedP5)), ""
	}
	if a := v.One(); a != nil {
		if mark := hollow(p, a); mark != "" { // nothing more fits
			return p.Join("1", mark, " ", p.NumberOf(a.Speed)), ""
		}
		return p.Join("1 user ", p.NumberOf(a.Speed)), ""
	}
	return "", ""
}

func (s *head) totalRows(p *canvas, i int) (text, brief string) {
	v := &p.now.view
	if i == 1 {
		rate := p.NumberOf(v.Live.Rate)
		return p.Join(rate, " req/s"), p.Join(rate, "/s")
	}
	a := v.One()
	// on hold and during changes there is no gain to show
	if a == nil || !a.Total.OK || !v.Live.Total.OK || !(a.Total.V > 0) || !p.now.live {
		return "", ""
	}
	times := v.Live.Total.V / a.Total.V
	if !a.Steady && times > float64(max(v.Users, 1)) {
		return "", "" // users who share an endpoint do not get faster: the window of one user was too short
	}
	return p.Join(p.Keep(format.AppendGain(p.Scratch(), times)), hollow(p, a)), ""
}

// hollow marks what rests on a point that was not steady.
func hollow(p *canvas, a *loadstat.Point) string {
	if a.Steady {
		return ""
	}
	return p.Join(" ", string(p.Glyphs.Ring))
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
