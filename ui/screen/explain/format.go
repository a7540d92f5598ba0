package explain

import (
	"math"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// finite is v within printable limits, 0 for a value that is no number.
func finite(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(max(v, -1e15), 1e15)
}

// amount is Amount without "0 B": nothing is written as nothing.
func (p *canvas) amount(v float64, unit string) string {
	if !(v > 0) {
		return ""
	}
	return p.Amount(v, unit)
}

// change is by how much now differs from before: "+12 %", "×2.4" from twice
// on, "" when one is not known. up and down say which way it went, by at
// least half a percent.
func (p *canvas) change(before, now metrics.Value) (text string, up, down bool) {
	if !before.OK || !now.OK || !(before.V > 0) || !(now.V >= 0) {
		return "", false, false
	}
	f := finite(now.V / before.V)
	up, down = f > 1.005, f < 0.995
	b := p.Scratch()
	switch {
	case now.V == 0:
		b = append(b, "to 0"...)
	case f >= 1.995:
		b = format.AppendGain(b, f)
	case up, down:
		b = format.AppendChange(b, f-1)
	default:
		b = append(b, "same"...)
	}
	return p.Keep(b), up, down
}

// lesson is a text of a lesson with its figures written.
func (p *canvas) lesson(text string) string {
	if strings.IndexByte(text, '{') < 0 {
		return text
	}
	return p.Keep(say.AppendLesson(p.Scratch(), text))
}
