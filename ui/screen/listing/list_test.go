package listing

import (
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/say"
	"tokscope/ui/uitest"
)

// listOf is a list of n ended requests of a load.
func listOf(n int) *List {
	s := New(Config{One: "request", Users: true, Kept: say.RequestsKept, Rule: say.RequestsRule})
	s.Update(uitest.Requests(0, n).View())
	return s
}

// paint draws s on a grid of that size.
func paint(s *List, w, h int) *draw.Grid {
	var p draw.Canvas
	g := draw.New(w, h)
	p.Begin(g, nil)
	s.Draw(&p, g.Bounds())
	return g
}

// TestSelectionStays holds that new requests move neither the selection nor its
// row on the screen, and that an unmoved selection follows the newest.
func TestSelectionStays(t *testing.T) {
	s := listOf(100)
	paint(s, 119, 30)
	testkit.Need(t, s.Selected().N, 100, "request … is selected at first")
	s.Move(12)
	paint(s, 119, 30)
	chosen, row := s.Selected().N, s.index-s.first
	s.Update(uitest.Requests(0, 108).View())
	paint(s, 119, 30)
	if r := s.Selected(); r.N != chosen || s.index-s.first != row {
		t.Errorf("request %d in row %d is selected, was %d in row %d", r.N, s.index-s.first, chosen, row)
	}
	testkit.OK(t, s.SetFilter("user:2"))
	paint(s, 119, 30)
	if r := s.Selected(); r.User != 2 || s.first != 0 {
		t.Errorf("user %d is selected after the filter", r.User)
	}
	if err := s.SetFilter("color:red"); err == nil || s.Filter() != "user:2" {
		t.Errorf("a wrong filter: %v, and the filter is %q", err, s.Filter())
	}
}

// TestListShrinks holds that a list that goes back in time, as in a replay, keeps
// its selection among the rows that it has.
func TestListShrinks(t *testing.T) {
	s := listOf(40)
	s.Move(3)
	s.Update(uitest.Requests(0, 5).View())
	if r := s.Selected(); r == nil || r.N > 5 {
		t.Errorf("of 5 requests %+v is selected", r)
	}
	s.Update(request.View{})
	testkit.Is(t, s.Selected(), nil, "of none … is selected")
	paint(s, 79, 20)
	s.Update(uitest.Requests(0, 5).View())
	if r := s.Selected(); r == nil || r.N != 5 {
		t.Errorf("the newest of 5 is not selected: %+v", r)
	}
}

// TestReset holds that a list of another load with as many requests shows these,
// under the same filter.
func TestReset(t *testing.T) {
	s := listOf(40)
	testkit.OK(t, s.SetFilter("status:ok"))
	s.Move(5)
	s.Reset()
	testkit.Is(t, s.Selected(), nil, "something is selected in an empty list")
	rows := make([]request.Row, 40)
	for i := range rows {
		rows[i] = request.Row{ID: 500 + i, N: i + 1, State: metrics.Failed}
	}
	rows[7].State = metrics.Done
	s.Update(request.ViewOf(0, rows))
	if r := s.Selected(); r == nil || r.ID != 507 || s.Filter() != "status:ok" {
		t.Errorf("selected %+v under %q", r, s.Filter())
	}
}

// TestListIsHarmless holds that what a server or a file says cannot reach the
// terminal raw.
func TestListIsHarmless(t *testing.T) {
	s := listOf(100)
	if err := s.SetFilter("status:failed \"slow\x1b[31m\""); err == nil {
		paint(s, 199, 48)
	}
	testkit.OK(t, s.SetFilter("status:failed"))
	text := paint(s, 199, 48).Plain()
	testkit.That(t, strings.Contains(text, "slow down") && !strings.ContainsAny(text, "\x1b\x07\u202e"),
		"the fault's text is missing or raw:\n%s", text)
	bad := "\x1b[2J\u202e\x07"
	s.Update(request.ViewOf(0, []request.Row{{ID: 1, N: 1, State: metrics.Failed, Fault: metrics.FaultKind(bad),
		Message: bad, Model: bad, Endpoint: bad,
		Work: bad, Doubt: metrics.SuspectCode(bad), Doubts: 1}}))
	testkit.OK(t, s.SetFilter(""))
	for _, w := range []int{40, 80, 200} {
		if text := paint(s, w, 20).Plain(); strings.ContainsAny(text, "\x1b\x07\u202e") {
			t.Errorf("raw:\n%s", text)
		}
	}
}

// TestNamesLeaveTheFigures holds that names take only the room that the figures
// and the ending leave, and that none is narrower than it can be read.
func TestNamesLeaveTheFigures(t *testing.T) {
	s := listOf(30)
	s.Users = false
	for _, head := range []string{"endpoint", "model", "workload", "conn"} {
		s.Names = append(s.Names, Names{Head: head, Width: 40, Of: func(int) string { return strings.Repeat("n", 40) }})
	}
	before := 0
	for w := 30; w <= 200; w++ {
		cols := Choose(nil, s.all(), w-Mark)
		names, room := 0, 0
		var heads []string
		for _, c := range cols {
			heads = append(heads, c.Head)
			switch {
			case c.Head == "ended":
				room = c.Width
			case c.Sort == "":
				if names++; c.Width < nameLeast {
					t.Errorf("%d columns: a name has %d", w, c.Width)
				}
			}
		}
		testkit.That(t, names <= 0 || room >= 14, "%d columns: names leave %d to how it ended", w, room)
		testkit.That(t, slices.Contains(heads, "TTFT") && slices.Contains(heads, "TPOT") && !slices.Contains(heads, "user"),
			"%d columns: %q", w, heads)
		testkit.That(t, w < 77 || names != 0, "%d columns: no name", w)
		before = names
	}
	testkit.Is(t, before, 4, "200 columns have … names")
}
