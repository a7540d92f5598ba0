package themes

// ember has the colors of a dying fire: warm text, cool colors recede.
var ember = Theme{
	Name:    "ember",
	About:   "dark and warm: orange and red",
	Dark:    true,
	Ground:  RGB(0x1a1513),
	Text:    RGB(0xf3e3d3),
	Dim:     RGB(0xb39c8a),
	Faint:   RGB(0x6b5a4e),
	Border:  RGB(0x5e4c41),
	Raised:  RGB(0x38291f),
	Accent:  RGB(0xff9e5e),
	Second:  RGB(0x8cc9c0),
	Good:    RGB(0x93d8b8),
	Warn:    RGB(0xffd166),
	Bad:     RGB(0xff6152),
	Muse:    RGB(0xc0a394),
	Network: RGB(0x8fb7c4),
	Queue:   RGB(0xa98bc8),
	Prefill: RGB(0xffb574),
	Ramp:    []Color{RGB(0x86c9bd), RGB(0xc7cf8a), RGB(0xffd166), RGB(0xff9a52), RGB(0xff5d55)},
}
