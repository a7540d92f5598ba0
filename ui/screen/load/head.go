package load

import (
	"math"
	"slices"

	"tokscope/metrics/loadstat"
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
	below := p.Join(rows[2], ", ", rows[1], format.If(rows[3] != "", ": "), rows[3])
	l = p.Row(r, 1)
	l.Skip(1)
	l.Cut(themes.Dim, p.Chrome(below))
}

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

// head is the part above the panels: the slider, the big figures, and the
// sentence.
type head struct {
	track draw.Rect // of the slider
}

// slider draws two rows without a box: the track, and its numbers with the
// state of the load and what the other slider would be at. Where nothing has room
// beside the track it is three rows, without the numbers.
func (s *head) slider(p *canvas, r draw.Rect) {
	if p.v.Replay != nil {
		s.recorded(p, r)
		return
	}
	p.Grid.Target(r, onSlider)
	l := p.Row(r, 0)
	l.Skip(1)
	l.Write(themes.Dim, format.Either(p.v.Open, "req/s ", "users "))
	text := p.plain(p.v.asks().From())
	wide := max(draw.Width(text), 4)
	l.Field(themes.Figure, text, wide)
	l.Skip(max(6-wide, 1))
	track := draw.Rect{X: l.X, Y: r.Y, W: l.Left(), H: 1}
	if r.W < compactW && !p.v.idle() {
		s.drawTrack(p, track)
		s.state(p, p.Row(r, 1))
		s.flow(p, p.Row(r, 2))
		return
	}
	if !p.v.idle() {
		track.W -= 2 + stateWidth
	}
	s.drawTrack(p, track)
	s.drawSteps(p, draw.Rect{X: track.X, Y: r.Y + 1, W: track.W, H: 1})
	if p.v.idle() {
		return
	}
	l.X = track.Right() + 2
	s.state(p, l)
	l = p.Row(r, 1)
	l.Skip(1)
	note := l
	note.End = track.X - 1
	p.other(note, true)
	l.To(track.Right() + 2)
	s.flow(p, l)
}

// stateWidth is the width of the state beside the track: "running 1024
// waiting 1024".
const stateWidth = 26

// state writes what the load does, at the moment of the other figures. So it
// counts as many leaving users as the sentence below. On a frozen picture what
// the load does now takes its place.
func (s *head) state(p *canvas, l line) {
	v := &p.now.view
	more, grows, _ := v.Live.Growth()
	switch {
	case p.v.Since != "":
		l.Whole(themes.Warn, p.v.Since)
	case v.Broken.Code != "":
		l.Whole(themes.Alert, " failed ")
	case !v.Running:
		l.Whole(themes.Dim, "ended")
	case v.Holding:
		l.Whole(themes.Badge, " held ")
		l.Skip(1)
		l.Whole(themes.Dim, "none starts")
	case v.Target == 0 && v.Rate <= 0 || v.Ending:
		l.Write(themes.Warn, "stopping")
		l.Skip(2)
		l.Whole(themes.Dim, p.Join(p.Count(v.InFlight), " still run"))
	case v.Drive.Ramps():
		l.Fit(draw.Part{Role: themes.Accent, Text: "ramp ", Rank: 3},
			draw.Part{Role: themes.Accent, Text: p.Join("to ", p.Exact(v.Drive.To))},
			draw.Part{Role: themes.Accent, Text: format.Either(v.Drive.Open(), "/s", ""), Rank: 2},
			draw.Part{Role: themes.Accent, Text: p.Join(" in ", p.Elapsed(v.Drive.Within.Seconds())), Rank: 1})
	case v.Rate > 0 && v.Backlog > 0:
		l.Whole(themes.Warn, p.Join(p.Count(v.Backlog), " unsent"))
	case v.ClientLimits.Code != "":
		l.Fit(draw.Part{Role: themes.Warn, Text: "▲ client-bound", Brief: "▲ client"})
	case v.Rate > 0 && grows:
		l.Fit(draw.Part{Role: themes.Warn, Text: "queue ", Rank: 1},
			draw.Part{Role: themes.Warn, Text: p.Join("grows ", p.Number(more), "/s")})
	case v.Users > v.Target && v.Rate <= 0:
		l.Write(themes.Warn, p.Join(p.Count(v.Users-v.Target), " leaving"))
	case v.Started() < v.Target && v.Rate <= 0:
		l.Write(themes.Accent, p.Join(p.Count(v.Started()), " of ", p.Count(v.Target)))
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
	waiting := format.Either(v.Waiting.OK, int(v.Waiting.V), 0)
	l.Write(themes.Dim, "running ")
	l.Slot(themes.Text, p.Int(max(v.InFlight-waiting, 0)), 5) // without a comma a blank is left
	l.Whole(themes.Dim, "waiting ")
	if l.Left() >= 4 {
		l.Slot(themes.Text, format.Either(v.Waiting.OK, p.Count(waiting), draw.Unknown), 4)
	}
}

// drawTrack draws the line: strong up to the users that exist, or the requests a
// second that end, the handle where they are asked for, and dashed from where an
// objective breaks. The end of a ramp has a ring.
func (s *head) drawTrack(p *canvas, r draw.Rect) {
	if r.W < 4 {
		return
	}
	s.track = r
	v := &p.v.Load
	have := -1
	steps := stepsOf(p.v.Open)
	column := func(load float64) int { return steps.column(load, r.W) }
	switch {
	case p.v.Open:
		if done := p.now.view.Live.EndRate(); done.OK && done.V >= leastRate && v.Running {
			have = column(done.V)
		}
	case v.Users > 0 && v.Rate <= 0:
		have = column(float64(v.Users))
	}
	breaks := format.Either(p.now.breaksAt > 0 && p.now.present.open == p.v.Open, column(p.now.breaksAt), r.W)
	p.Grid.Across(r.X, r.Y, r.W, p.Glyphs.H, themes.Faint)
	p.Grid.Across(r.X+breaks, r.Y, r.W-breaks, p.Glyphs.LineDash, themes.Warn)
	p.Grid.Across(r.X, r.Y, have+1, p.Glyphs.Heavy, themes.Accent)
	p.Grid.Across(r.X+breaks, r.Y, have+1-breaks, p.Glyphs.Heavy, themes.Warn)
	for _, n := range steps {
		if x := column(n); x > have {
			p.Grid.Set(r.X+x, r.Y, p.Glyphs.TeeT, format.Either(x >= breaks, themes.Warn, themes.Dim))
		}
	}
	if d := &v.Drive; d.Ramps() && d.Open() == p.v.Open {
		p.Grid.Set(r.X+column(d.To), r.Y, p.Glyphs.Ring, themes.Figure)
	}
	p.Grid.Set(r.X+column(p.v.asks().From()), r.Y, p.Glyphs.Diamond, themes.Figure)
}

// drawSteps prints the numbers that fit below the track. It always prints the
// slider's own number, in color if it is set.
func (s *head) drawSteps(p *canvas, r draw.Rect) {
	steps := stepsOf(p.v.Open)
	at := func(n float64) (x, w int) {
		w = draw.Width(p.plain(n))
		return min(max(steps.column(n, r.W)-(w-1)/2, 0), max(r.W-w, 0)), w
	}
	wanted := p.v.asks().From()
	wx, ww := at(wanted)
	free, every := -1, 1
	if _, widest := at(steps[len(steps)-1]); (len(steps)-1)*(widest+1) > r.W {
		every = 2 // rather than all but some
	}
	for i, n := range steps {
		x, w := at(n)
		if i%every > 0 || x < free || x+w > r.W || x < wx+ww+1 && x+w+1 > wx || i < len(steps)-1 && x+w+1 > r.W-4 {
			continue // the last number keeps its place
		}
		breaks := p.now.breaksAt > 0 && p.now.present.open == p.v.Open && n >= p.now.breaksAt
		p.Grid.Text(r.X+x, r.Y, p.plain(n), format.Either(breaks, themes.Warn, themes.Axis), w)
		free = x + w + 1
	}
	if wx+ww <= r.W {
		p.Grid.Text(r.X+wx, r.Y, p.plain(wanted), themes.Figure, ww)
	}
}

// plain writes a number of the slider without commas: exactly if that takes no
// more than four columns, else with three digits, from 100 on as a whole number.
func (p *canvas) plain(n float64) string {
	if n == math.Trunc(n) || n >= 100 {
		return p.Int(int(math.Round(n)))
	}
	if text := p.Exact(n); draw.Width(text) <= 4 {
		return text
	}
	return p.Number(n)
}

// other writes what the other slider would be at: how many requests a second complete in
// a closed loop, or how many are under way in an open one. brief leaves that to how its
// requests arrive.
func (p *canvas) other(l line, brief bool) {
	v := &p.now.view
	switch {
	case p.v.Open && brief:
		l.Whole(themes.Dim, format.Either(p.v.Poisson, "Poisson", "even"))
	case p.v.Open:
		l.Whole(themes.Dim, p.Join(p.Count(v.InFlight), " requests under way"))
	case v.Live.Rate.OK:
		l.Fit(part("completed ", 1), part(p.Join(p.NumberOf(v.Live.Rate), " req/s"), 0))
	}
}

// steps are those of a slider, ascending. Its track is logarithmic, from the first
// to the last of them.
type steps []float64

// userSteps and rateSteps are the steps of the sliders. A typed rate may lie outside of
// its slider's.
var (
	userSteps = steps{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, loadstat.MaxUsers}
	rateSteps = steps{leastRate, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, mostRate}
)

// leastRate and mostRate are the ends of the slider of the rate, requests a second.
const leastRate, mostRate = 0.1, 1000.0

// stepsOf are those of the rate's slider, or of the users'.
func stepsOf(open bool) steps { return format.Either(open, rateSteps, userSteps) }

// next is the value one step from v: the end of the slider where there is none.
func (s steps) next(v float64, by int) float64 {
	const close = 1 + 1e-9
	if by < 0 {
		i := slices.IndexFunc(s, func(step float64) bool { return step*close >= v })
		return s[max(format.Either(i < 0, len(s), i)-1, 0)]
	}
	i := slices.IndexFunc(s, func(step float64) bool { return step > v*close })
	return s[format.Either(i < 0, len(s)-1, i)]
}

// column is the column of v on a track, 0 to w-1.
func (s steps) column(v float64, w int) int {
	least, most := s[0], s[len(s)-1]
	f := math.Log(min(max(v, least), most)/least) / math.Log(most/least)
	return int(math.Round(f * float64(max(w-1, 0))))
}

// at is the inverse of column for column x of the screen: a step if one lies in it,
// else a value between steps, of a rate with two digits, of users a whole one.
func (s steps) at(track draw.Rect, x int) float64 {
	w := track.W
	if w < 2 {
		return 1
	}
	col := min(max(x-track.X, 0), w-1)
	for _, step := range s {
		if s.column(step, w) == col {
			return step
		}
	}
	v := s[0] * math.Pow(s[len(s)-1]/s[0], float64(col)/float64(w-1))
	if s[0] < 1 {
		return tidy(format.Digits(v, 2))
	}
	return math.Round(v)
}

// rateFine is the rate one in its second digit from rate: 12 to 13, 1.2 to 1.3.
func rateFine(rate float64, by int) float64 {
	rate = min(max(rate, leastRate), mostRate)
	unit := math.Pow(10, math.Floor(math.Log10(rate)+1e-9)-1)
	if by < 0 && math.Round(rate/unit) <= 10 {
		unit /= 10
	}
	return tidy((math.Round(rate/unit) + float64(by)) * unit)
}

// tidy bounds a rate and removes the errors of its last digits.
func tidy(rate float64) float64 {
	rate = min(max(rate, leastRate), mostRate)
	unit := math.Pow(10, 3-math.Floor(math.Log10(rate)))
	return math.Round(rate*unit) / unit
}
