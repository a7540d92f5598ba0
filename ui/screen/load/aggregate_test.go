package load

import (
	"strings"
	"testing"

	"tokscope/metrics/loadstat"
	"tokscope/ui/draw"
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
	x, top := find(t, g.Plain(), "all ─ top")
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
		if got := newest(t, v); got != want {
			t.Errorf("all in state %s: %q, want %q", state, got, want)
		}
	}
	for waiting, want := range map[int]int{0: 0, 1: 1, 4: 2, 6: 2, 8: 3} { // of three rows
		if got := strings.Count(newest(t, decoding(8, waiting, 8)), "▒"); got != want {
			t.Errorf("%d of 8 wait: %d rows of 3, want %d", waiting, got, want)
		}
	}
}

func bars(column string) int {
	return strings.Count(column, "█")*8 + strings.Count(column, "▄")*4 + strings.Count(column, "▇")*7
}

// A summary takes no row from the lanes, and one user has none.
func TestASummaryTakesNoRowFromALane(t *testing.T) {
	for _, n := range []int{1, 20, 256} {
		if text := frame(scene(n), 120, 40).Plain(); strings.Contains(text, "no chunk yet") {
			t.Errorf("%d users:\n%s", n, text)
		}
	}
	step := 7
	if testing.Short() {
		step = 29
	}
	for n := 1; n < 300; n += step {
		v := scene(n)
		s := newPicture()
		g := draw.New(119, 38)
		s.Draw(g, g.Bounds(), v)
		seen := map[int]bool{}
		for _, l := range s.lanes.lines {
			for i := range l.per {
				seen[l.user+i] = true
			}
		}
		if len(seen) != n {
			t.Errorf("of %d users %d are drawn", n, len(seen))
		}
	}
}

// TestTheSummaryStandsApart checks that a rule says what the summary shows, and
// that a blank row is between it and the legend of the lanes.
func TestTheSummaryStandsApart(t *testing.T) {
	seen := 0
	for _, size := range [][2]int{{100, 40}, {120, 40}, {160, 45}, {200, 50}, {300, 80}} {
		for _, n := range []int{2, 8, 16, 64} {
			g := frame(scene(n), size[0], size[1])
			rows := strings.Split(g.Plain(), "\n")
			rule := -1
			for y, row := range rows {
				if strings.Contains(row, "├ all ─ top: ") && strings.Contains(row, "gaps ─") {
					rule = y
				}
			}
			if rule < 0 {
				continue // the lanes need the rows
			}
			seen++
			x, legend := find(t, g.Plain(), "▓ prefill")
			if text := string([]rune(rows[legend-1])[x : x+30]); legend-rule > 4 && strings.TrimSpace(text) != "" {
				t.Errorf("%v, %d users: %q above the legend", size, n, text)
			}
		}
	}
	if seen < 6 {
		t.Errorf("%d summaries only: nothing was looked at", seen)
	}
}

// TestShapesStandApart checks that the largest bar of a distribution leaves
// room to the one above it.
func TestShapesStandApart(t *testing.T) {
	for _, h := range []int{1, 2, 3} {
		if got := barShare(h) * float64(8*h); got > float64(8*h)-2 || got < float64(8*h)-2.01 {
			t.Errorf("%d rows: %v eighths", h, got)
		}
	}
	if text := frame(scene(64), 120, 40).Plain(); strings.Contains(text, "█▁") || strings.Contains(text, "▁█") {
		t.Errorf("a full bar:\n%s", text)
	}
}
