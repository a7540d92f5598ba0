//go:build !windows

package main

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"tokscope/ui/svg"
)

// screen is what was measured of one screen.
type screen struct {
	text    string
	first   string   // what is seen first
	cut     []string // rows with an ellipsis
	columns float64  // share of the boxes' columns without a mark, 0 to 1
	rows    float64  // share of their rows
}

// excerpt is a quotation that says itself that it is one. It is no cut row.
var excerpt = regexp.MustCompile(`“[^”]*…”`)

// outerSize is the size of a picture in its first element.
var outerSize = regexp.MustCompile(`width="\d+" height="\d+" viewBox`)

// measure looks at the cells of a screen on that background.
func measure(cells [][]svg.Cell, background string) screen {
	var s screen
	for _, row := range cells {
		line := strings.TrimRight(textOf(row, 0, len(row)), " ")
		if strings.Contains(excerpt.ReplaceAllString(line, ""), "…") {
			s.cut = append(s.cut, strings.TrimSpace(line))
		}
		s.text += line + "\n"
	}
	s.first = first(cells, background)
	s.columns, s.rows = unused(cells)
	return s
}

func textOf(row []svg.Cell, from, to int) string {
	var b strings.Builder
	for _, c := range row[from:to] {
		if c.Text == "" {
			b.WriteByte(' ')
		} else {
			b.WriteString(c.Text)
		}
	}
	return b.String()
}

func glyph(c svg.Cell) rune {
	r, _ := utf8.DecodeRuneInString(c.Text)
	if c.Text == "" {
		return ' '
	}
	return r
}

// unused returns the share of columns and of rows inside the boxes in which
// nothing stands. A single blank column or row between two used ones separates
// them and counts as used. A box counts by its area. Without a box the screen is
// one.
func unused(cells [][]svg.Cell) (columns, rows float64) {
	area := 0.0
	for _, b := range boxes(cells) {
		var col, row []bool
		for range b.w {
			col = append(col, false)
		}
		for range b.h {
			row = append(row, false)
		}
		for y := range b.h {
			for x := range b.w {
				if r := glyph(cells[b.y+y][b.x+x]); r != ' ' && r != '│' || cells[b.y+y][b.x+x].Style.Bg != "" {
					col[x], row[y] = true, true
				}
			}
		}
		size := float64(b.w * b.h)
		area += size
		columns += size * share(col)
		rows += size * share(row)
	}
	return columns / max(area, 1), rows / max(area, 1)
}

// share is how much of used is false, in stretches of two or more.
func share(used []bool) float64 {
	free := 0
	for i := 0; i < len(used); {
		j := i
		for j < len(used) && !used[j] {
			j++
		}
		if j-i >= 2 {
			free += j - i
		}
		i = max(j, i+1)
	}
	return float64(free) / float64(max(len(used), 1))
}

type rect struct{ x, y, w, h int }

// boxes returns the insides of all boxes.
func boxes(cells [][]svg.Cell) (found []rect) {
	at := func(x, y int) rune { return glyph(cells[y][x]) }
	for y := range cells {
		for x := range cells[y] {
			if at(x, y) != '╭' {
				continue
			}
			right, bottom := x+1, y+1
			for right < len(cells[y]) && at(right, y) != '╮' {
				right++
			}
			for bottom < len(cells) && at(x, bottom) != '╰' {
				bottom++
			}
			if right < len(cells[y]) && bottom < len(cells) && at(right, bottom) == '╯' {
				found = append(found, rect{x + 1, y + 1, right - x - 1, bottom - y - 1})
			}
		}
	}
	if len(found) == 0 && len(cells) > 2 {
		found = append(found, rect{0, 1, len(cells[0]), len(cells) - 2})
	}
	return found
}

// first returns what is seen first: the element with the largest prominence.
//
//	prominence = contrast × size
//
// contrast is that of the element's color against the ground (WCAG 2). The size
// of a text is 1, of bold text 1.3, and of text on a ground of its own 1.6. The
// size of what is drawn from blocks or dots is √(cells × filled): filled is the share
// of a cell that is filled. An element is a run of cells of one style, with
// single blanks inside; drawn rows that touch and have one style are one element.
// A color counts by its saturation too: the prominence grows by half of it. The
// header, the footer, and borders with their titles do not count: every screen
// has them.
func first(cells [][]svg.Cell, background string) string {
	var drawn []element
	all := boxes(cells)
	best, what := 0.0, ""
	for y := 1; y < len(cells)-1; y++ {
		for _, e := range elements(cells[y], y) {
			if titled(all, e) {
				continue
			}
			if e.filled > 0 {
				drawn = join(drawn, e)
				continue
			}
			if p := e.contrast(background) * e.textSize(); p > best {
				best, what = p, strings.TrimSpace(e.text)
			}
		}
	}
	for i := range drawn {
		e := &drawn[i]
		if p := e.contrast(background) * math.Sqrt(e.filled); p > best {
			best, what = p, e.name(cells)
		}
	}
	return what
}

// titled reports whether e is on the border of a box.
func titled(all []rect, e element) bool {
	for _, b := range all {
		if (e.y0 == b.y-1 || e.y0 == b.y+b.h) && e.x0 >= b.x-1 && e.x1 <= b.x+b.w {
			return true
		}
	}
	return false
}

// element is something that is seen as one.
type element struct {
	style  svg.Style
	x0, x1 int // columns
	y0, y1 int // rows
	filled float64
	text   string
}

func elements(row []svg.Cell, y int) (out []element) {
	for x := 0; x < len(row); x++ {
		c := row[x]
		if c.Text == "" || c.Text == " " || frame(glyph(c)) {
			continue
		}
		e := element{style: c.Style, x0: x, y0: y, y1: y, filled: inkOf(glyph(c))}
		e.x1 = x
		for n := x + 1; n < len(row) && n-e.x1 <= 2; n++ {
			d := row[n]
			if d.Text == "" || d.Text == " " {
				continue
			}
			if d.Style != c.Style || (inkOf(glyph(d)) > 0) != (e.filled > 0) || frame(glyph(d)) {
				break
			}
			e.x1 = n
			e.filled += inkOf(glyph(d))
		}
		e.text = textOf(row, e.x0, e.x1+1)
		out = append(out, e)
		x = e.x1
	}
	return out
}

// join adds e to the element that it touches from below.
func join(all []element, e element) []element {
	for i := range all {
		o := &all[i]
		if o.y1+1 == e.y0 && o.style == e.style && e.x0 <= o.x1+1 && o.x0 <= e.x1+1 {
			o.y1, o.x0, o.x1, o.filled = e.y1, min(o.x0, e.x0), max(o.x1, e.x1), o.filled+e.filled
			return all
		}
	}
	return append(all, e)
}

// name says what a drawn element is, by the text above its left edge: a figure
// stands below its label.
func (e *element) name(cells [][]svg.Cell) string {
	if e.y1-e.y0 == 2 && e.y0 > 1 {
		above := strings.Fields(textOf(cells[e.y0-1], e.x0, min(e.x0+20, len(cells[0]))))
		if len(above) > 0 {
			return "the figure below " + strconv.Quote(above[0])
		}
	}
	where := "the screen"
	for _, b := range boxes(cells) {
		if b.x > 0 && e.x0 >= b.x && e.x0 < b.x+b.w && e.y0 >= b.y && e.y0 < b.y+b.h {
			title := textOf(cells[b.y-1], b.x, b.x+b.w)
			if split := strings.IndexRune(title, '┬'); split >= 0 && e.x0 > b.x+utf8.RuneCountInString(title[:split]) {
				title = title[split:]
			}
			where = strings.Trim(strings.SplitN(strings.Trim(title, "─┬ "), " ─ ", 2)[0], "─ ")
		}
	}
	return fmt.Sprintf("%d columns by %d rows drawn in %q", e.x1-e.x0+1, e.y1-e.y0+1, where)
}

func (e *element) textSize() float64 {
	switch {
	case e.style.Bg != "":
		return 1.6
	case e.style.Bold:
		return 1.3
	}
	return 1
}

func frame(r rune) bool { return r >= '─' && r <= '╿' }

// inkOf is the filled share of a drawn glyph, 0 for text.
func inkOf(r rune) float64 {
	switch {
	case r >= 0x2800 && r <= 0x28ff:
		return float64(bits.OnesCount8(uint8(r-0x2800))) / 8 * 0.5
	case r >= '▁' && r <= '█':
		return float64(r-'▁'+1) / 8
	case r >= '▉' && r <= '▏':
		return float64('▏'-r+1) / 8
	case r == '▀' || r >= '▐' && r <= '▟':
		return 0.5
	}
	return 0
}

// contrast is that of the element against the ground, 1 to 21, and the part of
// its saturation.
func (e *element) contrast(background string) float64 {
	c := e.style.Fg
	if e.style.Bg != "" {
		c = e.style.Bg
	}
	a, b := luminance(c), luminance(background)
	return (max(a, b) + 0.05) / (min(a, b) + 0.05) * (1 + saturation(c)/2)
}

// saturation is that of "#rrggbb", 0 to 1 (HSV).
func saturation(c string) float64 {
	low, high := 255.0, 0.0
	for i := range 3 {
		v, err := strconv.ParseUint(c[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return 0
		}
		low, high = min(low, float64(v)), max(high, float64(v))
	}
	return (high - low) / max(high, 1)
}

// luminance is the relative luminance of "#rrggbb" by WCAG 2.
func luminance(c string) float64 {
	sum := 0.0
	for i, weight := range [...]float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(c[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return 0
		}
		x := float64(v) / 255
		if x <= 0.04045 {
			x /= 12.92
		} else {
			x = math.Pow((x+0.055)/1.055, 2.4)
		}
		sum += weight * x
	}
	return sum
}

const tableHead = "| state | size | first seen | rows cut | columns unused | rows unused |\n|---|---|---|---|---|---|\n"

// row is the line of the table.
func (s *shot) row() string {
	light := ""
	if s.light {
		light = ", light"
	}
	cut := "none"
	if n := len(s.seen.cut); n > 0 {
		cut = strconv.Itoa(n) + ": " + strings.ReplaceAll(s.seen.cut[0], "|", "/")
	}
	return fmt.Sprintf("| %s%s | %dx%d | %s | %s | %.0f %% | %.0f %% |\n", s.state, light, s.size[0], s.size[1], s.seen.first, cut, 100*s.seen.columns, 100*s.seen.rows)
}

// writeTable replaces the table of the page.
func writeTable(path, table string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, _, ok := strings.Cut(string(page), tableHead)
	if !ok {
		return fmt.Errorf("%s has no table", path)
	}
	return os.WriteFile(path, []byte(before+table), 0o644)
}
