package themes

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

var roleNames = [named]string{
	"Ink", "Strong", "Dim", "Faint", "Accent", "Title", "Border", "BorderFocus", "Good", "Warn", "Bad",
	"Key", "KeyText", "Badge", "Alert", "Selected", "Cursor", "Reasoning", "Substitute", "Ghost", "Stall",
	"Burst", "Reading", "Figure", "Unit", "Axis", "Network", "Queue", "Prefill", "Decode", "Unexplained",
	"PerUser", "InTotal",
}

// swatch shows a theme: a piece of a screen, every role, the ramp and its fades.
func swatch(t Theme, p Profile) string {
	pal, g := Compile(t, p), UnicodeGlyphs()
	var b strings.Builder
	put := func(r Role, s string) { b.WriteString(pal.Paint(r, s)) }
	nl := func() { b.WriteByte('\n') }

	put(Badge, " tokscope ")
	put(Good, "  "+string(g.Dot))
	put(Strong, " "+t.Name)
	put(Dim, "  "+t.About+"  ")
	put(Alert, " insecure http ")
	nl()
	put(Border, "╭ ")
	put(Title, "stream 3")
	put(Border, " ─ ")
	put(Good, "decoding")
	put(Border, " ─ ")
	put(Dim, "212/400 tokens")
	put(Border, " "+strings.Repeat("─", 40)+"╮")
	nl()
	put(Border, "│ ")
	put(Ink, "When a request arrives, the server first reads the whole ")
	for i, w := range []string{"prompt", " in", " one", " pass", ". That", " pass", " is"} {
		put(Tint(i/2, 5-i), w)
	}
	put(Cursor, string(g.Cursor))
	nl()
	put(Border, "│ ")
	put(Reasoning, "Let me think about the weights. ")
	put(Ghost, "▸ reader ")
	put(Stall, string(g.Stall)+"stall")
	put(Burst, " ╎burst ")
	put(Substitute, "····")
	nl()
	put(Border, "│ ")
	put(Figure, "6.8")
	put(Unit, " ms  ")
	put(Axis, " 10ms ┤")
	for i := range 40 {
		put(Heat((i*7)%Levels), string(g.Bars[(i*7)%Levels*7/11]))
	}
	put(Reading, " ┄┄┄┄ reading")
	nl()
	put(Border, "│ ")
	put(Network, "▓▓ net ")
	put(Queue, "▓▓▓▓ queue ")
	put(Prefill, "▓▓▓▓▓▓ prefill ")
	put(Unexplained, "░░░ unexplained ")
	put(Decode, "▂▂▂▂ decode ")
	put(PerUser, "●━●each ")
	put(InTotal, "●━●all")
	nl()
	put(Border, "│ ")
	put(Selected, " selected row ")
	put(Ink, " other row  ")
	put(Warn, "warn ")
	put(Bad, "bad ")
	put(Faint, "faint ········ ")
	put(Key, "space")
	put(KeyText, " again  ")
	put(Key, "q")
	put(KeyText, " quit")
	nl()
	for f := range Fades {
		put(Border, "│ ")
		for l := range Levels {
			put(Tint(l, f), fmt.Sprintf(" tint%-2d", l))
		}
		nl()
	}
	put(BorderFocus, "╰"+strings.Repeat("─", 78)+"╯")
	nl()
	return b.String()
}

// TestSwatch prints every theme for somebody's eyes: go test -run Swatch -v.
// PROFILE=256 (or 16, none) shows them on a poorer terminal.
func TestSwatch(t *testing.T) {
	profile := TrueColor
	for p := NoColor; p <= TrueColor; p++ {
		if p.String() == os.Getenv("PROFILE") {
			profile = p
		}
	}
	for _, theme := range All() {
		s := swatch(theme, profile)
		if testing.Verbose() {
			fmt.Println(s)
		}
		if strings.Count(s, "tint0") != Fades {
			t.Errorf("%s: incomplete swatch", theme.Name)
		}
	}
}
