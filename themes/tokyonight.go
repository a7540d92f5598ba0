package themes

// tokyoNight is the night style of Tokyo Night.
// Colors: https://github.com/folke/tokyonight.nvim, lua/tokyonight/colors
var tokyoNight = Theme{
	Name:    "tokyo-night",
	About:   "Tokyo Night: blue and violet on dark",
	Dark:    true,
	Ground:  RGB(0x1a1b26), // bg
	Text:    RGB(0xc0caf5), // fg
	Dim:     RGB(0xa9b1d6), // fg_dark
	Faint:   RGB(0x565f89), // comment
	Border:  RGB(0x545c7e), // dark3
	Raised:  RGB(0x292e42), // bg_highlight
	Accent:  RGB(0x7aa2f7), // blue
	Second:  RGB(0xff9e64), // orange
	Good:    RGB(0x73daca), // green1
	Warn:    RGB(0xe0af68), // yellow
	Bad:     RGB(0xf7768e), // red
	Muse:    RGB(0x9d7cd8), // purple
	Network: RGB(0x41a6b5), // green2
	Queue:   RGB(0xbb9af7), // magenta
	Prefill: RGB(0x7dcfff), // cyan
	Ramp: []Color{
		RGB(0x73daca), // green1
		RGB(0x9ece6a), // green
		RGB(0xe0af68), // yellow
		RGB(0xff9e64), // orange
		RGB(0xf7768e), // red
	},
}
