package load

import (
	"regexp"
	"testing"

	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// smallest are rows of each state at 40x12, in their order. The golden file has
// "users 256".
var smallest = map[string][]string{
	"idle":          {"no load yet", "users 1 ◆──┬──┬──┬──┬──┬──┬──┬──┬──┬──┬", "not begun", "running 0    waiting –", "TTFT p50       –  p99       –"},
	"starting":      {"1 user: not measured yet", "users 1 ◆──┬──┬──┬──┬──┬──┬──┬──┬──┬──┬", "○ not steady", "running 1    waiting 0", "TTFT p50       –  p99       –", "gap  p50       –  p99       –"},
	"users 1":       {"1 user: 151 tok/s per user, 148 tok/s", "aggregate", "● steady", "TTFT p50 31.1 ms  p99       –"},
	"users 8":       {"8 users: 132 tok/s per user, 1,020", "tok/s aggregate; 1 user: 151", "● steady", "running 8    waiting 0", "TTFT p50 53.5 ms  p99       –"},
	"users 64":      {"64 users: 65.2 tok/s per user, 3,850", "tok/s aggregate; 1 user: 151", "● steady", "TTFT p50  271 ms  p99  814 ms"},
	"rising":        {"90 users, rising to 128: 52.9 tok/s per", "user, not steady", "90 of 128 users", "good  34 %  errors 0   429 0"},
	"broken":        {"128 users: 41.4 tok/s per user, 4,730", "tok/s aggregate; 1 user: 151", "● steady", "good  <1 %  errors 0   429 0"},
	"errors":        {"16 users: 115 tok/s per user, 1,760", "tok/s aggregate; 1 user: 151", "▲ client-bound", "good 100 %  errors 41  429 33  8 reset"},
	"late":          {"64 users: 65.2 tok/s per user, 3,850", "▲ client-bound", "TTFT p50  271 ms  p99  814 ms", "gap  p50≤15.3 ms  p99≤55.2 ms"},
	"refused":       {"4 users: 142 tok/s per user, 554 tok/s", "aggregate; 1 user: 151", " failed", "good 100 %  errors 20  429 0   20 HTTP"},
	"leaving":       {"64 users, falling to 16: 65.2 tok/s per", "user", "users 16 ━━━━━━━━━━━━◆━━━━━──┬──┬──┬──┬", "48 leaving", "good  94 %  errors 0   429 0"},
	"frontier":      {"64 users: 65.2 tok/s per user, 3,850", "tok/s aggregate; 1 user: 151"},
	"TTFT":          {"64 users: 65.2 tok/s per user, 3,850", "tok/s aggregate; 1 user: 151"},
	"time":          {"64 users: 65.2 tok/s per user, 3,850", "tok/s aggregate; 1 user: 151"},
	"log":           {"64 users: 65.2 tok/s per user, 3,850", "tok/s aggregate; 1 user: 151"},
	"steered":       {"16 users: 34.5 tok/s per user, 529", "tok/s aggregate; 1 user: not measured", "● steady"},
	"steered, time": {"16 users: 34.5 tok/s per user, 529", "tok/s aggregate; 1 user: not measured", "● steady"},
	"varied":        {"8 users: 132 tok/s per user, 1,020", "tok/s aggregate; 1 user: 151"},
	"length":        {"8 users: 132 tok/s per user, 1,020", "tok/s aggregate; 1 user: 151"},
	"one length":    {"8 users: 132 tok/s per user, 1,020", "tok/s aggregate; 1 user: 151"},
	"rate":          {"5 req/s asked for: 127 tok/s per user,", "1,230 aggregate with 9.00 on average"},
	"overload":      {"12.0 req/s arrive, 8.40 end: the queue", "grows by 3.60 a second; 37 wait", "37 unsent"},
	"queue":         {"12.0 req/s arrive, 8.40 end: the queue", "37 unsent"},
	"ramp":          {"ramp to 100 in 28 s"},
	"down again":    {"4 users: 99.3 tok/s per user, 388 tok/s"},
}

// lost are words that the next size leaves out or words otherwise.
var lost = map[string]string{
	"broken, 40x12 to 80x24":          "36",
	"users 256, 80x24 to 100x30":      "27 53 79 105 131 157 183 235",
	"users 8, 200x50 to 300x80":       "top share without chunk bottom mean their longest gaps",
	"ramp, 200x50 to 300x80":          "row before",
	"length, 200x50 to 300x80":        "top share without chunk bottom mean their longest gaps",
	"one length, 200x50 to 300x80":    "top share without chunk bottom mean their longest gaps",
	"varied, 200x50 to 300x80":        "top share without chunk bottom mean their longest gaps",
	"steered, 200x50 to 300x80":       "earlier",
	"steered, time, 200x50 to 300x80": "earlier",
}

// skipped are words that do not count: ranges of users are shorter where there are more rows.
var skipped = regexp.MustCompile(`^(p50|\d+-\d+)$`)

// TestSmallestTerminal checks the rows that matter in every state at 40x12.
func TestSmallestTerminal(t *testing.T) {
	for _, s := range states() {
		if len(smallest[s.name]) == 0 && s.name != "users 256" {
			t.Errorf("%s has no rows", s.name)
		}
		golden.Rows(t, s.name, frame(s.view(), 40, 12), smallest[s.name]...)
	}
}

// TestLargerShowsMore checks the sizes without golden files against those that
// have one.
func TestLargerShowsMore(t *testing.T) {
	var names []string
	views := map[string]*View{}
	for _, s := range states() {
		names, views[s.name] = append(names, s.name), s.view()
	}
	steps := [][4]int{{40, 12, 80, 24}, {80, 24, 100, 30}, {120, 40, 200, 50}, {200, 50, 300, 80}}
	golden.Larger(t, names, steps, skipped, lost, func(name string, w, h int) *draw.Grid {
		return frame(views[name], w, h)
	})
}

// TestNoWarningIsCut checks every state at all sizes from 80x24.
func TestNoWarningIsCut(t *testing.T) {
	var names []string
	views := map[string]*View{}
	for _, s := range states() {
		names, views[s.name] = append(names, s.name), s.view()
	}
	golden.Uncut(t, names, func(name string, w, h int) *draw.Grid { return frame(views[name], w, h) })
}
