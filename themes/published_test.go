package themes

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// palettes are the published colors of the themes that people know from other
// programs, by the file that uses them. The files cite the sources.
var palettes = map[string]string{
	"catppuccinmocha.go": "f5c2e7 cba6f7 f38ba8 fab387 f9e2af a6e3a1 94e2d5 89dceb 74c7ec 89b4fa b4befe cdd6f4 bac2de a6adc8 9399b2 7f849c 6c7086 585b70 45475a 313244 1e1e2e",
	"catppuccinlatte.go": "ea76cb 8839ef d20f39 fe640b df8e1d 40a02b 179299 04a5e5 209fb5 1e66f5 7287fd 4c4f69 5c5f77 6c6f85 7c7f93 8c8fa1 9ca0b0 acb0be bcc0cc ccd0da e6e9ef eff1f5",
	"tokyonight.go":      "1a1b26 292e42 7aa2f7 2ac3de 0db9d7 89ddff 565f89 7dcfff 545c7e 737aa2 c0caf5 a9b1d6 3b4261 9ece6a 73daca 41a6b5 bb9af7 ff9e64 9d7cd8 f7768e db4b4b 1abc9c e0af68",
	"gruvboxdark.go":     "282828 3c3836 504945 665c54 7c6f64 928374 fbf1c7 ebdbb2 d5c4a1 bdae93 a89984 fb4934 b8bb26 fabd2f 83a598 d3869b 8ec07c fe8019",
	"gruvboxlight.go":    "282828 3c3836 504945 665c54 7c6f64 928374 fbf1c7 ebdbb2 d5c4a1 bdae93 a89984 9d0006 79740e b57614 076678 8f3f71 427b58 af3a03",
	"nord.go":            "2e3440 3b4252 434c5e 4c566a d8dee9 e5e9f0 eceff4 8fbcbb 88c0d0 81a1c1 5e81ac bf616a d08770 ebcb8b a3be8c b48ead",
	"dracula.go":         "282a36 44475a f8f8f2 6272a4 8be9fd 50fa7b ffb86c ff79c6 bd93f9 ff5555 f1fa8c",
	"solarizeddark.go":   "002b36 073642 586e75 657b83 839496 93a1a1 eee8d5 fdf6e3 b58900 cb4b16 dc322f d33682 6c71c4 268bd2 2aa198 859900",
	"solarizedlight.go":  "002b36 073642 586e75 657b83 839496 93a1a1 eee8d5 fdf6e3 b58900 cb4b16 dc322f d33682 6c71c4 268bd2 2aa198 859900",
}

// slots returns the colors of t in the order of its file.
func slots(t *Theme) []*Color {
	s := []*Color{&t.Ground, &t.Text, &t.Dim, &t.Faint, &t.Border, &t.Raised, &t.Accent, &t.Second, &t.Good, &t.Warn, &t.Bad, &t.Muse, &t.Network, &t.Queue, &t.Prefill}
	t.Ramp = append([]Color(nil), t.Ramp...)
	for i := range t.Ramp {
		s = append(s, &t.Ramp[i])
	}
	return s
}

var (
	nameLine  = regexp.MustCompile(`Name: +"([a-z-]+)"`)
	colorLine = regexp.MustCompile(`RGB\(0x([0-9a-f]{6})\),\s*// (\w+)(?:, published as #([0-9a-f]{6}))?\n`)
)

// TestPublishedColors reads the files of the themes that people know. Each
// color is published, or replaces a published one that fails a test in its
// place, and looks like it: see farthest.
func TestPublishedColors(t *testing.T) {
	const farthest = 24 // in OKLab, times 100; black and white are 100 apart
	for file, palette := range palettes {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		theme, ok := ByName(nameLine.FindStringSubmatch(string(src))[1])
		lines := colorLine.FindAllStringSubmatch(string(src), -1)
		if !ok || len(lines) != len(slots(&theme)) || !strings.Contains(string(src), "https://") {
			t.Errorf("%s: %d colors, %d lines with their names, or no source", file, len(slots(&theme)), len(lines))
			continue
		}
		for i, l := range lines {
			used, name, instead := l[1], l[2], l[3]
			from := used
			if instead != "" {
				from = instead
			}
			if !strings.Contains(palette, from) {
				t.Errorf("%s: %s #%s is not published", file, name, from)
			}
			if *slots(&theme)[i] != RGB(hex(t, used)) {
				t.Fatalf("%s, line %d of the colors: slots has another order", file, i)
			}
			if instead == "" {
				continue
			}
			if d := visions[0].apart(RGB(hex(t, used)), RGB(hex(t, instead))); d > farthest {
				t.Errorf("%s: %s #%s is %.0f away from #%s", file, name, used, d, instead)
			}
			with := theme
			*slots(&with)[i] = RGB(hex(t, instead))
			if len(weak(with))+len(weak256(with))+len(alike(with))+len(uneven(with)) == 0 {
				t.Errorf("%s: %s passes as published, #%s", file, name, instead)
			}
		}
	}
}

func hex(t *testing.T, s string) uint32 {
	t.Helper()
	n, err := strconv.ParseUint(s, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(n)
}
