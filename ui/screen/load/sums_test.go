package load

import (
	"slices"
	"testing"

	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// A picture that keeps sums of the past draws what a new picture draws, while
// users come, go, come back, fall behind and catch up.
func TestKeptSumsAreThoseOfANewPicture(t *testing.T) {
	rnd := testkit.Rand(t, 11)
	pal := themes.Compile(themes.Default(true), themes.TrueColor)
	for _, n := range []int{30, 100, 1000} {
		v := scene(n)
		lanes := v.Load.Lanes
		for i := range lanes {
			lanes[i].Past = slices.Clone(lanes[i].Past)
		}
		end := lanes[0].Offset + len(lanes[0].Past)
		w, h := 120, 38
		kept := newPicture()
		for step := range 60 - n/20 {
			switch rnd.IntN(8) {
			case 0:
				w, h = 80+rnd.IntN(130), 22+rnd.IntN(30)
			case 1: // one goes
				i := rnd.IntN(len(lanes))
				lanes = slices.Delete(slices.Clone(lanes), i, i+1)
			case 2: // one comes, perhaps under the number of one that went
				l := loadstat.Lane{User: 1 + rnd.IntN(n), Offset: end, State: loadstat.LaneWaiting}
				i, taken := slices.BinarySearchFunc(lanes, l.User, func(l loadstat.Lane, user int) int { return l.User - user })
				if !taken {
					lanes = slices.Insert(slices.Clone(lanes), i, l)
				}
			case 3:
				v.Load.Began++
			}
			late := -1
			if rnd.IntN(4) == 0 {
				late = rnd.IntN(len(lanes))
			}
			if rnd.IntN(3) > 0 {
				end++
			}
			for i := range lanes {
				l := &lanes[i]
				for i != late && l.Offset+len(l.Past) < end {
					l.Past = append(l.Past, loadstat.Slice{State: loadstat.LaneState(rnd.IntN(int(loadstat.LaneLeaving) + 1)), Gap: float32(rnd.IntN(3)) * 40})
					if drop := len(l.Past) - 400; drop > 0 {
						l.Past, l.Offset = l.Past[drop:], l.Offset+drop
					}
				}
			}
			v.Load.Lanes, v.Load.Now = slices.Clone(lanes), v.Load.Now+figuresEvery
			var painted [2]string
			for i, s := range []*picture{kept, newPicture()} {
				g := draw.New(w, h)
				s.Draw(g, g.Bounds(), v)
				painted[i] = g.Paint(pal)
			}
			if painted[0] != painted[1] {
				t.Fatalf("%d users, step %d: the pictures differ", n, step)
			}
		}
	}
}

// A frame of a thousand users whose past was drawn sums up no slice again.
func TestAFrameSumsUpNewSlicesOnly(t *testing.T) {
	v := scene(1000)
	advance := advancing(v)
	s := newPicture()
	g := draw.New(199, 48)
	for i := range 3 {
		advance(i, 33e6)
		s.Draw(g, g.Bounds(), v)
	}
	for i := range s.lanes.past {
		for at := range s.lanes.past[i].known {
			s.lanes.past[i].known[at].value.here = -7
		}
	}
	advance(3, 33e6)
	s.Draw(g, g.Bounds(), v)
	keptCells, rows := 0, 0
	for i := range s.lanes.past {
		rows++
		for _, c := range s.lanes.past[i].known {
			if c.at > 0 && c.value.here == -7 {
				keptCells++
			}
		}
	}
	total := 0
	for i := range s.lanes.past {
		for _, c := range s.lanes.past[i].known {
			if c.at > 0 {
				total++
			}
		}
	}
	if made := total - keptCells; rows < 20 || made > rows || total < 20*rows {
		t.Errorf("%d of %d cells of the past were made again, in %d rows", made, total, rows)
	}
}
