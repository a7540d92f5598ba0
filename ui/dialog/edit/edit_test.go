package edit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
	"tokscope/ui/keys"
)

// moves only move the caret, cuts remove text.
var (
	moves = []keys.Intent{keys.Left, keys.Right, keys.WordLeft, keys.WordRight, keys.Home, keys.End, keys.LineStart,
		keys.LineEnd, keys.Up, keys.Down, keys.PageUp, keys.PageDown}
	cuts = []keys.Intent{keys.DeleteBack, keys.DeleteForward, keys.DeleteWord, keys.DeleteToStart, keys.DeleteToEnd,
		keys.Clear}
)

func text() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune("ab cde \n\tä日本e\u0301👩\u200d👩🇩🇪\x1b\r\u202e")), 0, 40, -1)
}

// sound checks the invariants after every step.
func sound(t *rapid.T, b *Buffer) {
	at := b.Caret()
	testkit.Given(t, at.Line >= 0 && at.Line < len(b.lines) && at.Col >= 0 && at.Col <= len(b.lines[at.Line]),
		"caret %+v outside of %q", at, b.String())
	if s := b.String(); len(s) != b.bytes || !utf8.ValidString(s) || strings.ContainsAny(s, "\x1b\r") {
		t.Fatalf("%q: %d bytes, counted %d", s, len(s), b.bytes)
	}
	next, rows := Pos{}, b.Rows()
	for i, r := range rows {
		testkit.Need(t, Pos{r.Line, r.From}, next, "row", i, "starts at", r)
		w, n := 0, 0
		for _, c := range b.Clusters(r) {
			s, cw := Show(c)
			testkit.Need(t, ansi.StringWidth(s), cw, c, "is shown as", s, "wide")
			if c != " " { // blanks may exceed the width
				w, n = w+cw, n+1
			}
		}
		testkit.Given(t, w <= b.width || n <= 1, "row %+v is %d wide, more than %d", r, w, b.width)
		next = Pos{r.Line, r.To}
		if !r.More {
			next = Pos{r.Line + 1, 0}
		}
	}
	testkit.Need(t, next.Line, len(b.lines), "the rows end at", next, "of … lines")
	if r := rows[b.CaretRow()]; r.Line != at.Line || at.Col < r.From || at.Col > r.To {
		t.Fatalf("caret %+v is not in its row %+v", at, r)
	}
}

func TestRandomEditsKeepInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := New(text().Draw(t, "text"))
		b.Wrap(rapid.IntRange(1, 20).Draw(t, "width"))
		sound(t, b)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			before := b.String()
			switch rapid.IntRange(0, 4).Draw(t, "kind") {
			case 0:
				testkit.Given(t, !b.Do(rapid.SampledFrom(moves).Draw(t, "move"), 7) && b.String() == before,
					"a move changed the text")
			case 1:
				testkit.Given(t, b.Do(rapid.SampledFrom(cuts).Draw(t, "cut"), 7) && len(b.String()) <= len(before),
					"a cut is no change, or added text")
			case 2:
				s := text().Draw(t, "typed")
				b.Paste(s)
				testkit.Need(t, len(b.String()), len(before)+len(Clean(s)), "after pasting", s, "bytes")
				testkit.Given(t, b.Undo() && b.String() == before, "undo gives %q, want %q", b.String(), before)
			case 3:
				b.Type(text().Draw(t, "typed"))
			case 4:
				b.Place(5, 3)
			}
			sound(t, b)
		}
		for b.Undo() {
			sound(t, b)
		}
	})
}

func TestTypingAtTheCaret(t *testing.T) {
	b := New("one two\nthree")
	b.Do(keys.Home, 1)
	b.Do(keys.WordRight, 1)
	b.Type(" and a half")
	b.Do(keys.End, 1)
	b.Do(keys.DeleteWord, 1)
	b.Type("drei")
	b.Vertical(-1)
	b.Do(keys.LineEnd, 1)
	b.Type("\n!")
	testkit.Is(t, b.String(), "one and a half two\n!\ndrei")
}

func TestCaretIsOnACharacterBoundary(t *testing.T) {
	b := New("")
	b.Type("e")
	b.Type("\u0301") // joins the e
	if b.Len() != 1 || b.Caret() != (Pos{0, 1}) {
		t.Fatalf("%d characters, caret %+v", b.Len(), b.Caret())
	}
	b.Do(keys.DeleteBack, 1)
	testkit.Is(t, b.String(), "", "left")
}

func TestUpAndDownKeepTheColumn(t *testing.T) {
	b := New("a long first row\nx\nanother long row")
	b.Place(9, 0)
	b.Vertical(1)
	testkit.Need(t, b.Caret(), Pos{1, 1}, "on the short row")
	b.Vertical(1)
	testkit.Is(t, b.Caret(), Pos{2, 9}, "the column is lost")
	b.Vertical(99)
	b.Vertical(-99)
	testkit.Is(t, b.Caret(), Pos{0, 9}, "at the top")
}

func TestWrapBreaksAfterBlanks(t *testing.T) {
	b := New("the quick brown fox 日本語日本語 supercalifragilistic\n\nend")
	b.Wrap(10)
	var got []string
	for _, r := range b.Rows() {
		got = append(got, strings.Join(b.Clusters(r), ""))
	}
	want := []string{"the quick ", "brown fox ", "日本語日本", "語 ", "supercalif", "ragilistic", "", "end"}
	testkit.Is(t, strings.Join(got, "|"), strings.Join(want, "|"))
}

func TestUndoTakesBackWordsNotLetters(t *testing.T) {
	b := New("")
	for _, c := range "one two" {
		b.Type(string(c))
	}
	b.Undo()
	testkit.Is(t, b.String(), "one ", "one step back")
	b.Undo()
	testkit.That(t, b.String() == "" && !b.Undo(), "two steps back: %q", b.String())
}

func TestTextIsBounded(t *testing.T) {
	b := New(strings.Repeat("日", MaxBytes))
	if n := len(b.String()); n > MaxBytes || n < MaxBytes-3 || !utf8.ValidString(b.String()) {
		t.Fatalf("%d bytes", n)
	}
	b.Type("x and more")
	if n := len(b.String()); n > MaxBytes {
		t.Errorf("%d bytes after typing", n)
	}
}

func TestControlCharactersAreNotShown(t *testing.T) {
	for _, c := range []string{"\x1b", "\u009b", "\u202e", "\u200b", "e\u0301\u0301\u0301\u0301", "\U000e0041",
		strings.Repeat("\u0301", 500)} {
		s, w := Show(c)
		for _, r := range s {
			testkit.That(t, r >= 0x20 && (r < 0x7f || r >= 0xa0) && r != 0x202e && r != 0x200b && r < 0xe0000,
				"%q is shown as %q", c, s)
		}
		testkit.That(t, w >= 0 && w <= 8, "%q is %d wide", c, w)
	}
}
