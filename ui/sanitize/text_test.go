package sanitize

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tokscope/metrics/testkit"
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
		{"joiners and variations that join and vary nothing", "a\u200db\ufe0f \ufe0f\u200c👩\u200d\u200d❤\ufe0f\ufe0f",
			"a·b· ··👩\u200d·❤\ufe0f·"},
		{"tags behind no flag", "👩\U000e0067\U000e007f", "👩··"},
		{"four marks stay, a fifth does not", "e\u0301\u0323\u0300\u0302\u0303", "e\u0301\u0323\u0300\u0302·"},
		{"a mark with no base", "\u0301a\n\u0301b", "·a\n·b"},
		{"a mark upon a substitute", "\x1b\u0301", "␛·"},
		{"a mark after a tab", "a\t\u0301", "a    \u0301"},
		{"world", "Grüße Ελληνικά Русский 日本語 한국어 עברית", "Grüße Ελληνικά Русский 日本語 한국어 עברית"},
		{"emoji", "🙂🚀", "🙂🚀"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			testkit.Is(t, Block(tc.in), tc.want, "Block", tc.in)
		})
	}
}

// letters are texts whose characters have no width that terminals agree on.
var letters = map[string]string{
	"Hindi":             "नमस्ते, क्ष स्त्री र्त्स्न्या",
	"Bengali":           "বাংলা র\u200d্য",
	"Tamil":             "தமிழ் க்ஷௌ",
	"Malayalam":         "മലയാളം \u0d4eക",
	"Burmese":           "မြန်မာ",
	"Khmer":             "ខ្មែរ",
	"Tibetan":           "བོད་སྐད",
	"Thai":              "ต่ำ กี\u0e48 ก\u0e33",
	"Lao":               "ນ\u0eb3",
	"Persian":           "می\u200cخواهم",
	"Arabic":            "مُحَمَّد",
	"Hebrew":            "בְּרֵאשִׁ֖ית",
	"decomposed Hangul": "\u1112\u1161\u11ab\u1100\u1173\u11af",
	"decomposed Latin":  "Vie\u0323\u0302t Nam",
	"half-width kana":   "ﾊ\uff9eﾊ\uff9f",
	"variation":         "葛\U000e0100 ❤\ufe0f 1\ufe0f\u20e3",
	"family":            "👨\u200d👩\u200d👧\u200d👦",
	"kiss":              "👩🏽\u200d❤\ufe0f\u200d💋\u200d👨🏽",
	"skin tone":         "👍🏽 \U0001f3fd",
	"flags":             "🇩🇪🇫🇷 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
}

func TestLettersStayAsTheyCame(t *testing.T) {
	for name, text := range letters {
		testkit.Is(t, Block(text), text, name)
		testkit.Is(t, CSV(text), text, name, "in a file")
	}
}

// TestFaithful holds that lines and files keep what a screen shows as a dot, and no
// control.
func TestFaithful(t *testing.T) {
	for in, want := range map[string]string{
		"สวัสดี\u200bครับ a\u00adb a\u200db": "สวัสดี\u200bครับ a\u00adb a\u200db",
		"\ue000\ufeff\U000e0041":             "\ue000\ufeff\U000e0041",
		"a\x1b[2Jb\u202ec\u200fd\u2066":      "a␛[2Jb·c·d·",
		"a\r\nb\u0085c\u2028d\xff\t.":        "a\nb�c·d�    .",
		"e" + strings.Repeat("\u0301", 9):    "e\u0301\u0301\u0301\u0301·····",
	} {
		testkit.Is(t, CSV(in), want, in)
	}
}

// TestNotice holds that a text cannot end the notification that it is in.
func TestNotice(t *testing.T) {
	testkit.Is(t, Notice("a\x1b\\\ab"), "\x1b]9;tokscope: a␛\\␇b\x1b\\\a")
}

func TestLine(t *testing.T) {
	for _, tc := range []struct {
		name, in string
		max      int
		want     string
	}{
		{"fits", "llama-3.1-8b", 20, "llama-3.1-8b"},
		{"fits exactly", "abcde", 5, "abcde"},
		{"cut", "abcdef", 5, "abcd…"},
		{"one column", "abc", 1, "…"},
		{"no room", "abc", 0, ""},
		{"negative", "abc", -3, ""},
		{"empty", "", 5, ""},
		{"wide stays whole", "漢字漢字", 6, "漢字…"},
		{"wide fits exactly", "漢字", 4, "漢字"},
		{"marks stay with their base", "e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"pretty JSON", "{\n  \"error\": {\r\n\t\"code\": 401\n  }\n}\n", 80, `{ "error": { "code": 401 } }`},
		{"only breaks", "\n\r\n\n", 9, ""},
		{"escape", "gpt\x1b[2J-4", 80, "gpt␛[2J-4"},
		{"title forgery", "x\x07\x1b]0;pwned\x07", 80, "x␇␛]0;pwned␇"},
		{"paragraph separator is no break", "a\u2029b", 80, "a·b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			testkit.Is(t, Line(tc.in, tc.max), tc.want, "Line", tc.in, tc.max)
		})
	}
}

func TestLineIsBounded(t *testing.T) {
	flood := strings.Repeat("漢\x1b\u0301", 1<<20)
	if got := Line(flood, 40); ansi.StringWidth(got) > 40 || !strings.HasSuffix(got, "…") {
		t.Errorf("got %d columns: %q", ansi.StringWidth(got), got)
	}
	testkit.Allocates(t, 0, 10, func() { Line("a plain model name", 40) }, "a plain line")
}

func TestCSV(t *testing.T) {
	for in, want := range map[string]string{
		"plain":               "plain",
		"":                    "",
		"=HYPERLINK(\"x\")":   "'=HYPERLINK(\"x\")",
		"+1":                  "'+1",
		"-1+cmd|' /C calc'!A": "'-1+cmd|' /C calc'!A",
		"@SUM(A1)":            "'@SUM(A1)",
		"  =1":                "'  =1",
		"\t=1":                "'    =1",
		"\r\n=1":              "'\n=1",
		"＝1":                  "'＝1",
		"a=1":                 "a=1",
		"a\x1b[0m":            "a␛[0m",
		"'=1":                 "'=1",
	} {
		testkit.Is(t, CSV(in), want, "CSV", in)
		testkit.Is(t, CSV(CSV(in)), want, "CSV twice on", in)
	}
}
