//go:build !windows

package vterm

import (
	"fmt"
	"image/color"

	uv "github.com/charmbracelet/ultraviolet"

	"tokscope/ui/svg"
)

// SVG draws the present screen.
func (x *Term) SVG(look svg.Look) []byte {
	rows := x.Cells(look)
	return svg.Screen(len(rows[0]), len(rows), look.Background, func(col, row int) svg.Cell { return rows[row][col] })
}

// Cells returns the present screen, row by row.
func (x *Term) Cells(look svg.Look) [][]svg.Cell {
	x.mu.Lock()
	defer x.mu.Unlock()
	rows := make([][]svg.Cell, x.vt.Height())
	for row := range rows {
		for col := range x.vt.Width() {
			cell := svg.Cell{Style: svg.Style{Fg: look.Foreground}}
			if c := x.vt.CellAt(col, row); c != nil {
				cell = svg.Cell{Text: c.Content, Width: c.Width, Style: styleOf(&c.Style, look)}
			}
			rows[row] = append(rows[row], cell)
		}
	}
	return rows
}

func styleOf(s *uv.Style, look svg.Look) svg.Style {
	st := svg.Style{Fg: look.Foreground, Bold: s.Attrs&uv.AttrBold != 0}
	if s.Fg != nil {
		st.Fg = hex(s.Fg)
	}
	if s.Bg != nil {
		st.Bg = hex(s.Bg)
	}
	if s.Attrs&uv.AttrReverse != 0 {
		if st.Bg == "" {
			st.Bg = look.Background
		}
		st.Fg, st.Bg = st.Bg, st.Fg
	}
	return st
}

func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
