package themes

import (
	"slices"
	"strings"
	"testing"
)

// palettes are the published colors of the themes that people know from other
// programs, by the theme that uses them. The table cites the sources.
var palettes = map[string]string{
	"catppuccin-mocha": "f5c2e7 cba6f7 f38ba8 fab387 f9e2af a6e3a1 94e2d5 89dceb 74c7ec 89b4fa b4befe cdd6f4 bac2de " +
		"a6adc8 9399b2 7f849c 6c7086 585b70 45475a 313244 1e1e2e",
	"catppuccin-latte": "ea76cb 8839ef d20f39 fe640b df8e1d 40a02b 179299 04a5e5 209fb5 1e66f5 7287fd 4c4f69 5c5f77 " +
		"6c6f85 7c7f93 8c8fa1 9ca0b0 acb0be bcc0cc ccd0da e6e9ef eff1f5",
	"tokyo-night": "1a1b26 292e42 7aa2f7 2ac3de 0db9d7 89ddff 565f89 7dcfff 545c7e 737aa2 c0caf5 a9b1d6 3b4261 " +
		"9ece6a 73daca 41a6b5 bb9af7 ff9e64 9d7cd8 f7768e db4b4b 1abc9c e0af68",
	"gruvbox-dark": "282828 3c3836 504945 665c54 7c6f64 928374 fbf1c7 ebdbb2 d5c4a1 bdae93 a89984 fb4934 b8bb26 " +
		"fabd2f 83a598 d3869b 8ec07c fe8019",
	"gruvbox-light": "282828 3c3836 504945 665c54 7c6f64 928374 fbf1c7 ebdbb2 d5c4a1 bdae93 a89984 9d0006 79740e " +
		"b57614 076678 8f3f71 427b58 af3a03",
	"nord": "2e3440 3b4252 434c5e 4c566a d8dee9 e5e9f0 eceff4 8fbcbb 88c0d0 81a1c1 5e81ac bf616a d08770 " +
		"ebcb8b a3be8c b48ead",
	"dracula": "282a36 44475a f8f8f2 6272a4 8be9fd 50fa7b ffb86c ff79c6 bd93f9 ff5555 f1fa8c",
	"solarized-dark": "002b36 073642 586e75 657b83 839496 93a1a1 eee8d5 fdf6e3 b58900 cb4b16 dc322f d33682 6c71c4 " +
		"268bd2 2aa198 859900",
	"solarized-light": "002b36 073642 586e75 657b83 839496 93a1a1 eee8d5 fdf6e3 b58900 cb4b16 dc322f d33682 6c71c4 " +
		"268bd2 2aa198 859900",
}

// TestPublishedColors checks the themes that people know: each color is published, or
// replaces a published one that fails a test in its place, and looks like it.
func TestPublishedColors(t *testing.T) {
	const farthest = 24 // in OKLab, times 100; black and white are 100 apart
	for i := range blocks {
		b := &blocks[i]
		palette := palettes[b.name]
		if (palette != "") != strings.HasPrefix(b.source, "https://") {
			t.Errorf("%s: no source, or no palette to compare with", b.name)
		}
		if palette == "" {
			continue
		}
		for k, list := range b.lists() {
			for j, e := range entries(list) {
				if e.name == "" || !strings.Contains(palette, e.published.String()[1:]) {
					t.Errorf("%s: %s %s is not published", b.name, e.name, e.published)
				}
				if e.used == e.published {
					continue
				}
				if d := visions[0].apart(e.used, e.published); d > farthest {
					t.Errorf("%s: %s %s is %.0f away from %s", b.name, e.name, e.used, d, e.published)
				}
				with := b.theme()
				if k < len(inks) {
					with.colors[inks[k][j]] = e.published
				} else {
					var stops []Color
					for _, e := range entries(list) {
						stops = append(stops, e.used)
					}
					stops[j] = e.published
					with.levels = ramp(stops, Levels)
				}
				if len(slices.Concat(weak(with), weak256(with), alike(with), uneven(with))) == 0 {
					t.Errorf("%s: %s passes as published, %s", b.name, e.name, e.published)
				}
			}
		}
	}
}
