package themes

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestSGR(t *testing.T) {
	theme := (&block{dark: true, ground: "000000", text: "ffffff, 5f5f5f", accent: "00ff00",
		verdict: "ffffff, ffffff, ff0000"}).theme()
	for _, tc := range []struct {
		name string
		t    Theme
		p    Profile
		r    Role
		want string
	}{
		{"truecolor", theme, TrueColor, Text, "\x1b[0;38;2;255;255;255m"},
		{"bold", theme, TrueColor, Bad, "\x1b[0;1;38;2;255;0;0m"},
		{"filled", theme, TrueColor, Badge, "\x1b[0;1;38;2;0;0;0;48;2;0;255;0m"},
		{"256", theme, ANSI256, Dim, "\x1b[0;38;5;59m"},
		{"16, plain", theme, ANSI16, Text, ""},
		{"16, thin", theme, ANSI16, Dim, "\x1b[0;2m"},
		{"16", theme, ANSI16, Bad, "\x1b[0;1;31m"},
		{"16, filled", theme, ANSI16, Badge, "\x1b[0;1;7;36m"},
		{"none, plain", theme, NoColor, Text, ""},
		{"none, bold and reverse", theme, NoColor, Bad, "\x1b[0;1;7m"},
		{"mono stays mono", builtIn("mono"), TrueColor, Bad, "\x1b[0;1;7m"},
		{"bright", (&block{verdict: "12"}).theme(), ANSI16, Good, "\x1b[0;94m"},
		{"outside", theme, ANSI16, Role(60000), ""},
	} {
		if got := Compile(tc.t, tc.p).SGR(tc.r); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestAPaletteKnowsWhatItWasMadeFrom(t *testing.T) {
	pal := Compile(builtIn("ansi"), ANSI16)
	if pal.Profile() != ANSI16 || pal.Theme().Name != "ansi" {
		t.Error("a palette forgot what it was made from")
	}
}

func TestThemes(t *testing.T) {
	seen := map[string]bool{}
	for i, theme := range All() {
		if theme.Name == "" || theme.Name != strings.ToLower(theme.Name) || strings.Contains(theme.Name, " ") ||
			seen[theme.Name] {
			t.Errorf("theme %d has the name %q", i, theme.Name)
		}
		seen[theme.Name] = true
		if n := len(theme.About); n == 0 || n > 40 {
			t.Errorf("%s: %d characters of About", theme.Name, n)
		}
		if got, ok := ByName(strings.ToUpper(theme.Name)); !ok || got.Name != theme.Name || Names()[i] != theme.Name {
			t.Errorf("%s is not found by its name", theme.Name)
		}
		if stops := len(entries(blocks[i].ramp)); !theme.Plain && stops < 3 {
			t.Errorf("%s has a ramp of %d stops", theme.Name, stops)
		}
	}
	if _, ok := ByName("nonesuch"); ok {
		t.Error("found a theme that is none")
	}
	if !Default(true).Dark || Default(false).Dark {
		t.Error("a default theme has the wrong ground")
	}
}

// TestThemesAreDocumented checks that docs/themes.md lists every theme, in the
// picker's order and words.
func TestThemesAreDocumented(t *testing.T) {
	var want strings.Builder
	for _, theme := range All() {
		ground := "light"
		if theme.Dark {
			ground = "dark"
		}
		fmt.Fprintf(&want, "| `%s` | %s | %s |\n", theme.Name, ground, theme.About)
	}
	page, err := os.ReadFile("../docs/themes.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "|---|---|---|\n"+want.String()) {
		t.Errorf("docs/themes.md has not this table:\n%s", &want)
	}
}

// In every theme on every terminal, warnings differ from other roles by more
// than hue.
func TestMeaningWithoutHue(t *testing.T) {
	for _, theme := range All() {
		for p := NoColor; p <= TrueColor; p++ {
			for _, r := range []Role{Bad, Stall, Alert, Badge, Selected, Strong, Title, Key, Figure, Cursor} {
				if s := theme.Style(r, p); s.Attr&(Bold|Reverse|Underline) == 0 && s.Bg == 0 {
					t.Errorf("%s, %v: %s differs by hue alone", theme.Name, p, roleNames[r])
				}
			}
			if theme.Style(Stall, p) == theme.Style(Bad, p) {
				t.Errorf("%s, %v: a pause looks like a failure", theme.Name, p)
			}
			if p == NoColor || theme.Plain {
				distinct(t, theme, p)
			}
		}
	}
}

// distinct checks that a theme without color distinguishes its most important
// roles.
func distinct(t *testing.T, theme Theme, p Profile) {
	t.Helper()
	groups := [][]Role{{Text, Warn, Bad}, {Text, Badge, Dim}, {PerUser, Aggregate}, {Text, Stall, Burst, Bad},
		{Tint(0, 0), Tint(Levels/2, 0), Tint(Levels-1, 0)}}
	for _, g := range groups {
		seen := map[Style]bool{}
		for _, r := range g {
			s := theme.Style(r, p)
			if s.Fg != 0 || s.Bg != 0 {
				t.Errorf("%s, %v: role %d has a colour", theme.Name, p, r)
			}
			if seen[s] {
				t.Errorf("%s, %v: two of %v look the same", theme.Name, p, g)
			}
			seen[s] = true
		}
	}
}

func TestTintAndHeat(t *testing.T) {
	if Tint(3, Fades-1) != Text || Tint(3, 99) != Text || Tint(-5, -5) != Tint(0, 0) || Tint(99, 0) != Tint(Levels-1,
		0) || Heat(99) != Heat(Levels-1) || Heat(-1) != Heat(0) {
		t.Error("levels and fades are not moved into their range")
	}
	seen := map[Role]bool{}
	for l := range Levels {
		for f := range Fades - 1 {
			r := Tint(l, f)
			if gl, gf, ok := r.tint(); !ok || gl != l || gf != f || seen[r] || int(r) >= Roles {
				t.Errorf("Tint(%d, %d) is role %d, read back as %d, %d, %v", l, f, r, gl, gf, ok)
			}
			seen[r] = true
		}
		if r := Heat(l); seen[r] || r < named {
			t.Errorf("Heat(%d) is role %d, taken", l, r)
		} else {
			seen[r] = true
		}
	}
	// Every step of a fade is closer to Text.
	for _, theme := range colored() {
		for l := range Levels {
			last := 1e9
			for f := range Fades {
				d := visions[0].apart(theme.Style(Tint(l, f), TrueColor).Fg, theme.Color(Text))
				if d >= last {
					t.Errorf("%s: level %d does not fade at step %d", theme.Name, l, f)
				}
				last = d
			}
		}
	}
}

func TestGlyphs(t *testing.T) {
	for _, g := range []*Glyphs{UnicodeGlyphs(), ASCIIGlyphs()} {
		if len(g.Bars) != 8 || len(g.Parts) != 8 {
			t.Fatalf("%d bars, %d parts", len(g.Bars), len(g.Parts))
		}
		all := append([]rune{g.H, g.V, g.TL, g.TR, g.BL, g.BR, g.TeeL, g.TeeR, g.TeeT, g.TeeB, g.AxisV, g.AxisTick,
			g.LineDash, g.Heavy, g.Diamond, g.Dot, g.Ring, g.Bullet, g.Cursor, g.Ghost, g.Left, g.Right, g.Up, g.Down, g.Block,
			g.Shade, g.MidShade, g.LightShade, g.Stall, g.Change, g.Burst, g.Ellipsis, g.Unknown, g.Times, g.Check, g.Fail},
			g.Bars...)
		all = append(append(all, g.Parts...), g.Spinner...)
		for i, r := range all {
			if ansi.StringWidth(string(r)) != 1 || ansi.StringWidthWc(string(r)) != 1 {
				t.Errorf("glyph %d %q is not one column", i, r)
			}
			if g.ASCII && (r < 0x20 || r > 0x7e) {
				t.Errorf("glyph %d %q of the ASCII set is not ASCII", i, r)
			}
		}
		for _, pair := range [][2]rune{{g.Dot, g.Ring}, {g.Block, g.Shade}, {g.Shade, g.LightShade}, {g.Check, g.Fail},
			{g.Stall, g.Burst}, {g.Heavy, g.H}, {g.Block, g.LightShade}, {g.Stall, g.Change}} {
			if pair[0] == pair[1] {
				t.Errorf("%q means two things", pair[0])
			}
		}
	}
}

func TestRampEnds(t *testing.T) {
	stops := []Color{RGB(0x102030), RGB(0x405060), RGB(0xffeedd)}
	got := ramp(stops, 5)
	if got[0] != stops[0] || got[4] != stops[2] {
		t.Errorf("got %v", got)
	}
	if got := ramp([]Color{ANSI(1), ANSI(2)}, 4); got[0] != ANSI(1) || got[1] != ANSI(1) || got[3] != ANSI(2) {
		t.Errorf("the terminal's own colours were mixed: %v", got)
	}
	if len(ramp(nil, 3)) != 3 || len(ramp(stops[:1], 3)) != 3 {
		t.Error("a short ramp has the wrong length")
	}
	if Mix(RGB(0), RGB(0xffffff), 2) != RGB(0xffffff) {
		t.Error("Mix goes beyond its end")
	}
}

func BenchmarkCompile(b *testing.B) {
	for p := NoColor; p <= TrueColor; p++ {
		b.Run(strconv.Itoa(int(p)), func(b *testing.B) {
			for b.Loop() {
				Compile(Default(true), p)
			}
		})
	}
}
