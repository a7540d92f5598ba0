package chart

import (
	"math"
	"slices"
	"testing"

	"tokscope/metrics/testkit"
)

func TestNiceIsTheNextRoundNumber(t *testing.T) {
	for _, v := range []float64{1e-9, 0.013, 0.9, 1, 1.01, 2, 3, 5, 6, 47, 5001, 1e300} {
		n := Nice(v)
		m := n / math.Pow10(int(math.Floor(math.Log10(n)+1e-9)))
		if n < v*(1-1e-9) || n > v*2.5 || math.Abs(m-1) > 1e-9 && math.Abs(m-2) > 1e-9 && math.Abs(m-5) > 1e-9 {
			t.Errorf("Nice(%v) is %v", v, n)
		}
	}
	for _, v := range []float64{0, -1, math.Inf(1), math.NaN()} {
		testkit.Is(t, Nice(v), 1, "Nice", v)
	}
}

// TestSeriesAscends checks that numbers ascend, and that Below and Above find each.
func TestSeriesAscends(t *testing.T) {
	for i := -21; i <= 12; i++ {
		at, next := Round.At(i), Round.At(i+1)
		if at >= next || Round.Below(at) != i || Round.Above(at) != i || Round.Below(at*1.3) != i || Round.Above(at*1.3) != i+1 {
			t.Errorf("number %d is %g, the next %g", i, at, next)
		}
	}
}

// TestScaleNumbersStayApart checks that a scale has its powers of ten wherever a row
// is free, and a two or a five only between blank rows.
func TestScaleNumbersStayApart(t *testing.T) {
	for rows, want := range map[int][]float64{
		2:  {1000, 10},
		4:  {1000, 100, 10, 1},
		14: {1000, 100, 10, 1, 20},
		40: {1000, 100, 10, 1, 2, 5, 20, 50, 200, 500},
	} {
		var got []float64
		c := Scale{Min: 1, Max: 1000, Log: true, Rows: rows}
		c.Numbers(0, func(v float64, row int) {
			got = append(got, v)
			if at, off := c.Row(v); at != row || off != 0 {
				t.Errorf("%v is written in row %d, not %d", v, row, at)
			}
		})
		if !slices.Equal(got, want) {
			t.Errorf("%d rows have %v", rows, got)
		}
	}
	var got []float64
	Scale{Min: 18, Max: 24, Rows: 9}.Numbers(2, func(v float64, _ int) { got = append(got, v) })
	testkit.Same(t, got, []float64{18, 20, 22, 24}, "a linear scale")
}

// TestScaleValueIsWhereItsDotIs checks that Value reverses Dot, and that what lies
// outside is at the edge.
func TestScaleValueIsWhereItsDotIs(t *testing.T) {
	for _, c := range []Scale{{Min: 0.5, Max: 700, Log: true, Rows: 11}, {Min: 3, Max: 9, Rows: 5}} {
		for dot := range 4 * c.Rows {
			if y, off := c.Dot(c.Value(float64(dot) + 0.5)); y != dot || off != 0 {
				t.Errorf("%+v: dot %d has a value in dot %d, %d", c, dot, y, off)
			}
		}
		if y, off := c.Dot(0); y != 0 || off != -1 {
			t.Errorf("%+v: 0 is at %d, %d", c, y, off)
		}
		if row, off := c.Row(1e9); row != 0 || off != 1 {
			t.Errorf("%+v: a large value is at %d, %d", c, row, off)
		}
	}
}
