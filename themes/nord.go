package themes

// nord is Nord. Its slate is light, so most colors of the aurora are lifted.
// Colors: https://www.nordtheme.com/docs/colors-and-palettes
var nord = Theme{
	Name:    "nord",
	About:   "Nord: frost and aurora on slate",
	Dark:    true,
	Ground:  RGB(0x2e3440), // nord0
	Text:    RGB(0xe5e9f0), // nord5
	Dim:     RGB(0x81a1c1), // nord9
	Faint:   RGB(0x616e88), // nord3, published as #4c566a
	Border:  RGB(0x616e88), // nord3, published as #4c566a
	Raised:  RGB(0x434c5e), // nord2
	Accent:  RGB(0x88c0d0), // nord8
	Second:  RGB(0xb690b0), // nord15, published as #b48ead
	Good:    RGB(0xb2ca9a), // nord14, published as #a3be8c
	Warn:    RGB(0xf7dc9c), // nord13, published as #ebcb8b
	Bad:     RGB(0xd8858a), // nord11, published as #bf616a
	Muse:    RGB(0xb690b0), // nord15, published as #b48ead
	Network: RGB(0x81a1c1), // nord9
	Queue:   RGB(0xb891a7), // nord15, published as #b48ead
	Prefill: RGB(0x88c0d0), // nord8
	Ramp: []Color{
		RGB(0x8cc6da), // nord8, published as #88c0d0
		RGB(0xa3be8c), // nord14
		RGB(0xebcb8b), // nord13
		RGB(0xd08770), // nord12
		RGB(0xe28593), // nord11, published as #bf616a
	},
}
