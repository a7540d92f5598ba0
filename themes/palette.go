package themes

// Palette is a theme compiled for one terminal. It is immutable and safe for
// concurrent use. A painter may compare palettes by pointer.
type Palette struct {
	theme   Theme
	profile Profile
	sgr     [Roles]string
	blank   [Roles]bool
}

// Compile combines t and p. Call it once per theme change, not once per
// frame.
func Compile(t Theme, p Profile) *Palette { return compile(t, p, 0) }

// CompileOnGround is Compile for a theme on a terminal of the other kind: a
// light theme on a dark terminal, or the reverse. It paints the theme's
// ground under every role without a background, so that the theme stays
// readable. It equals Compile if the ground is unknown: the terminal's own
// colors, no color, or 16 colors.
func CompileOnGround(t Theme, p Profile) *Palette {
	if t.Plain || p < ANSI256 {
		return Compile(t, p)
	}
	return compile(t, p, t.colors[Ground])
}

// compile is Compile with a ground under roles without a background.
func compile(t Theme, p Profile, ground Color) *Palette {
	pal := &Palette{theme: t, profile: p}
	for r := range pal.sgr {
		s := t.Style(Role(r), p)
		if s.Bg == 0 {
			s.Bg = ground
		}
		pal.sgr[r] = s.sgr(p)
		pal.blank[r] = s.ShowsOnBlank()
	}
	return pal
}

// Theme returns the compiled theme.
func (p *Palette) Theme() Theme { return p.theme }

// Profile returns the profile it was compiled for.
func (p *Palette) Profile() Profile { return p.profile }

// SGR returns the escape sequence that switches from any style to that of r:
// "ESC[0;…m". It is "" if r looks like plain text; switch with Reset then.
func (p *Palette) SGR(r Role) string {
	if int(r) >= len(p.sgr) {
		r = Text
	}
	return p.sgr[r]
}

// ShowsOnBlank reports whether a blank cell of role r looks different from
// the terminal's own background.
func (p *Palette) ShowsOnBlank(r Role) bool { return int(r) < len(p.blank) && p.blank[r] }

// Reset switches to plain text.
const Reset = "\x1b[m"
