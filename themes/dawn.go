package themes

// dawn has warm light tones with plum and rose, for light terminals.
var dawn = Theme{
	Name:    "dawn",
	About:   "rose and plum on cream",
	Dark:    false,
	Ground:  RGB(0xfaf4ed),
	Text:    RGB(0x2b2438),
	Dim:     RGB(0x655d78),
	Faint:   RGB(0xaaa1ab),
	Border:  RGB(0xb5a9ae),
	Raised:  RGB(0xece1e4),
	Accent:  RGB(0x6f2459),
	Second:  RGB(0x00747e),
	Good:    RGB(0x0f7a6c),
	Warn:    RGB(0x8f5e00),
	Bad:     RGB(0x930f2a),
	Muse:    RGB(0x76607a),
	Network: RGB(0x4a6a90),
	Queue:   RGB(0x7a4fa8),
	Prefill: RGB(0x8a3b6f),
	Ramp:    []Color{RGB(0x2a6fb0), RGB(0x8a4f96), RGB(0xa8580f), RGB(0x9c1a33)},
}
