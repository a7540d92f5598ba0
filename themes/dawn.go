package themes

// dawn is warm light with plum and rose, for light terminals.
var dawn = Theme{
	Name:    "dawn",
	About:   "rose and plum on cream",
	Dark:    false,
	Ground:  RGB(0xfaf4ed),
	Ink:     RGB(0x2b2438),
	Dim:     RGB(0x655d78),
	Faint:   RGB(0xaaa1ab),
	Border:  RGB(0xb5a9ae),
	Raised:  RGB(0xece1e4),
	Accent:  RGB(0x8a3b6f),
	Second:  RGB(0x1f6f78),
	Good:    RGB(0x2f7a4f),
	Warn:    RGB(0x95560a),
	Bad:     RGB(0xb8323f),
	Muse:    RGB(0x76607a),
	Network: RGB(0x4a6a90),
	Queue:   RGB(0x7a4fa8),
	Prefill: RGB(0x8a3b6f),
	Ramp:    []Color{RGB(0x2a6f97), RGB(0x5a5fb0), RGB(0x8a4aa0), RGB(0xb03a74), RGB(0xbf2f2f)},
}
