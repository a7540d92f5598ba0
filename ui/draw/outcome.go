package draw

import (
	"tokscope/metrics"
	"tokscope/themes"
)

// Outcome returns the sign and the role of how a request ended, the same in every
// list; format.Outcome is the word. A request that has not ended is a dot.
func Outcome(gl *themes.Glyphs, s metrics.State) (rune, themes.Role) {
	switch s {
	case metrics.Done:
		return gl.Check, themes.Good
	case metrics.Failed:
		return gl.Fail, themes.Bad
	case metrics.Truncated:
		return gl.Stall, themes.Warn
	case metrics.Cancelled:
		return gl.Ring, themes.Dim
	}
	return gl.Bullet, themes.Dim
}
