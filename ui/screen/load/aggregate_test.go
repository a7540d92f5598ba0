package load

import (
	"strings"
	"testing"

	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
)

// decoding is n users, of which waiting wait for a first chunk and the others
// decode with one gap.
func decoding(n, waiting int, gap float32) *View {
	v := scene(n)
	for i := range v.Load.Lanes {
		for j := range v.Load.Lanes[i].Past {
			v.Load.Lanes[i].Past[j] = loadstat.Slice{State: loadstat.LaneDecoding, Gap: gap}
			if i < waiting {
				v.Load.Lanes[i].Past[j] = loadstat.Slice{State: loadstat.LanePrefill}
			}
		}
	}
	return v
}

// newest is the last column of the summary below the lanes, from the bottom
// up.
func newest(t *testing.T, v *View) string {
	t.Helper()
	g := frame(v, 120, 41)
	x, top := find(t, g.Plain(), "all users")
	_, bottom := find(t, g.Plain(), "· waiting")
	column := x + 3 + 32 - 1 // after the numbers, 32 slices of 8 lanes have room at this size
	var b strings.Builder
	for y := bottom - 2; y > top; y-- { // a blank row is between
		s, _ := g.At(column, y)
		b.WriteString(s)
	}
	return b.String()
}

// The free rows sum up the lanes: higher with the gaps, and from above the
// users without a chunk, at least one if any.
func TestAllLanesTogether(t *testing.T) {
	short, long := newest(t, decoding(8, 0, 8)), newest(t, decoding(8, 0, 200))
	if bars(long) <= bars(short) {
		t.Errorf("gaps of 200 ms: %q, of 8 ms: %q", long, short)
	}
	for state, want := range map[loadstat.LaneState]string{loadstat.LaneStalled: "███", loadstat.LaneBackoff: "×××", loadstat.LaneIdle: "   "} {
		v := decoding(8, 0, 8)
		for i := range v.Load.Lanes {
			past := v.Load.Lanes[i].Past
			past[len(past)-1] = loadstat.Slice{State: state}
		}
		testkit.Is(t, newest(t, v), want, "all in state", state)
	}
	for waiting, want := range map[int]int{0: 0, 1: 1, 4: 2, 6: 2, 8: 3} { // of three rows
		testkit.Is(t, strings.Count(newest(t, decoding(8, waiting, 8)), "▒"), want, waiting, "of 8 wait: rows of 3")
	}
}

func bars(column string) int {
	return strings.Count(column, "█")*8 + strings.Count(column, "▄")*4 + strings.Count(column, "▇")*7
}
