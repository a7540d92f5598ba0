package themes

import (
	"fmt"
	"strconv"
	"strings"
)

// block is a theme as the table has it. Each list holds colors, separated by
// commas, in the order of inks, and the last one the stops of the ramp. A color is its sRGB value in
// six hexadecimal digits, or the number of one of the terminal's own 16.
//
// A word before it is its name in the published palette. A value between both is
// the published one, which fails a test in this place; the color used is near it.
type block struct {
	name, about string
	dark, plain bool
	source      string // of the published palette; "" for colors of our own

	ground, text, accent, verdict, phase, ramp string
}

// lists returns the lists of b in the order of inks, then the ramp.
func (b *block) lists() [6]string {
	return [...]string{b.ground, b.text, b.accent, b.verdict, b.phase, b.ramp}
}

// inks are the roles that have a color of their own. Its contrast with Ground is at least 7 for Text,
// 2 for Border and Faint, 4.5 for others; that of Raised with Text is at least 7.
var inks = [...][]Role{
	{Ground, Raised, Border, Faint},
	{Text, Dim, Reasoning},
	{Accent, Aggregate}, // the main color and its counterpart: the second series, the reader
	{Good, Warn, Bad},
	{Network, Queue, Prefill},
}

// entry is a color of a list. Where a color near the published one replaces it, used
// differs from published. name is "" for a color of our own.
type entry struct {
	name            string
	published, used Color
}

// entries reads a list. It panics on what is no color: the table is fixed.
func entries(list string) (all []entry) {
	for text := range strings.SplitSeq(list, ",") {
		words := strings.Fields(text)
		if len(words) == 0 {
			continue // of an empty list
		}
		e := entry{used: colorOf(words[len(words)-1])}
		e.published = e.used
		if len(words) > 1 {
			e.name = words[0]
		}
		if len(words) > 2 {
			e.published = colorOf(words[1])
		}
		all = append(all, e)
	}
	return all
}

// colorOf reads six hexadecimal digits, or the number of one of the terminal's own
// colors.
func colorOf(text string) Color {
	base, bits := 10, 4
	if len(text) == 6 {
		base, bits = 16, 24
	}
	n, err := strconv.ParseUint(text, base, bits)
	if err != nil {
		panic(fmt.Sprintf("themes: %q is no color", text))
	}
	if base == 10 {
		return ANSI(uint8(n))
	}
	return RGB(uint32(n))
}

// theme returns b as a theme. Its levels are points on the line through the stops of the ramp, at equal
// perceived distances.
func (b *block) theme() Theme {
	t := Theme{Name: b.name, About: b.about, Dark: b.dark, Plain: b.plain}
	lists := b.lists()
	for i, roles := range inks {
		for k, e := range entries(lists[i]) {
			t.colors[roles[k]] = e.used
		}
	}
	var stops []Color
	for _, e := range entries(b.ramp) {
		stops = append(stops, e.used)
	}
	t.levels = ramp(stops, Levels)
	return t
}

// blocks holds every theme in the picker's order, the default dark one first.
var blocks = [...]block{
	// scope is the default theme: the green trace of an oscilloscope on a dark tube.
	{
		name: "scope", about: "green on black, like an oscilloscope", dark: true,
		ground:  "12161a, 22302b, 46574f, 51605a",
		text:    "d9e4de, 8fa39b, 9db4ae",
		accent:  "57f0a8, 6cc7ff",
		verdict: "57f0a8, ffc857, ff6b6b",
		phase:   "7fa8c9, 9a80e6, 63ccff",
		ramp:    "4fe3c1, 8ee36b, f2dc5a, ff9d4d, ff5f6d",
	},
	{
		name: "midnight", about: "dark blue; slow figures are bright", dark: true,
		ground:  "11131f, 262b4a, 485080, 565d86",
		text:    "d8dcf4, 959cc4, a7a2d6",
		accent:  "7ea2ff, ffb3dc",
		verdict: "86efbd, ffd173, ff5f7e",
		phase:   "6f9fd0, a387f5, 7ee0ff",
		ramp:    "5aa6f7, a59bf5, f0a0d8, ffa98a, ff7a52",
	},
	{
		name: "ember", about: "dark and warm: orange and red", dark: true,
		ground:  "1a1513, 38291f, 5e4c41, 6b5a4e",
		text:    "f3e3d3, b39c8a, c0a394",
		accent:  "ff9e5e, 8cc9c0",
		verdict: "93d8b8, ffd166, ff6152",
		phase:   "8fb7c4, a98bc8, ffb574",
		ramp:    "86c9bd, c7cf8a, ffd166, ff9a52, ff5d55",
	},
	// okabe is for users who confuse red and green. It follows Okabe and Ito's palette. Its ramp also
	// grows in lightness, from blue to yellow.
	{
		name: "okabe", about: "safe for color-blind eyes", dark: true,
		ground:  "16181d, 2a2e3a, 515665, 5d6270",
		text:    "ecedf0, a3a8b4, a9b1cc",
		accent:  "56b4e9, f0b33c",
		verdict: "35c79a, f0e442, f0793a",
		phase:   "7fa8d8, cc8fb5, 56b4e9",
		ramp:    "5585e8, 9aa8c8, c4bd9c, e6cf62, fff3a8",
	},
	// contrast is black and white with pure signal colors, for bad light and tired eyes.
	{
		name: "contrast", about: "the highest contrast", dark: true,
		ground:  "000000, 303030, 9a9a9a, 7d7d7d",
		text:    "ffffff, c8c8c8, d9c8ff",
		accent:  "ffe14d, 5cd6ff",
		verdict: "5cff8f, ffb833, ff8080",
		phase:   "8fc0ff, c07dff, 5cf0ff",
		ramp:    "5ce1ff, 8dff8d, fff35c, ffb84d, ff8080",
	},
	{
		name: "paper", about: "ink on paper, for light terminals",
		ground:  "fbfaf7, e6e9ee, b0b2b5, a3a6ab",
		text:    "22252b, 5d636e, 6a6480",
		accent:  "007085, 6a1b8a",
		verdict: "007d69, 8f6200, 97091c",
		phase:   "3f6a94, 7a4fb0, 00687a",
		ramp:    "0071b8, 00795f, 8a6a00, a84a00, 8f0a24",
	},
	{
		name: "dawn", about: "rose and plum on cream",
		ground:  "faf4ed, ece1e4, b5a9ae, aaa1ab",
		text:    "2b2438, 655d78, 76607a",
		accent:  "6f2459, 00747e",
		verdict: "0f7a6c, 8f5e00, 930f2a",
		phase:   "4a6a90, 7a4fa8, 8a3b6f",
		ramp:    "2a6fb0, 8a4f96, a8580f, 9c1a33",
	},
	{
		name: "catppuccin-mocha", about: "Catppuccin Mocha: pastels on dark", dark: true,
		source:  "https://github.com/catppuccin/palette, palette.json",
		ground:  "base 1e1e2e, surface0 313244, surface2 585b70, overlay0 6c7086",
		text:    "text cdd6f4, subtext0 a6adc8, overlay2 9399b2",
		accent:  "mauve cba6f7, sky 89dceb",
		verdict: "green a6e3a1 aef1ae, peach fab387, red f38ba8",
		phase:   "blue 89b4fa, pink f5c2e7 fbc8ed, sapphire 74c7ec",
		ramp:    "sky 89dceb, green a6e3a1, yellow f9e2af, peach fab387, red f38ba8",
	},
	{
		name: "catppuccin-latte", about: "Catppuccin Latte: pastels on light",
		source:  "https://github.com/catppuccin/palette, palette.json",
		ground:  "base eff1f5, mantle e6e9ef, overlay0 9ca0b0, overlay0 9ca0b0",
		text:    "text 4c4f69 474b63, subtext1 5c5f77, subtext0 6c6f85 6a6c82",
		accent:  "mauve 8839ef, pink ea76cb bb3890",
		verdict: "teal 179299 037982, yellow df8e1d 8f6200, red d20f39 97091c",
		phase:   "blue 1e66f5 0c54d6, mauve 8839ef, sapphire 209fb5 00798b",
		ramp:    "blue 1e66f5 1563f2, teal 179299 037880, yellow df8e1d a9551d, peach fe640b cb3c00, red d20f39",
	},
	{
		name: "tokyo-night", about: "Tokyo Night: blue and violet on dark", dark: true,
		source:  "https://github.com/folke/tokyonight.nvim, lua/tokyonight/colors",
		ground:  "bg 1a1b26, bg_highlight 292e42, dark3 545c7e, comment 565f89",
		text:    "fg c0caf5, fg_dark a9b1d6, purple 9d7cd8",
		accent:  "blue 7aa2f7, orange ff9e64",
		verdict: "green1 73daca, yellow e0af68, red f7768e",
		phase:   "green2 41a6b5, magenta bb9af7, cyan 7dcfff",
		ramp:    "green1 73daca, green 9ece6a, yellow e0af68, orange ff9e64, red f7768e",
	},
	// gruvbox-dark is Gruvbox with a dark background of medium contrast.
	{
		name: "gruvbox-dark", about: "Gruvbox: warm colors on dark gray", dark: true,
		source:  "https://github.com/morhetz/gruvbox, colors/gruvbox.vim",
		ground:  "dark0 282828, dark1 3c3836, dark3 665c54, dark4 7c6f64",
		text:    "light1 ebdbb2, light4 a89984, bright_purple d3869b",
		accent:  "bright_yellow fabd2f, bright_blue 83a598",
		verdict: "bright_green b8bb26 c9c83c, bright_orange fe8019, bright_red fb4934 fb534a",
		phase:   "bright_blue 83a598 78a090, bright_purple d3869b d3869e, bright_aqua 8ec07c",
		ramp: "bright_blue 83a598, bright_green b8bb26, " +
			"bright_yellow fabd2f, bright_orange fe8019, bright_red fb4934 ff513b",
	},
	// gruvbox-light is Gruvbox with a light background of medium contrast.
	{
		name: "gruvbox-light", about: "Gruvbox: warm colors on cream",
		source:  "https://github.com/morhetz/gruvbox, colors/gruvbox.vim",
		ground:  "light0 fbf1c7, light1 ebdbb2, light4 a89984, light4 a89984",
		text:    "dark1 3c3836, dark3 665c54, faded_purple 8f3f71",
		accent:  "faded_blue 076678, faded_orange af3a03",
		verdict: "faded_aqua 427b58 3f7958, faded_yellow b57614 986200, faded_red 9d0006",
		phase:   "faded_blue 076678 056678, faded_purple 8f3f71, faded_aqua 427b58 407956",
		ramp: "faded_blue 076678, faded_green 79740e 75700e, " +
			"faded_yellow b57614 9a600b, faded_orange af3a03, faded_red 9d0006",
	},
	// nord is Nord. Its slate is light, so most colors of the aurora are lifted.
	{
		name: "nord", about: "Nord: frost and aurora on slate", dark: true,
		source:  "https://www.nordtheme.com/docs/colors-and-palettes",
		ground:  "nord0 2e3440, nord2 434c5e, nord3 4c566a 616e88, nord3 4c566a 616e88",
		text:    "nord5 e5e9f0, nord9 81a1c1, nord15 b48ead b690b0",
		accent:  "nord8 88c0d0, nord15 b48ead b690b0",
		verdict: "nord14 a3be8c b2ca9a, nord13 ebcb8b f7dc9c, nord11 bf616a d8858a",
		phase:   "nord9 81a1c1, nord15 b48ead b891a7, nord8 88c0d0",
		ramp:    "nord8 88c0d0 8cc6da, nord14 a3be8c, nord13 ebcb8b, nord12 d08770, nord11 bf616a e28593",
	},
	{
		name: "dracula", about: "Dracula: vivid colors on dark", dark: true,
		source:  "https://draculatheme.com/spec",
		ground:  "Background 282a36, Selection 44475a, Comment 6272a4, Comment 6272a4",
		text:    "Foreground f8f8f2, Comment 6272a4 7c91c1, Pink ff79c6",
		accent:  "Purple bd93f9, Cyan 8be9fd",
		verdict: "Green 50fa7b, Orange ffb86c f1ac5b, Red ff5555",
		phase:   "Purple bd93f9, Pink ff79c6, Cyan 8be9fd",
		ramp:    "Cyan 8be9fd, Green 50fa7b, Yellow f1fa8c, Orange ffb86c, Red ff5555",
	},
	// solarized-dark is Solarized with a dark background. Its contrasts are low on purpose, so more
	// colors than in other themes are lifted.
	{
		name: "solarized-dark", about: "Solarized: soft colors on deep blue", dark: true,
		source:  "https://ethanschoonover.com/solarized, the values",
		ground:  "base03 002b36, base02 073642, base01 586e75, base01 586e75",
		text:    "base1 93a1a1 b3c1c4, base0 839496, base0 839496",
		accent:  "blue 268bd2 2894dc, magenta d33682 ee529c",
		verdict: "green 859900, yellow b58900 d0a82a, red dc322f ff7079",
		phase:   "blue 268bd2 3294da, violet 6c71c4 8895f2, cyan 2aa198",
		ramp:    "cyan 2aa198 2da49c, green 859900, yellow b58900, orange cb4b16 e16934, red dc322f fb5c6d",
	},
	// solarized-light is Solarized with a light background. Its contrasts are low on purpose, so more
	// colors than in other themes are darker here.
	{
		name: "solarized-light", about: "Solarized: soft colors on cream",
		source:  "https://ethanschoonover.com/solarized, the values",
		ground:  "base3 fdf6e3, base2 eee8d5, base1 93a1a1, base1 93a1a1",
		text:    "base01 586e75 3b4e58, base00 657b83 5e747d, base00 657b83 5f747d",
		accent:  "blue 268bd2 0076ba, magenta d33682 cd307b",
		verdict: "green 859900 467c5d, yellow b58900 8e6c01, red dc322f a60004",
		phase:   "blue 268bd2 0276ba, violet 6c71c4 515bab, cyan 2aa198 097e7b",
		ramp:    "blue 268bd2 0373c1, cyan 2aa198 0f7f68, yellow b58900 796d45, orange cb4b16 c44a12, red dc322f d82a2a",
	},
	// ansi uses only the terminal's own 16 colors, so it follows the terminal's color scheme.
	{
		name: "ansi", about: "the terminal's own 16 colors", dark: true,
		accent:  "6, 5",
		verdict: "2, 3, 1",
		phase:   "4, 5, 6",
		ramp:    "6, 2, 3, 1",
	},
	// ansi-light is ansi for light terminals, where yellow, green and cyan are too pale to
	// read.
	{
		name: "ansi-light", about: "the terminal's own 16 colors, on light",
		accent:  "4, 5",
		verdict: "4, 5, 1",
		phase:   "6, 5, 4",
		ramp:    "4, 6, 5, 1",
	},
	// mono uses no color: important roles are bold, warnings underlined or reversed. Every
	// theme becomes mono under NO_COLOR.
	{name: "mono", about: "no color, only weight", dark: true, plain: true},
}
