package themes

import "strconv"

// Attr is a set of text attributes.
type Attr uint8

const (
	Bold Attr = 1 << iota
	Thin      // SGR 2, "faint"
	Italic
	Underline
	Reverse
)

// Style is the look of a role on one terminal.
type Style struct {
	Fg, Bg Color
	Attr   Attr
}

// ShowsOnBlank reports whether a space in this style differs from a plain
// space. It does with a background, underlined or reversed.
func (s Style) ShowsOnBlank() bool { return s.Bg != 0 || s.Attr&(Underline|Reverse) != 0 }

// sgr returns the escape sequence that switches from any style to this one,
// "" for the plain style. Every sequence begins with a reset.
func (s Style) sgr(p Profile) string {
	if s == (Style{}) {
		return ""
	}
	b := []byte("\x1b[0")
	for i, code := range [...]byte{'1', '2', '3', '4', '7'} {
		if s.Attr&(1<<i) != 0 {
			b = append(b, ';', code)
		}
	}
	b = appendColor(b, s.Fg, p, 30)
	b = appendColor(b, s.Bg, p, 40)
	return string(append(b, 'm'))
}

// appendColor appends ";…" for c as foreground (base 30) or background (40).
func appendColor(b []byte, c Color, p Profile, base int) []byte {
	if c == 0 || p == NoColor {
		return b
	}
	num := func(n int) { b = strconv.AppendInt(append(b, ';'), int64(n), 10) }
	r, g, bl, ok := c.RGB()
	switch {
	case !ok:
		if n := int(c & 15); n < 8 {
			num(base + n)
		} else {
			num(base + 60 + n - 8)
		}
	case p == ANSI256:
		num(base + 8)
		num(5)
		num(int(nearest256(c)))
	default:
		num(base + 8)
		num(2)
		num(int(r))
		num(int(g))
		num(int(bl))
	}
	return b
}
