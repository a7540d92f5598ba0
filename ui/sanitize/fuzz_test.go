package sanitize

import (
	"bytes"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// check compares out with the guarantees of doc.go.
func check(t *testing.T, in, out []byte) {
	t.Helper()
	if !utf8.Valid(out) {
		t.Fatalf("%+q -> %+q: not UTF-8", in, out)
	}
	for _, r := range string(out) {
		if r != '\n' && (unicode.IsControl(r) || invisible(r)) {
			t.Fatalf("%+q -> %+q: holds %U", in, out, r)
		}
	}
	for line := range bytes.Lines(out) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if utf8.RuneCount(line) > 3*MaxLine {
			t.Fatalf("a line of %d code points", utf8.RuneCount(line))
		}
		for rest := string(line); rest != ""; {
			c, w := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
			if wc := ansi.StringWidthWc(c); w != wc || w < 1 || w > 2 {
				t.Fatalf("%+q -> %+q: %+q is %d columns by graphemes, %d by wcwidth", in, out, c, w, wc)
			}
			if ansi.StringWidth(c) != w {
				t.Fatalf("%+q: two widths by graphemes", c)
			}
			marks := 0
			for _, r := range c {
				if unicode.Is(unicode.M, r) {
					marks++
				}
			}
			if first, _ := utf8.DecodeRuneInString(c); marks > 2 || unicode.Is(unicode.M, first) || len(c) > clusterMax {
				t.Fatalf("%+q -> %+q: %+q has %d marks", in, out, c, marks)
			}
			rest = rest[len(c):]
		}
	}
	if again := Text(nil, out); !bytes.Equal(again, out) {
		t.Fatalf("not the same a second time:\n in %+q\n  1 %+q\n  2 %+q", in, out, again)
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte(awkward), uint16(7))
	f.Add([]byte("\x1b]8;;x\x1b\\y\x1b[8mz\u009b1m"), uint16(3))
	f.Add([]byte("\u0d4e\u0d15\u1112\u1161\U0001f1e9\u0600a\u0e33\u0e33"), uint16(2))
	f.Fuzz(func(t *testing.T, in []byte, cut uint16) {
		out := Text(nil, in)
		check(t, in, out)
		var d Decoder
		n := min(int(cut), len(in))
		split := d.Append(nil, in[:n], false)
		split = d.Append(split, in[n:], true)
		if !bytes.Equal(out, split) {
			t.Fatalf("cut at %d: %+q, whole %+q", n, split, out)
		}
		line := Line(string(in), int(cut)%120)
		check(t, in, []byte(line))
		if w := ansi.StringWidth(line); w > int(cut)%120 || bytes.ContainsRune([]byte(line), '\n') {
			t.Fatalf("Line(%+q, %d) = %+q", in, cut%120, line)
		}
		check(t, in, []byte(CSV(string(in))))
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
		if alone(r) && (invisible(r) || !standing(r) || unicode.Is(unicode.M, r)) {
			t.Fatalf("%U takes the fast way but may not", r)
		}
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
		if out = Text(out[:0], in); !checked[string(out)] {
			check(t, in, out)
			checked[string(out)] = true
		}
	}
}
