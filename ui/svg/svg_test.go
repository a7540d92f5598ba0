package svg_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/svg"
)

// drawn puts text into a grid of 40 columns, a row for each line, each in a
// role of its own.
func drawn(text string) *draw.Grid {
	lines := strings.Split(strings.ToValidUTF8(text, "\ufffd"), "\n")
	g := draw.New(40, min(len(lines), 30))
	for y, line := range lines {
		g.Text(0, y, line, themes.Role(y%themes.Roles), 40)
	}
	return g
}

// textOf returns the characters of the text elements. It fails where picture
// is not XML, or holds a control character.
func textOf(t *testing.T, picture []byte) string {
	t.Helper()
	i := bytes.IndexFunc(picture, func(r rune) bool { return r < ' ' && r != '\n' || r >= 0x7f && r <= 0x9f })
	testkit.Given(t, i < 0, "a control character: %q", picture[max(0, i-40):min(len(picture), i+40)])
	var out strings.Builder
	inText := false
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out.String()
		}
		testkit.OK(t, err, "in", picture)
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "text"
		case xml.EndElement:
			inText = false
		case xml.CharData:
			if inText {
				out.Write(token)
			}
		}
	}
}

// asText returns what the picture of g must hold as text: no blanks, no
// character that is drawn as a shape, and U+FFFD for what XML forbids.
func asText(g *draw.Grid) string {
	var out strings.Builder
	w, h := g.Size()
	for y := range h {
		for x := range w {
			text, _ := g.At(x, y)
			if r := []rune(text); len(r) != 1 || !strings.ContainsRune("─│╭╮╰╯┌┐└┘├┤┬┴┼", r[0]) &&
				(r[0] < 0x2580 || r[0] > 0x259f) && (r[0] < 0x2800 || r[0] > 0x28ff) {
				out.WriteString(text)
			}
		}
	}
	return strings.NewReplacer(" ", "", "\ufffe", "\ufffd", "\uffff", "\ufffd").Replace(out.String())
}

func FuzzGrid(f *testing.F) {
	f.Add("plain\n<b>&amp;\"'</b> ]]> <!--\n▁▂█╭─╮⠋⣿━┄")
	f.Add("\x1b[31mred\x1b]0;owned\a\u009b1m \u202e\ufffe\uffff\x00\x7f")
	f.Add("漢字 👩‍👩‍👧 é é\t</text><script>alert(1)</script>")
	f.Fuzz(func(t *testing.T, text string) {
		g := drawn(text)
		for _, pal := range []*themes.Palette{themes.Compile(themes.Default(true), themes.TrueColor),
			themes.Compile(themes.Default(true), themes.NoColor)} {
			picture := svg.Grid(g, pal, true)
			testkit.Need(t, strings.ReplaceAll(textOf(t, picture), " ", ""), asText(g), "the picture holds")
		}
	})
}

var aColor = regexp.MustCompile(`"(#[0-9a-f]{6})"`)

// TestColors checks that a picture has the colors of its theme and no other,
// and without color those of a plain terminal.
func TestColors(t *testing.T) {
	g := draw.New(4, themes.Roles)
	for y := range themes.Roles {
		g.Text(0, y, "x█ x", themes.Role(y), 4)
	}
	for _, theme := range themes.All() {
		for p := themes.NoColor; p <= themes.TrueColor; p++ {
			allowed := map[string]bool{svg.Dark.Foreground: true, svg.Dark.Background: true}
			known := theme.Color(themes.Ground) != 0 && p >= themes.ANSI256
			if known {
				allowed = map[string]bool{theme.Color(themes.Ground).String(): true, theme.Color(themes.Text).String(): true}
			}
			sixteen := false
			for r := range themes.Roles {
				st := theme.Style(themes.Role(r), p)
				for _, c := range []themes.Color{st.Fg, st.Bg} {
					if _, _, _, ok := c.RGB(); ok {
						allowed[c.String()] = true
					} else if c != 0 {
						sixteen = true
					}
				}
			}
			picture := string(svg.Grid(g, themes.Compile(theme, p), true))
			testkit.That(t, !known || strings.Contains(picture, `rx="6" fill="`+theme.Color(themes.Ground).String()+`"`),
				"%s, %v: the ground is not the theme's", theme.Name, p)
			for _, m := range aColor.FindAllStringSubmatch(picture, -1) {
				testkit.That(t, allowed[m[1]] || sixteen, "%s, %v: %s is not a color of the theme", theme.Name, p, m[1])
			}
		}
	}
}

// TestRows checks how cells become elements: runs of one style share one, a
// wide character keeps its neighbors in place, attributes are kept.
func TestRows(t *testing.T) {
	cells := []svg.Cell{
		{Text: "a"}, {Text: "b"}, {Text: "漢", Width: 2}, {}, {Text: "c", Style: svg.Style{Bold: true, Italic: true}},
		{Text: "d", Style: svg.Style{Bold: true, Italic: true, Underline: true, Thin: true}},
		{Text: "█", Style: svg.Style{Thin: true}}, {},
	}
	for i := range cells {
		cells[i].Style.Fg = "#010203"
	}
	got := string(svg.Screen(len(cells), 1, "#000000", func(x, _ int) svg.Cell { return cells[x] }))
	testkit.Has(t, got,
		`<text x="12.0" y="25.5" fill="#010203" textLength="16.8" xml:space="preserve">ab</text>`,
		`<text x="28.8" y="25.5" fill="#010203" textLength="16.8" xml:space="preserve">漢</text>`,
		`<text x="45.6" y="25.5" fill="#010203" textLength="8.4" font-weight="bold" font-style="italic" xml:space="preserve">c</text>`,
		`font-weight="bold" font-style="italic" text-decoration="underline" fill-opacity="0.6" xml:space="preserve">d</text>`,
		"<g opacity=\"0.6\">\n<rect x=\"62.40\"",
	)
}
