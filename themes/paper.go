package themes

// paper is dark text on paper white, for light terminals.
var paper = Theme{
	Name:    "paper",
	About:   "ink on paper, for light terminals",
	Dark:    false,
	Ground:  RGB(0xfbfaf7),
	Text:    RGB(0x22252b),
	Dim:     RGB(0x5d636e),
	Faint:   RGB(0xa3a6ab),
	Border:  RGB(0xb0b2b5),
	Raised:  RGB(0xe6e9ee),
	Accent:  RGB(0x007085),
	Second:  RGB(0x6a1b8a),
	Good:    RGB(0x007d69),
	Warn:    RGB(0x8f6200),
	Bad:     RGB(0x97091c),
	Muse:    RGB(0x6a6480),
	Network: RGB(0x3f6a94),
	Queue:   RGB(0x7a4fb0),
	Prefill: RGB(0x00687a),
	Ramp:    []Color{RGB(0x0071b8), RGB(0x00795f), RGB(0x8a6a00), RGB(0xa84a00), RGB(0x8f0a24)},
}
