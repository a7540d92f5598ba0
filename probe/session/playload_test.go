package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
)

const ms = metrics.Stamp(time.Millisecond)

// loadText is a session file with a load of n points at random times and some
// requests, of which every third has no events. end writes its last line.
func loadText(r *rand.Rand, n int, end bool) (text string, at []metrics.Stamp) {
	var b strings.Builder
	b.WriteString(`{"type":"session","schema":"tokscope/session/v1","version":"1","started":"2026-11-20T14:05:09Z","system":"linux/amd64","bodies_recorded":false}` + "\n")
	fmt.Fprintf(&b, `{"type":"load","load":1,"at_ns":%d,"head":{"endpoint":{"name":"groq"},"workload":{"name":"1k in"},"users":1,"slo":["ttft=500ms"],"seed":"7"}}`+"\n", 1000*ms)
	now := 1000 * ms
	for i := range n {
		from := now + metrics.Stamp(r.IntN(300))*ms
		now = from + metrics.Stamp(1+r.IntN(900))*ms
		at = append(at, now)
		id, start := i+1, from
		fmt.Fprintf(&b, `{"type":"request","id":%d,"load":1,"start_ns":%d,"events_recorded":%v,"endpoint":{},"workload":{}}`+"\n", id, start, i%3 != 2)
		fmt.Fprintf(&b, `{"type":"sent","id":%d,"at_ns":%d}`+"\n", id, start+ms)
		if i%3 != 2 {
			for k := range 5 {
				at := start + metrics.Stamp(20+k*30)*ms
				fmt.Fprintf(&b, `{"type":"event","id":%d,"at_ns":%d,"user_ns":%d,"read":%d,"bytes":60,"stamp":"kernel","data":"{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}"}`+"\n", id, at, at, k)
			}
		}
		fmt.Fprintf(&b, `{"type":"end","id":%d,"request":{"id":%d,"state":"done","marks":{"start_ns":%d,"sent_ns":%d,"end_ns":%d}}}`+"\n", id, id, start, start+ms, start+200*ms)
		fmt.Fprintf(&b, `{"type":"load_point","load":1,"at_ns":%d,"point":{"users":%d,"from_ns":%d,"to_ns":%d,"steady":%v,"speed_tok_per_s":%d,"ended_well":3}}`+"\n", now, 1<<(i%8), from, now, i%2 == 0, 100+i)
		if i == n/2 {
			fmt.Fprintf(&b, `{"type":"load_slo","load":1,"at_ns":%d,"slo":["ttft=1s"]}`+"\n", now)
		}
	}
	if end {
		fmt.Fprintf(&b, `{"type":"load_end","load":1,"at_ns":%d,"end":{"sent":99,"ended_well":90,"failed":9,"faults":{"reset":2,"rate_limit":7},"tokens_used":1234,"stopped":"the budget is used up","points_left_out":3}}`+"\n", now+500*ms)
	}
	return b.String(), at
}

// loadPlayer opens text as a file.
func loadPlayer(t *testing.T, text string) (*Player, *metrics.Stamp) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.ndjson")
	testkit.OK(t, os.WriteFile(path, []byte(text), 0o600))
	rec := testkit.Must(Open(path, nil))(t)
	now, n := metrics.Stamp(1e12), 100
	p := NewPlayer(func() metrics.Stamp { return now }, func() int { n++; return n })
	begin(t, p, 0, rec)
	return p, &now
}

// A recorded load has its points in the order in which they were taken, the last
// objectives, and the figures of its end.
func TestLoadHasItsPointsAndItsEnd(t *testing.T) {
	r := testkit.Rand(t, 5)
	for range 20 {
		n := 1 + r.IntN(20)
		text, at := loadText(r, n, true)
		p, _ := loadPlayer(t, text)
		v, about, ok := p.LoadReplay()
		var have []metrics.Stamp
		for i := range v.Path {
			have = append(have, v.Path[i].To)
		}
		testkit.Given(t, ok && slices.Equal(have, at), "points of %v, want %v", have, at)
		if v.Live.Speed.V != float64(100+n-1) || len(v.SLOs) != 1 || v.SLOs[0].Limit != 1000 || v.Now != at[n-1]+500*ms {
			t.Fatalf("the last point %+v, objectives %v, at %d", v.Live.Speed, v.SLOs, v.Now)
		}
		if v.Running || v.Sent != 99 || v.Failed != 9 || v.Budget.Tokens != 1234 || len(v.Faults) != 2 ||
			v.Faults[0].Kind != metrics.FaultRateLimit {
			t.Fatalf("the end: %+v", v)
		}
		want := loadstat.Replay{File: "session.ndjson", Load: 1, Index: 1, Count: 1, Sent: 99, Recorded: n,
			PointsLeft: 3, Stopped: "the budget is used up"}
		testkit.Need(t, about, want)
	}
}

// A load that the program did not end has no totals, and says so. It lasts as long
// as its requests.
func TestLoadWithoutEnd(t *testing.T) {
	text, _ := loadText(testkit.Rand(t, 5), 4, false)
	p, _ := loadPlayer(t, text)
	last := p.items[len(p.items)-1].Last()
	if v, s, ok := p.LoadReplay(); !ok || v.Running || !s.NoEnd || s.Sent != -1 || v.Sent != 0 || len(v.Path) != 4 ||
		v.Now < last {
		t.Errorf("%+v until %d, the last request until %d", s, v.Now, last)
	}
}

// Of a recording with several loads each can be chosen, whatever the player's clock
// does, and has its own requests. One request of them has no load.
func TestLoadsAreChosen(t *testing.T) {
	text, _ := loadText(testkit.Rand(t, 5), 4, true)
	var all strings.Builder
	all.WriteString(text)
	for i := 2; i <= 3; i++ { // each 100 s after the one before; the last without requests
		for _, line := range strings.Split(text, "\n")[1:] {
			if i == 3 && !strings.Contains(line, `"load_`) && !strings.Contains(line, `"type":"load"`) {
				continue
			}
			line = times.ReplaceAllStringFunc(line, func(s string) string {
				name, ns, _ := strings.Cut(s, ":")
				at, _ := strconv.ParseInt(ns, 10, 64)
				return fmt.Sprintf("%s:%d", name, at+int64(i-1)*100e9)
			})
			line = numbers.ReplaceAllString(strings.Replace(line, `"load":1`, fmt.Sprintf(`"load":%d`, i), 1),
				fmt.Sprintf(`"id":%d$1`, i))
			all.WriteString(line + "\n")
		}
	}
	p, now := loadPlayer(t, all.String())
	for i, by := range []int{0, 1, 1, 1, -1, -1, -1} {
		want := [...]int{1, 2, 3, 3, 2, 1, 1}[i]
		version := p.ReplayVersion()
		moved := by != 0 && p.LoadReplayNext(by)
		p.ReplayToggle()
		*now += 1000 * ms
		v, s, _ := p.LoadReplay()
		if s.Load != want || s.Index != want || s.Count != 3 || moved == (i == 0 || i == 3 || i == 6) || len(v.Path) != 4 ||
			p.ReplayVersion() == version {
			t.Fatalf("step %d: moved %v to %+v", i, moved, s)
		}
		list := p.LoadReplayRequests()
		if n := draw(want == 3, 0, 4); list.Len() != n || n > 0 && list.Row(0).N/10 != draw(want == 1, 0, want) {
			t.Fatalf("load %d has %d requests", want, list.Len())
		}
	}
	one := NewPlayer(p.now, func() int { return 1 })
	begin(t, one, 1, &Recording{Requests: []*Recorded{p.items[0].Recorded}})
	_, _, ok := one.LoadReplay()
	testkit.That(t, !ok && !one.LoadReplayNext(1) && one.LoadReplayRequests().Ended == 0, "a single request has a load")
}

// draw is a if yes is true, else b.
func draw(yes bool, a, b int) int {
	if yes {
		return a
	}
	return b
}

var (
	times   = regexp.MustCompile(`"\w+_ns":\d+`)
	numbers = regexp.MustCompile(`"id":(\d)`)
)
