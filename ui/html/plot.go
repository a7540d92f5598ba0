package html

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
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

// Figure is a chart with its title. Its axes, lines, rules and notes are those of screens; the
// lines have no gaps, and rules and notes are read on the left axis.
type Figure struct {
	Title, About string // About says what is drawn where, "" for nothing
	Plot         chart.Plot
	Names        []Name
	track        *track // what is played below it, nil for nothing
}

// Name is a part of the legend of a chart: of a line, or of a time in which a stream did one
// thing, which is a strip above the plot.
type Name struct {
	Role     themes.Role
	Text     string
	From, To float64 // of the strip, on the X axis; equal for a line
}

// write writes the chart with its heading, folded where the reader opens it.
func (f *Figure) write(b *strings.Builder, folded bool) {
	element, heading := format.Either(folded, "details", "section"), format.Either(folded, "summary", "h2")
	report.HTML(b, "<%s class=\"chart\"><%s>%s</%[2]s>\n<figure>\n", element, heading, f.Title)
	if len(f.Names) > 0 {
		b.WriteString("<p class=\"names\">")
		for _, n := range f.Names {
			report.HTML(b, "<span class=\"r%d\">%s</span> ", n.Role, n.Text)
		}
		b.WriteString("</p>\n")
	}
	f.svg(b, "wide", wide, high)
	f.svg(b, "narrow", narrow, low)
	if f.About != "" {
		report.HTML(b, "<figcaption>%s</figcaption>\n", f.About)
	}
	report.HTML(b, "</figure></%s>\n", element)
}

// svg writes the chart in that size.
func (f *Figure) svg(b *strings.Builder, class string, w, h int) {
	p := picture{b: b, Plot: &f.Plot, all: float64(w), w: float64(w - left - right), h: float64(h - top - foot)}
	if len(f.Plot.Right.Ticks) > 0 {
		p.w -= left - right
	}
	report.HTML(b, `<svg class="%s" viewBox="0 0 %d %d" role="img" aria-label="%s" data-x="%d" data-w="%.0f" `+
		`data-to="%.3f">`+"\n", class, w, h, f.Title, left, p.w, f.Plot.X.Max)
	for _, n := range f.Names {
		from, _ := p.x(n.From)
		if to, ok := p.x(n.To); ok && to > from {
			fmt.Fprintf(b, `<rect class="r%d" x="%.1f" y="%d" width="%.1f" height="5" rx="1"/>`+"\n", n.Role, from, top-8,
				max(to-from-1, .7))
		}
	}
	p.axes()
	for i := range f.Plot.Lines {
		p.line(&f.Plot.Lines[i])
	}
	for i := range f.Plot.Rules {
		p.rule(&f.Plot.Rules[i], i)
	}
	for _, n := range f.Plot.Notes {
		x, okX := p.x(n.X)
		if y, ok := p.y(&p.Left, n.Y); ok && okX {
			y += format.Either(y < top+letter*2, 12.0, -6.0) // a note at the top stands below the strips
			p.text(x+format.Either(n.Left, -6.0, 6.0), y, n.Role, format.Either(n.Left, "end", "start"), n.Text)
		}
	}
	fmt.Fprintf(b, `<line class="head" x1="%d" x2="%d" y1="%d" y2="%.0f"/></svg>`+"\n", left, left, top-6, top+p.h)
}

// picture is a chart while it is written.
type picture struct {
	*chart.Plot
	b    *strings.Builder
	w, h float64 // of the plot
	all  float64 // the width of the chart
}

// x and y are the place of a value in px; ok is false outside of the axis.
func (p *picture) x(v float64) (px float64, ok bool) {
	f, ok := p.X.At(v)
	return left + f*p.w, ok
}

func (p *picture) y(on *chart.Axis, v float64) (py float64, ok bool) {
	f, ok := on.At(v)
	return top + (1-f)*p.h, ok
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
	report.HTML(p.b, `<text class="r%d" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", role, x, y, anchor, text)
}

// axes draws grid lines with their numbers.
func (p *picture) axes() {
	for _, t := range p.Left.Ticks {
		if y, ok := p.y(&p.Left, t.At); ok {
			fmt.Fprintf(p.b, `<path class="grid" d="M%d %.1fh%.1f"/>`, left, y, p.w)
			p.text(left-7, y+4, p.LeftRole, "end", t.Label)
		}
	}
	for _, t := range p.Right.Ticks {
		if y, ok := p.y(&p.Right, t.At); ok {
			p.text(left+p.w+7, y+4, p.RightRole, "start", t.Label)
		}
	}
	end := -1.0
	for _, t := range p.X.Ticks {
		x, ok := p.x(t.At)
		if half := float64(len(t.Label)) * letter / 2; ok && x-half > end {
			p.text(x, top+p.h+18, themes.Dim, "middle", t.Label)
			end = x + half + letter
		}
	}
}

// line draws a line, then its points: small ones of a role together, as a path.
func (p *picture) line(l *chart.Line) {
	path, marks, dots, move := "", "", map[themes.Role]string{}, "M"
	for _, q := range l.Points {
		x, okX := p.x(q.X)
		y, ok := p.y(format.Either(l.Right, &p.Right, &p.Left), q.Y)
		if !ok || !okX {
			move = "M"
			continue
		}
		if !l.Loose {
			path += fmt.Sprintf("%s%.1f %.1f", move, x, y)
			move = "L"
		}
		switch role := cmp.Or(q.Role, l.Role); {
		case q.Mark != 0:
			marks += fmt.Sprintf(`<circle class="r%d%s" cx="%.1f" cy="%.1f" r="3.5"/>`, role,
				format.If(q.Mark == '○', " hollow"), x, y)
		case l.Loose:
			dots[role] += fmt.Sprintf("M%.1f %.1fh0", x, y)
		}
	}
	if path != "" {
		fmt.Fprintf(p.b, `<path class="r%d line" d="%s"/>`+"\n", l.Role, path)
	}
	for _, role := range slices.Sorted(maps.Keys(dots)) {
		fmt.Fprintf(p.b, `<path class="r%d dots%s" d="%s"/>`+"\n", role,
			format.If(len(l.Points) <= fewDots, " big"), dots[role])
	}
	p.b.WriteString(marks)
}

// rule draws a dashed line with its label. Labels of vertical ones stand one below the other.
func (p *picture) rule(r *chart.Rule, i int) {
	path := `<path class="r%d line dashed" d="M%.1f %.1f%s%.1f"/>` + "\n"
	if !r.Vertical {
		if y, ok := p.y(&p.Left, r.At); ok {
			fmt.Fprintf(p.b, path, r.Role, float64(left), y, "h", p.w)
			p.text(left+p.w-4, y-4, r.Role, "end", r.Label)
		}
	} else if x, ok := p.x(r.At); ok {
		fmt.Fprintf(p.b, path, r.Role, x, float64(top), "v", p.h)
		p.text(x+5, top+10+float64(i%3)*13, r.Role, "start", r.Label)
	}
}
