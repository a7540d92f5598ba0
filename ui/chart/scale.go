package chart

import "math"

// Series are round numbers: its values, ascending from 1 to below 10, times every
// power of ten. They are counted from 1, which is number 0.
type Series []float64

var (
	// Round are 1, 2, 5, 10, 20, 50 …
	Round = Series{1, 2, 5}
	tens  = Series{1}
)

// At returns number i, which may be negative.
func (s Series) At(i int) float64 {
	power := int(math.Floor(float64(i) / float64(len(s))))
	return s[i-power*len(s)] * math.Pow10(power)
}

// Below returns the largest number that is not above v, but for rounding. v must be
// above 0 and finite.
func (s Series) Below(v float64) int {
	i := len(s) * int(math.Floor(math.Log10(v)+1e-9))
	for s.At(i+1) <= v*(1+1e-9) {
		i++
	}
	return i
}

// Above returns the smallest number that is not below v, but for rounding. v must be
// above 0 and finite.
func (s Series) Above(v float64) int {
	i := s.Below(v)
	if s.At(i) < v*(1-1e-9) {
		i++
	}
	return i
}

// Nice returns the smallest of 1, 2, 5, 10, 20, 50 … times a power of ten that is at
// least v. For v of 0 or less, and for no number, it is 1.
func Nice(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 1
	}
	return Round.At(Round.Above(v))
}

// Scale maps values to rows of dots, four in a row of cells, counted from the bottom.
// Its ends lie in the middle of the outer cells, so that a number beside a cell stands
// for its middle.
type Scale struct {
	Min, Max float64
	Log      bool // logarithmic; Min must be above 0
	Ends     bool // they are round and have numbers
	Rows     int  // of cells
}

// Share returns the place of v, 0 at Min and 1 at Max. It is negative infinity for
// what a logarithmic scale has no place for.
func (c Scale) Share(v float64) float64 {
	if !c.Log {
		return (v - c.Min) / (c.Max - c.Min)
	}
	if !(v > 0) {
		return math.Inf(-1)
	}
	return math.Log(v/c.Min) / math.Log(c.Max/c.Min)
}

// Dot returns the row of dots that holds v. off is 1 where v lies above the picture and
// -1 where it lies below; the dot is then the outermost.
func (c Scale) Dot(v float64) (y, off int) {
	switch h := math.Floor(2 + c.Share(v)*float64(4*c.Rows-4)); {
	case h >= float64(4*c.Rows):
		return 4*c.Rows - 1, 1
	case !(h >= 0):
		return 0, -1
	default:
		return int(h), 0
	}
}

// Row returns the row of cells that holds v, 0 at the top, and off as Dot.
func (c Scale) Row(v float64) (row, off int) {
	y, off := c.Dot(v)
	return c.Rows - 1 - y/4, off
}

// Value returns the value at a height in dots above the lower edge.
func (c Scale) Value(dots float64) float64 {
	f := (dots - 2) / max(float64(4*c.Rows-4), 1)
	if c.Log {
		return c.Min * math.Pow(c.Max/c.Min, f)
	}
	return c.Min + f*(c.Max-c.Min)
}

// Numbers calls write for the numbers beside the scale, with their rows of cells from
// the top. They are the multiples of step, and with a step of 0 none on a linear one and
// those of Round on a logarithmic one. There a number needs a blank row on both sides, but
// for the powers of ten, which come first. With Ends these have the first numbers, and all
// need a blank row. Rows from 254 on have none.
func (c Scale) Numbers(step float64, write func(v float64, row int)) {
	var taken [256]bool
	put := func(v float64, near int) {
		row, off := c.Row(v)
		if off != 0 || row >= len(taken)-2 {
			return
		}
		for i := max(row-near, 0); i <= row+near; i++ {
			if taken[i] {
				return
			}
		}
		taken[row] = true
		write(v, row)
	}
	alone := 0
	if c.Ends {
		put(c.Max, 0)
		put(c.Min, 0)
		alone = 1
	}
	switch {
	case c.Log && step == 0:
		first, last := Round.Above(c.Min), Round.Below(c.Max)
		for i := tens.Below(c.Max); 3*i >= first; i-- {
			put(tens.At(i), alone)
		}
		for i := first; i <= last; i++ {
			put(Round.At(i), 1)
		}
	case step > 0:
		if c.Log {
			alone = 1
		}
		for i := math.Ceil(c.Min/step - 1e-9); i*step <= c.Max+step*1e-9; i++ {
			put(i*step, alone)
		}
	}
}
