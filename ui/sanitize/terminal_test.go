package sanitize

import (
	"fmt"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"tokscope/metrics/testkit"
)

// hostile are texts that act on a terminal that prints them.
var hostile = map[string]string{
	"clear and home":       "\x1b[2J\x1b[Hgone",
	"title":                "\x1b]0;pwned\x07\x1b]2;pwned\x1b\\",
	"alternate screen":     "\x1b[?1049h",
	"hide the cursor":      "\x1b[?25l",
	"mouse and paste":      "\x1b[?1000h\x1b[?2004h",
	"scroll region":        "\x1b[2;3r\x1b[3S",
	"unterminated OSC":     "\x1b]52;c;cHduZWQ=",
	"unterminated DCS":     "\x1bPq#0",
	"unterminated APC":     "\x1b_G",
	"reset":                "\x1bc",
	"C1 as UTF-8":          "\u009b2J\u009d0;pwned\u009c\u0090q",
	"C1 as bytes":          "\x9b2J\x9d0;pwned\x9c\x90q",
	"carriage return":      "real\rforged",
	"backspace, vertical":  "ab\b\b\v\f",
	"character set":        "\x0e\x1b(0qqq",
	"colour and conceal":   "\x1b[8;31;45mhidden",
	"wide at the edge":     strings.Repeat("漢", 60),
	"marks without end":    "e" + strings.Repeat("\u0301", 5000),
	"joiners without end":  strings.Repeat("👩\u200d", 500),
	"split escape, joined": "\x1b" + "[" + "31" + "m",
}

func TestHostileTextLeavesTheTerminalAlone(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			const w, h = 80, 24
			e := vt.NewEmulator(w, h)
			defer e.Close()
			var events []string
			e.SetCallbacks(vt.Callbacks{
				Bell:             func() { events = append(events, "bell") },
				Title:            func(s string) { events = append(events, "title "+s) },
				IconName:         func(s string) { events = append(events, "icon "+s) },
				AltScreen:        func(bool) { events = append(events, "alternate screen") },
				CursorVisibility: func(bool) { events = append(events, "cursor visibility") },
				EnableMode:       func(m ansi.Mode) { events = append(events, fmt.Sprint("mode ", m.Mode())) },
				DisableMode:      func(m ansi.Mode) { events = append(events, fmt.Sprint("mode off ", m.Mode())) },
			})
			line := Line(text, w-1)
			e.WriteString("\x1b[5;1H" + line)
			testkit.Is(t, e.CursorPosition(), uv.Position{X: ansi.StringWidth(line), Y: 4}, "cursor at")
			// Later text must appear in its place, plain.
			e.WriteString("\x1b[7;3Hours")
			rows := strings.Split(e.String(), "\n")
			for y, want := range map[int]string{4: line, 6: "  ours"} {
				// The emulator drops combining marks.
				want = strings.ReplaceAll(strings.TrimRight(want, " "), "\u0301", "")
				testkit.Is(t, strings.TrimRight(rows[y], " "), want, "row", y)
			}
			c := e.CellAt(2, 6)
			testkit.That(t, c != nil && c.Style.IsZero(), "our text came out styled: %+v", c)
			testkit.That(t, len(events) == 0, "the terminal was told: %q", events)
		})
	}
}
