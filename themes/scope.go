package themes

// scope is the default theme: the green trace of an oscilloscope on a dark
// tube.
var scope = Theme{
	Name:    "scope",
	About:   "green on black, like an oscilloscope",
	Dark:    true,
	Ground:  RGB(0x12161a),
	Text:    RGB(0xd9e4de),
	Dim:     RGB(0x8fa39b),
	Faint:   RGB(0x51605a),
	Border:  RGB(0x46574f),
	Raised:  RGB(0x22302b),
	Accent:  RGB(0x57f0a8),
	Second:  RGB(0x6cc7ff),
	Good:    RGB(0x57f0a8),
	Warn:    RGB(0xffc857),
	Bad:     RGB(0xff6b6b),
	Muse:    RGB(0x9db4ae),
	Network: RGB(0x7fa8c9),
	Queue:   RGB(0x9a80e6),
	Prefill: RGB(0x63ccff),
	Ramp:    []Color{RGB(0x4fe3c1), RGB(0x8ee36b), RGB(0xf2dc5a), RGB(0xff9d4d), RGB(0xff5f6d)},
}
