package draw

// blankDots is the braille pattern without a dot.
const blankDots = 0x2800

// dotBits holds the bit of each dot, by row and column.
var dotBits = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// Dot returns braille pattern r with the dot at column x, 0 or 1, and row y,
// 0 to 3, set. An r that is not a braille pattern counts as blank. Curves use
// it, with two by four dots per cell.
func Dot(r rune, x, y int) rune {
	if r < blankDots || r > blankDots+0xff {
		r = blankDots
	}
	return r | dotBits[y&3][x&1]
}
