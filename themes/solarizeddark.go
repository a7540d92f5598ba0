package themes

// solarizedDark is Solarized with a dark background. Its contrasts are low on
// purpose, so more colors than in other themes are lifted.
// Colors: https://ethanschoonover.com/solarized, the values
var solarizedDark = Theme{
	Name:    "solarized-dark",
	About:   "Solarized: soft colors on deep blue",
	Dark:    true,
	Ground:  RGB(0x002b36), // base03
	Text:    RGB(0xb3c1c4), // base1, published as #93a1a1
	Dim:     RGB(0x839496), // base0
	Faint:   RGB(0x586e75), // base01
	Border:  RGB(0x586e75), // base01
	Raised:  RGB(0x073642), // base02
	Accent:  RGB(0x2894dc), // blue, published as #268bd2
	Second:  RGB(0xee529c), // magenta, published as #d33682
	Good:    RGB(0x859900), // green
	Warn:    RGB(0xd0a82a), // yellow, published as #b58900
	Bad:     RGB(0xff7079), // red, published as #dc322f
	Muse:    RGB(0x839496), // base0
	Network: RGB(0x3294da), // blue, published as #268bd2
	Queue:   RGB(0x8895f2), // violet, published as #6c71c4
	Prefill: RGB(0x2aa198), // cyan
	Ramp: []Color{
		RGB(0x2da49c), // cyan, published as #2aa198
		RGB(0x859900), // green
		RGB(0xb58900), // yellow
		RGB(0xe16934), // orange, published as #cb4b16
		RGB(0xfb5c6d), // red, published as #dc322f
	},
}
