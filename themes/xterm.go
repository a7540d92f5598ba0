package themes

import "sync"

// cube holds the six steps of each axis of xterm's color cube.
var cube = [6]uint8{0, 95, 135, 175, 215, 255}

// nearest256 returns the nearest of xterm's colors 16 to 255, by distance in
// OKLab. It skips the first 16, because users change them.
func nearest256(c Color) uint8 {
	want, best, at := c.oklab(), 9.0, 0
	for i, l := range xtermLabs() {
		if d := want.dist(l); d < best {
			best, at = d, i
		}
	}
	return uint8(16 + at)
}

var xtermLabs = sync.OnceValue(func() (labs [240]oklab) {
	for i := range labs {
		labs[i] = xterm(uint8(16 + i)).oklab()
	}
	return labs
})

// xterm returns the standard value of xterm's color 16 to 255.
func xterm(i uint8) Color {
	if i >= 232 {
		v := uint32(8 + 10*int(i-232))
		return RGB(v<<16 | v<<8 | v)
	}
	n := i - 16
	return RGB(uint32(cube[n/36])<<16 | uint32(cube[n/6%6])<<8 | uint32(cube[n%6]))
}
