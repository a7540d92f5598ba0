package themes

// gruvboxLight is Gruvbox with a light background of medium contrast.
// Colors: https://github.com/morhetz/gruvbox, colors/gruvbox.vim
var gruvboxLight = Theme{
	Name:    "gruvbox-light",
	About:   "Gruvbox: warm colors on cream",
	Dark:    false,
	Ground:  RGB(0xfbf1c7), // light0
	Text:    RGB(0x3c3836), // dark1
	Dim:     RGB(0x665c54), // dark3
	Faint:   RGB(0xa89984), // light4
	Border:  RGB(0xa89984), // light4
	Raised:  RGB(0xebdbb2), // light1
	Accent:  RGB(0x076678), // faded_blue
	Second:  RGB(0xaf3a03), // faded_orange
	Good:    RGB(0x3f7958), // faded_aqua, published as #427b58
	Warn:    RGB(0x986200), // faded_yellow, published as #b57614
	Bad:     RGB(0x9d0006), // faded_red
	Muse:    RGB(0x8f3f71), // faded_purple
	Network: RGB(0x056678), // faded_blue, published as #076678
	Queue:   RGB(0x8f3f71), // faded_purple
	Prefill: RGB(0x407956), // faded_aqua, published as #427b58
	Ramp: []Color{
		RGB(0x076678), // faded_blue
		RGB(0x75700e), // faded_green, published as #79740e
		RGB(0x9a600b), // faded_yellow, published as #b57614
		RGB(0xaf3a03), // faded_orange
		RGB(0x9d0006), // faded_red
	},
}
