package live

import (
	"tokscope/ui/cell"
)

// Screen draws the Live screen. It keeps only what makes the next frame cheap
// (wrapped lines, columns of the strip) and where the person has scrolled to.
// It belongs to one goroutine.
type Screen struct {
	hits []hit
}

// hit is a panel and where it was drawn.
type hit struct {
	id string
	r  cell.Rect
}

// New returns a screen that follows the text.
func New() *Screen { return &Screen{} }

// Draw paints v into r. Nothing outside r is touched, and what r held before
// is covered. Any size will do.
func (s *Screen) Draw(g *cell.Grid, r cell.Rect, v *View) {}

// Animating reports whether the picture changes by time alone: a request is
// under way, or arrived text is still fading.
func (s *Screen) Animating(v *View) bool { return v.Stream.State != 0 && !v.Stream.State.Ended() }

// Scroll moves the text by lines, up when negative. At the end it follows the
// arriving text again.
func (s *Screen) Scroll(lines int) {}

// Page moves the text by so many heights of its panel, up when negative.
func (s *Screen) Page(pages int) {}

// Home shows the beginning of the text, End the end, and follows it again.
func (s *Screen) Home() {}

// End shows the end of the text and follows it again.
func (s *Screen) End() {}

// Scrollable reports whether the text is longer than its panel.
func (s *Screen) Scrollable() bool { return false }

// Hit names the panel at x, y of the last frame: "text", "now", "wait",
// "gaps", "reading", "runs".
func (s *Screen) Hit(x, y int) (id string, ok bool) {
	for _, h := range s.hits {
		if h.r.Contains(x, y) {
			return h.id, true
		}
	}
	return "", false
}
