package themes

import (
	"fmt"
	"math"
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

func toLinear(c uint8) float64 {
	v := float64(c) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func fromLinear(v float64) uint8 {
	v = min(max(v, 0), 1)
	if v <= 0.0031308 {
		v *= 12.92
	} else {
		v = 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return uint8(math.Round(v * 255))
}

// linear returns the linear-light sRGB parts of c, 0 to 1.
func (c Color) linear() (r, g, b float64) {
	cr, cg, cb, _ := c.RGB()
	return toLinear(cr), toLinear(cg), toLinear(cb)
}

func (c Color) lab() oklab {
	r, g, b := c.linear()
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return oklab{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func (o oklab) color() Color {
	l := o.L + 0.3963377774*o.a + 0.2158037573*o.b
	m := o.L - 0.1055613458*o.a - 0.0638541728*o.b
	s := o.L - 0.0894841775*o.a - 1.2914855480*o.b
	l, m, s = l*l*l, m*m*m, s*s*s
	r := fromLinear(4.0767416621*l - 3.3077115913*m + 0.2309699292*s)
	g := fromLinear(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s)
	b := fromLinear(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s)
	return RGB(uint32(r)<<16 | uint32(g)<<8 | uint32(b))
}

func (o oklab) dist(p oklab) float64 {
	return math.Sqrt((o.L-p.L)*(o.L-p.L) + (o.a-p.a)*(o.a-p.a) + (o.b-p.b)*(o.b-p.b))
}

func (o oklab) mix(p oklab, t float64) oklab {
	return oklab{o.L + (p.L-o.L)*t, o.a + (p.a-o.a)*t, o.b + (p.b-o.b)*t}
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
	return c.lab().mix(d.lab(), min(max(t, 0), 1)).color()
}

// ramp draws a line through the stops and returns n colours at equal
// perceived distances along it, the first and last stop included.
func ramp(stops []Color, n int) []Color {
	if len(stops) == 0 {
		return make([]Color, n)
	}
	out := make([]Color, 0, n)
	for _, s := range stops {
		if s&colorKind != colorRGB || len(stops) == 1 || n == 1 {
			for i := range n {
				out = append(out, stops[i*len(stops)/n])
			}
			return out
		}
	}
	var at []float64 // distance along the line at every stop
	total := 0.0
	for i := range stops {
		if i > 0 {
			total += stops[i-1].lab().dist(stops[i].lab())
		}
		at = append(at, total)
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

// luminance is the relative luminance of WCAG 2.2.
func (c Color) luminance() float64 {
	r, g, b := c.linear()
	return 0.2126*r + 0.7152*g + 0.0722*b
}

// Contrast is the contrast ratio of WCAG 2.2, 1 (none) to 21. It is 0 when
// either colour is the terminal's own and so not known.
func Contrast(c, d Color) float64 {
	if c&colorKind != colorRGB || d&colorKind != colorRGB {
		return 0
	}
	l, m := c.luminance(), d.luminance()
	return (max(l, m) + 0.05) / (min(l, m) + 0.05)
}
