package metrics

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLoadSentence(t *testing.T) {
	alone := &Point{Users: 1, Steady: true, Speed: Known(149, 3)}
	live := Point{Users: 64, Steady: true, Total: Known(4114, 0), Speed: Known(65.2, 64)}
	for _, c := range []struct {
		name string
		set  func(*View)
		want string
	}{
		{"the sentence", func(v *View) {}, "64 users: 4114 tok/s in total, 65 for each; one user alone had 149"},
		{"hollow", func(v *View) { v.Live.Steady = false }, "64 users: 4114 tok/s in total, 65 for each, not steady yet; one user alone had 149"},
		{"estimated", func(v *View) { v.Live.Estimated = true }, "64 users: 4114 tok/s in total, 65 for each (tokens estimated); one user alone had 149"},
		{"nobody alone", func(v *View) { v.Alone = nil }, "64 users: 4114 tok/s in total, 65 for each; one user alone was not measured"},
		{"one", func(v *View) { v.Live = *alone; v.Live.Total = Known(141, 0) }, "1 user: 141 tok/s in total, 149 for each"},
		{"slow", func(v *View) { v.Live.Speed = Known(0.4321, 3) }, "64 users: 4114 tok/s in total, 0.43 for each; one user alone had 149"},
		{"begun", func(v *View) { v.Live.Total, v.Live.Speed = Unknown("x"), Unknown("x"); v.Live.Steady = false }, "64 users: not measured yet; one user alone had 149"},
		{"open", func(v *View) { v.Live.Asked = 2.5; v.Live.Users = 7 }, "2.5 requests/s asked for, 7 under way: 4114 tok/s in total, 65 for each; one user alone had 149"},
		{"leaving", func(v *View) { v.Live.Users, v.Live.Steady, v.Users, v.Target = 32, false, 118, 32 }, "118 users on the way to 32: 4114 tok/s in total, 65 for each, not steady yet; one user alone had 149"},
		{"leaving to one", func(v *View) { v.Live.Users, v.Live.Steady, v.Users, v.Target = 1, false, 3, 1 }, "3 users on the way to 1: 4114 tok/s in total, 65 for each, not steady yet; one user alone had 149"},
		{"on hold", func(v *View) { v.Holding, v.Live.Steady, v.InFlight = true, false, 12 }, "64 users on hold, 12 requests under way; one user alone had 149"},
		{"alone but not steady", func(v *View) { v.Path, v.Alone = []Point{{Users: 1, Speed: Known(148, 2)}}, nil }, "64 users: 4114 tok/s in total, 65 for each; one user alone had 148, not steady"},
		{"never", func(v *View) { v.Began = NoStamp }, "no load yet"},
	} {
		v := View{Running: true, Live: live, Alone: alone}
		c.set(&v)
		if got := LoadSentence(&v); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
	if LoadSentence(nil) != "no load yet" {
		t.Error("nil view")
	}
}

// Where the sentence is too long for its row words go, never a part of a word
// or of a number.
func TestLoadSentenceWithin(t *testing.T) {
	v := View{Running: true, Live: Point{Users: 256, Total: Known(10913, 0), Speed: Known(43, 9)}, Alone: &Point{Users: 1, Steady: true, Speed: Known(149, 3)}}
	for _, c := range []struct {
		width int
		want  string
	}{
		{90, "256 users: 10913 tok/s in total, 43 for each, not steady yet; one user alone had 149"},
		{79, "256 users: 10913 tok/s in total, 43 for each, not steady yet; one alone had 149"},
		{70, "256 users: 10913 tok/s in total, 43 for each, not steady yet"},
	} {
		if got := LoadSentenceWithin(&v, c.width); got != c.want {
			t.Errorf("%d columns:\n got %q\nwant %q", c.width, got, c.want)
		}
	}
	v.Live.Users, v.Live.Total, v.Live.Estimated = 4, Unknown("x"), true
	if got, want := LoadSentenceWithin(&v, 79), "4 users: 43 tok/s for each (estimated), not steady yet"; got != want {
		t.Errorf("estimated:\n got %q\nwant %q", got, want)
	}
}

var numbers = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

// Every number of the sentence is one of the points', as exactly as it is
// written; there is no NaN, and what is hollow or estimated is called so.
func TestLoadSentenceProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := View{Running: true, Live: drawPoint(t, nil)}
		if rapid.Bool().Draw(t, "alone") {
			p := drawPoint(t, nil)
			v.Alone = &p
		}
		line := LoadSentence(&v)
		if strings.Contains(line, "NaN") || strings.Contains(line, "Inf") {
			t.Fatal(line)
		}
		shown := v.Live.Total.OK || v.Live.Speed.OK
		if shown && strings.Contains(line, "not steady") == v.Live.Steady || shown && strings.Contains(line, "estimated") != v.Live.Estimated {
			t.Fatal(line)
		}
		want := []float64{float64(v.Live.Users)}
		for _, x := range []Value{v.Live.Total, v.Live.Speed} {
			if x.OK {
				want = append(want, x.V)
			}
		}
		if v.Live.Users != 1 && v.Alone != nil && v.Alone.Speed.OK {
			want = append(want, v.Alone.Speed.V)
		}
		got := numbers.FindAllString(line, -1)
		if len(got) != len(want) {
			t.Fatalf("%q holds %d numbers, want %v", line, len(got), want)
		}
		for i, s := range got {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil || math.Abs(x-want[i]) > max(0.5*math.Min(1, want[i]/9), 0.005000001) {
				t.Fatalf("%q: %s stands for %v (%v)", line, s, want[i], err)
			}
		}
	})
}
