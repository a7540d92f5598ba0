package themes

// CompileOnGround is Compile for a theme on a terminal of the other kind: a
// light theme on a dark terminal, or the reverse. It paints the theme's ground
// under every role that has no background of its own, so that the theme can be
// read. Where the ground is not known (the terminal's own colours, no colour,
// 16 colours) it is Compile.
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
