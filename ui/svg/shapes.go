package svg

import (
	"bytes"
	"fmt"
)

// Arms of a box-drawing character.
const (
	armUp = 1 << iota
	armDown
	armLeft
	armRight
)

// boxArms are the characters that are drawn as lines, so that boxes close
// with any font.
var boxArms = map[rune]int{
	'─': armLeft | armRight, '│': armUp | armDown, '╭': armDown | armRight,
	'╮': armDown | armLeft, '╰': armUp | armRight, '╯': armUp | armLeft,
	'┌': armDown | armRight, '┐': armDown | armLeft, '└': armUp | armRight, '┘': armUp | armLeft,
	'├': armUp | armDown | armRight, '┤': armUp | armDown | armLeft, '┬': armDown | armLeft | armRight,
	'┴': armUp | armLeft | armRight, '┼': armUp | armDown | armLeft | armRight,
}

func drawBox(b *bytes.Buffer, arms int, left, top float64, stroke string) {
	cx, cy := left+cellW/2, top+cellH/2
	for _, a := range []struct {
		arm  int
		x, y float64
	}{{armUp, cx, top}, {armDown, cx, top + cellH}, {armLeft, left, cy}, {armRight, left + cellW, cy}} {
		if arms&a.arm != 0 {
			fmt.Fprintf(b, `<path d="M%.1f %.1fL%.1f %.1f" stroke="%s"/>`+"\n", cx, cy, a.x, a.y, stroke)
		}
	}
}

// brailleDots are the places of a pattern's bits, as column and row.
var brailleDots = [8][2]float64{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}}

// drawBraille draws a braille pattern (U+2800 to U+28FF) as dots, because few
// fonts have one of the width of a cell. A dot has a length: some viewers draw no line
// without one.
func drawBraille(b *bytes.Buffer, r rune, left, top float64, fill string) {
	if r == 0x2800 {
		return
	}
	b.WriteString(`<path d="`)
	for i, at := range brailleDots {
		if r&(1<<i) != 0 {
			fmt.Fprintf(b, "M%.1f %.1fh.1", left+(at[0]+.5)*cellW/2, top+(at[1]+.5)*cellH/4)
		}
	}
	fmt.Fprintf(b, `" stroke="%s" stroke-width="2.2" stroke-linecap="square"/>`+"\n", fill)
}

// quadrants are those of U+2596 to U+259F: the bits are lower left, lower right, upper
// left, upper right.
var quadrants = [10]int{0b1, 0b10, 0b100, 0b111, 0b110, 0b1101, 0b1110, 0b1000, 0b1001, 0b1011}

// drawBlock draws a block element (U+2580 to U+259F) as rectangles, so that
// bars have no seams with any font.
func drawBlock(b *bytes.Buffer, r rune, left, top float64, fill string) {
	rect := func(x, y, w, h, opacity float64) {
		fmt.Fprintf(b, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s" fill-opacity="%.2f"/>`+"\n",
			left+x*cellW, top+y*cellH, w*cellW+.05, h*cellH+.05, fill, opacity)
	}
	switch {
	case r == 0x2580:
		rect(0, 0, 1, .5, 1)
	case r >= 0x2581 && r <= 0x2588:
		n := float64(r-0x2580) / 8
		rect(0, 1-n, 1, n, 1)
	case r >= 0x2589 && r <= 0x258f:
		rect(0, 0, float64(0x2590-r)/8, 1, 1)
	case r == 0x2590:
		rect(.5, 0, .5, 1, 1)
	case r >= 0x2591 && r <= 0x2593:
		rect(0, 0, 1, 1, float64(r-0x2590)/4)
	case r == 0x2594:
		rect(0, 0, 1, .125, 1)
	case r == 0x2595:
		rect(.875, 0, .125, 1, 1)
	default:
		for i := range 4 {
			if quadrants[r-0x2596]&(1<<i) != 0 {
				rect(float64(i%2)*.5, .5-float64(i/2)*.5, .5, .5, 1)
			}
		}
	}
}
