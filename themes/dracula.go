package themes

// dracula is Dracula.
// Colors: https://draculatheme.com/spec
var dracula = Theme{
	Name:    "dracula",
	About:   "Dracula: vivid colors on dark",
	Dark:    true,
	Ground:  RGB(0x282a36), // Background
	Text:    RGB(0xf8f8f2), // Foreground
	Dim:     RGB(0x7c91c1), // Comment, published as #6272a4
	Faint:   RGB(0x6272a4), // Comment
	Border:  RGB(0x6272a4), // Comment
	Raised:  RGB(0x44475a), // Selection
	Accent:  RGB(0xbd93f9), // Purple
	Second:  RGB(0x8be9fd), // Cyan
	Good:    RGB(0x50fa7b), // Green
	Warn:    RGB(0xf1ac5b), // Orange, published as #ffb86c
	Bad:     RGB(0xff5555), // Red
	Muse:    RGB(0xff79c6), // Pink
	Network: RGB(0xbd93f9), // Purple
	Queue:   RGB(0xff79c6), // Pink
	Prefill: RGB(0x8be9fd), // Cyan
	Ramp: []Color{
		RGB(0x8be9fd), // Cyan
		RGB(0x50fa7b), // Green
		RGB(0xf1fa8c), // Yellow
		RGB(0xffb86c), // Orange
		RGB(0xff5555), // Red
	},
}
