package themes

import "github.com/lucasb-eyer/go-colorful"

// vision simulates a kind of vision: a matrix on linear-light sRGB. The three
// kinds of color blindness are those of Machado, Oliveira and Fernandes at
// severity 1.0 ("A Physiologically-based Model for Simulation of Color Vision
// Deficiency", 2009).
type vision struct {
	name string
	m    [9]float64
}

var visions = []vision{
	{"normal vision", [9]float64{1, 0, 0, 0, 1, 0, 0, 0, 1}},
	{"protanopia", [9]float64{
		0.152286, 1.052583, -0.204868,
		0.114503, 0.786281, 0.099216,
		-0.003882, -0.048116, 1.051998}},
	{"deuteranopia", [9]float64{
		0.367322, 0.860646, -0.227968,
		0.280085, 0.672501, 0.047413,
		-0.011820, 0.042940, 0.968881}},
	{"tritanopia", [9]float64{
		1.255528, -0.076749, -0.178779,
		-0.078411, 0.930809, 0.147602,
		0.004733, 0.691367, 0.303900}},
}

func (v vision) see(c Color) Color {
	r, g, b := c.colorful().LinearRgb()
	row := func(i int) float64 { return v.m[i]*r + v.m[i+1]*g + v.m[i+2]*b }
	return nearestRGB(colorful.LinearRgb(row(0), row(3), row(6)))
}

// apart returns the difference of c and d as seen by v: the distance in
// OKLab, times 100. A difference of 2 is just noticeable side by side.
func (v vision) apart(c, d Color) float64 { return 100 * v.see(c).oklab().dist(v.see(d).oklab()) }
