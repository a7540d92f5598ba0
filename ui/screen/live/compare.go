package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// differences are TTFT, TPOT and speed of the stream less those of the pinned
// run, "–" where one of both is unknown. ok is false without another run to
// compare with.
func (p *canvas) differences() (text [3]string, ok bool) {
	r := p.pinned
	if r == nil || r.Stream.ID == p.v.Stream.ID || p.v.Stream.State == metrics.Idle {
		return text, false
	}
	a, b := &p.v.Figures, &r.Figures
	for i, m := range [...][2]metrics.Value{{a.TTFT, b.TTFT}, {a.TPOT, b.TPOT}, {a.Speed, b.Speed}} {
		text[i] = draw.Unknown
		if m[0].OK && m[1].OK {
			text[i] = p.difference(m[0].V-m[1].V, i == 2)
		}
	}
	return text, true
}

// difference is a number with its sign and unit.
func (p *canvas) difference(v float64, speed bool) string {
	sign := ""
	if v > 0 {
		sign = "+"
	}
	if speed {
		return p.Join(sign, p.Number(v), " tok/s")
	}
	return p.Join(sign, p.Ms(v))
}

// differenceLine writes the differences in one row.
func (s *runs) differenceLine(p *canvas, l line) bool {
	text, ok := p.differences()
	if !ok {
		return false
	}
	l.Skip(1)
	l.Write(themes.Aggregate, p.Join("run ", p.Int(p.v.Stream.ID), " vs #", p.Int(p.pinned.Stream.ID), ":"))
	for i, name := range [...]string{"  TTFT ", "  TPOT ", "  speed "} {
		if draw.Width(name)+draw.Width(text[i]) > l.Left() {
			break
		}
		l.Write(themes.Dim, name)
		l.Write(themes.Text, text[i])
	}
	return true
}
