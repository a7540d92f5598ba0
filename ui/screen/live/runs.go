package live

import (
	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen/listing"
)

// runs is the panel of the session. It keeps what its runs differ in, which
// changes only with the session.
type runs struct {
	names   []listing.Names
	counted int
	of      *metrics.Run // the first of the counted ones
	failed  string       // how many of them failed, and how; "" for none

	known, cols []column // of the table, and those with room
}

// update looks at the runs anew when the session has changed, and reports that.
func (s *runs) update(all []metrics.Run) (changed bool) {
	var first *metrics.Run
	if len(all) > 0 {
		first = &all[0]
	}
	if changed = s.counted != len(all) || s.of != first; changed {
		s.counted, s.of, s.names = len(all), first, runNames(all)
		s.known, s.failed = runColumns(s.names), ""
		all, n := verdict.Failures(all, func(*metrics.Stream) bool { return true })
		if n > 0 {
			s.failed = format.Count(n) + " failed: " + say.Failures(all)
		}
	}
	return changed
}

// runsPanel is the table of the session: this run beside the earlier ones. The
// shown run and the pinned one are always among its rows.
func (s *runs) runsPanel(p *canvas, r draw.Rect) {
	s.update(p.v.Runs)
	runs := p.v.Runs
	right := ""
	if p.median.OK && p.median.N > 1 {
		right = p.Join("TTFT p50 ", p.Duration(*p.median), " n=", p.Count(p.median.N))
	}
	n := p.Count(len(runs))
	if p.v.RunsLeftOut > 0 {
		n = p.Join("last ", n, " of ", p.Count(len(runs)+p.v.RunsLeftOut))
	}
	in := p.Box(r, themes.Border, p.Join(format.Either(p.v.File == "", "session", p.v.File),
		" ─ ", n, format.Either(len(runs) == 1, " run", " runs"), format.If(s.failed != "", " ─ "), s.failed), right)
	if len(runs) == 0 {
		l := p.Row(in, 0)
		l.Cut(themes.Dim, "finished requests appear here, newest first")
		return
	}
	s.cols = listing.Choose(s.cols[:0], s.known, in.W)
	listing.Heads(&p.Canvas, p.Row(in, 0), s.cols, "", false, nil)
	shown := [2]int{p.v.Stream.ID, -1}
	if p.v.Pinned != nil {
		shown[1] = p.v.Pinned.Stream.ID
	}
	y := 1
	for i := range rowsOf(runs, in.H-1, shown) {
		listing.Cells(&p.Canvas, p.Row(in, y), s.cols, cell{p, &runs[i]})
		y++
	}
}

// outcome is the sign of an ended run. One that ended well and stood still for as long as
// a person notices has no tick.
func outcome(gl *themes.Glyphs, s metrics.State, f *metrics.Figures) (rune, themes.Role) {
	if s == metrics.Done && len(f.Stalls) > 0 && f.Longest.V >= float64(interrupts)/1e6 {
		return gl.Stall, themes.Warn
	}
	return draw.Outcome(gl, s)
}

// runsLine is the session in one row, with the columns of the table that are short: the
// newest runs.
func (s *runs) runsLine(p *canvas, r draw.Rect) {
	s.update(p.v.Runs)
	l := p.Row(r, 0)
	if s.differenceLine(p, l) {
		return
	}
	l.Skip(1)
	if p.v.File != "" {
		l.Write(themes.Text, p.v.Place)
		l.Skip(2)
		l.Cut(themes.Dim, p.v.File)
		return
	}
	runs := p.v.Runs
	if len(runs) == 0 {
		return
	}
	l.Write(themes.Dim, "runs ")
	each := 1
	s.cols = s.cols[:0]
	for _, c := range s.known {
		differs := len(s.names) > 0 && c.Head == s.names[0].Head
		if differs || c.Head == "#" || c.Head == "TTFT" || c.Head == "speed" || c.Head == "ended" {
			s.cols = append(s.cols, c)
			each += c.Width
		}
	}
	n := min(max(l.Left()/each, 1), len(runs))
	for i := len(runs) - n; i < len(runs); i++ {
		listing.Cells(&p.Canvas, p.Line(l.X, l.Y, min(each, l.Left())), s.cols, cell{p, &runs[i]})
		l.Skip(each)
	}
}
