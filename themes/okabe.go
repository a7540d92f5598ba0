package themes

// okabe is for users who confuse red and green. It follows Okabe and Ito's
// palette. Its ramp also grows in lightness, from blue to yellow.
var okabe = Theme{
	Name:    "okabe",
	About:   "safe for color-blind eyes",
	Dark:    true,
	Ground:  RGB(0x16181d),
	Text:    RGB(0xecedf0),
	Dim:     RGB(0xa3a8b4),
	Faint:   RGB(0x5d6270),
	Border:  RGB(0x515665),
	Raised:  RGB(0x2a2e3a),
	Accent:  RGB(0x56b4e9),
	Second:  RGB(0xf0b33c),
	Good:    RGB(0x35c79a),
	Warn:    RGB(0xf0e442),
	Bad:     RGB(0xf0793a),
	Muse:    RGB(0xa9b1cc),
	Network: RGB(0x7fa8d8),
	Queue:   RGB(0xcc8fb5),
	Prefill: RGB(0x56b4e9),
	Ramp:    []Color{RGB(0x5585e8), RGB(0x9aa8c8), RGB(0xc4bd9c), RGB(0xe6cf62), RGB(0xfff3a8)},
}
