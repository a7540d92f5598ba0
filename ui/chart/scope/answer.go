package scope

import (
	"tokscope/themes"
	"tokscope/ui/draw"
)

// answerRule draws where the answer begins behind the reasoning: a dot in every
// second row.
func (s *Scope) answerRule(d *Data) {
	if !(d.Answer > 0) {
		return
	}
	x := s.win.column(d.Answer)
	for y := 0; y < 4*s.plot.H; y += 2 {
		if c := s.dots.set(x, y, background, themes.Decode); c != nil {
			c.ascii = '|'
		}
	}
}

// answerLabels name what lies on both sides of the rule, in the first row in
// which nothing crosses them.
func (s *Scope) answerLabels(p *draw.Canvas, d *Data) {
	const left, right = "reasoning ", " answer"
	x := s.win.column(d.Answer)
	if !(d.Answer > 0) || x < 0 || x >= s.win.Columns {
		return
	}
	for _, label := range [...]struct {
		text string
		at   int
	}{{left, x/2 - len(left)}, {right, x/2 + 1}} {
		for row := range s.plot.H {
			if s.put(p, label.text, themes.Decode, [2]int{label.at, row}) {
				break
			}
		}
	}
}
