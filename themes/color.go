package themes

import (
	"fmt"
	"math"

	"github.com/lucasb-eyer/go-colorful"
)

// Color is a colour of a theme: the terminal's own default (the zero value),
// one of its 16 colours, or a colour by its sRGB value.
type Color uint32

const (
	colorRGB  Color = 1 << 24
	colorANSI Color = 2 << 24
	colorKind Color = 3 << 24
)

// RGB is the colour 0xRRGGBB.
func RGB(hex uint32) Color { return colorRGB | Color(hex&0xffffff) }

// ANSI is the terminal's own colour 0 to 15.
func ANSI(n uint8) Color { return colorANSI | Color(n&15) }

// RGB returns the sRGB parts; ok is false for the terminal's own colours,
// whose values are not known.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c&colorKind == colorRGB
}

// String is "#rrggbb", "ansi 3" or "default".
func (c Color) String() string {
	switch c & colorKind {
	case colorRGB:
		return fmt.Sprintf("#%06x", uint32(c&0xffffff))
	case colorANSI:
		return fmt.Sprintf("ansi %d", c&15)
	}
	return "default"
}

// oklab is a colour in OKLab (Björn Ottosson, "A perceptual color space for
// image processing", 2020): equal distances look about equally different.
// L runs from 0 (black) to 1 (white).
type oklab struct{ L, a, b float64 }

func (c Color) oklab() oklab {
	l, a, b := c.colorful().OkLab()
	return oklab{l, a, b}
}

func (o oklab) dist(p oklab) float64 {
	return math.Sqrt((o.L-p.L)*(o.L-p.L) + (o.a-p.a)*(o.a-p.a) + (o.b-p.b)*(o.b-p.b))
}

// colorful is c for the library that computes with colors. The terminal's own
// colors are black.
func (c Color) colorful() colorful.Color {
	r, g, b, _ := c.RGB()
	return colorful.Color{R: float64(r) / 255, G: float64(g) / 255, B: float64(b) / 255}
}

// nearestRGB is the color nearest to c that sRGB has.
func nearestRGB(c colorful.Color) Color {
	r, g, b := c.Clamped().RGB255()
	return RGB(uint32(r)<<16 | uint32(g)<<8 | uint32(b))
}

// Mix goes the share t (0 to 1) of the way from c to d in OKLab. Where either
// is one of the terminal's own colours it returns c for t < 0.5, else d.
func Mix(c, d Color, t float64) Color {
	if c&colorKind != colorRGB || d&colorKind != colorRGB {
		if t < 0.5 {
			return c
		}
		return d
	}
	return nearestRGB(c.colorful().BlendOkLab(d.colorful(), min(max(t, 0), 1)))
}

// ramp draws a line through the stops and returns n colours at equal
// perceived distances along it, the first and last stop included.
func ramp(stops []Color, n int) []Color {
	if len(stops) == 0 {
		return make([]Color, n)
	}
	out := make([]Color, 0, n)
	var at []float64 // distance along the line at every stop
	total, steps := 0.0, len(stops) == 1 || n == 1
	for i, s := range stops {
		if i > 0 {
			total += stops[i-1].oklab().dist(s.oklab())
		}
		at = append(at, total)
		steps = steps || s&colorKind != colorRGB
	}
	if steps {
		for i := range n {
			out = append(out, stops[i*len(stops)/n])
		}
		return out
	}
	seg := 0
	for i := range n {
		d := total * float64(i) / float64(n-1)
		for seg < len(stops)-2 && at[seg+1] < d {
			seg++
		}
		span := at[seg+1] - at[seg]
		if span == 0 {
			span = 1
		}
		out = append(out, Mix(stops[seg], stops[seg+1], (d-at[seg])/span))
	}
	return out
}
