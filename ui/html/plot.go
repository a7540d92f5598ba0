package html

import (
	"fmt"
	"strings"

	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/format"
	"tokscope/ui/report"
)

// Size of a chart in px, and of what stands around its plot. A page has each chart twice, for a
// wide and for a narrow place, and shows one: letters keep their size.
const (
	wide, narrow = 720, 348
	high, low    = 250, 210
	left, right  = 52, 14
	top, foot    = 24, 26
	letter       = 6.2 // about the width of one
	fewDots      = 100 // so many of a line are larger
)

// Figure is a chart with its title. Its axes, lines, rules and notes are those of screens.
type Figure struct {
	Title, About string // About says what is drawn where, "" for nothing
	Plot         chart.Plot
	Names        []Name // of its lines
	Bands        []Band // above the plot, on its X axis
}

// Band is a time in which a stream did one thing.
type Band struct {
	From, To float64
	Role     themes.Role
	Name     string
}

// svg writes f at a width.
func (f *Figure) svg(b *strings.Builder, w int) {
	p := picture{b: b, f: f, all: float64(w), w: float64(w - left - right), h: high - top - foot}
	if w == narrow {
		p.h = low - top - foot
	}
	if len(f.Plot.Right.Ticks) > 0 {
		p.w -= left - right
	}
	fmt.Fprintf(b, `<svg class="%s" viewBox="0 0 %d %.0f" role="img" aria-label="%s" data-x="%d" data-w="%.0f" `+
		`data-to="%.3f">`+"\n", format.Either(w == narrow, "narrow", "wide"), w, p.h+top+foot, report.Escape(f.Title), left,
		p.w, f.Plot.X.Max)
	p.bands()
	p.axes()
	for i := range f.Plot.Lines {
		p.line(&f.Plot.Lines[i])
	}
	for i := range f.Plot.Rules {
		p.rule(&f.Plot.Rules[i], i)
	}
	for i := range f.Plot.Notes {
		n := &f.Plot.Notes[i]
		if x, y, ok := p.at(n.X, n.Y, n.Right); ok {
			y += format.Either(y < top+letter*2, 12.0, -6.0) // a note at the top stands below the bands
			p.text(x+format.Either(n.Left, -6.0, 6.0), y, n.Role, format.Either(n.Left, "end", "start"), n.Text)
		}
	}
	fmt.Fprintf(b, `<line class="head" x1="%d" x2="%d" y1="%d" y2="%.0f"/></svg>`+"\n", left, left, top-6, top+p.h)
}

// picture is a chart while it is written.
type picture struct {
	b    *strings.Builder
	f    *Figure
	w, h float64 // of the plot
	all  float64 // the width of the chart
}

// at is the place of a value; ok is false outside of the axes.
func (p *picture) at(x, y float64, right bool) (px, py float64, ok bool) {
	axis := &p.f.Plot.Left
	if right && len(p.f.Plot.Right.Ticks) > 0 {
		axis = &p.f.Plot.Right
	}
	fx, okX := p.f.Plot.X.At(x)
	fy, okY := axis.At(y)
	return left + fx*p.w, top + (1-fy)*p.h, okX && okY
}

func (p *picture) text(x, y float64, role themes.Role, anchor, text string) {
	half := float64(len([]rune(text))) * letter
	switch { // it stays in the picture
	case anchor == "start" && x+half > p.all:
		x, anchor = left+p.w, "end"
	case anchor == "middle" && x+half/2 > p.all:
		x, anchor = p.all, "end"
	case anchor == "end" && x-half < 0:
		x, anchor = left, "start"
	}
	fmt.Fprintf(p.b, `<text class="r%d" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", role, x, y, anchor,
		report.Escape(text))
}

// bands are strips above the plot with their names, and in it where the plot has room.
func (p *picture) bands() {
	end := 0.0
	for _, s := range p.f.Bands {
		from, _ := p.f.Plot.X.At(s.From)
		to, ok := p.f.Plot.X.At(s.To)
		if x, w := left+from*p.w, (to-from)*p.w; ok && w > 0 {
			fmt.Fprintf(p.b, `<rect class="r%d" x="%.1f" y="%d" width="%.1f" height="5" rx="1"/>`+"\n", s.Role, x, top-8,
				max(w-1, .7))
			x = max(x, end)
			if room := float64(len([]rune(s.Name))) * letter; x+room < left+p.w {
				p.text(x, top-12, themes.Dim, "start", s.Name)
				end = x + room + 2*letter
			}
		}
	}
}

// axes draws grid lines with their numbers.
func (p *picture) axes() {
	fmt.Fprint(p.b, `<g class="grid">`)
	plot := &p.f.Plot
	for _, t := range plot.Left.Ticks {
		if f, ok := plot.Left.At(t.At); ok {
			y := top + (1-f)*p.h
			fmt.Fprintf(p.b, `<path d="M%d %.1fh%.1f"/>`, left, y, p.w)
		}
	}
	fmt.Fprintln(p.b, "</g>")
	for i, axis := range []*chart.Axis{&plot.Left, &plot.Right} {
		role := format.Either(i == 0, plot.LeftRole, plot.RightRole)
		for _, t := range axis.Ticks {
			if f, ok := axis.At(t.At); ok {
				p.text(format.Either(i == 0, left-7.0, left+p.w+7), top+(1-f)*p.h+4, role,
					format.Either(i == 0, "end", "start"), t.Label)
			}
		}
	}
	end := -1.0
	for _, t := range plot.X.Ticks {
		f, ok := plot.X.At(t.At)
		if x, half := left+f*p.w, float64(len(t.Label))*letter/2; ok && x-half > end {
			p.text(x, top+p.h+18, themes.Dim, "middle", t.Label)
			end = x + half + letter
		}
	}
}

// line draws lines, then points: small ones of a role together, as a path.
func (p *picture) line(l *chart.Line) {
	paths, dots := map[bool]string{}, map[themes.Role]string{}
	var roles []themes.Role
	marks, begun := "", false
	var before [2]float64
	for _, q := range l.Points {
		x, y, ok := p.at(q.X, q.Y, l.Right)
		if !ok {
			begun = false
			continue
		}
		if begun && !l.Loose {
			paths[q.Dashed] += fmt.Sprintf("M%.1f %.1fL%.1f %.1f", before[0], before[1], x, y)
		}
		before, begun = [2]float64{x, y}, true
		role := format.Either(q.Role == 0, l.Role, q.Role)
		switch {
		case q.Mark == '○':
			marks += fmt.Sprintf(`<circle class="r%d hollow" cx="%.1f" cy="%.1f" r="3.4"/>`, role, x, y)
		case q.Mark != 0:
			marks += fmt.Sprintf(`<circle class="r%d" cx="%.1f" cy="%.1f" r="3.6"/>`, role, x, y)
		case l.Loose:
			if dots[role] == "" {
				roles = append(roles, role)
			}
			dots[role] += fmt.Sprintf("M%.1f %.1fh0", x, y)
		}
	}
	for _, dashed := range []bool{false, true} {
		if d := paths[dashed]; d != "" {
			fmt.Fprintf(p.b, `<path class="r%d line%s" d="%s"/>`+"\n", l.Role, format.If(dashed, " dashed"), d)
		}
	}
	for _, role := range roles {
		fmt.Fprintf(p.b, `<path class="r%d dots%s" d="%s"/>`+"\n", role,
			format.If(len(l.Points) <= fewDots, " big"), dots[role])
	}
	p.b.WriteString(marks)
}

// rule draws a dashed line with its label. Labels of vertical ones stand one below the other.
func (p *picture) rule(r *chart.Rule, i int) {
	if r.Vertical {
		if f, ok := p.f.Plot.X.At(r.At); ok {
			x := left + f*p.w
			fmt.Fprintf(p.b, `<path class="r%d line dashed" d="M%.1f %dv%.1f"/>`+"\n", r.Role, x, top, p.h)
			p.text(x+5, top+10+float64(i%3)*13, r.Role, "start", r.Label)
		}
		return
	}
	if _, y, ok := p.at(p.f.Plot.X.Min, r.At, r.Right); ok {
		fmt.Fprintf(p.b, `<path class="r%d line dashed" d="M%d %.1fh%.1f"/>`+"\n", r.Role, left, y, p.w)
		p.text(left+p.w-4, y-4, r.Role, "end", r.Label)
	}
}
