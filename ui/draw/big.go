package draw

import (
	"math"

	"tokscope/themes"
	"tokscope/ui/format"
)

// BigHeight is the height of Big's numerals, in rows.
const BigHeight = 3

// numeral is one character of the big font: three rows of equal width.
type numeral [BigHeight]string

// solid is five half rows high, made of half blocks. Its square pixels can be
// read across a room.
var solid = map[rune]numeral{
	'0': {"█▀█", "█ █", "▀▀▀"},
	'1': {"▀█ ", " █ ", "▀▀▀"},
	'2': {"▀▀█", "█▀▀", "▀▀▀"},
	'3': {"▀▀█", " ▀█", "▀▀▀"},
	'4': {"█ █", "▀▀█", "  ▀"},
	'5': {"█▀▀", "▀▀█", "▀▀▀"},
	'6': {"█▀▀", "█▀█", "▀▀▀"},
	'7': {"▀▀█", "  █", "  ▀"},
	'8': {"█▀█", "█▀█", "▀▀▀"},
	'9': {"█▀█", "▀▀█", "▀▀▀"},
	'.': {" ", " ", "▀"},
	',': {" ", " ", "█"},
	':': {" ", "▀", "▀"},
	'-': {"  ", "▀▀", "  "},
	'–': {"  ", "▀▀", "  "},
	'+': {"   ", "▀█▀", "   "},
	'%': {"▀ ▄", " ▞ ", "▀ ▀"},
	'x': {"   ", "▀▄▀", "▀ ▀"},
	'−': {"  ", "▀▀", "  "},
	'<': {" ▄", "▀▄", "  "},
	'>': {"▄ ", "▄▀", "  "},
	' ': {" ", " ", " "},
}

// segments is the ASCII font, after seven-segment displays.
var segments = map[rune]numeral{
	'0': {" _ ", "| |", "|_|"},
	'1': {"   ", "  |", "  |"},
	'2': {" _ ", " _|", "|_ "},
	'3': {" _ ", " _|", " _|"},
	'4': {"   ", "|_|", "  |"},
	'5': {" _ ", "|_ ", " _|"},
	'6': {" _ ", "|_ ", "|_|"},
	'7': {" _ ", "  |", "  |"},
	'8': {" _ ", "|_|", "|_|"},
	'9': {" _ ", "|_|", " _|"},
	'.': {" ", " ", "."},
	',': {" ", " ", ","},
	':': {" ", ".", "."},
	'-': {"  ", "__", "  "},
	'–': {"  ", "__", "  "},
	'+': {"   ", "_|_", " | "},
	'%': {"o /", " / ", "/ o"},
	'x': {"   ", "\\ /", "/ \\"},
	'−': {"  ", "__", "  "},
	'<': {" /", "/ ", "\\ "},
	'>': {"\\ ", " \\", "/ "},
	' ': {" ", " ", " "},
}

// Big writes s from x, y in numerals of three rows, with one blank column
// between them. It returns the columns used, at most max. It knows digits and
// ". , : - − – + % x < >", and skips other characters. It draws whole
// numerals only.
func (g *Grid) Big(x, y int, s string, gl *themes.Glyphs, st themes.Role, max int) int {
	used := 0
	f := format.Either(gl.ASCII, segments, solid)
	for _, r := range s {
		n, ok := f[r]
		if !ok {
			continue
		}
		gap, w := min(used, 1), Width(n[0])
		if used+gap+w > max {
			break
		}
		used += gap
		for row, line := range n {
			g.Text(x+used, y+row, line, st, w)
		}
		used += w
	}
	return used
}

// BigWidth returns the number of columns that Big needs for s.
func BigWidth(s string, gl *themes.Glyphs) int {
	return new(Grid).Big(0, 0, s, gl, themes.Text, math.MaxInt)
}
