package load

import (
	"fmt"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"

	"tokscope/metrics/request"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/screen/listing"
	"tokscope/ui/uitest"
	"tokscope/ui/uitest/golden"
)

// listed is a load of 64 users whose list fills the screen, with a filter, and
// with the row of that number selected.
func listed(filter string, ended, row int) (*picture, *View) {
	v := scene(64)
	v.Max = RequestsPanel
	pic := newPicture()
	pic.requests = listing.New(listing.Config{One: "request", Users: true, Kept: format.RequestsKept, Rule: format.RequestsRule})
	pic.requests.Update(uitest.Requests(v.Load.Began, ended).View(), v.Load.Now)
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

// TestGoldenRecordedRequests holds the list in the replay of a load: what had ended
// at its moment, of which some have no events.
func TestGoldenRecordedRequests(t *testing.T) {
	sheet := golden.NewSheet(t, "recordedrequests")
	for _, c := range []struct {
		name, filter string
		ended, sent  int
		row, w, h    int
	}{
		{"begun", "", 0, 900, 0, 80, 24},
		{"some have ended, figures only selected", "sort:number", 300, 900, 2, 80, 24},
		{"slowest first", "sort:-ttft", 600, 600, 1, 120, 40},
		{"without an end", "status:429", 600, -1, 0, 200, 50},
	} {
		v := scene(8)
		v.Max = RequestsPanel
		v.Replay = &loadstat.Replay{File: "load.ndjson", Load: 1, At: 40 * time.Second, Length: 90 * time.Second, Paused: true, Speed: 1, Sent: c.sent, Recorded: 600, WithEvents: 320}
		pic := newPicture()
		pic.requests = listing.New(listing.Config{One: "request", Rule: func() string { return format.LoadReplayRule },
			Kept: func(r *request.View) string { return format.LoadReplayKept(r, v.Replay) }})
		pic.requests.Update(recordedRows(v.Load.Began, c.ended), v.Load.Now)
		if err := pic.requests.SetFilter(c.filter); err != nil {
			t.Fatal(err)
		}
		pic.requests.Move(c.row)
		g := draw.New(c.w-1, c.h-2)
		pic.Draw(g, g.Bounds(), v)
		sheet.Screen(fmt.Sprintf("%s, %dx%d", c.name, c.w, c.h), g)
	}
}

// recordedRows are n requests of unknown users, of which every third has events.
func recordedRows(began metrics.Stamp, n int) request.View {
	all := uitest.Requests(began, n).View()
	rows := make([]request.Row, n)
	for i := range rows {
		rows[i] = *all.Row(i)
		rows[i].User = 0
	}
	return request.ViewOfSome(began, rows, func(r *request.Row) bool { return r.ID%3 == 0 })
}
