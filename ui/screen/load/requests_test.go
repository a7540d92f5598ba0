package load

import (
	"fmt"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/ui/draw"
	"tokscope/ui/say"
	"tokscope/ui/screen/listing"
	"tokscope/ui/uitest"
	"tokscope/ui/uitest/golden"
)

// listed is a load of 64 users whose list fills the screen, with a filter, and
// with the row of that number selected.
func listed(filter string, ended, row int) (*picture, *View) {
	v := scene(64)
	v.Max = RequestsPanel
	pic := &picture{}
	pic.requests = listing.New(listing.Config{One: "request", Users: true, Kept: say.RequestsKept, Rule: say.RequestsRule})
	pic.requests.Update(uitest.Requests(v.Load.Began, ended).View())
	if err := pic.requests.SetFilter(filter); err != nil {
		panic(err)
	}
	if row > 0 {
		pic.requests.Move(row)
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
		pic, v := listed(c.filter, c.ended, c.row)
		g := draw.New(c.w-1, c.h-2)
		pic.Draw(g, g.Bounds(), v)
		sheet.Screen(fmt.Sprintf("%s, %dx%d", c.name, c.w, c.h), g)
	}
	pic, v := listed("sort:failure", 600, 0)
	g := draw.New(79, 22)
	pic.Draw(g, g.Bounds(), ascii(v))
	sheet.Screen("failures first, ASCII, 80x24", g)
}

// logged is a load of which only the ended requests are asked for.
type logged struct {
	Source
	log *request.Log
}

func (l logged) LoadRequests() request.View { return l.log.View() }

// Ended requests are taken four times a second while a load runs, and at once when its
// clock goes back.
func TestRequestsEveryQuarterSecond(t *testing.T) {
	from := logged{log: uitest.Requests(0, 10)}
	s := &Screen{from: from, pic: &picture{}}
	s.pic.lanes.of, s.view.Max, s.view.Load.Running = &s.view, RequestsPanel, true
	s.list = s.newList(listing.Config{})
	for i, c := range []struct {
		at   metrics.Stamp
		want int
	}{{100e6, 11}, {200e6, 11}, {350e6, 13}, {0, 14}} {
		from.log.Add(request.Row{ID: 1000 + i, N: 11 + i}, request.Pack(&metrics.Stream{}))
		s.view.Load.Now = c.at
		if s.sampleEnded(i == 0); s.view.Ended.Ended != c.want || s.list.Selected() == nil {
			t.Errorf("at %v it has %d requests, not %d", time.Duration(c.at), s.view.Ended.Ended, c.want)
		}
	}
}
