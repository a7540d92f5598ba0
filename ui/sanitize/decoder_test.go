package sanitize

import (
	"strings"
	"testing"

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

const awkward = "a\r\nb\r\r\n\x1b[1m é e\u0301\u0323\u0300 👩\u200d👧 🇩🇪 \xf0\x9f\x98 \xe2\x82\xac\xed\xa0\x80 ก\u0e33\tक\u094d\u0937 \u202e\U000e0041x\x9b\r"

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
			if got, want := strings.Count(strings.ReplaceAll(out, "\n", ""), ""), strings.Count(strings.ReplaceAll(in, "\t", "    "), ""); got != want {
				t.Errorf("%d characters, want %d: a break must lose nothing", got, want)
			}
			testkit.Is(t, Block(out), out, "a second time changes it is")
		})
	}
	full := strings.Repeat("x", MaxLine)
	testkit.Is(t, Block(full+"\ny"), full+"\ny", "a line of exactly MaxLine was broken")
}
