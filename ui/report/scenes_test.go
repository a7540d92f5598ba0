package report

import (
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// scene is a report and what it shows.
type scene struct {
	shows string
	doc   *Doc
}

// show compares scenes with a golden file and checks that they fit. The first is there
// as text of 80 and of 40 columns and as Markdown, another as its text of 80 columns, or
// as the lines that the first has not and the other way around, whichever is shorter.
func show(t *testing.T, file string, scenes ...scene) {
	t.Helper()
	first := scenes[0].doc
	all := "# " + scenes[0].shows + "\n" + first.Text(80) + "# 40 columns\n" + first.Text(40) +
		"# Markdown\n" + first.Markdown()
	for i, x := range scenes {
		fits(t, file+", "+x.shows, x.doc)
		if i > 0 {
			all += "# " + x.shows + "\n" + shorter(x.doc.Text(80), without("+ ", x.doc.Text(80), first.Text(80))+
				without("- ", first.Text(80), x.doc.Text(80)))
		}
	}
	golden.Text(t, file, all)
}

func shorter(a, b string) string {
	if len(a) < len(b) {
		return a
	}
	return b
}

// without are the lines of text that other has not, behind sign.
func without(sign, text, other string) (out string) {
	have := strings.Split(other, "\n")
	for line := range strings.SplitSeq(text, "\n") {
		if !slices.Contains(have, line) {
			out += sign + line + "\n"
		}
	}
	return out
}

// fits checks at many widths that no line is over the width but for one word that is
// too long, that no figure of a table is cut or lost, and that no text is a command.
func fits(t *testing.T, name string, d *Doc) {
	t.Helper()
	prose, least := &Doc{ASCII: d.ASCII}, 40
	for _, x := range d.blocks {
		if _, drawn := x.(picture); !drawn { // has a width of its own
			prose.blocks = append(prose.blocks, x)
		}
		if t, ok := x.(*Table); ok {
			for _, part := range t.parts(1, 1) { // its widest column, beside those that name the rows
				least = max(least, part.width(1))
			}
		}
	}
	for w := least; w <= 160; w += 8 {
		text := prose.Text(w)
		for line := range strings.Lines(text) {
			long := func(word string) bool { return draw.Width(word) > max(w-leastLast, leastText) }
			line = strings.TrimSuffix(line, "\n")
			if draw.Width(line) > w && !slices.ContainsFunc(strings.Fields(line), long) {
				t.Errorf("%s: %d columns in %d: %q", name, draw.Width(line), w, line)
			}
		}
		for _, x := range prose.blocks {
			if table, ok := x.(*Table); ok && !d.ASCII {
				table.hasFigures(t, name, text)
			}
		}
	}
	if text := d.Text(0) + d.Markdown(); strings.ContainsAny(text, "\x1b\a\u202e\u009b") {
		t.Errorf("%s: a command in %q", name, text)
	}
	testkit.Lacks(t, strings.ReplaceAll(d.Markdown(), "\\]", ""), marks...)
}

// hasFigures checks that a text has all figures of a table that no width may drop.
func (t *Table) hasFigures(tb testing.TB, name, text string) {
	tb.Helper()
	for i, c := range t.Cols {
		for _, r := range t.Rows {
			if !c.Words && !c.Drawn && !slices.Contains(t.Dispensable, c.Name) && !strings.Contains(text, clean(r[i])) {
				tb.Errorf("%s: no %s %q in\n%s", name, c.Name, r[i], text)
			}
		}
	}
}

// edited is a value after a change of it.
func edited[V any](v V, change func(V)) V {
	change(v)
	return v
}
