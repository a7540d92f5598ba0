package themes

// CompileOnGround is Compile for a theme on a terminal of the other kind: a
// light theme on a dark terminal, or the reverse. It paints the theme's
// ground under every role without a background, so that the theme stays
// readable. It equals Compile if the ground is unknown: the terminal's own
// colors, no color, or 16 colors.
func CompileOnGround(t Theme, p Profile) *Palette {
	if t.Plain || t.Ground == 0 || p < ANSI256 {
		return Compile(t, p)
	}
	pal := &Palette{theme: t, profile: p}
	for r := range pal.sgr {
		s := t.Style(Role(r), p)
		if s.Bg == 0 {
			s.Bg = t.Ground
		}
		pal.sgr[r], pal.blank[r] = s.sgr(p), true
	}
	return pal
}
