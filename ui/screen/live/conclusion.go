package live

import (
	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/say"
	"tokscope/ui/screen"
)

// conclusion is the row that says what the figures show. It keeps the text of
// the last findings and width.
type conclusion struct {
	of    []verdict.Finding
	width int
	text  string
	said  []verdict.Code // of the findings in it
}

// conclude returns what v shows.
func conclude(v *View) []verdict.Finding {
	return verdict.Of(verdict.Input{Stream: &v.Stream, Figures: &v.Figures,
		Now: v.Now, Earlier: v.Runs, Session: true, Pinned: v.Pinned, Lens: v.Lens, Task: v.Task})
}

// draw writes as much of the findings as fits into the row. A sentence about
// another endpoint than the chosen one is dim and names it.
func (s *conclusion) draw(p *canvas, r draw.Rect) {
	if r.Empty() {
		return
	}
	l := p.Row(r, 0)
	l.Skip(1)
	if p.v.Stream.State == metrics.Idle {
		l.Cut(themes.Dim, "no request sent yet")
		return
	}
	role := themes.Strong
	if f := p.v.Findings; len(f) > 0 && (f[0].Grade == verdict.Bad || f[0].Grade == verdict.Spoils) &&
		p.v.Stream.State != metrics.Failed { // of that the message below is in red
		role = themes.Headline
	}
	other := p.v.Other
	if other == "" && screen.Elsewhere(&p.v.Stream, p.v.Endpoint) {
		other = safeName(p.v.Stream.Endpoint.Name)
	}
	if other != "" {
		role = themes.Dim
		l.Write(role, p.Join("last run, ", other, ": "))
	}
	// each change of the findings is a new slice
	if f, w := p.v.Findings, l.Left(); s.width != w || len(s.of) != len(f) || len(f) > 0 && &s.of[0] != &f[0] {
		s.of, s.width = f, w
		s.text, s.said = say.ConclusionFit(s.of, w)
	}
	l.Cut(role, s.text)
}
