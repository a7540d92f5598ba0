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

// pieces feeds s in pieces of the given sizes, repeatedly.
func pieces(s string, size func() int) string {
	var d Decoder
	var out []byte
	for b := []byte(s); ; {
		n := min(size(), len(b))
		out = d.Append(out, b[:n], false)
		if b = b[n:]; len(b) == 0 {
			break
		}
	}
	out = d.Append(out, nil, true)
	return string(out)
}

const awkward = "a\r\nb\r\r\n\x1b[1m é e\u0301\u0323\u0300 👩\u200d👧 🇩🇪 \xf0\x9f\x98 \xe2\x82\xac\xed\xa0\x80 " +
	"ก\u0e33\tक\u094d\u0937 \u202e\U000e0041x\x9b\r"

func TestDecoderIsIndependentOfCuts(t *testing.T) {
	whole := pieces(awkward, func() int { return len(awkward) })
	testkit.Need(t, whole, Block(awkward), "in one piece")
	for a := range len(awkward) + 1 {
		for b := a; b <= len(awkward); b++ {
			var d Decoder
			out := d.Append(nil, []byte(awkward[:a]), false)
			out = d.Append(out, []byte(awkward[a:b]), false)
			out = d.Append(out, []byte(awkward[b:]), true)
			testkit.Need(t, string(out), whole, "cut at", a, "and", b)
		}
	}
}

func TestDecoderRandomPieces(t *testing.T) {
	rnd := testkit.Rand(t, 1)
	text := strings.Repeat(awkward, 50)
	want := Block(text)
	for range 50 {
		testkit.Need(t, pieces(text, func() int { return rnd.IntN(9) }), want, "the result depends on the pieces")
	}
}

func TestDecoderGivesEveryChunkItsRange(t *testing.T) {
	var d Decoder
	var out []byte
	var got []string
	for _, chunk := range []string{"Hel", "lo\r", "\nb\xc3", "\xa9\x1b", ""} {
		from := len(out)
		out = d.Append(out, []byte(chunk), chunk == "")
		got = append(got, string(out[from:]))
	}
	want := []string{"Hel", "lo", "\nb", "é␛", ""}
	testkit.That(t, strings.Join(got, "|") == strings.Join(want, "|"), "got %q, want %q", got, want)
}

func TestDecoderRestartsAfterFinal(t *testing.T) {
	var d Decoder
	d.Append(nil, []byte("e\xc3"), true)
	got := string(d.Append(nil, []byte("\u0301\xa9"), true))
	testkit.That(t, got == "·�", "got %q: state of the first text leaked into the second", got)
}

func TestDecoderBreaksEndlessLines(t *testing.T) {
	for name, unit := range map[string]string{"ascii": "x", "wide": "漢", "dots": "\u200b", "tabs": "\t"} {
		t.Run(name, func(t *testing.T) {
			in := strings.Repeat(unit, 3*MaxLine)
			out := Block(in)
			for i, line := range strings.Split(out, "\n") {
				n := len([]rune(line))
				testkit.Given(t, n <= MaxLine, "line %d has %d characters", i, n)
			}
			if got, want := strings.Count(strings.ReplaceAll(out, "\n", ""), ""),
				strings.Count(strings.ReplaceAll(in, "\t", "    "), ""); got != want {
				t.Errorf("%d characters, want %d: a break must lose nothing", got, want)
			}
			testkit.Is(t, Block(out), out, "a second time changes it is")
		})
	}
	full := strings.Repeat("x", MaxLine)
	testkit.Is(t, Block(full+"\ny"), full+"\ny", "a line of exactly MaxLine was broken")
}

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
