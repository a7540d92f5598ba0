package scope

import (
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// Phase is a time in which the stream did one thing. A later phase of a list
// lies above the ones before it.
type Phase struct {
	Name     string
	From, To float64
	Ms       float64 // its time as it is written, without what lies above it
	Kind     Kind
	Running  bool // it lasts still: its time is that of a stopwatch
	Role     themes.Role
	Fill     Fill
}

func (f *Phase) time(p *draw.Canvas) string {
	if !f.Running {
		return p.Ms(f.Ms)
	}
	return p.Stopwatch(f.Ms)
}

// Kind says what a phase is a part of.
type Kind uint8

const (
	Connecting Kind = iota // of what comes before the request was sent
	Waiting                // of the time to the first chunk
	Decoding               // of the time in which chunks arrive
	Paused                 // a silence in that
	Tool                   // a tool of the server works, in either
)

// FirstByte names what ended with the first byte of the answer.
const FirstByte = "first byte"

// Fill is the pattern of a phase, so that phases differ without color.
type Fill uint8

const (
	Solid Fill = iota
	Checked
	Sparse
	Lined
	Striped
	Stroke
	Dotted
	Thin
)

// fills are the cells of the patterns: their dots, and in ASCII.
var fills = [...]struct{ dots, ascii rune }{Solid: {'⣿', '#'}, Checked: {'⡪', '%'}, Sparse: {'⡐', '.'},
	Lined: {'⠭', ':'}, Striped: {'⡇', '|'}, Stroke: {'⠶', '='}, Dotted: {'⠆', '-'},
	Thin: {'⠤', '~'}}

// dot reports whether the pattern has a dot at x, y.
func (f Fill) dot(x, y int) bool { return draw.Dot(fills[f].dots, x%2, 3-y) == fills[f].dots }

// Glyph is a cell of the pattern, for its name.
func (f Fill) Glyph(gl *themes.Glyphs) rune {
	return format.Either(gl.ASCII, fills[f].ascii, fills[f].dots)
}

// bars draws phases into a row of cells. A column of dots is that of the last
// phase that covers it.
func (s *Scope) bars(p *draw.Canvas, y int, phases []Phase) {
	s.strip.reset(s.plot.W, 1)
	s.owner = append(s.owner[:0], make([]int16, s.win.Columns)...)
	for i, f := range pick.All(phases) {
		for x := s.win.edge(f.From); x < s.win.edge(f.To); x++ {
			s.owner[x] = int16(i + 1)
		}
	}
	for x, i := range s.owner {
		if i == 0 {
			continue
		}
		f := &phases[i-1]
		for row := range 4 {
			if f.Fill.dot(x, row) {
				s.strip.set(x, row, trace, f.Role).ascii = fills[f.Fill].ascii
			}
		}
	}
	s.strip.draw(p, draw.Rect{X: s.plot.X, Y: y, W: s.plot.W, H: 1})
}

// name is what stands below the band for one phase, or for several that share it.
type name struct {
	Phase
	n       int     // phases
	longest float64 // of them, ms
	x, w    int
	text    string
}

// nameGap is the least distance of two names.
const nameGap = 2

// names writes name and time of the phases in view below the band, each where its phase
// begins or as near as there is room. Silences of one name share one, with their number,
// their sum and the longest. Where the names do not fit, the
// setup goes first, which is no part of the wait, then the time of decode, decode or the
// pauses, whichever is enough; and then the shortest parts of the wait share one, so that
// what is written of it still adds up.
func (s *Scope) names(p *draw.Canvas, y int, d *Data) {
	s.list = s.list[:0]
	for i := range d.Phases {
		f := d.Phases[i]
		switch n := len(s.list); {
		case f.To <= s.win.from() || f.From >= s.win.to():
		case f.Kind == Connecting && s.win.edge(f.From) == s.win.edge(f.To):
		case f.Kind == Connecting && n > 0:
			s.list[0].Ms, s.list[0].Name = s.list[0].Ms+f.Ms, "connect"
		case f.Kind >= Paused && s.shared(&f) != nil:
			all := s.shared(&f)
			all.n, all.Ms, all.longest = all.n+1, all.Ms+f.Ms, max(all.longest, f.Ms)
			all.Running = all.Running || f.Running
		case f.Kind == Tool: // it can lie in any other
			at := slices.IndexFunc(s.list, func(x name) bool { return x.From > f.From })
			if at < 0 {
				at = n
			}
			s.list = slices.Insert(s.list, at, name{Phase: f, n: 1, longest: f.Ms})
		default:
			s.list = append(s.list, name{Phase: f, n: 1, longest: f.Ms})
		}
	}
	used := 0
	for used = s.widths(p); used > s.plot.W && s.shorten(p, used-s.plot.W); used = s.widths(p) {
	}
	for i, end := 0, -nameGap; i < len(s.list); i++ {
		n := &s.list[i]
		x := min(max(n.x, end+nameGap), s.plot.W-used) // so that the rest has room
		if end, used = x+n.w, used-n.w-nameGap; x >= 0 {
			p.Grid.Set(s.plot.X+x, y, n.Fill.Glyph(p.Glyphs), n.Role)
			p.Grid.Text(s.plot.X+x+1, y, n.text, themes.Text, n.w-1)
		}
	}
}

// shared is the name that a silence or a tool shares with those before it, nil without one.
func (s *Scope) shared(f *Phase) *name {
	return pick.First(s.list, func(n *name) bool { return n.Kind == f.Kind && n.Name == f.Name })
}

// widths writes the names that are new and returns the columns that all need.
func (s *Scope) widths(p *draw.Canvas) int {
	used := -nameGap
	for _, n := range pick.All(s.list) {
		if n.text == "" {
			n.text, n.x = p.Chrome(p.Join(" ", n.Name, " ", n.time(p))), max(s.win.edge(n.From)/2, 0)
			if n.Kind >= Paused && n.n > 1 {
				n.text = p.Chrome(p.Join(" ", p.Int(n.n), "×", n.text))
				if n.longest > 0 {
					n.text = p.Join(n.text, ", longest ", p.Chrome(p.Ms(n.longest)))
				}
			}
			n.w = 1 + draw.Width(n.text)
		}
		used += n.w + nameGap
	}
	return used
}

// shorten drops the longest of several pauses, which has its mark, or the name that matters
// least, or joins the two shortest parts of the wait, where over columns are lacking. It
// reports whether there was one to spare.
func (s *Scope) shorten(p *draw.Canvas, over int) bool {
	for i := range s.list {
		if n := &s.list[i]; n.n > 1 && n.longest > 0 {
			n.longest, n.text = 0, ""
			return true
		}
	}
	drop := func(i int) bool {
		s.list = append(s.list[:i], s.list[i+1:]...)
		return true
	}
	of := func(kind Kind) int { // the last one
		i := len(s.list) - 1
		for ; i >= 0 && s.list[i].Kind != kind; i-- {
		}
		return i
	}
	decode, pause := of(Decoding), of(Paused)
	switch setup := of(Connecting); {
	case setup >= 0:
		return drop(setup)
	case decode >= 0 && len(s.list[decode].text) > len(s.list[decode].Name)+1: // its time goes first
		n := &s.list[decode]
		n.text = p.Chrome(p.Join(" ", n.Name))
		n.w = 1 + draw.Width(n.text)
		return true
	case decode >= 0 && (pause < 0 || s.list[decode].w+nameGap >= over):
		return drop(decode)
	case pause >= 0: // it has its mark, too
		return drop(pause)
	}
	size := func(i int) float64 {
		if s.list[i].Name == metrics.ShareUnexplained { // it stays the longest
			return math.Inf(1)
		}
		return s.list[i].Ms
	}
	least, next, parts := -1, -1, 0
	for i := range s.list {
		if s.list[i].Kind != Waiting {
			continue
		}
		switch parts++; {
		case least < 0 || size(i) < size(least):
			least, next = i, least
		case next < 0 || size(i) < size(next):
			next = i
		}
	}
	if worked := of(Tool); next < 0 {
		return worked >= 0 && drop(worked)
	}
	to, from := &s.list[max(least, next)], s.list[min(least, next)]
	to.Ms, to.n, to.From, to.text = to.Ms+from.Ms, to.n+from.n, min(to.From, from.From), ""
	to.Running = to.Running || from.Running
	to.Name = format.Either(parts > 2, p.Join(p.Int(to.n), " more"), "wait")
	return drop(min(least, next))
}

// Widths of the table beside the waterfall.
const (
	waterNames = 14
	waterTimes = 9
)

// waterfall draws the parts of the wait one below the other, each with name and
// time, its bar where it was: a cell for one that is shorter. Where there are too few
// rows, the setup shares one.
func (s *Scope) waterfall(p *draw.Canvas, d *Data) {
	s.water = s.water[:0]
	first, setup := 0.0, 0
	for _, f := range d.Phases {
		switch f.Kind {
		case Connecting:
			setup++
		case Waiting:
			first = max(first, f.To)
		default:
			continue
		}
		s.water = append(s.water, f)
	}
	if n := len(s.water); first > 0 { // sums, in the color of the whole of each
		all := s.water[n-1]
		running, split := all.Running, slices.ContainsFunc(s.water, func(f Phase) bool { return f.Name == FirstByte })
		all.From, all.Fill, all.Running = 0, Stroke, false
		if ms := sinceMs(d.Stream.Marks.FirstByte, s.sweep.zero); ms > 0 && !split {
			all.Name, all.To, all.Ms, all.Role = FirstByte, ms, ms, heat(ms)
			s.water = append(s.water, all)
		}
		all.Name, all.To, all.Ms, all.Role = "first token", first, first, heat(first)
		if all.Running = running; running {
			all.Name = "no token yet"
		}
		s.water = append(s.water, all)
	}
	if len(s.water) > s.plot.H && setup > 1 {
		all := &s.water[setup-1]
		for _, f := range s.water[:setup-1] {
			all.From, all.Ms, all.Name = min(all.From, f.From), all.Ms+f.Ms, "connect"
		}
		s.water = s.water[setup-1:]
	}
	step := format.Either(2*len(s.water) <= s.plot.H, 2, 1)
	for i := range s.water {
		y := s.plot.Y + i*step
		if y >= s.plot.Bottom() {
			break
		}
		f := &s.water[i]
		l := p.Line(s.plot.X-1-waterNames-waterTimes, y, waterNames+waterTimes)
		l.Slot(themes.Dim, f.Name, waterNames)
		l.Field(themes.Text, f.time(p), waterTimes-1)
		if from := s.win.edge(f.From); f.Ms > 0 && s.win.edge(f.To)-from < 2 { // its pattern could be without a dot
			p.Grid.Set(s.plot.X+min(from/2, s.plot.W-1), y, f.Fill.Glyph(p.Glyphs), f.Role)
			continue
		}
		s.bars(p, y, s.water[i:i+1])
	}
}
