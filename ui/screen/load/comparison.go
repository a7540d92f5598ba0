package load

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// comparison draws the distributions at the present number of users beside those of
// one user alone, the counts of errors, and tokscope's lag.
func (p *canvas) comparison(r draw.Rect) {
	if r.Empty() {
		return
	}
	q, alone := &p.now.view.Live, cmp.Or(p.now.view.One(), &loadstat.Point{})
	title, failing := p.compared(r.W-6), !q.TTFTFailed.IsZero()
	if failing {
		title = draw.FirstFit(r.W-6, p.Join(title, " ─ ", string(p.Glyphs.Fail), " with failures"), title)
	}
	source := p.now.view.Stamps
	if source = format.If(source != "none", source); source != "" { // before the first chunk there is none
		source = say.Stamps(source)
	}
	_, short, _ := strings.Cut(source, ": ")
	in := p.Box(r, themes.Border, title, draw.FirstFit(r.W-draw.Width(title)-9, source, short))
	dists := [...]struct {
		name       string
		now, was   *metrics.Dist
		bins, base *metrics.Histogram
	}{{"TTFT", &q.TTFT, &alone.TTFT, q.TTFTBins, alone.TTFTBins},
		{"gap", &q.Gaps, &alone.Gaps, q.GapBins, alone.GapBins}}
	if !roomForLag(r) {
		name := format.Either(failing || q.Asked > 0, 5, 4) // "sched" has 5
		for i, d := range dists {
			l := p.Row(in, i)
			p.dist(&l, d.name, name, false, themes.Strong, d.now)
			l.Skip(1)
			lo, hi := common(d.bins, d.base)
			p.shape(draw.Rect{X: l.X, Y: l.Y, W: l.Left(), H: 1}, d.bins, lo, hi, false)
		}
		switch l := p.Row(in, 2); {
		case in.H <= 3 || !failing && q.Asked <= 0 && p.now.view.One() == nil:
		case failing:
			p.withFailures(&l, name, false)
		case q.Asked > 0:
			p.scheduled(&l, name, false)
		default:
			l.Write(themes.Dim, "1 user TTFT ")
			l.Slot(themes.Text, p.Duration(alone.TTFT.P50), 7)
			l.Write(themes.Dim, " gap ")
			l.Write(themes.Text, p.Bounded(alone.Gaps.P50, alone.Gaps.Missing.P50))
		}
		p.troubles(p.Row(in, in.H-1))
		return
	}
	tall, name, y := format.Either(in.H >= 8, 2, 1), 6, 0
	for i, d := range dists {
		lo, hi := common(d.bins, d.base)
		shape := draw.Rect{X: in.X + figuresW, Y: in.Y + y, W: in.W - figuresW, H: tall}
		l := p.Row(in, y+tall-1)
		p.dist(&l, d.name, name, true, themes.Strong, d.now)
		p.shape(shape, d.bins, lo, hi, false)
		if tall > 1 {
			l := p.Row(in, y)
			l.End = min(l.End, in.X+figuresW-1)
			p.scaleRow(l, d.bins, d.base)
		}
		y += tall + 1
		switch l = p.Row(in, y-1); {
		case failing && (i == 1) == (q.Asked > 0):
			p.withFailures(&l, name, true)
			continue
		case q.Asked > 0 && i == 0:
			p.scheduled(&l, name, true)
			continue
		}
		if p.now.view.One() == nil {
			continue
		}
		p.dist(&l, "alone", name, true, themes.Dim, d.was)
		shape.Y, shape.H = in.Y+y-1, 1
		p.shape(shape, d.base, lo, hi, true)
	}
	p.troubles(p.Row(in, y))
	p.watch(p.Row(in, y+1))
}

// compared is the title: which load is compared with what, in room columns.
func (p *canvas) compared(room int) string {
	v := &p.now.view
	q := &v.Live
	asked := p.Exact(q.Asked)
	if q.Ramp != nil { // a mean, not a rate that a person asked for
		asked = p.asked(q.Asked)
	}
	switch {
	case leaving(v):
		return p.Join("falling to ", p.Plural(v.Target, "user", "users"))
	case q.Asked > 0:
		text := p.Join("at ", asked, " req/s")
		return draw.FirstFit(room, p.Join(text, " ─ sched: TTFT from the schedule"), text)
	case q.Users == 1:
		return "at 1 user"
	case q.Users < 1:
		return "distributions"
	}
	alone, settling := v.One() != nil, v.One() != nil && !v.One().Steady
	return p.Join("at ", p.Count(q.Users), " users", format.If(alone, " vs 1"), format.If(settling, " (settling)"))
}

// roomForLag reports whether the panel of that frame has a row for the lag.
func roomForLag(r draw.Rect) bool { return r.Inner().H >= 5 }

// figuresW is the width of a distribution's name and figures, with a blank.
const figuresW = 34

// dist writes the figures of a distribution behind its name in that many columns;
// long: with the name of its median too.
func (p *canvas) dist(l *line, name string, w int, long bool, role themes.Role, d *metrics.Dist) {
	p.times(l, name, w, long, role, p.Bounded(d.P50, d.Missing.P50), "p99", p.Bounded(d.P99, d.Missing.P99))
}

// scheduled writes the times of an open loop from when its requests were due.
func (p *canvas) scheduled(l *line, w int, long bool) {
	d, low := &p.now.view.Live.FromIntended, &p.now.view.Live.FromIntendedAtLeast
	p.times(l, "sched", w, long, themes.Strong, p.Waiting(d.P50, low.P50), "p99", p.Waiting(d.P99, low.P99))
}

// withFailures writes TTFT with the requests that failed, its p90: a p99 needs a hundred.
func (p *canvas) withFailures(l *line, w int, long bool) {
	d := &p.now.view.Live.TTFTFailed
	p.times(l, p.Join("TTFT", string(p.Glyphs.Fail)), w, long, themes.Warn, p.Failing(d.P50), "p90", p.Failing(d.P90))
}

// times writes a median and a higher percentile, each as far as it fits whole; where
// neither is known, the sign of that once.
func (p *canvas) times(l *line, name string, w int, long bool, role themes.Role, p50, high, value string) {
	const figure = 1 + format.DurationWidth
	l.Slot(themes.Dim, name, w)
	l.Write(themes.Dim, format.Either(long, "p50", ""))
	if l.Left() >= figure {
		l.Field(role, p50, figure)
	}
	known, blank := p50 != draw.Unknown || value != draw.Unknown, format.Either(long, 2, 1)
	if known && l.Left() >= blank+draw.Width(high)+figure {
		l.Skip(blank)
		l.Write(themes.Dim, high)
		l.Field(role, value, figure)
	}
}

// scaleRow writes from where to where a shape reaches, in the row beside its top
// that its figures leave free.
func (p *canvas) scaleRow(l line, bins, base *metrics.Histogram) {
	h := cmp.Or(bins, base)
	if lo, hi := common(bins, base); h != nil && hi >= lo && hi < len(h.Counts) {
		l.Skip(6)
		l.Fit(part(p.Join("scale ", format.Range(h.Edge(lo), h.Edge(hi+1), format.Ms)), 0), part(", log", 1))
	}
}

// common is the range of bins that covers the counts of both histograms. They
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

// shape draws the bins lo to hi of h across r, each column in the color of
// its time, or all of them dim. Every bin that holds something is seen. A quarter of a
// row stays free, so that shapes below each other stay apart.
func (p *canvas) shape(r draw.Rect, h *metrics.Histogram, lo, hi int, dim bool) {
	if h == nil && p.v.Replay != nil && !dim {
		p.Grid.Text(r.X, r.Bottom()-1,
			p.Chrome(draw.FirstFit(r.W, "shapes are not recorded", "not recorded", draw.Unknown)), themes.Dim, r.W)
	}
	if h == nil || hi < lo || r.W < 5 || r.H < 1 || lo >= len(h.Counts) {
		return
	}
	hi = min(hi, len(h.Counts)-1)
	n := hi - lo + 1
	cols := min(r.W, n*3) // a bin has at most three columns
	most := float64(slices.Max(h.Counts[lo:hi+1])) * float64(r.H) / (float64(r.H) - 0.25)
	for x := range cols {
		from, to := lo+x*n/cols, lo+max((x+1)*n/cols, x*n/cols+1)
		role := format.Either(dim, themes.Dim, themes.Heat(draw.Heat(h.Edge(from))))
		if count := slices.Max(h.Counts[from:min(to, hi+1)]); count > 0 {
			p.Grid.Bar(r.X+x, r.Bottom()-1, r.H, float64(count)/most, p.Glyphs, role)
		} else {
			p.Grid.Set(r.X+x, r.Bottom()-1, p.Glyphs.Bars[0], themes.Faint)
		}
	}
}

// troubles counts the failures of the whole load, in their place from the start.
func (p *canvas) troubles(l line) {
	v := &p.now.view
	if r := p.v.Replay; r != nil && r.NoEnd {
		l.Cut(themes.Dim, say.LoadReplayNoTotals("– failed"))
		return
	}
	text, short, spent := say.RateLimitBrief(&v.Limits)
	limit := draw.Part{Role: format.Either(spent, themes.Warn, themes.Dim), Rank: format.Either(spent, 1, 2)}
	if text != "" {
		limit.Text, limit.Brief = p.Join("  ", text), p.Join(" ", cmp.Or(short, text))
	}
	none := format.Either(v.Done > 0, p.Join("0 of ", p.Count(v.Done), " failed"), "0 failed")
	parts := [...]draw.Part{part(none, 0), {}, limit}
	for i, c := range p.now.failed {
		parts[i] = draw.Part{Role: themes.Bad, Text: c.Text, Rank: format.Either(spent, 2, 1) * i}
	}
	l.Fit(parts[:]...)
	l.Whole(themes.Warn, format.If(v.Retried > 0, p.Join("  ", p.Count(v.Retried), " retried")))
	l.Whole(themes.Dim, format.If(v.Cancelled > 0, p.Join("  ", p.Count(v.Cancelled), " cut")))
}

// watch writes the lag of tokscope, in amber when tokscope is the bottleneck, and what
// it takes of this machine, in amber when that is almost all.
func (p *canvas) watch(l line) {
	v, o := &p.now.view, &p.now.view.Observer
	if !p.lateness(&l) {
		late := float64(o.LateP99) / float64(time.Millisecond)
		l.Write(themes.Dim, "lag ")
		if o.N == 0 {
			l.Slot(themes.Dim, draw.Unknown, 7)
		} else {
			l.Slot(format.Either(o.LateP99 >= screen.LateWarn, themes.Warn, themes.Text), p.Ms(late), 7)
		}
		l.Whole(themes.Dim, format.If(v.Rate > 0, p.Join(" schedule late p99 ", p.Duration(v.ScheduleLag.P99))))
		l.Whole(themes.Warn, format.If(o.LateP99 >= screen.LateWarn && o.N > 0, " (p99); requests leave late too"))
		for _, text := range say.RateLimits(&v.Limits) {
			l.Whole(themes.Dim, p.Join("  ", text))
		}
	}
	role := format.Either(o.Use.Busy(), themes.Warn, themes.Dim)
	if used := o.Use.CPUUsed(); used.OK {
		cores := format.Either(o.Use.Cores == 1, " core", " cores")
		l.Fit(draw.Part{Role: role, Text: p.Join(" · ", p.Number(used.V), " of ", p.Count(o.Use.Cores), cores),
			Brief: p.Join(" · CPU ", p.PercentOf(o.Use.CPUShare()))})
	}
	if n, most := o.Use.Descriptors, o.Use.DescriptorLimit; n > 0 && most > 0 {
		l.Whole(role, p.Join(" · ", p.Count(n), " of ", p.Count(most), " descriptors"))
	}
}
