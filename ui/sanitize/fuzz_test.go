package sanitize

import (
	"bytes"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"tokscope/metrics/testkit"
)

// check compares out with the guarantees of doc.go.
func check(t *testing.T, in, out []byte, faithful bool) {
	t.Helper()
	testkit.Given(t, utf8.Valid(out), "%+q -> %+q: not UTF-8", in, out)
	for _, r := range string(out) {
		shapes := r == zwj || r == zwnj || unicode.Is(unicode.Variation_Selector, r) || r > 0xe0000 && r < 0xe0080
		testkit.Given(t, r == '\n' || !unicode.IsControl(r) && !controls(r) && (faithful || !invisible(r) || shapes),
			"%+q -> %+q: holds %U", in, out, r)
	}
	for line := range bytes.Lines(out) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		for rest := string(line); rest != ""; {
			n, w, loose := Cluster(rest)
			c := rest[:n]
			rest = rest[n:]
			if faithful {
				continue
			}
			if wc, g := ansi.StringWidthWc(c), ansi.StringWidth(c); w < 1 || w > widthMax || !loose && (w != wc || w != g) {
				t.Fatalf("%+q -> %+q: %+q is %d columns, %d by graphemes, %d by wcwidth", in, out, c, w, g, wc)
			}
			marks := 0
			for _, r := range c {
				if marks++; !unicode.In(r, unicode.Mn, unicode.Me) {
					marks = 0
				}
				testkit.Given(t, marks <= marksMax, "%+q -> %+q: %+q has %d marks", in, out, c, marks)
			}
			if first, _ := utf8.DecodeRuneInString(c); unicode.Is(unicode.M, first) && size([]byte("a"+c)) > 1 ||
				len(c) > 2*clusterMax {
				t.Fatalf("%+q -> %+q: %+q begins with a mark or is %d long", in, out, c, len(c))
			}
		}
	}
	if again := (&Decoder{Faithful: faithful}).Append(nil, out, true); !bytes.Equal(again, out) {
		t.Fatalf("not the same a second time:\n in %+q\n  1 %+q\n  2 %+q", in, out, again)
	}
}

// columns is the number of columns to keep for s.
func columns(s string) (total int) {
	for s != "" {
		n, w, _ := Cluster(s)
		s, total = s[n:], total+w
	}
	return total
}

// standing reports whether r is one character of undisputed width by itself, which
// joins neither the previous one nor the next.
func standing(r rune) bool {
	s := "a" + string(r) + "a"
	c := s[1 : len(s)-1]
	w := ansi.StringWidth(c)
	return size([]byte(s)) == 1 && size([]byte(s[1:])) == len(c) && w == ansi.StringWidthWc(c) && (w == 1 || w == 2)
}

func FuzzText(f *testing.F) {
	f.Add([]byte(awkward), uint16(7))
	f.Add([]byte("\x1b]8;;x\x1b\\y\x1b[8mz\u009b1m"), uint16(3))
	f.Add([]byte("\u0d4e\u0d15\u1112\u1161\U0001f1e9\u0600a\u0e33\u0e33"), uint16(2))
	f.Fuzz(func(t *testing.T, in []byte, cut uint16) {
		out := new(Decoder).Append(nil, in, true)
		check(t, in, out, false)
		var d Decoder
		n := min(int(cut), len(in))
		split := d.Append(nil, in[:n], false)
		split = d.Append(split, in[n:], true)
		testkit.Given(t, bytes.Equal(out, split), "cut at %d: %+q, whole %+q", n, split, out)
		line := Line(string(in), int(cut)%120)
		check(t, in, []byte(line), false)
		if w := columns(line); w > int(cut)%120 || bytes.ContainsRune([]byte(line), '\n') {
			t.Fatalf("Line(%+q, %d) = %+q", in, cut%120, line)
		}
		check(t, in, []byte(CSV(string(in))), true)
	})
}

// uniform reports whether r lies in a block whose characters are all alike: of
// ideographs, of Hangul syllables or for private use. A thirteenth of them is
// checked, which meets both kinds of syllables; of the planes 2 to 16 even fewer.
func uniform(r rune) bool {
	switch {
	case r >= 0x4e00 && r < 0xa000, r >= 0xac00 && r < 0xd7a4, r >= 0xe000 && r < 0xf900:
		return r%13 != 0
	case r >= 0x20000 && r < 0xe0000, r >= 0xf0000:
		return r%251 != 0 && r&0xffff != 0 && r&0xffff < 0xfffd
	}
	return false
}

// Every code point: alone, after a letter, after itself and after a
// conjunct's first half. Most of them are substituted and have the same result,
// which is checked once.
func TestEveryCodePoint(t *testing.T) {
	var in, out []byte
	checked := map[string]bool{}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r == '\n' || r >= 0xd800 && r < 0xe000 {
			continue
		}
		testkit.Given(t, !alone(r) || !invisible(r) && standing(r) && !unicode.Is(unicode.M, r),
			"%U takes the fast way but may not", r)
		if uniform(r) {
			continue
		}
		in = append(in[:0], string(r)...)
		in = append(in, "\na"...)
		in = utf8.AppendRune(in, r)
		in = utf8.AppendRune(in, r)
		in = append(in, "\u0915\u094d"...)
		in = utf8.AppendRune(in, r)
		in = append(in, 'a')
		if out = new(Decoder).Append(out[:0], in, true); !checked[string(out)] {
			check(t, in, out, false)
			checked[string(out)] = true
		}
	}
}
