package report

import (
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// hostile is a text from outside: long, with line breaks, controls and Markdown.
var hostile = strings.Repeat("日本 e\u0301 | \x1b[2J\u202e<b> **x** [l](http://x) @all\n# h ", 20)

// marks are what it must not be in Markdown.
var marks = []string{"<b>", " **x**", "](http", " @all", "\n# h"}

// model is a Doc with each kind of block, whose strings come from outside.
func model(text string) *Doc {
	d := &Doc{}
	d.lead("Lead: " + text)
	d.Note("A note.")
	d.fact("name", text)
	d.fact("name", "again")
	d.here("path", "/a/file")
	d.fact("empty", "")
	t := &Table{Title: "title " + text, Cols: slices.Concat(words("who"), figures("TTFT ms", "n"), words("ended")),
		Dispensable: []string{"n"}, Under: []Fact{{Name: "unknown", Text: text}}}
	t.Cols[1].Group, t.Cols[2].Group = "times and counts", "times and counts"
	for _, n := range []string{"rechner", "a\u0308rger", "größe", "日本"} {
		t.row(n, "1,230.5", "7", text)
	}
	d.table(t)
	d.table(&Table{Title: "without rows"})
	d.blocks = append(d.blocks, picture{"██ ░░", "10 ms"})
	return d
}

// TestDocGolden shows all blocks as text of two widths and as Markdown.
func TestDocGolden(t *testing.T) {
	d := model("some text from a server that is long enough to be broken between its words")
	golden.Text(t, "doc", "# 80 columns\n"+d.Text(80)+"# 40 columns\n"+d.Text(40)+"# Markdown\n"+d.Markdown())
}

// TestDocFitsAndIsSafe holds that no line is wider than asked for, no number is cut,
// columns are of cells, and no text is read as a command, Markdown or HTML.
func TestDocFitsAndIsSafe(t *testing.T) {
	d := model(hostile)
	for w := 40; w <= 200; w++ {
		text, begins := d.Text(w), -1
		testkit.Given(t, !strings.ContainsAny(text, "\x1b\u202e") && strings.Count(text, "1,230.5") == 4,
			"%d columns: a command, or a number is lost:\n%s", w, text)
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			n := draw.Width(line)
			testkit.That(t, n <= w, "%d columns in %d: %q", n, w, line)
			before, _, found := strings.Cut(line, "1,230.5")
			if at := draw.Width(before); found && begins >= 0 && at != begins {
				t.Errorf("%d columns: figures begin at %d and %d", w, begins, at)
			} else if found {
				begins = at
			}
		}
	}
	md := strings.ReplaceAll(d.Markdown(), "\\]", "")
	testkit.Lacks(t, md, append(marks, "\x1b", "\u202e", "/a/file")...)
	for line := range strings.Lines(md) {
		bars := strings.Count(strings.ReplaceAll(line, "\\|", ""), "|")
		testkit.That(t, bars == 0 || bars == 5, "%d bars in %q", bars, line)
	}
}

// TestWideTables: a table that is too wide loses what it can do without, then is cut
// into parts that each name their rows.
func TestWideTables(t *testing.T) {
	table := &Table{Cols: slices.Concat(words("who"), figures("aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd")),
		Dispensable: []string{"bbbbbbbb"}}
	table.row("me", "1", "2", "3", "4")
	d := &Doc{}
	d.table(table)
	for w, want := range map[int]string{
		80: "who  aaaaaaaa  bbbbbbbb  cccccccc  dddddddd\nme          1         2         3         4\n",
		35: "who  aaaaaaaa  cccccccc  dddddddd\nme          1         3         4\n",
		26: "who  aaaaaaaa  cccccccc\nme          1         3\n\nwho  dddddddd\nme          4\n",
	} {
		testkit.Is(t, d.Text(w), want, w, "columns")
	}
}
