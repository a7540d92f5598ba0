package load

import (
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/pick"
	"tokscope/metrics/request"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/screen"
)

// lengths are the ended requests of the present load by the length of their
// prompts. A change of users, rate, model or endpoint begins them anew. One of the
// workload does not: it is how a person gets other lengths.
type lengths struct {
	by    request.ByLength
	works int           // changes of the workload among the requests
	since metrics.Stamp // only requests that began since then count
	later bool          // since is after the load's begin

	users float64 // or requests per second where open; 0 before a load
	open  bool
	ramps bool // users or rate change all the time

	of     request.Prefix   // of the requests of fit
	fit    loadstat.TTFTFit // unknown with its reason
	fitted metrics.Stamp    // when it was made
	refit  bool             // requests have ended since then

	prompts, prefill, decode extent // of all points; of decode, of the medians
	wide                     bool   // the prefill speeds span more than wideSpan

	seen    lengthsSeen
	version uint64
}

// wideSpan is the ratio of the highest to the lowest prefill speed above which
// their axis is logarithmic: a cached prompt is far faster than a cold one.
const wideSpan = 10

// fitEvery is the time between two fits. One of 200 requests has 19,900 slopes.
const fitEvery = 4 * screen.FiguresEvery

// lengthsSeen is what lengths depend on.
type lengthsSeen struct {
	began, now  metrics.Stamp // now: to a quarter of a second
	ended       int
	marks, path int
	running     bool
}

// follow reads what has ended since the last call.
func (s *lengths) follow(v *View) {
	l := &v.Load
	seen := lengthsSeen{v.Ended.Began, l.Now / screen.FiguresEvery, v.Ended.Ended, len(l.Marks), len(l.Path), l.Running}
	if s.version > 0 && seen == s.seen {
		return
	}
	s.seen = seen
	since, works := loadSince(l)
	before := s.by.Requests
	changed := s.by.Read(&v.Ended, since) || s.version == 0
	if since != s.since || s.by.Requests < before {
		s.fit.N = 0 // of requests that no longer count
	}
	if works != s.works || since != s.since {
		s.works, s.since, changed = works, since, true
	}
	s.later = since > l.Began
	if l.Running {
		s.open, s.ramps = l.Rate > 0, l.Drive.Ramps()
		s.users = format.Either(s.open, l.Rate, float64(l.Target))
	}
	if changed {
		s.version++
		s.refit = true
		s.span()
	}
	if s.refit && (s.fit.N == 0 || !l.Running || l.Now < s.fitted || l.Now-s.fitted >= fitEvery) {
		s.version++
		s.of = request.Cold
		prompts, ttfts := s.by.Of(request.Cold)
		if all, ms := s.by.Of(request.Unstated); len(prompts) == 0 && len(all) > 0 { // no cached tokens are reported
			s.of, prompts, ttfts = request.Unstated, all, ms
		}
		s.fit, s.fitted, s.refit = loadstat.FitTTFT(prompts, ttfts), l.Now, false
	}
}

// span finds the ranges of the axes.
func (s *lengths) span() {
	s.prompts, s.prefill, s.decode = extent{}, extent{}, extent{}
	for _, g := range pick.All(s.by.Groups) {
		s.decode.span(g.Speed)
		for k := range g.Sides {
			for _, q := range g.Sides[k].Points {
				s.prompts.span(metrics.Known(q.Prompt, 1))
				s.prefill.span(metrics.Known(q.Prefill, 1))
			}
		}
	}
	s.wide = s.prefill.top > wideSpan*s.prefill.low
}

// has reports whether a request with that prefix is among the points.
func (s *lengths) has(prefix request.Prefix) bool {
	return slices.ContainsFunc(s.by.Groups, func(g request.LengthGroup) bool { return len(g.Sides[prefix].Points) > 0 })
}

// loadSince returns since when users, rate, model and endpoint are the present
// ones, and how often the workload has changed since then.
func loadSince(l *loadstat.View) (since metrics.Stamp, works int) {
	since = l.Began
	for i := len(l.Marks) - 1; i >= 0; i-- {
		m := &l.Marks[i]
		if !loadstat.SameModel(m.From, m.To) || !loadstat.SameDrive(m.From, m.To) {
			since = max(since, m.At)
			break
		}
		if !loadstat.SamePrompts(m.From, m.To) {
			works++
		}
	}
	if l.Drive.Ramps() {
		return since, works
	}
	for i := len(l.Path) - 1; i >= 0 && l.Path[i].To > since; i-- {
		if l.Path[i].Ramp != nil {
			since = l.Path[i].To // until then the load changed
		}
	}
	return since, works
}

func (v *View) showsLengths() bool {
	return v.Kind%Kinds == Lengths && (v.Max == NoPanel || v.Max == ChartPanel)
}

// logs reports whether the first chart's axes are logarithmic.
func (v *View) logs(n *lengths) bool { return v.Log != (v.showsLengths() && n.wide) }

// sampleEnded takes the ended requests while their list or their chart is shown, four
// times a second while the load runs.
func (s *Screen) sampleEnded(force bool) {
	l := &s.view.Load
	soon := l.Running && l.Now >= s.endedAt && l.Now-s.endedAt < screen.FiguresEvery
	if !s.listed() && !s.view.showsLengths() && s.view.Replay == nil || soon && !force {
		return
	}
	s.view.Ended, s.endedAt = s.from.LoadRequests(), l.Now
	if s.listed() {
		s.list.Update(s.view.Ended)
	}
}

// lengthsTitle is the title of the chart before a load.
const lengthsTitle = "over prompt length"

// title names the chart and the load under which its figures hold.
func (s *lengths) title(p *canvas) string {
	switch {
	case s.users == 0:
		return lengthsTitle
	case s.ramps:
		return p.Join(lengthsTitle, " ─ on a ramp")
	case s.open:
		return p.Join(lengthsTitle, " ─ ", p.Exact(s.users), " req/s")
	}
	return p.Join(lengthsTitle, " ─ ", p.Plural(int(s.users), "user", "users"))
}

// nothing says why there is no point, "" where the load itself says it.
func (s *lengths) nothing(p *canvas) string {
	switch {
	case s.by.Unknown > 0:
		return p.Join("– (", format.Why(s.by.Why), ")")
	case s.by.Doubtful > 0:
		return "– (every request is in doubt)"
	case p.v.Load.Done > 0 && s.later:
		return p.Join("– (", format.Why(metrics.WhyNoneEndedSince), ")")
	}
	return ""
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
	if s.prompts.top > 0 {
		plot.X.Lengths(s.prompts.low, s.prompts.top)
	} else {
		plot.X.Lengths(100, 10_000) // to begin with
	}
	s.prefill.scale(&plot.Left, logs, 1000)
	s.decode.scale(&plot.Right, logs, 100)
	s.drawFit(plot)
	marks, decode, one := s.marks(p)
	n := len(plot.Lines)
	for _, role := range [...]themes.Role{themes.Prefill, themes.Decode, themes.Prefill} {
		plot.Line(role).Loose = true
	}
	requests, speeds, medians := &plot.Lines[n], &plot.Lines[n+1], &plot.Lines[n+2]
	speeds.Right = true
	for _, g := range pick.All(s.by.Groups) {
		if g.Speed.OK {
			speeds.Points = append(speeds.Points, chart.Point{X: g.Prompt.V, Y: g.Speed.V, Mark: decode})
		}
		for k, side := range pick.All(g.Sides[:]) {
			for _, q := range side.Points {
				requests.Points = append(requests.Points, chart.Point{X: q.Prompt, Y: q.Prefill, Mark: one})
			}
			if side.Prefill.OK {
				medians.Points = append(medians.Points, chart.Point{X: side.Prompt.V, Y: side.Prefill.V, Mark: marks[k]})
			}
		}
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
		at := format.Either(plot.X.Log, f.Low*math.Pow(f.High/f.Low, share), f.Low+share*(f.High-f.Low))
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
func (s *lengths) legend(p *canvas, l *line) {
	marks, decode, one := s.marks(p)
	names := [...]string{request.Cold: " cold", request.Warm: " warm", request.Unstated: " cache not reported"}
	wide, narrow := "", ""
	add := func(mark rune, name, short string) {
		wide, narrow = p.Join(wide, "  ", string(mark), name), p.Join(narrow, " ", string(mark), short)
	}
	for prefix, name := range names {
		if s.has(request.Prefix(prefix)) || s.by.Requests == 0 && request.Prefix(prefix) != request.Unstated {
			add(marks[prefix], name, format.Either(request.Prefix(prefix) == request.Unstated, " cached –", name))
		}
	}
	name := format.Either(s.by.Estimated, " ~decode", " decode")
	add(decode, name, name)
	l.Fit(brief("prompt tokens   medians", "tokens", 0), brief(wide, narrow, 0),
		brief(p.Join("   ", string(one), " a request"), p.Join(" ", string(one), " one"), 1),
		part(format.Either(s.by.Estimated, "   ~ estimated tokens", ""), 2))
}

// fitLine is the fit with its line's sign, or why it is unknown and what changes
// that.
func (s *lengths) fitLine(p *canvas, l *line) {
	f := &s.fit
	name, why := format.Either(s.of == request.Cold, "cold TTFT", "TTFT"), f.B.Why
	switch {
	case f.A.OK && f.B.OK:
		p.fitted(l, p.guess(), name, f)
	case why == metrics.WhyEqualPrompts:
		how := format.Either(p.v.Replay != nil, draw.Part{},
			brief(": p changes the length while the load runs", ": p changes the length", 1))
		l.Fit(part("fit –", 0),
			brief(p.Join(" (", format.Why(why), ")"), " (one length)", 2), how)
	case s.by.Requests > 0:
		l.Fit(part(p.Join(name, " "), 1), part("fit –", 0),
			part(p.Join(" (", format.Why(why), ")"), 1),
			part(p.Join(", has ", p.Count(f.N)), 2))
	}
}

// scope says which requests the chart holds.
func (s *lengths) scope(p *canvas, l *line) {
	works, begun, doubtful := "", "", ""
	if s.works > 0 {
		works = p.Join(", across ", p.Plural(s.works, "workload change", "workload changes"))
	}
	if s.later {
		begun = p.Join(" begun after ", p.Elapsed(float64(s.since-s.seen.began)/1e9))
	}
	if s.by.Doubtful > 0 {
		doubtful = p.Join("; ", p.Count(s.by.Doubtful), " in doubt left out")
	}
	l.Fit(part(p.Plural(s.by.Requests, "request", "requests"), 0),
		part(begun, 2), part(" under this load", 3),
		part(works, 0),
		part(doubtful, 1),
		part("; sweep --depth measures alone", 4))
}

// Sizes of the table below the chart.
const (
	lengthTableW = 62 // columns of it
	lengthTableH = 18 // rows of a panel from which it has one
)

// tableRows returns the rows of the table, with its heading, in a panel of that
// size: a row for each group, at most a quarter of the panel.
func (s *lengths) tableRows(w, h int) int {
	if w < lengthTableW || h < lengthTableH || len(s.by.Groups) == 0 {
		return 0
	}
	return 1 + min(len(s.by.Groups), h/4)
}

// table draws cold and warm prompts of about one length beside each other. Where
// there are more groups than rows, it has the shortest, the longest and some between
// them.
func (s *lengths) table(p *canvas, r draw.Rect) {
	first := format.Either(s.of == request.Unstated, request.Unstated, request.Cold)
	heading := p.Row(r, 0)
	for _, c := range [...]struct {
		text  string
		width int
	}{{"prompt", 8}, {format.Either(first == request.Cold, "cold TTFT", "TTFT"), 11},
		{"prefill", 9}, {"n", 4}, {"warm TTFT", 11}, {"prefill", 9}, {"n", 4}, {"decode", 9}} {
		heading.Field(themes.Dim, c.text, c.width)
	}
	groups, rows := len(s.by.Groups), r.H-1
	heading.Whole(themes.Dim, format.If(groups > rows, p.Join("  ", p.Count(rows), " of ", p.Count(groups), " lengths")))
	for i := range rows {
		at := i
		if groups > rows && rows > 1 {
			at = i * (groups - 1) / (rows - 1)
		}
		g := &s.by.Groups[at]
		l := p.Row(r, 1+i)
		l.Field(themes.Text, p.WholeOf(g.Prompt), 8)
		for _, prefix := range [...]request.Prefix{first, request.Warm} {
			q := &g.Sides[prefix]
			l.Field(themes.Text, p.Duration(q.TTFT), 11)
			l.Field(themes.Prefill, p.NumberOf(q.Prefill), 9)
			l.Field(themes.Dim, p.WholeOf(metrics.Known(float64(q.Prefill.N), 0)), 4)
		}
		l.Field(themes.Decode, p.NumberOf(g.Speed), 9)
	}
}
