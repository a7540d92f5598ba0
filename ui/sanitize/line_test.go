package sanitize

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tokscope/metrics/testkit"
)

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
