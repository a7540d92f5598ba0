package live

import (
	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/chart/scope"
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

	usual draw.Memo[usualOf, string]
}

// usualOf is what the sentence about the usual rests on, and its columns.
type usualOf struct {
	w           int
	usual       *metrics.Usual
	ttft, speed metrics.Value
	state       metrics.State
}

// waited is what is said of a wait for the first token: all of its parts, "" before it is
// over, what the last of them can be, the largest of them, and what is usual here, "" where
// the history was not asked.
type waited struct {
	parts, unsaid, most, usual string
}

// wait writes what the wait for the first token was made of, in the words of the scope's
// band, and what is usual here in so many columns.
func (s *runs) wait(p *canvas, phases []scope.Phase, columns int) (w waited) {
	v, st := &p.v.Figures, &p.v.Stream
	most := 0.0
	hidden := st.Thinking == 0 && v.Suspects(metrics.SuspectHidden) // of which no moment is known
	for i := range phases {
		f := &phases[i]
		if worked := f.Kind == scope.Tool && f.From < v.TTFT.V; !v.TTFT.OK || f.Kind != scope.Waiting && !worked {
			continue
		}
		part := p.Join(f.Name, " ", p.Ms(f.Ms))
		if f.Ms > most {
			most, w.most = f.Ms, p.Join("TTFT: ", part)
		}
		w.parts = p.Join(w.parts, format.Either(w.parts == "", "TTFT: ", ", "), part)
		if w.unsaid = format.If(f.Name == metrics.ShareWait, "; queue or prefill"); w.unsaid != "" && hidden {
			w.unsaid = "; queue, prefill or hidden reasoning"
		}
	}
	if st.Usual != nil {
		w.usual = s.usual.Of(usualOf{columns, st.Usual, v.TTFT, v.Speed, st.State},
			func(usualOf) string { return say.AgainstUsual(st, v).Fit(columns) })
	}
	return w
}

// draw writes the parts into a row, or the largest of them.
func (w *waited) draw(p *canvas, l line) {
	_ = l.Whole(themes.Text, p.Join(w.parts, w.unsaid)) || l.Whole(themes.Text, w.parts) || l.Whole(themes.Text, w.most)
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
// shown run and the pinned one are always among its rows. Below are the parts of the wait,
// and where there is a row more what is usual here.
func (s *runs) runsPanel(p *canvas, r draw.Rect, phases []scope.Phase) {
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
	if w := s.wait(p, phases, in.W); in.H > 2 && p.v.Stream.State != metrics.Idle && !failedEarly(&p.v.Stream) {
		var low draw.Rect
		in, low = in.SplitV(in.H - min(max(in.H-1-len(runs), 1), 2))
		l := p.Row(low, low.H-1)
		if w.parts == "" || low.H > 1 {
			l.Cut(themes.Dim, w.usual)
			l = p.Row(low, 0)
		}
		w.draw(p, l)
	}
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
// newest runs, and behind them how the last one failed, or what its wait was made of.
func (s *runs) runsLine(p *canvas, r draw.Rect, phases []scope.Phase) {
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
	w := s.wait(p, phases, l.Left())
	if st := &p.v.Stream; st.State > metrics.Done && st.Fault != nil {
		w = waited{parts: p.Join(format.If(st.Fault.Status != 0, p.Join(p.Int(st.Fault.Status), " ")), say.RunEnded(st))}
	}
	switch {
	case len(runs) == 0 && p.v.Stream.State == metrics.Idle:
		return
	case len(runs) == 0 && w.parts == "":
		l.Cut(themes.Dim, w.usual)
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
	n := min(max((l.Left()-draw.Width(w.parts)-2)/each, 1), len(runs))
	for i := len(runs) - n; i < len(runs); i++ {
		listing.Cells(&p.Canvas, p.Line(l.X, l.Y, min(each, l.Left())), s.cols, cell{p, &runs[i]})
		l.Skip(each)
	}
	l.Skip(2)
	w.draw(p, l)
}
