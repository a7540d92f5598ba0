package draw

import "tokscope/themes"

// cell is 8 bytes, so that two frames can be compared as arrays.
type cell struct {
	r     rune        // character; -1-i for cluster i of the grid's table; 0 is blank
	st    themes.Role // 0 is Text
	w     uint8       // columns: 1 to 6; 0 for an unwritten cell, covered for one right of a wide one
	loose bool        // terminals may give it another width
}

// covered is the width of a cell that belongs to the wide one to its left.
const covered = 255

// Grid is a rectangle of cells.
type Grid struct {
	w, h   int
	margin int // columns to its right, see Margin
	cells  []cell
	clip   Rect
	clips  []Rect // clips to restore
	pop    func()

	targets []placed // what clicks mean

	clusters table
	fills    int // how often clusters was full
}

// New returns a blank grid. Negative sizes count as 0.
func New(w, h int) *Grid {
	g := &Grid{}
	g.pop = func() {
		if n := len(g.clips); n > 0 {
			g.clip, g.clips = g.clips[n-1], g.clips[:n-1]
		}
	}
	g.Resize(w, h)
	return g
}

// Resize makes the grid w by h, blank and without a clip.
func (g *Grid) Resize(w, h int) {
	g.w, g.h = max(w, 0), max(h, 0)
	if n := g.w * g.h; cap(g.cells) < n {
		g.cells = make([]cell, n)
	} else {
		g.cells = g.cells[:n]
	}
	g.Clear()
}

// Margin adds n columns at the right that nothing can draw into. A new grid
// has none. Patch fills them if the palette paints its own ground, so that
// the ground reaches the edge.
func (g *Grid) Margin(n int) {
	g.margin = n
}

// Size returns columns and rows.
func (g *Grid) Size() (w, h int) { return g.w, g.h }

// Bounds returns the whole grid.
func (g *Grid) Bounds() Rect { return Rect{0, 0, g.w, g.h} }

// Clear blanks every cell, removes every clip and forgets every target.
func (g *Grid) Clear() {
	clear(g.cells)
	g.clip, g.clips = g.Bounds(), g.clips[:0]
	g.targets = g.targets[:0]
	if g.clusters.full() {
		clear(g.clusters.index)
		g.clusters.text = g.clusters.text[:0]
		g.fills++
	}
}

// Clip limits drawing to the intersection of r and the current clip, until
// restore is called. Clips nest; restore removes the latest one.
func (g *Grid) Clip(r Rect) (restore func()) {
	g.clips = append(g.clips, g.clip)
	g.clip = g.clip.Intersect(r)
	return g.pop
}

// Set writes r at x, y. Control characters and lone zero-width characters
// become U+FFFD. A wide character that crosses the clip's right edge becomes
// a blank.
func (g *Grid) Set(x, y int, r rune, st themes.Role) {
	if !g.clip.Contains(x, y) {
		return
	}
	w := 1
	if !narrow(r) {
		r, w = proper(r)
	}
	g.setCell(x, y, cell{r: r, st: st, w: uint8(w)})
}

// setCell writes a cell whose left end is within the clip.
func (g *Grid) setCell(x, y int, c cell) {
	if x+int(c.w) > g.clip.Right() {
		c = cell{r: ' ', st: c.st, w: 1}
	}
	i := y*g.w + x
	g.split(i)
	for j := i + 1; j < i+int(c.w); j++ {
		g.split(j)
		g.cells[j] = cell{st: c.st, w: covered}
	}
	g.cells[i] = c
}

// split blanks the other cells of the wide one that cell i belongs to.
func (g *Grid) split(i int) {
	head := i
	for g.cells[head].w == covered {
		head--
	}
	for j := head + 1; j < head+int(g.cells[head].w); j++ {
		g.cells[j] = cell{r: ' ', st: g.cells[j].st, w: 1}
	}
	if head < i {
		g.cells[head] = cell{r: ' ', st: g.cells[head].st, w: 1}
	}
}

// Fill writes c into every cell of r.
func (g *Grid) Fill(r Rect, c rune, st themes.Role) {
	r = r.Intersect(g.clip)
	if !narrow(c) {
		if p, w := proper(c); w != 2 {
			c = p
		} else {
			c = ' '
		}
	}
	for y := r.Y; y < r.Bottom(); y++ {
		for x := r.X; x < r.Right(); x++ {
			g.setCell(x, y, cell{r: c, st: st, w: 1})
		}
	}
}

// Across writes c into n cells from x, y to the right.
func (g *Grid) Across(x, y, n int, c rune, st themes.Role) { g.Fill(Rect{x, y, n, 1}, c, st) }

// Down writes c into n cells from x, y down.
func (g *Grid) Down(x, y, n int, c rune, st themes.Role) { g.Fill(Rect{x, y, 1, n}, c, st) }

// Style sets the role of every cell of r and keeps the characters. A wide
// character gets the role of its left half.
func (g *Grid) Style(r Rect, st themes.Role) {
	if r = r.Intersect(g.clip); r.Empty() {
		return
	}
	for y := r.Y; y < r.Bottom(); y++ {
		row := g.cells[y*g.w+r.X : y*g.w+r.Right()]
		for i := range row {
			row[i].st = st
		}
	}
}

// Recede puts r behind what is drawn next: its text is faint, and its frames, and what
// was faint already, are left out.
func (g *Grid) Recede(r Rect) {
	r = r.Intersect(g.clip)
	for y := r.Y; y < r.Bottom(); y++ {
		for x := r.X; x < r.Right(); x++ {
			c := &g.cells[y*g.w+x]
			if c.w == 1 && (c.st == themes.Border || c.st == themes.BorderFocus || c.st == themes.Faint) {
				c.r = ' '
			}
			c.st = themes.Faint
		}
	}
}

// At returns the text and the role of a cell. The text is "" for what a wide cell
// covers to its right and outside the grid, and " " for a blank.
func (g *Grid) At(x, y int) (text string, st themes.Role) {
	if !g.Bounds().Contains(x, y) {
		return "", themes.Text
	}
	c := g.cells[y*g.w+x]
	if c.w == covered {
		return "", c.st
	}
	return string(g.clusters.append(nil, c)), c.st
}

// Target is the meaning of a click on a part of the frame. Every screen has
// its own target types and reads them with a type switch. A small number as
// its value costs no allocation in a frame.
type Target any

// placed is a target and its place.
type placed struct {
	Rect
	what Target
}

// Target registers what as the target of clicks in r, until Clear. Where
// places overlap, the last one counts. A place outside the clip, or an empty
// r, cannot be clicked.
func (g *Grid) Target(r Rect, what Target) {
	if r = r.Intersect(g.clip); !r.Empty() {
		g.targets = append(g.targets, placed{r, what})
	}
}

// TargetAt returns the target at the cell x, y, or nil.
func (g *Grid) TargetAt(x, y int) Target {
	for i := len(g.targets) - 1; i >= 0; i-- {
		if g.targets[i].Contains(x, y) {
			return g.targets[i].what
		}
	}
	return nil
}
