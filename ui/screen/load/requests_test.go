package load

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
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

// ofRecording is v as a recording has it: ended, without seconds, lanes and shapes.
func ofRecording(v *View, about loadstat.Replay) *View {
	l := &v.Load
	l.Running, l.Users, l.Target, l.Lanes, l.Series, l.Alone = false, 0, 0, nil, nil, nil
	if last := &l.Path[len(l.Path)-1]; last.Setup != l.Setup {
		l.Path = append(l.Path, l.Live)
	} else {
		l.Live = *last
	}
	l.Live.TTFTBins, l.Live.GapBins = nil, nil
	v.Open = l.Live.Asked > 0
	v.Replay = &about
	return v
}

// drawRecorded draws v with those rows in its list.
func drawRecorded(v *View, rows request.View, w, h int) *draw.Grid {
	pic := &picture{}
	pic.requests = listing.New(listing.Config{One: "request", Rule: func() string { return say.LoadReplayRule },
		Kept: func(r *request.View) string { return say.LoadReplayKept(r, v.Replay) }})
	pic.requests.Update(rows)
	v.Ended = rows
	g := draw.New(w-1, h-2)
	pic.Draw(g, g.Bounds(), v)
	return g
}

// TestGoldenRecorded holds a recorded load at five sizes: its points, its figures at
// the end, and its list of requests.
func TestGoldenRecorded(t *testing.T) {
	sheet := golden.NewSheet(t, "recorded")
	whole := loadstat.Replay{File: "load.ndjson", Load: 1, Index: 1, Count: 1, Sent: 900, Recorded: 600,
		Stopped: "the budget of 20,000 tokens is used up"}
	cut := loadstat.Replay{File: "load.ndjson", Load: 4, Index: 2, Count: 3, Sent: -1, Recorded: 600, NoEnd: true}
	for _, c := range []struct {
		name  string
		v     *View
		about loadstat.Replay
		rows  int
		w, h  int
	}{
		{"ended", scene(8), whole, 600, 40, 12},
		{"ended", scene(8), whole, 600, 80, 24},
		{"ended", scene(8), whole, 600, 120, 40},
		{"ended", scene(8), whole, 600, 200, 50},
		{"changed while it ran, cut off", steered(), cut, 600, 120, 40},
		{"an open loop", openScene(5), whole, 0, 100, 30},
	} {
		g := drawRecorded(ofRecording(c.v, c.about), recordedRows(c.v.Load.Began, c.rows), c.w, c.h)
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

// of is a recording whose load is what the test sets.
type of struct {
	ReplayBackend
	v loadstat.View
}

func (r *of) ReplayVersion() uint64 { return 0 }

func (r *of) LoadReplay() (loadstat.View, loadstat.Replay, bool) {
	return r.v, loadstat.Replay{Load: 1}, true
}

func (r *of) LoadReplayRequests() request.View { return request.View{} }

// A recorded load has the chart of its kind of loop; one that a person chose stays.
func TestRecordedLoadHasItsChart(t *testing.T) {
	from := &of{v: scene(8).Load}
	s := &Screen{from: recorded{from}, rec: from, pic: &picture{}}
	s.view.Replay, s.pic.lanes.of = &loadstat.Replay{}, &s.view
	s.list = s.newList(listing.Config{})
	for _, c := range []struct {
		shown Kind
		drive loadstat.Drive
		want  Kind
	}{
		{Curve, loadstat.Drive{Users: 8}, Curve}, {Curve, loadstat.Drive{Rate: 12}, Rates},
		{Rates, loadstat.Drive{Users: 8}, Curve}, {Frontier, loadstat.Drive{Rate: 12}, Frontier},
	} {
		from.v.Drive, s.view.Kind = c.drive, c.shown
		if s.Sample(0, true); s.view.Kind != c.want || s.view.Open != c.drive.Open() {
			t.Errorf("%d of %+v: %d, open loop %v", c.shown, c.drive, s.view.Kind, s.view.Open)
		}
	}
	var seen []string
	for range 3 {
		s.nextChart()
		seen = append(seen, kinds[s.view.Kind].title)
	}
	if have := strings.Join(seen,
		", "); have != "over requests a second, over prompt length, frontier: aggregate over per user" {
		t.Errorf("the charts are %s", have)
	}
}

// A recorded load of another program can hold any number. The screen draws it
// without a panic, at any size.
func TestHostileRecordedLoad(t *testing.T) {
	for _, n := range []int{math.MinInt, -1, 0, math.MaxInt} {
		for _, x := range []float64{-math.MaxFloat64, 0, math.SmallestNonzeroFloat64, math.MaxFloat64} {
			v := scene(4)
			v.Replay = &loadstat.Replay{Sent: n, Recorded: n, Load: n, PointsLeft: n}
			l := &v.Load
			l.Target, l.Users, l.Done, l.Failed, l.Live.Users = n, n, n, n, n
			l.Live.Speed, l.Live.Total, l.Live.TTFT.P50 = metrics.Known(x, 1), metrics.Known(x, 1), metrics.Known(x, 1)
			l.Path, l.Now = append(l.Path, l.Live), metrics.Stamp(n)
			for _, size := range [][2]int{{200, 50}, {80, 24}, {40, 12}, {3, 3}} {
				for v.Kind = range Kinds {
					if g := frame(v, size[0], size[1]); g == nil {
						t.Fatal("no frame")
					}
				}
			}
		}
	}
}
