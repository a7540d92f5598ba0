package themes

// gruvboxDark is Gruvbox with a dark background of medium contrast.
// Colors: https://github.com/morhetz/gruvbox, colors/gruvbox.vim
var gruvboxDark = Theme{
	Name:    "gruvbox-dark",
	About:   "Gruvbox: warm colors on dark gray",
	Dark:    true,
	Ground:  RGB(0x282828), // dark0
	Text:    RGB(0xebdbb2), // light1
	Dim:     RGB(0xa89984), // light4
	Faint:   RGB(0x7c6f64), // dark4
	Border:  RGB(0x665c54), // dark3
	Raised:  RGB(0x3c3836), // dark1
	Accent:  RGB(0xfabd2f), // bright_yellow
	Second:  RGB(0x83a598), // bright_blue
	Good:    RGB(0xc9c83c), // bright_green, published as #b8bb26
	Warn:    RGB(0xfe8019), // bright_orange
	Bad:     RGB(0xfb534a), // bright_red, published as #fb4934
	Muse:    RGB(0xd3869b), // bright_purple
	Network: RGB(0x78a090), // bright_blue, published as #83a598
	Queue:   RGB(0xd3869e), // bright_purple, published as #d3869b
	Prefill: RGB(0x8ec07c), // bright_aqua
	Ramp: []Color{
		RGB(0x83a598), // bright_blue
		RGB(0xb8bb26), // bright_green
		RGB(0xfabd2f), // bright_yellow
		RGB(0xfe8019), // bright_orange
		RGB(0xff513b), // bright_red, published as #fb4934
	},
}
