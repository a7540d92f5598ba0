package explain

import (
	"math"
	"strings"

	"tokscope/ui/draw"
	"tokscope/ui/say"
)

// canvas is what the panels draw with, the view they draw, and what several of
// them draw of: the figures that are shown and the chunks that were heard.
type canvas struct {
	draw.Canvas
	v     *View
	now   *figures
	heard *heard
}

type line = draw.Line

// broken returns why the engine does not run although it should, "" otherwise.
func (p *canvas) broken() string {
	return p.now.ending.Of(p.v.Explain.Broken, say.Ending)
}

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

// lesson is a text of a lesson with its figures written.
func (p *canvas) lesson(text string) string {
	if strings.IndexByte(text, '{') < 0 {
		return text
	}
	return p.Keep(say.AppendLesson(p.Scratch(), text))
}
