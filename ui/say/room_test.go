package say_test

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/ui/say"
)

// What a machine lacks is said with its numbers and the next step; few requests go without a word.
func TestRoom(t *testing.T) {
	room := metrics.Room{Files: 12, FileLimit: 20_000, Each: 1, Memory: 8e9, Ports: 28_232}
	with := func(change func(*metrics.Room)) metrics.Room { r := room; change(&r); return r }
	for _, c := range []struct {
		room    metrics.Room
		n       int
		wants   string // parts, by "; "
		refused bool
	}{
		{room, 1024, "", false},
		{room, 4096, "4,096 requests; 19,988 open files; 8.00 GB of memory; 28,232 local ports", false},
		{with(func(r *metrics.Room) { r.FileLimit = 1024 }), 1000, "1,028 open files; open 1,024; ulimit -n 1028; 996", true},
		{with(func(r *metrics.Room) { r.Each = 2 }), 4096, "4,096 requests", false},
		{with(func(r *metrics.Room) { r.Ports = 2000 }), 4096, "2,000 for one address; ip_local_port_range", true},
		{with(func(r *metrics.Room) { r.Memory = 1e8 }), 4096, "246 MB; 100 MB are free; use fewer", false},
		{metrics.Room{}, 4096, "does not tell", false},
	} {
		text, refused := say.Room(&c.room, c.n)
		testkit.That(t, refused == c.refused && (text == "") == (c.wants == ""), "%q, %v for %+v", text, refused, c)
		for want := range strings.SplitSeq(c.wants, "; ") {
			testkit.That(t, strings.Contains(text, want), "%q is not in %q", want, text)
		}
	}
}
