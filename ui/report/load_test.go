package report

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/uitest/golden"
)

// After the interface has closed, the text has the load's last steady point
// for each number of users, and the failures.
func TestLoad(t *testing.T) {
	if s := Load(loadstat.View{}).Text(0); s != "" {
		t.Errorf("without a load: %q", s)
	}
	point := func(users int, each, all float64, steady bool) loadstat.Point {
		return loadstat.Point{Users: users, Steady: steady, Speed: metrics.Known(each, 9), Total: metrics.Known(all, 9)}
	}
	s := Load(loadstat.View{
		Sent: 9, Done: 7, Failed: 2, Retried: 3, Users: 8, Target: 8,
		Path:   []loadstat.Point{point(16, 5.2, 83, true), point(1, 140, 139, true), point(1, 149, 146, true), point(4, 1, 1, false)},
		Live:   point(8, 131, 1026, true),
		Faults: []metrics.FaultCount{{Kind: metrics.FaultRateLimit, N: 2}},
		Broken: metrics.Ending{Code: metrics.EndingFailures, Requests: 20, Most: 20, Kind: metrics.FaultRateLimit, Last: &metrics.Fault{Message: "too many\x1b[2J requests"}},
	}).Text(0)
	failed := Load(loadstat.View{Sent: 3, Failed: 3, Faults: []metrics.FaultCount{{Kind: metrics.FaultHTTP, N: 3}},
		LastFault: &metrics.Fault{Kind: metrics.FaultHTTP, Message: "HTTP 503 Service Un\x1bavailable", Next: "try again"}}).Text(0)
	golden.Text(t, "load", s+"\n"+failed)
}

// Points of the works before a change stand apart, with what they were measured
// with.
func TestLoadWithAChange(t *testing.T) {
	first := loadstat.Setting{Work: metrics.Workload{Name: "1k in", InputTokens: 1000}, Endpoint: metrics.Endpoint{Model: "a"}}
	second := first
	second.Endpoint.Model = "b"
	s := Load(loadstat.View{
		Sent: 9, Done: 9, Users: 8, Target: 8, Setups: []loadstat.Setting{first, second}, Setup: 1,
		Path: []loadstat.Point{{Users: 8, Steady: true, Speed: metrics.Known(131, 9), Total: metrics.Known(1000, 9)}},
		Live: loadstat.Point{Users: 8, Setup: 1, Steady: true, Speed: metrics.Known(20, 9), Total: metrics.Known(160, 9)},
	}).Text(0)
	now, before := strings.Index(s, "    8            20.0"), strings.Index(s, "before, with a:")
	if now < 0 || before < now || strings.Index(s, "    8             131") < before {
		t.Errorf("the points are mixed:\n%s", s)
	}
}

// The text has each change of a load with its time; of many the last ones, and
// how many came before.
func TestLoadWithManyChanges(t *testing.T) {
	v := loadstat.View{Sent: 9, Done: 9, Users: 8, Target: 8, Began: 5e9, MarksLeftOut: 4}
	users := func(n int) *loadstat.Setting { return &loadstat.Setting{Drive: loadstat.Drive{Users: n}} }
	for i := range mostChanges + 2 {
		v.Marks = append(v.Marks, loadstat.Mark{At: v.Began + metrics.Stamp(i+1)*1e9, Kind: loadstat.MarkUsers, From: users(i + 1), To: users(i + 2)})
	}
	last := &v.Marks[mostChanges+1]
	last.Kind, last.To = loadstat.MarkRate, &loadstat.Setting{Drive: loadstat.Drive{Rate: 12.5, Poisson: true}}
	s := Load(v).Text(0)
	for _, want := range []string{"changed     6 earlier changes\n", " users 3 → 4 after 3.00 s\n", " rate 14 users → 12.5/s Poisson after 14.0 s\n"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is missing in\n%s", want, s)
		}
	}
	if n := strings.Count(s, " after ") + 1; n != mostChanges+1 {
		t.Errorf("%d lines of changes in\n%s", n, s)
	}
}
