package load

import (
	"time"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
)

// againstPanel sets the distributions at the present number of users beside
// those of one user alone, and tells what went wrong and how late this program
// is.
func (s *Screen) againstPanel(p *pen, r cell.Rect) {
	if r.Empty() {
		return
	}
	s.place("against", r)
	v := &s.now.view
	title, one := "distributions", ""
	if a := v.One(); a != nil {
		one = hollow(p, a)
	}
	if n := v.Live.Users; leaving(v) {
		title = p.join("on the way to ", p.int(v.Target), either(v.Target == 1, " user", " users"))
	} else if n > 1 {
		title = p.join("at ", p.int(n), " users against 1", one)
	} else if n == 1 {
		title = "at 1 user"
	}
	in := p.box(r, title, "")
	alone := v.One()
	var none metrics.LoadPoint
	if alone == nil {
		alone = &none
	}
	q := &v.Live
	if in.H < 5 {
		s.shortRow(p, p.row(in, 0), "TTFT", &q.TTFT, q.TTFTBins, alone.TTFTBins)
		s.shortRow(p, p.row(in, 1), "gap", &q.Gaps, q.GapBins, alone.GapBins)
		if in.H > 3 {
			l := p.row(in, 2)
			l.put(themes.Dim, "alone TTFT ")
			l.slot(themes.Ink, p.duration(alone.TTFT.P50), 7)
			l.put(themes.Dim, " gap ")
			l.put(themes.Ink, p.duration(alone.Gaps.P50))
		}
		s.troubles(p, p.row(in, in.H-1))
		return
	}
	tall := 1
	if in.H >= 8 {
		tall = 2
	}
	y := 0
	for _, d := range [...]struct {
		name       string
		now, was   *metrics.Dist
		bins, base *metrics.Histogram
	}{{"TTFT", &q.TTFT, &alone.TTFT, q.TTFTBins, alone.TTFTBins}, {"gap", &q.Gaps, &alone.Gaps, q.GapBins, alone.GapBins}} {
		area := cell.Rect{X: in.X, Y: in.Y + y, W: in.W, H: tall + 1}
		s.distRows(p, area, d.name, d.now, d.was, d.bins, d.base)
		y += tall + 1
	}
	s.troubles(p, p.row(in, y))
	s.watch(p, p.row(in, y+1))
}

// shortRow is a distribution in one row: its figures and its shape, on a scale
// that it shares with the one of a user alone.
func (s *Screen) shortRow(p *pen, l line, name string, now *metrics.Dist, bins, base *metrics.Histogram) {
	l.slot(themes.Dim, name, 5)
	l.field(themes.Strong, p.duration(now.P50), 7)
	l.put(themes.Dim, " p99")
	l.field(themes.Ink, p.duration(now.P99), 8)
	l.skip(1)
	if l.left() >= 5 {
		lo, hi := common(bins, base)
		s.shape(p, cell.Rect{X: l.x, Y: l.y, W: l.left(), H: 1}, bins, lo, hi, false)
	}
}

// distRows is a distribution in two rows or three: now above, alone below, on
// one scale.
func (s *Screen) distRows(p *pen, r cell.Rect, name string, now, was *metrics.Dist, bins, base *metrics.Histogram) {
	const figures = 33
	lo, hi := common(bins, base)
	for i, d := range [...]struct {
		name string
		d    *metrics.Dist
		h    *metrics.Histogram
		y, n int
	}{{name, now, bins, 0, r.H - 1}, {"alone", was, base, r.H - 1, 1}} {
		l := p.row(r, d.y+d.n-1)
		strong := themes.Strong
		if i == 1 {
			strong = themes.Dim
		}
		l.slot(themes.Dim, d.name, 6)
		l.put(themes.Dim, "p50 ")
		l.field(strong, p.duration(d.d.P50), 7)
		l.put(themes.Dim, "  p99 ")
		l.field(strong, p.duration(d.d.P99), 7)
		if room := r.W - figures; room >= 6 {
			s.shape(p, cell.Rect{X: r.X + figures, Y: r.Y + d.y, W: room, H: d.n}, d.h, lo, hi, i == 1)
		}
	}
}

// common is the stretch of bins that holds what either histogram counted; they
// have the same edges.
func common(a, b *metrics.Histogram) (lo, hi int) {
	lo, hi = 1<<30, -1
	for _, h := range [...]*metrics.Histogram{a, b} {
		if h == nil {
			continue
		}
		for i, n := range h.Counts {
			if n > 0 {
				lo, hi = min(lo, i), max(hi, i)
			}
		}
	}
	return lo, hi
}

// shape draws the bins lo to hi of h across r, each column in the colour of
// its time, or all of them dim. Every bin that holds something is seen.
func (s *Screen) shape(p *pen, r cell.Rect, h *metrics.Histogram, lo, hi int, dim bool) {
	if h == nil || hi < lo || r.W < 1 || r.H < 1 || lo >= len(h.Counts) {
		return
	}
	hi = min(hi, len(h.Counts)-1)
	n := hi - lo + 1
	cols := min(r.W, n*3) // a bin is three columns at most
	column := func(x int) (count int, at float64) {
		from, to := lo+x*n/cols, lo+max((x+1)*n/cols, x*n/cols+1)
		for i := from; i < to && i <= hi; i++ {
			count = max(count, h.Counts[i])
		}
		return count, h.Edge(from)
	}
	top := 0
	for x := range cols {
		count, _ := column(x)
		top = max(top, count)
	}
	for x := range cols {
		count, at := column(x)
		role := themes.Heat(heat(at))
		if dim {
			role = themes.Dim
		}
		if count > 0 {
			p.g.Bar(r.X+x, r.Bottom()-1, r.H, float64(count)/float64(top), p.gl, role)
		} else {
			p.g.Set(r.X+x, r.Bottom()-1, p.gl.Bars[0], themes.Faint)
		}
	}
}

// troubles counts the failures, in their place from the start.
func (s *Screen) troubles(p *pen, l line) {
	v := &s.now.view
	role := func(n int) themes.Role {
		if n > 0 {
			return themes.Bad
		}
		return themes.Ink
	}
	limited := 0
	for _, f := range v.Faults {
		if f.Kind == metrics.FaultRateLimit {
			limited += f.N
		}
	}
	l.put(themes.Dim, "errors ")
	l.slot(role(v.Failed), p.int(v.Failed), 2)
	l.put(themes.Dim, "  429 ")
	l.slot(role(limited), p.int(limited), 2)
	for _, f := range v.Faults {
		if f.Kind == metrics.FaultRateLimit || f.N == 0 {
			continue
		}
		l.whole(themes.Warn, p.join("  ", p.int(f.N), " ", string(f.Kind)))
	}
	if v.Cancelled > 0 {
		l.whole(themes.Dim, p.join("  ", p.int(v.Cancelled), " cut"))
	}
}

// watch is this program looking at itself: amber when it is what limits.
func (s *Screen) watch(p *pen, l line) {
	v := &p.v.Load
	o := s.now.view.Observer
	late := float64(o.LateP99) / float64(time.Millisecond)
	role := themes.Ink
	if late >= lateMs || v.ClientLimits != "" {
		role = themes.Warn
	}
	l.put(themes.Dim, "observer ")
	if o.N == 0 {
		l.slot(themes.Dim, unknown, 7)
	} else {
		l.slot(role, p.ms(late), 7)
	}
	switch {
	case v.ClientLimits != "":
		l.skip(1)
		l.cut(themes.Warn, p.join("▲ ", v.ClientLimits))
	case s.now.view.Rate > 0:
		l.whole(themes.Dim, p.join(" schedule late p99 ", p.duration(s.now.view.ScheduleLag.P99)))
	case s.now.view.Fit.A.OK && s.now.view.Fit.B.OK:
		l.whole(themes.Dim, p.join(" TTFT = ", p.ms(s.now.view.Fit.A.V), " + ", p.ms(s.now.view.Fit.B.V*1000), "/1k prompt"))
	}
}
