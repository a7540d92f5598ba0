package themes

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

var roleNames = [named]string{
	"Text", "Strong", "Dim", "Faint", "Accent", "Title", "Border", "BorderFocus", "Good", "Warn", "Bad",
	"Key", "KeyText", "Badge", "Alert", "Selected", "Cursor", "Reasoning", "Substitute", "Ghost", "Stall",
	"Burst", "Reading", "Figure", "Unit", "Axis", "Network", "Queue", "Prefill", "Decode", "Unexplained",
	"PerUser", "Aggregate",
}

// swatch shows a theme: a piece of a screen, every role, the ramp and its fades.
func swatch(t Theme, p Profile) string {
	pal, g := Compile(t, p), UnicodeGlyphs()
	var b strings.Builder
	paint := func(r Role, s string) { b.WriteString(pal.Paint(r, s)) }
	nl := func() { b.WriteByte('\n') }

	paint(Badge, " tokscope ")
	paint(Good, "  "+string(g.Dot))
	paint(Strong, " "+t.Name)
	paint(Dim, "  "+t.About+"  ")
	paint(Alert, " insecure http ")
	nl()
	paint(Border, "╭ ")
	paint(Title, "stream 3")
	paint(Border, " ─ ")
	paint(Good, "decoding")
	paint(Border, " ─ ")
	paint(Dim, "212/400 tokens")
	paint(Border, " "+strings.Repeat("─", 40)+"╮")
	nl()
	paint(Border, "│ ")
	paint(Text, "When a request arrives, the server first reads the whole ")
	for i, w := range []string{"prompt", " in", " one", " pass", ". That", " pass", " is"} {
		paint(Tint(i/2, 5-i), w)
	}
	paint(Cursor, string(g.Cursor))
	nl()
	paint(Border, "│ ")
	paint(Reasoning, "Let me think about the weights. ")
	paint(Ghost, "▸ reader ")
	paint(Stall, string(g.Stall)+"stall")
	paint(Burst, " ╎burst ")
	paint(Substitute, "····")
	nl()
	paint(Border, "│ ")
	paint(Figure, "6.8")
	paint(Unit, " ms  ")
	paint(Axis, " 10ms ┤")
	for i := range 40 {
		paint(Heat((i*7)%Levels), string(g.Bars[(i*7)%Levels*7/11]))
	}
	paint(Reading, " ┄┄┄┄ reading")
	nl()
	paint(Border, "│ ")
	paint(Network, "▓▓ net ")
	paint(Queue, "▓▓▓▓ queue ")
	paint(Prefill, "▓▓▓▓▓▓ prefill ")
	paint(Unexplained, "░░░ unexplained ")
	paint(Decode, "▂▂▂▂ decode ")
	paint(PerUser, "●━●each ")
	paint(Aggregate, "●━●all")
	nl()
	paint(Border, "│ ")
	paint(Selected, " selected row ")
	paint(Text, " other row  ")
	paint(Warn, "warn ")
	paint(Bad, "bad ")
	paint(Faint, "faint ········ ")
	paint(Key, "space")
	paint(KeyText, " again  ")
	paint(Key, "q")
	paint(KeyText, " quit")
	nl()
	for f := range Fades {
		paint(Border, "│ ")
		for l := range Levels {
			paint(Tint(l, f), fmt.Sprintf(" tint%-2d", l))
		}
		nl()
	}
	paint(BorderFocus, "╰"+strings.Repeat("─", 78)+"╯")
	nl()
	return b.String()
}

// TestSwatch prints every theme, to be looked at: go test -run Swatch -v.
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
