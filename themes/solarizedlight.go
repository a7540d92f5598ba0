package themes

// solarizedLight is Solarized with a light background. Its contrasts are low
// on purpose, so more colors than in other themes are darker here.
// Colors: https://ethanschoonover.com/solarized, the values
var solarizedLight = Theme{
	Name:    "solarized-light",
	About:   "Solarized: soft colors on cream",
	Dark:    false,
	Ground:  RGB(0xfdf6e3), // base3
	Text:    RGB(0x3b4e58), // base01, published as #586e75
	Dim:     RGB(0x5e747d), // base00, published as #657b83
	Faint:   RGB(0x93a1a1), // base1
	Border:  RGB(0x93a1a1), // base1
	Raised:  RGB(0xeee8d5), // base2
	Accent:  RGB(0x0076ba), // blue, published as #268bd2
	Second:  RGB(0xcd307b), // magenta, published as #d33682
	Good:    RGB(0x467c5d), // green, published as #859900
	Warn:    RGB(0x8e6c01), // yellow, published as #b58900
	Bad:     RGB(0xa60004), // red, published as #dc322f
	Muse:    RGB(0x5f747d), // base00, published as #657b83
	Network: RGB(0x0276ba), // blue, published as #268bd2
	Queue:   RGB(0x515bab), // violet, published as #6c71c4
	Prefill: RGB(0x097e7b), // cyan, published as #2aa198
	Ramp: []Color{
		RGB(0x0373c1), // blue, published as #268bd2
		RGB(0x0f7f68), // cyan, published as #2aa198
		RGB(0x796d45), // yellow, published as #b58900
		RGB(0xc44a12), // orange, published as #cb4b16
		RGB(0xd82a2a), // red, published as #dc322f
	},
}
