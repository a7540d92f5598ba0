//go:build !windows

package main

import (
	"strings"
	"testing"

	"tokscope/ui/svg"
)

const ground = "#000000"

// drawn returns the cells of rows. Roles: what stands in bold or bright is given
// by style.
func drawn(rows ...string) [][]svg.Cell {
	var cells [][]svg.Cell
	for _, row := range rows {
		var line []svg.Cell
		for _, r := range row {
			text := string(r)
			if r == ' ' {
				text = ""
			}
			line = append(line, svg.Cell{Text: text, Width: 1, Style: svg.Style{Fg: "#808080"}})
		}
		cells = append(cells, line)
	}
	return cells
}

// TestUnusedRoom holds the rule for columns and rows: stretches of two or more
// inside boxes, weighted by area.
func TestUnusedRoom(t *testing.T) {
	for _, c := range []struct {
		name          string
		rows          []string
		columns, rest float64
	}{
		{"full", []string{"╭─ a ─╮", "│abcde│", "╰─────╯"}, 0, 0},
		{"one blank column separates", []string{"╭─────╮", "│ab de│", "╰─────╯"}, 0, 0},
		{"two do not", []string{"╭─────╮", "│ab  e│", "╰─────╯"}, 0.4, 0},
		{"rows", []string{"╭─────╮", "│abcde│", "│     │", "│     │", "│     │", "╰─────╯"}, 0, 0.75},
		{"a split", []string{"╭──┬──╮", "│ab│cd│", "╰──┴──╯"}, 0, 0},
		{"by area", []string{"╭────╮╭────╮", "│abcd││    │", "╰────╯╰────╯"}, 0.5, 0},
		{"no box", []string{"header", "ab    ", "footer"}, 4.0 / 6, 0},
	} {
		if columns, rows := unused(drawn(c.rows...)); columns != c.columns || rows != c.rest {
			t.Errorf("%s: %v of the columns and %v of the rows, want %v and %v", c.name, columns, rows, c.columns, c.rest)
		}
	}
}

// TestFirstSeen holds the rule: bold before plain, figures of three rows before
// both, color before gray, and neither header, footer nor titles.
func TestFirstSeen(t *testing.T) {
	style := func(cells [][]svg.Cell, y int, s svg.Style) [][]svg.Cell {
		for x := range cells[y] {
			cells[y][x].Style = s
		}
		return cells
	}
	white := svg.Style{Fg: "#ffffff", Bold: true}
	page := func() [][]svg.Cell {
		return drawn("header ", "╭ box ╮", "│plain│", "│other│", "│TTFT │", "│█▀█  │", "│█▀█  │", "│▀▀▀  │", "╰─────╯", "footer ")
	}
	for name, c := range map[string]struct {
		cells [][]svg.Cell
		want  string
	}{
		"figures":     {page(), `the figure below "TTFT"`},
		"bold":        {style(page(), 3, white), "other"},
		"colored":     {style(page(), 2, svg.Style{Fg: "#ffc857"}), "plain"},
		"the header":  {style(page(), 0, white), `the figure below "TTFT"`},
		"the footer":  {style(page(), 9, white), `the figure below "TTFT"`},
		"the title":   {style(page(), 1, white), `the figure below "TTFT"`},
		"on a ground": {style(page(), 3, svg.Style{Fg: "#000000", Bg: "#ffffff"}), "other"},
	} {
		if got := first(c.cells, ground); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestCutRows finds ellipses, but not those of quotations.
func TestCutRows(t *testing.T) {
	s := measure(drawn("header", "a warning that is c…", "a reader is here ▸ “to have noth…”  9 behind", "footer"), ground)
	if len(s.cut) != 1 || !strings.Contains(s.cut[0], "warning") {
		t.Errorf("cut are %q", s.cut)
	}
}
