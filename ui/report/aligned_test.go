package report

import (
	"bytes"
	"strings"
	"testing"

	"tokscope/ui/draw"
)

// wideNames are of equal meaning to a table and of unequal bytes, runes and cells.
var wideNames = []string{"rechner", "a\u0308rger", "größe", "日本", "e\u0301"}

// TestColumnsAreOfCells checks that in each table a column begins or ends at the
// same cell of every row, whatever names are in the column before it.
func TestColumnsAreOfCells(t *testing.T) {
	rows := func() (rows [][]string) {
		for _, n := range wideNames {
			rows = append(rows, []string{"1", n, "|", "end"})
		}
		return rows
	}
	for name, print := range map[string]func(*strings.Builder){
		"printAligned": func(b *strings.Builder) { printAligned(b, rows(), 2) },
		"writeColumns": func(b *strings.Builder) { writeColumns(b, rows(), 1, 2) },
		"columns":      func(b *strings.Builder) { columns(b, rows()) },
		"align":        func(b *strings.Builder) { align(b, rows()) },
		"alignRight":   func(b *strings.Builder) { alignRight(b, rows()) },
		"printTable": func(b *strings.Builder) {
			var f []figureRow
			for _, n := range wideNames {
				f = append(f, figureRow{name: "TTFT", cells: []string{n, "|", "", "", "", ""}})
			}
			printTable(b, f)
		},
		"printColumns": func(b *strings.Builder) {
			printColumns(b, []column{{cells: wideNames, left: true}, {cells: strings.Split(strings.Repeat("|", len(wideNames)), "")}, {}})
		},
		"models": func(b *strings.Builder) {
			s := survey()
			s.Models = s.Models[:1]
			s.Machines, s.Pairs = s.Machines[:0], s.Pairs[:0]
			for _, n := range wideNames {
				m, p := survey().Machines[0], survey().Pairs[0]
				m.Key, p.Precision = n, "|"
				s.Machines, s.Pairs = append(s.Machines, m), append(s.Pairs, p)
			}
			var out bytes.Buffer
			if err := WriteModels(&out, s, Models{Width: 80}); err != nil {
				t.Fatal(err)
			}
			b.Write(out.Bytes())
		},
	} {
		var b strings.Builder
		print(&b)
		at, seen := -1, 0
		for line := range strings.Lines(b.String()) {
			before, _, found := strings.Cut(line, "|")
			if !found {
				continue
			}
			seen++
			if n := draw.Width(before); at >= 0 && n != at {
				t.Errorf("%s: the column begins at cell %d, and at %d in\n%s", name, at, n, b.String())
			}
			at = draw.Width(before)
		}
		if seen != len(wideNames) {
			t.Errorf("%s: %d rows were compared in\n%s", name, seen, b.String())
		}
	}
}
