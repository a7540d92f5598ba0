package themes

// catppuccinMocha is the dark flavor of Catppuccin.
// Colors: https://github.com/catppuccin/palette, palette.json
var catppuccinMocha = Theme{
	Name:    "catppuccin-mocha",
	About:   "Catppuccin Mocha: pastels on dark",
	Dark:    true,
	Ground:  RGB(0x1e1e2e), // base
	Text:    RGB(0xcdd6f4), // text
	Dim:     RGB(0xa6adc8), // subtext0
	Faint:   RGB(0x6c7086), // overlay0
	Border:  RGB(0x585b70), // surface2
	Raised:  RGB(0x313244), // surface0
	Accent:  RGB(0xcba6f7), // mauve
	Second:  RGB(0x89dceb), // sky
	Good:    RGB(0xaef1ae), // green, published as #a6e3a1
	Warn:    RGB(0xfab387), // peach
	Bad:     RGB(0xf38ba8), // red
	Muse:    RGB(0x9399b2), // overlay2
	Network: RGB(0x89b4fa), // blue
	Queue:   RGB(0xfbc8ed), // pink, published as #f5c2e7
	Prefill: RGB(0x74c7ec), // sapphire
	Ramp: []Color{
		RGB(0x89dceb), // sky
		RGB(0xa6e3a1), // green
		RGB(0xf9e2af), // yellow
		RGB(0xfab387), // peach
		RGB(0xf38ba8), // red
	},
}
