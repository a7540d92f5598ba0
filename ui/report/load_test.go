package report

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// TestLoad shows what is left of a load after the interface has closed: its last steady
// point for each number of users, its failures and its changes.
func TestLoad(t *testing.T) {
	if d := Load(loadstat.View{}); !d.Empty() {
		t.Errorf("without a load: %q", d.Text(0))
	}
	point := func(users int, each, all float64) loadstat.Point {
		return loadstat.Point{Users: users, Steady: true, Speed: metrics.Known(each, 9), Total: metrics.Known(all, 9)}
	}
	v := loadstat.View{Sent: 9, Done: 7, Failed: 2, Finishes: map[string]int{"stop": 5, "length": 2}, Retried: 3, Users: 8, Target: 8, Live: point(8, 131, 1026),
		Path:   []loadstat.Point{point(16, 5.2, 83), point(1, 140, 139), point(1, 149, 146), {Users: 4}},
		Faults: []metrics.FaultCount{{Kind: metrics.FaultRateLimit, N: 2}},
		Broken: metrics.Ending{Code: metrics.EndingFailures, Requests: 20, Most: 20, Kind: metrics.FaultRateLimit,
			Last: &metrics.Fault{Message: "too many\x1b[2J requests"}}}
	failed := loadstat.View{Sent: 3, Failed: 3, Faults: []metrics.FaultCount{{Kind: metrics.FaultHTTP, N: 3}},
		LastFault: &metrics.Fault{Kind: metrics.FaultHTTP, Message: "HTTP 503 Service Un\x1bavailable", Next: "try again"}}
	late := loadstat.View{Sent: 9, Done: 9, Users: 8, Target: 8, Live: lateSweep(t).Steps[1].Point}
	late.Live.Stamps = "kernel"

	setting := func(model string) loadstat.Setting {
		return loadstat.Setting{Work: metrics.Workload{Name: "1k in", InputTokens: 1000}, Endpoint: metrics.Endpoint{Model: model}}
	}
	setups := loadstat.View{Sent: 9, Done: 9, Users: 8, Target: 8, Setups: []loadstat.Setting{setting("a"), setting("b")},
		Setup: 1, Path: []loadstat.Point{point(8, 131, 1000)}, Live: point(8, 20, 160)}
	setups.Live.Setup = 1

	changed := loadstat.View{Sent: 9, Done: 9, Users: 8, Target: 8, Began: 5e9, MarksLeftOut: 4}
	users := func(n int) *loadstat.Setting { return &loadstat.Setting{Drive: loadstat.Drive{Users: n}} }
	for i := range mostChanges + 2 {
		changed.Marks = append(changed.Marks, loadstat.Mark{At: changed.Began + metrics.Stamp(i+1)*1e9,
			Kind: loadstat.MarkUsers, From: users(i + 1), To: users(i + 2)})
	}
	last := &changed.Marks[mostChanges+1]
	last.Kind, last.To = loadstat.MarkRate, &loadstat.Setting{Drive: loadstat.Drive{Rate: 12.5, Poisson: true}}
	show(t, "load", scene{"points and failures", Load(v)}, scene{"all failed", Load(failed)},
		scene{"two models", Load(setups)}, scene{"more changes than are listed", Load(changed)},
		scene{"late reads", Load(late)})
}
