package themes

// midnight is dark blue, and slow gaps glow.
var midnight = Theme{
	Name:    "midnight",
	About:   "dark blue; slow figures are bright",
	Dark:    true,
	Ground:  RGB(0x11131f),
	Text:    RGB(0xd8dcf4),
	Dim:     RGB(0x959cc4),
	Faint:   RGB(0x565d86),
	Border:  RGB(0x485080),
	Raised:  RGB(0x262b4a),
	Accent:  RGB(0x7ea2ff),
	Second:  RGB(0xffb3dc),
	Good:    RGB(0x86efbd),
	Warn:    RGB(0xffd173),
	Bad:     RGB(0xff5f7e),
	Muse:    RGB(0xa7a2d6),
	Network: RGB(0x6f9fd0),
	Queue:   RGB(0xa387f5),
	Prefill: RGB(0x7ee0ff),
	Ramp:    []Color{RGB(0x5aa6f7), RGB(0xa59bf5), RGB(0xf0a0d8), RGB(0xffa98a), RGB(0xff7a52)},
}
