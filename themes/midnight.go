package themes

// midnight is a blue night in which slow things glow.
var midnight = Theme{
	Name:    "midnight",
	About:   "deep blue, slow things glow",
	Dark:    true,
	Ground:  RGB(0x11131f),
	Ink:     RGB(0xd8dcf4),
	Dim:     RGB(0x959cc4),
	Faint:   RGB(0x565d86),
	Border:  RGB(0x485080),
	Raised:  RGB(0x262b4a),
	Accent:  RGB(0x8fb0ff),
	Second:  RGB(0xf0a6d8),
	Good:    RGB(0x7fe0b0),
	Warn:    RGB(0xffd173),
	Bad:     RGB(0xff7a93),
	Muse:    RGB(0xa7a2d6),
	Network: RGB(0x7fb2d9),
	Queue:   RGB(0xb9a0ff),
	Prefill: RGB(0x8fb0ff),
	Ramp:    []Color{RGB(0x7cc4ff), RGB(0xa5a8ff), RGB(0xdd9bf5), RGB(0xff92c0), RGB(0xff8a6b)},
}
