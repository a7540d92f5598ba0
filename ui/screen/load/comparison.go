package load

import (
	"cmp"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// comparison draws the distributions at the present number of users beside those of
// one user alone, the counts of errors, and tokscope's lag.
func (p *canvas) comparison(r draw.Rect) {
	if r.Empty() {
		return
	}
	v := &p.now.view
	title, one := "distributions", ""
	if a := v.One(); a != nil {
		one = hollow(p, a)
	}
	if n := v.Live.Users; leaving(v) {
		title = p.Join("falling to ", p.Count(v.Target), draw.Either(v.Target == 1, " user", " users"))
	} else if v.Live.Asked > 0 {
		asked := p.Exact(v.Live.Asked)
		if v.Live.Ramp != nil { // a mean, not a rate that a person asked for
			asked = p.asked(v.Live.Asked)
		}
		title = p.Join("at ", asked, " req/s ─ sched: TTFT from the schedule")
		if draw.Width(title)+6 > r.W {
			title = p.Join("at ", asked, " req/s")
		}
	} else if n > 1 {
		title = p.Join("at ", p.Count(n), " users vs 1", one)
	} else if n == 1 {
		title = "at 1 user"
	}
	source := p.stamps()
	if draw.Width(title)+draw.Width(source)+9 > r.W {
		source, _, _ = strings.Cut(source, " ")
	}
	in := p.Box(r, themes.Border, title, source)
	alone := v.One()
	var none loadstat.Point
	if alone == nil {
		alone = &none
	}
	q := &v.Live
	if !roomForLag(r) {
		p.shortRow(p.Row(in, 0), "TTFT", &q.TTFT, q.TTFTBins, alone.TTFTBins)
		p.shortRow(p.Row(in, 1), "gap", &q.Gaps, q.GapBins, alone.GapBins)
		if l := p.Row(in, 2); in.H > 3 && q.Asked > 0 {
			l.Slot(themes.Dim, "sched", 5)
			l.Field(themes.Strong, p.Waiting(q.FromIntended.P50, q.FromIntendedAtLeast.P50), 1+format.DurationWidth)
			l.Write(themes.Dim, " p99")
			l.Field(themes.Strong, p.Waiting(q.FromIntended.P99, q.FromIntendedAtLeast.P99), 1+format.DurationWidth)
		} else if in.H > 3 {
			l.Write(themes.Dim, "alone TTFT ")
			l.Slot(themes.Text, p.Duration(alone.TTFT.P50), 7)
			l.Write(themes.Dim, " gap ")
			l.Write(themes.Text, p.Bounded(alone.Gaps.P50, alone.Gaps.Missing.P50))
		}
		p.troubles(p.Row(in, in.H-1))
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
	}{{"TTFT", &q.TTFT, &alone.TTFT, q.TTFTBins, alone.TTFTBins},
		{"gap", &q.Gaps, &alone.Gaps, q.GapBins, alone.GapBins}} {
		area := draw.Rect{X: in.X, Y: in.Y + y, W: in.W, H: tall + 1}
		if q.Asked > 0 && y == 0 {
			p.distRows(area, d.name, d.now, "sched", &q.FromIntended, d.bins, d.base)
		} else {
			p.distRows(area, d.name, d.now, "alone", d.was, d.bins, d.base)
		}
		if tall > 1 {
			l := p.Row(area, 0)
			l.End = min(l.End, in.X+figuresW-1)
			p.scaleRow(l, d.bins, d.base)
		}
		y += tall + 1
	}
	p.troubles(p.Row(in, y))
	p.watch(p.Row(in, y+1))
}

// roomForLag reports whether the panel of that frame has a row for the lag.
func roomForLag(r draw.Rect) bool { return r.Inner().H >= 5 }

// shortRow is a distribution in one row: its figures and its shape, on a scale
// that it shares with the one of a user alone.
func (p *canvas) shortRow(l line, name string, now *metrics.Dist, bins, base *metrics.Histogram) {
	long := 4
	if p.now.view.Live.Asked > 0 {
		long = 5 // of "sched", below
	}
	l.Slot(themes.Dim, name, long)
	l.Field(themes.Strong, p.Bounded(now.P50, now.Missing.P50), 1+format.DurationWidth)
	l.Write(themes.Dim, " p99")
	l.Field(themes.Text, p.Bounded(now.P99, now.Missing.P99), 1+format.DurationWidth)
	l.Skip(1)
	if l.Left() >= 5 {
		lo, hi := common(bins, base)
		p.shape(draw.Rect{X: l.X, Y: l.Y, W: l.Left(), H: 1}, bins, lo, hi, false)
	}
}

// figuresW is the width of a distribution's name and figures, with a blank.
const figuresW = 34

// distRows is a distribution in two rows or three: now above, another one, such
// as alone, below. The shapes are now and alone, on one scale.
func (p *canvas) distRows(r draw.Rect, name string,
	now *metrics.Dist, other string, was *metrics.Dist, bins, base *metrics.Histogram) {
	lo, hi := common(bins, base)
	if other != "alone" {
		base = nil
	}
	for i, d := range [...]struct {
		name string
		d    *metrics.Dist
		h    *metrics.Histogram
		y, n int
	}{{name, now, bins, 0, r.H - 1}, {other, was, base, r.H - 1, 1}} {
		l := p.Row(r, d.y+d.n-1)
		strong := themes.Strong
		if i == 1 && other == "alone" {
			strong = themes.Dim
		}
		l.Slot(themes.Dim, d.name, 6)
		l.Write(themes.Dim, "p50")
		p50, p99 := p.Bounded(d.d.P50, d.d.Missing.P50), p.Bounded(d.d.P99, d.d.Missing.P99)
		if i == 1 && other == "sched" {
			low := &p.now.view.Live.FromIntendedAtLeast
			p50, p99 = p.Waiting(d.d.P50, low.P50), p.Waiting(d.d.P99, low.P99)
		}
		l.Field(strong, p50, 1+format.DurationWidth)
		l.Write(themes.Dim, "  p99")
		l.Field(strong, p99, 1+format.DurationWidth)
		if room := r.W - figuresW; room >= 6 {
			p.shape(draw.Rect{X: r.X + figuresW, Y: r.Y + d.y, W: room, H: d.n}, d.h, lo, hi, i == 1)
		}
	}
}

// scaleRow writes from where to where a shape reaches, in the row beside its top
// that its figures leave free.
func (p *canvas) scaleRow(l line, bins, base *metrics.Histogram) {
	h := bins
	if h == nil {
		h = base
	}
	if lo, hi := common(bins, base); h != nil && hi >= lo && hi < len(h.Counts) {
		l.Skip(6)
		text := p.Join("scale ", format.Range(h.Edge(lo), h.Edge(hi+1), format.Ms))
		if !l.Whole(themes.Dim, p.Join(text, ", log")) {
			l.Whole(themes.Dim, text)
		}
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
// its time, or all of them dim. Every bin that holds something is seen.
func (p *canvas) shape(r draw.Rect, h *metrics.Histogram, lo, hi int, dim bool) {
	if h == nil && p.v.Replay != nil && !dim {
		p.Grid.Text(r.X, r.Bottom()-1,
			p.Chrome(draw.FirstFit(r.W, "shapes are not recorded", "not recorded", draw.Unknown)), themes.Dim, r.W)
	}
	if h == nil || hi < lo || r.W < 1 || r.H < 1 || lo >= len(h.Counts) {
		return
	}
	hi = min(hi, len(h.Counts)-1)
	n := hi - lo + 1
	cols := min(r.W, n*3) // a bin has at most three columns
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
		role := themes.Heat(draw.Heat(at))
		if dim {
			role = themes.Dim
		}
		if count > 0 {
			p.Grid.Bar(r.X+x, r.Bottom()-1, r.H, barShare(r.H)*float64(count)/float64(top), p.Glyphs, role)
		} else {
			p.Grid.Set(r.X+x, r.Bottom()-1, p.Glyphs.Bars[0], themes.Faint)
		}
	}
}

// barShare is the height of the largest bar in a shape of h rows, as a share:
// a quarter of a row stays free, so that shapes below each other stay apart.
func barShare(h int) float64 { return (float64(h) - 0.25) / float64(h) }

// troubles counts the failures, in their place from the start.
func (p *canvas) troubles(l line) {
	v := &p.now.view
	role := func(n int) themes.Role {
		if n > 0 {
			return themes.Bad
		}
		return themes.Text
	}
	if r := p.v.Replay; r != nil && r.NoEnd {
		l.Cut(themes.Dim, say.LoadReplayNoTotals("errors –  429 –"))
		return
	}
	limited := 0
	for _, f := range v.Faults {
		if f.Kind == metrics.FaultRateLimit {
			limited += f.N
		}
	}
	l.Write(themes.Dim, "errors ")
	l.Slot(role(v.Failed), p.Count(v.Failed), 2)
	l.Write(themes.Dim, "  429 ")
	l.Slot(role(limited), p.Count(limited), 2)
	text, brief, spent := say.RateLimitBrief(&v.Limits)
	limit := func(role themes.Role) {
		if text != "" {
			l.Fit(draw.Part{Role: role, Text: p.Join("  ", text), Brief: p.Join(" ", cmp.Or(brief, text))})
		}
	}
	if spent {
		limit(themes.Warn)
	}
	for _, f := range v.Faults {
		if f.Kind == metrics.FaultRateLimit || f.N == 0 {
			continue
		}
		if f.Kind == metrics.FaultHTTP { // of the client or of the server
			p.statuses(&l, f.N)
			continue
		}
		l.Whole(themes.Warn, p.Join("  ", p.Count(f.N), " ", string(f.Kind)))
	}
	if v.Retried > 0 {
		l.Whole(themes.Warn, p.Join("  ", p.Count(v.Retried), " retried"))
	}
	if v.Cancelled > 0 {
		l.Whole(themes.Dim, p.Join("  ", p.Count(v.Cancelled), " cut"))
	}
	if !spent {
		limit(themes.Dim)
	}
}

// statuses writes n failures with a status of HTTP, and the last of these statuses.
func (p *canvas) statuses(l *line, n int) {
	last, rank := "", 0
	if f := p.now.view.LastFault; f != nil && f.Kind == metrics.FaultHTTP && f.Status != 0 {
		last, rank = p.Join("  last ", p.Count(f.Status)), 1
	}
	count := p.Join("  ", p.Count(n))
	l.Fit(draw.Part{Role: themes.Warn, Text: p.Join(count, draw.Either(n == 1, " HTTP error", " HTTP errors")),
		Brief: p.Join(count, " HTTP"), Rank: rank}, draw.Part{Role: themes.Warn, Text: last})
}

// watch writes the lag of tokscope, in amber when tokscope is the bottleneck.
func (p *canvas) watch(l line) {
	o := p.now.view.Observer
	late := float64(o.LateP99) / float64(time.Millisecond)
	role := themes.Text
	if late >= lateMs {
		role = themes.Warn
	}
	if p.lateness(&l) {
		p.use(&l)
		return
	}
	l.Write(themes.Dim, "lag ")
	if o.N == 0 {
		l.Slot(themes.Dim, draw.Unknown, 7)
	} else {
		l.Slot(role, p.Ms(late), 7)
	}
	if p.now.view.Rate > 0 {
		l.Whole(themes.Dim, p.Join(" schedule late p99 ", p.Duration(p.now.view.ScheduleLag.P99)))
	}
	if late >= lateMs && o.N > 0 {
		l.Whole(themes.Warn, " (p99); requests leave late too")
	}
	for _, text := range say.RateLimits(&p.now.view.Limits) {
		l.Whole(themes.Dim, p.Join("  ", text.String()))
	}
	p.use(&l)
}

// use writes what tokscope takes of this machine, in amber when that is almost
// all.
func (p *canvas) use(l *line) {
	u := &p.now.view.Observer.Use
	role := themes.Dim
	if u.Busy() {
		role = themes.Warn
	}
	if v := u.CPUUsed(); v.OK {
		_ = l.Whole(role,
			p.Join(" · ", p.Number(v.V), " of ", p.Count(u.Cores), draw.Either(u.Cores == 1, " core", " cores"))) ||
			l.Whole(role, p.Join(" · CPU ", p.PercentOf(u.CPUShare())))
	}
	if u.Descriptors > 0 && u.DescriptorLimit > 0 {
		l.Whole(role, p.Join(" · ", p.Count(u.Descriptors), " of ", p.Count(u.DescriptorLimit), " descriptors"))
	}
}
