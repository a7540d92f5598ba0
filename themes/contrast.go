package themes

// contrast is black and white with pure signal colors, for bad light and
// tired eyes.
var contrast = Theme{
	Name:    "contrast",
	About:   "the highest contrast",
	Dark:    true,
	Ground:  RGB(0x000000),
	Text:    RGB(0xffffff),
	Dim:     RGB(0xc8c8c8),
	Faint:   RGB(0x7d7d7d),
	Border:  RGB(0x9a9a9a),
	Raised:  RGB(0x303030),
	Accent:  RGB(0xffe14d),
	Second:  RGB(0x5cd6ff),
	Good:    RGB(0x5cff8f),
	Warn:    RGB(0xffb833),
	Bad:     RGB(0xff8080),
	Muse:    RGB(0xd9c8ff),
	Network: RGB(0x8fc0ff),
	Queue:   RGB(0xc07dff),
	Prefill: RGB(0x5cf0ff),
	Ramp:    []Color{RGB(0x5ce1ff), RGB(0x8dff8d), RGB(0xfff35c), RGB(0xffb84d), RGB(0xff8080)},
}
