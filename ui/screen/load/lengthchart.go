package load

import (
	"math"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// lengthPanel draws prefill and decode speed over the length of the prompt. Below
// the chart are its marks, the fit, and the requests it holds; in a tall panel also
// a table.
func (s *charts) lengthPanel(p *canvas, r draw.Rect) {
	n := &p.now.lengths
	logs := p.v.logs(n)
	in := p.Box(r, themes.Border, n.title(p), draw.Either(logs, "log", "linear"))
	if in.H < chart.LeastH+1 {
		return
	}
	l := p.Row(in, 0)
	l.Write(themes.Prefill, heads[Lengths][0])
	if right := heads[Lengths][1]; l.Left() > draw.Width(right) {
		p.Grid.Right(in.Right(), in.Y, right, themes.Decode, draw.Width(right))
	}
	below := min(max(in.H-8, 0), 3)
	table := n.tableRows(in.W, in.H)
	plot := draw.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: in.H - 1 - below - table}
	version := n.version*2 + uint64(Lengths)<<60
	if logs {
		version++
	}
	s.drawn[Lengths].Draw(p.Grid, plot, p.Glyphs, version, func(to *chart.Plot) { n.plot(p, to, logs) })
	if n.by.Requests == 0 {
		p.middle(s.drawn[Lengths].Inside(plot), themes.Dim, n.nothing(p, s.nothing(p, Lengths)))
	}
	for i, text := range [...]func(*canvas, int) string{n.legend, n.fitLine, n.scope} {
		if l := p.Row(in, 1+plot.H+i); i < below {
			l.Whole(themes.Dim, text(p, l.Left()))
		}
	}
	if table > 0 {
		n.table(p, draw.Rect{X: in.X, Y: in.Y + in.H - table, W: in.W, H: table})
	}
}

// title names the chart and the load under which its figures hold.
func (s *lengths) title(p *canvas) string {
	switch {
	case s.users == 0:
		return titles[Lengths]
	case s.ramps:
		return p.Join(titles[Lengths], " ─ on a ramp")
	case s.open:
		return p.Join(titles[Lengths], " ─ ", p.Exact(s.users), " req/s")
	}
	return p.Join(titles[Lengths], " ─ ", p.Plural(int(s.users), "user", "users"))
}

// nothing says why there is no point.
func (s *lengths) nothing(p *canvas, otherwise string) string {
	switch {
	case s.by.Unknown > 0:
		return p.Join("– (", format.Why(s.by.Why), ")")
	case s.by.Doubtful > 0:
		return "– (every request is in doubt)"
	case p.v.Load.Done > 0 && s.later:
		return p.Join("– (", format.Why(metrics.WhyNoneEndedSince), ")")
	}
	return otherwise
}

// marks are the shapes of the medians by prefix, and that of decode and of a
// request.
func (s *lengths) marks(p *canvas) (of [request.Prefixes]rune, decode, one rune) {
	gl := p.Glyphs
	if one = gl.Bullet; gl.ASCII {
		one = gl.MidShade // a bullet is a piece of a line
	}
	return [...]rune{request.Cold: gl.Dot, request.Warm: gl.Ring, request.Unstated: gl.Diamond}, gl.Times, one
}

// plot draws each kept request, the medians of each group, and the fit.
func (s *lengths) plot(p *canvas, plot *chart.Plot, logs bool) {
	plot.LeftRole, plot.RightRole = themes.Prefill, themes.Decode
	if s.prompts.top > 0 {
		plot.X.Lengths(s.prompts.low, s.prompts.top)
	} else {
		plot.X.Lengths(100, 10_000) // to begin with
	}
	scaleOf(&plot.Left, s.prefill, logs, 1000)
	scaleOf(&plot.Right, s.decode, logs, 100)
	s.drawFit(plot)
	marks, decode, one := s.marks(p)
	requests := plot.Line(themes.Prefill)
	requests.Loose = true
	for i := range s.by.Groups {
		for k := range s.by.Groups[i].Sides {
			for _, q := range s.by.Groups[i].Sides[k].Points {
				requests.Points = append(requests.Points, chart.Point{X: q.Prompt, Y: q.Prefill, Mark: one})
			}
		}
	}
	medians := plot.Line(themes.Decode)
	medians.Loose, medians.Right = true, true
	for i := range s.by.Groups {
		if g := &s.by.Groups[i]; g.Speed.OK {
			medians.Points = append(medians.Points, chart.Point{X: g.Prompt.V, Y: g.Speed.V, Mark: decode})
		}
	}
	medians = plot.Line(themes.Prefill)
	medians.Loose = true
	for i := range s.by.Groups {
		for k := range s.by.Groups[i].Sides {
			if q := &s.by.Groups[i].Sides[k]; q.Prefill.OK {
				medians.Points = append(medians.Points, chart.Point{X: q.Prompt.V, Y: q.Prefill.V, Mark: marks[k]})
			}
		}
	}
}

// scaleOf makes an axis that holds e, or up to least without a value.
func scaleOf(a *chart.Axis, e extent, logs bool, least float64) {
	switch {
	case e.top == 0:
		a.Linear(least)
	case logs:
		a.Decades(e.low, e.top)
	default:
		a.Linear(e.top)
	}
}

// fitDashes is the number of dashes of the fit's curve.
const fitDashes = 16

// drawFit draws the prefill speed that the fit gives to a length, from the shortest
// to the longest of its prompts:
//
//	prefill = 1000 · prompt tokens / (a + b · prompt tokens)
func (s *lengths) drawFit(plot *chart.Plot) {
	f := &s.fit
	if !f.A.OK || !f.B.OK || !(f.Low > 0) {
		return
	}
	line := plot.Line(themes.Dim)
	for i := range 2 * fitDashes {
		share := float64(i) / (2*fitDashes - 1)
		at := f.Low + share*(f.High-f.Low)
		if plot.X.Log {
			at = f.Low * math.Pow(f.High/f.Low, share)
		}
		y := -1.0 // interrupts the line
		if ms := f.A.V + f.B.V*at; ms > 0 {
			y = 1000 * at / ms
		}
		if line.Points = append(line.Points, chart.Point{X: at, Y: y}); i%2 == 1 {
			line.Points = append(line.Points, chart.Point{X: at, Y: -1}) // the end of a dash
		}
	}
}

// legend is what the marks mean, with the unit of the X axis.
func (s *lengths) legend(p *canvas, room int) string {
	marks, decode, one := s.marks(p)
	names := [...]string{request.Cold: " cold", request.Warm: " warm", request.Unstated: " cached –"}
	wide, narrow := "prompt tokens   medians", "tokens"
	add := func(mark rune, name string) {
		narrow = p.Join(narrow, " ", string(mark), name)
		if name == names[request.Unstated] {
			name = " cache not reported"
		}
		wide = p.Join(wide, "  ", string(mark), name)
	}
	for prefix, name := range names {
		if s.has(request.Prefix(prefix)) || s.by.Requests == 0 && request.Prefix(prefix) != request.Unstated {
			add(marks[prefix], name)
		}
	}
	add(decode, draw.Either(s.by.Estimated, " ~decode", " decode"))
	whole := p.Join(wide, "   ", string(one), " a request")
	return within(room, p.Join(whole, draw.Either(s.by.Estimated, "   ~ estimated tokens", "")),
		whole, wide, p.Join(narrow, " ", string(one), " one"), narrow)
}

// fitLine is the fit with its line's sign, or why it is unknown and what changes
// that.
func (s *lengths) fitLine(p *canvas, room int) string {
	f := &s.fit
	name := draw.Either(s.of == request.Cold, "cold TTFT", "TTFT")
	if f.A.OK && f.B.OK {
		sign := draw.Either(p.Glyphs.ASCII, ". . ", "⠤ ⠤ ")
		terms, r2 := fitTerms(p, f)
		off := ""
		if f.Off.OK {
			off = p.Join(", half within ", p.Ms(f.Off.V))
		}
		full := p.Join(sign, name, " = ", terms, " prompt tokens", r2, " n ", p.Count(f.N))
		return within(room, p.Join(full, off), full,
			p.Join(sign, name, " = ", terms, r2, " n ", p.Count(f.N)), p.Join(sign, name, " = ", terms, r2),
			p.Join(name, " ", terms, " n ", p.Count(f.N)), p.Join(name, " ", terms))
	}
	why := f.B.Why
	if why == metrics.WhyEqualPrompts {
		if p.v.Replay != nil {
			return within(room, p.Join("fit – (", format.Why(why), ")"), "fit –")
		}
		return within(room, p.Join("fit – (", format.Why(why), "): p changes the length while the load runs"),
			p.Join("fit – (", format.Why(why), "): p changes the length"),
			"fit – (one length): p changes the length", "fit –")
	}
	if s.by.Requests == 0 {
		return ""
	}
	text := p.Join(name, " fit – (", format.Why(why), ")")
	return within(room, p.Join(text, ", has ", p.Count(f.N)), text, "fit –")
}

// scope says which requests the chart holds.
func (s *lengths) scope(p *canvas, room int) string {
	const alone = "; sweep --depth measures alone"
	n, doubtful := p.Plural(s.by.Requests, "request", "requests"), ""
	if s.by.Doubtful > 0 {
		doubtful = p.Join("; ", p.Count(s.by.Doubtful), " in doubt left out")
	}
	if s.later {
		n = p.Join(n, " begun after ", p.Elapsed(float64(s.since-s.seen.began)/1e9))
	}
	if s.works > 0 {
		works := p.Join(p.Plural(s.works, "workload change", "workload changes"))
		return within(room, p.Join(n, " under this load, across ", works, doubtful, alone),
			p.Join(n, ", across ", works, doubtful), p.Join(n, ", across ", works),
			p.Join(p.Plural(s.by.Requests, "request", "requests"), ", across ", works), p.Join("across ", works))
	}
	return within(room, p.Join(n, " under this load", doubtful, alone), p.Join(n, doubtful, alone),
		p.Join(n, doubtful, draw.Either(doubtful == "", " under this load", "")), p.Join(n, doubtful), n)
}
