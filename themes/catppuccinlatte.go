package themes

// catppuccinLatte is the light flavor of Catppuccin.
// Colors: https://github.com/catppuccin/palette, palette.json
var catppuccinLatte = Theme{
	Name:    "catppuccin-latte",
	About:   "Catppuccin Latte: pastels on light",
	Dark:    false,
	Ground:  RGB(0xeff1f5), // base
	Text:    RGB(0x474b63), // text, published as #4c4f69
	Dim:     RGB(0x5c5f77), // subtext1
	Faint:   RGB(0x9ca0b0), // overlay0
	Border:  RGB(0x9ca0b0), // overlay0
	Raised:  RGB(0xe6e9ef), // mantle
	Accent:  RGB(0x8839ef), // mauve
	Second:  RGB(0xbb3890), // pink, published as #ea76cb
	Good:    RGB(0x037982), // teal, published as #179299
	Warn:    RGB(0x8f6200), // yellow, published as #df8e1d
	Bad:     RGB(0x97091c), // red, published as #d20f39
	Muse:    RGB(0x6a6c82), // subtext0, published as #6c6f85
	Network: RGB(0x0c54d6), // blue, published as #1e66f5
	Queue:   RGB(0x8839ef), // mauve
	Prefill: RGB(0x00798b), // sapphire, published as #209fb5
	Ramp: []Color{
		RGB(0x1563f2), // blue, published as #1e66f5
		RGB(0x037880), // teal, published as #179299
		RGB(0xa9551d), // yellow, published as #df8e1d
		RGB(0xcb3c00), // peach, published as #fe640b
		RGB(0xd20f39), // red
	},
}
