package sanitize

import (
	"testing"
)

func TestText(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"plain", "Hello, world", "Hello, world"},
		{"lines", "a\nb\r\nc", "a\nb\nc"},
		{"lone CR", "a\rb", "a␍b"},
		{"CR CR LF", "a\r\r\nb", "a␍\nb"},
		{"CR at the end", "a\r", "a␍"},
		{"tab", "a\tb", "a    b"},
		{"escape", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m"},
		{"bell, NUL, backspace, delete", "\a\x00\b\x7f", "␇␀␈␡"},
		{"OSC 8 link", "\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "␛]8;;http://evil␛\\click␛]8;;␛\\"},
		{"unterminated OSC", "\x1b]0;title", "␛]0;title"},
		{"C1 as UTF-8", "a\u009b31mb\u009d0;x\u0085", "a�31mb�0;x�"},
		{"C1 as bytes", "a\x9b31m", "a�31m"},
		{"invalid bytes one by one", "\xff\xc3(\xe2\x82", "��(��"},
		{"surrogate and overlong", "\xed\xa0\x80 \xc0\xaf", "��� ��"},
		{"bidi override and isolates", "a\u202eb\u2066c\u200f", "a·b·c·"},
		{"zero width, BOM, soft hyphen", "a\u200bb\ufeffc\u00add", "a·b·c·d"},
		{"tags", "a\U000e0041\U000e007f", "a··"},
		{"line and paragraph separators", "a\u2028b\u2029c", "a·b·c"},
		{"fillers and joiners that are letters or marks", "\u115f\u3164\uffa0a\u034f", "···a·"},
		{"private use, non-characters, unassigned", "\ue000\U0010ffff\ufffe\u0378", "····"},
		{"variation selectors", "❤\ufe0f", "❤·"},
		{"family", "👨\u200d👩", "👨·👩"},
		{"skin tone", "👍🏽", "👍·"},
		{"flag", "🇩🇪!", "DE!"},
		{"two marks stay", "e\u0301\u0323", "e\u0301\u0323"},
		{"a third does not", "e\u0301\u0323\u0300", "e\u0301\u0323·"},
		{"a mark with no base", "\u0301a\n\u0301b", "·a\n·b"},
		{"a mark upon a substitute", "\x1b\u0301", "␛·"},
		{"a mark after a tab", "a\t\u0301", "a    \u0301"},
		{"half-width dakuten", "ﾊ\uff9e", "ﾊ·"},
		{"a skin tone alone", "\U0001f3fd", "·"},
		{"Thai", "ก\u0e33 กี\u0e48", "กํา กี่"},
		{"Lao", "ນ\u0eb3", "ນໍາ"},
		{"disputed conjunct", "क्ष", "क्·"},
		{"a sign that swallows what follows", "\u0d4ea", "·a"},
		{"decomposed Hangul", "\u1100\u1161\u11a8", "···"},
		{"world", "Grüße Ελληνικά Русский 日本語 한국어 עברית", "Grüße Ελληνικά Русский 日本語 한국어 עברית"},
		{"emoji", "🙂🚀", "🙂🚀"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Block(tc.in); got != tc.want {
				t.Errorf("Block(%+q)\n got %+q\nwant %+q", tc.in, got, tc.want)
			}
		})
	}
}

// TestNotice holds that a text cannot end the notification that it is in.
func TestNotice(t *testing.T) {
	if got := Notice("a\x1b\\\ab"); got != "\x1b]9;tokscope: a␛\\␇b\x1b\\\a" {
		t.Errorf("%q", got)
	}
}
