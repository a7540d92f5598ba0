package load

import (
	"fmt"
	"strings"
	"testing"

	"tokscope/metrics/request"
	"tokscope/ui/draw"
	"tokscope/ui/uitest"
	"tokscope/ui/uitest/golden"
)

// listing is a load of 64 users whose list fills the screen, with a filter, and
// with the row of that number selected.
func listing(filter string, ended, row int) (*picture, *View) {
	v := scene(64)
	v.Max = RequestsPanel
	pic := newPicture()
	list := &pic.requests
	list.update(uitest.Requests(v.Load.Began, ended).View(), v.Load.Now)
	if err := list.setFilter(filter); err != nil {
		panic(err)
	}
	if row > 0 {
		list.move(row)
	}
	return pic, v
}

// TestGoldenRequests holds the list of requests at four sizes.
func TestGoldenRequests(t *testing.T) {
	sheet := golden.NewSheet(t, "requests")
	for _, c := range []struct {
		name, filter     string
		ended, row, w, h int
	}{
		{"none ended", "", 0, 0, 80, 24},
		{"newest first, one in doubt selected", "", 31, 0, 80, 24},
		{"slowest first", "sort:-ttft", 600, 3, 80, 24},
		{"failed ones", "status:failed", 600, 2, 120, 40},
		{"nothing matches", "ttft>1h", 600, 0, 80, 24},
		{"figures of some only", "sort:number", 600, 2, 120, 40},
		{"figures left out", "gap>200 sort:-gap", request.Figures + 600, 1, 200, 50},
		{"small", "sort:-ttft", 600, 3, 40, 12},
	} {
		pic, v := listing(c.filter, c.ended, c.row)
		g := draw.New(c.w-1, c.h-2)
		pic.Draw(g, g.Bounds(), v)
		sheet.Screen(fmt.Sprintf("%s, %dx%d", c.name, c.w, c.h), g)
	}
	pic, v := listing("sort:failure", 600, 0)
	g := draw.New(79, 22)
	pic.Draw(g, g.Bounds(), ascii(v))
	sheet.Screen("failures first, ASCII, 80x24", g)
}

// TestRequestsStaySelected holds that new requests move neither the selection nor
// its row on the screen, and that an unmoved selection follows the newest.
func TestRequestsStaySelected(t *testing.T) {
	pic, v := listing("", 100, 0)
	list := &pic.requests
	paint := func() {
		g := draw.New(119, 38)
		pic.Draw(g, g.Bounds(), v)
	}
	paint()
	if r := list.selected(); r.N != 100 {
		t.Fatalf("request %d is selected at first", r.N)
	}
	list.move(12)
	paint()
	chosen, row := list.selected().N, list.index-list.first
	list.update(uitest.Requests(v.Load.Began, 108).View(), v.Load.Now)
	paint()
	if r := list.selected(); r.N != chosen || list.index-list.first != row {
		t.Errorf("request %d in row %d is selected, was %d in row %d", r.N, list.index-list.first, chosen, row)
	}
	if err := list.setFilter("user:2"); err != nil {
		t.Fatal(err)
	}
	paint()
	if r := list.selected(); r.User != 2 || list.first != 0 {
		t.Errorf("user %d is selected after the filter", r.User)
	}
	if err := list.setFilter("color:red"); err == nil || list.filter != "user:2" {
		t.Errorf("a wrong filter: %v, and the filter is %q", err, list.filter)
	}
}

// TestRequestsAreHarmless holds that what a server says cannot reach the
// terminal raw.
func TestRequestsAreHarmless(t *testing.T) {
	pic, v := listing("status:failed", 100, 1)
	g := draw.New(199, 48)
	pic.Draw(g, g.Bounds(), v)
	text := g.Plain()
	if !strings.Contains(text, "slow down") || strings.ContainsAny(text, "\x1b\x07\u202e") {
		t.Errorf("the fault's text is missing or raw:\n%s", text)
	}
}
