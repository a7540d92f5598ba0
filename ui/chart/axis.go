package chart

import (
	"cmp"
	"math"

	"tokscope/ui/format"
)

// Axis maps values to 0..1.
type Axis struct {
	Min, Max float64
	// Log makes the scale logarithmic; Min must be above 0.
	Log bool
	// Ticks are the labeled values, in ascending order.
	Ticks []Tick
	rows  int // of a vertical axis that a Chart draws; 0 for others
}

// Tick is a labeled value.
type Tick struct {
	At    float64
	Label string // ASCII
}

// At returns the position of v, 0 at Min and 1 at Max. ok is false if v is
// NaN or outside, or if the axis has no length.
func (a *Axis) At(v float64) (f float64, ok bool) {
	f = Scale{Min: a.Min, Max: a.Max, Log: a.Log}.Share(v)
	const slack = 1e-9
	if math.IsNaN(f) || math.IsInf(f, 0) || f < -slack || f > 1+slack {
		return 0, false
	}
	return min(max(f, 0), 1), true
}

// sane limits v to the range that an axis can print. It returns 1 if v is not
// a positive number.
func sane(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 1
	}
	return min(max(v, 1e-3), 1e15)
}

// steps are the possible distances of ticks, times a power of ten.
var steps = Series{1, 2, 2.5, 5}

const (
	mostSteps = 5    // of a linear axis up to its top
	anyRows   = 60   // of an axis whose ticks need no rows: each number of steps divides them
	sparing   = 0.85 // the part of an axis' length below which another step is better
)

// Linear makes a an axis from 0 to at least top, with two to five equal, round steps up
// to the first tick that is not below it; only one where there is no room for more. They
// are few, so the scale rarely changes. A top that is not a positive number counts as
// 1. label formats the values of the ticks, as with all kinds of axes; an
// unchanged axis keeps its labels and costs nothing.
func (a *Axis) Linear(top float64, label func(at float64) string) {
	top = sane(top)
	rows := cmp.Or(a.rows, anyRows)
	end, step, n := math.Inf(1), top, 1
	for i := steps.Above(top / mostSteps); math.IsInf(end, 1) || steps.At(i) < top*(1-1e-9); i++ {
		to := steps.At(i)
		count := max(int(math.Ceil(top/to-1e-9)), 1)
		apart := rows / count // their labels need a blank row
		if length := to * float64(rows) / float64(max(apart, 1)); apart >= min(2, rows) && length < sparing*end {
			end, step, n = length, to, count
		}
	}
	a.Span(0, step*float64(n), n, label)
}

// Span makes a a linear axis from lo to hi with n equal steps. A vertical one goes on
// above hi where its rows are no multiple of n: each step has the same whole number.
func (a *Axis) Span(lo, hi float64, n int, label func(at float64) string) {
	step, ticks := (hi-lo)/float64(n), n+1
	if apart := a.rows / n; apart > 0 {
		hi, ticks = lo+step*float64(a.rows)/float64(apart), a.rows/apart+1
	}
	a.become(lo, hi, false, ticks, func(i int) float64 { return lo + step*float64(i) }, label)
}

// become sets the ends of a, and n ticks where at says, if they are others.
func (a *Axis) become(lo, hi float64, log bool, n int, at func(i int) float64, label func(at float64) string) {
	if len(a.Ticks) == n && a.Min == lo && a.Max == hi && a.Log == log {
		return
	}
	*a = Axis{Min: lo, Max: hi, Log: log, Ticks: a.Ticks[:0], rows: a.rows}
	for i := range n {
		a.Ticks = append(a.Ticks, Tick{at(i), label(at(i))})
	}
}

// Decades makes a a logarithmic axis that holds lo and hi. Its ends are 1, 2
// or 5 times a power of ten, with a tick at each such value. Beyond three
// powers of ten, it uses whole powers of ten only.
func (a *Axis) Decades(lo, hi float64, label func(at float64) string) {
	hi = sane(hi)
	if !(lo > 0) || lo > hi {
		lo = hi
	}
	lo = max(lo, hi*1e-6)
	s := Round
	if s.At(s.Above(hi)) > 1001*s.At(s.Below(lo)) {
		s = tens
	}
	first, last := s.Below(lo), s.Above(hi)
	if first == last {
		last += len(s)
	}
	a.become(s.At(first), s.At(last), true, last-first+1, func(i int) float64 { return s.At(first + i) }, label)
}

// Powers makes a a logarithmic axis from lo to hi, both above 0, with a tick at each
// power of ten between them.
func (a *Axis) Powers(lo, hi float64, label func(at float64) string) {
	first, last := tens.Above(lo), tens.Below(hi)
	a.become(lo, hi, true, max(last-first+1, 0), func(i int) float64 { return tens.At(first + i) }, label)
}

// Doublings makes a a logarithmic axis of 1, 2, 4 … to the first value not
// below top. The end is between least and 65536.
func (a *Axis) Doublings(least, top int) {
	n := 1
	for n < 16 && 1<<n < max(top, least) {
		n++
	}
	count := func(at float64) string { return format.Count(int(at)) }
	a.become(1, float64(int(1)<<n), true, n+1, func(i int) float64 { return float64(int(1) << i) }, count)
}

// logFrom is the ratio of the longest to the shortest length above which their axis
// is logarithmic.
const logFrom = 10

// Lengths makes a an axis of tokens that holds lo to hi, both above 0: 1k, 2k, 5k. It
// is logarithmic where hi is more than ten times lo, else linear and begins at 0. An
// axis of lengths is made by nothing else: an unchanged one keeps its labels.
func (a *Axis) Lengths(lo, hi float64) {
	tokens := func(at float64) string { return short(at, 1e3) }
	if hi > logFrom*lo {
		a.Decades(lo, hi, tokens)
	} else {
		a.Linear(hi, tokens)
	}
}

// Number formats a tick's value: "0", "0.5", "150", "4,000", "12k", "1.5M".
func Number(v float64) string { return short(v, 1e4) }

// short formats a tick's value, from some value on in thousands.
func short(v, thousands float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "-"
	case a >= 1e15:
		return format.Number(v)
	case a >= 1e6:
		return format.Exact(round3(v/1e6)) + "M"
	case a >= thousands:
		return format.Exact(round3(v/1e3)) + "k"
	}
	return format.Exact(round3(v))
}

// round3 removes the rounding errors of adding steps.
func round3(v float64) float64 { return math.Round(v*1e3) / 1e3 }

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
	return format.Either(c.Log, c.Min*math.Pow(c.Max/c.Min, f), c.Min+f*(c.Max-c.Min))
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
