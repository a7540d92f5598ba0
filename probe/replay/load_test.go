package replay

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

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testseed"
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
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rec, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	now, n := metrics.Stamp(1e12), 100
	p, err := NewPlayer(func() metrics.Stamp { return now }, func() int { n++; return n }, 0, rec)
	if err != nil {
		t.Fatal(err)
	}
	return p, &now
}

// At every moment a replayed load shows exactly the points with at ≤ now, the
// objectives in force, and the number of users of the window around it.
func TestLoadShowsThePointsReached(t *testing.T) {
	r := testseed.Rand(t, 5)
	for range 20 {
		n := 1 + r.IntN(20)
		text, at := loadText(r, n, true)
		p, _ := loadPlayer(t, text)
		l := p.loads[0].Load
		for range 200 {
			now := 1000*ms + metrics.Stamp(r.Int64N(int64(l.Last()-900*ms)))
			if r.IntN(4) == 0 {
				now = at[r.IntN(n)] - metrics.Stamp(r.IntN(2))
			}
			v, s := l.At(now)
			var want []metrics.Stamp
			for _, a := range at {
				if a <= now {
					want = append(want, a)
				}
			}
			var have []metrics.Stamp
			for i := range v.Path {
				have = append(have, v.Path[i].To)
			}
			if !slices.Equal(have, want) {
				t.Fatalf("at %d: points of %v, want %v", now, have, want)
			}
			if len(want) > 0 && v.Live.Speed.V != float64(100+len(want)-1) || len(want) == 0 && v.Live.Speed.OK {
				t.Fatalf("at %d: %d points, speed %+v", now, len(want), v.Live.Speed)
			}
			if changed := at[n/2] <= now; len(v.SLOs) != 1 || (v.SLOs[0].Limit == 1000) != changed {
				t.Fatalf("at %d: objectives %v", now, v.SLOs)
			}
			if ended := now >= l.Last(); v.Running == ended || s.Totals != ended || ended && (v.Sent != 99 || s.Stopped == "") || !ended && (v.Sent+v.Failed != 0 || s.Stopped != "") {
				t.Fatalf("at %d of %d: running %v, %+v, sent %d", now, l.Last(), v.Running, s, v.Sent)
			}
			for i := range l.path {
				if q := &l.path[i]; v.Running && q.From < now && now < q.To && (!s.Known || v.Users != q.Users || v.Target != q.Users) {
					t.Fatalf("at %d: %d users, want %d", now, v.Users, q.Users)
				}
			}
			if s.WithEvents != n-n/3 || s.Sent != 99 || s.PointsLeft != 3 {
				t.Fatalf("%+v of %d requests", s, n)
			}
		}
	}
}

// The past of a lane never changes as time goes on, and shows each gap in the
// slice in which it ended.
func TestLoadLanesKeepTheirPast(t *testing.T) {
	r := testseed.Rand(t, 5)
	text, _ := loadText(r, 12, true)
	p, _ := loadPlayer(t, text)
	l := p.loads[0].Load
	seen := map[[2]int]loadstat.Slice{}
	gaps := 0
	for now := l.Begin(); now < l.Last(); now += 7 * ms {
		v, _ := l.At(now)
		for i := range v.Lanes {
			lane := &v.Lanes[i]
			if end := lane.Offset + len(lane.Past); end != int((now-l.Begin())/sliceLen) {
				t.Fatalf("at %d: lane %d ends with slice %d", now, lane.User, end)
			}
			for k, s := range lane.Past {
				at := [2]int{lane.User, lane.Offset + k}
				if was, ok := seen[at]; ok && was != s {
					t.Fatalf("at %d: slice %v was %+v, is %+v", now, at, was, s)
				} else if !ok && s.Gap > 0 {
					gaps++
					if s.Gap != 30 {
						t.Fatalf("slice %v has a gap of %g ms", at, s.Gap)
					}
				}
				seen[at] = s
			}
		}
	}
	if gaps < 8 {
		t.Errorf("%d slices with gaps", gaps)
	}
}

// A load keeps the player's clock: it plays through times without requests, goes
// from point to point, and ends at the end of the load.
func TestLoadKeepsThePlayersClock(t *testing.T) {
	text, at := loadText(testseed.Rand(t, 5), 6, true)
	p, now := loadPlayer(t, text)
	for i := range at {
		p.LoadPoint(1)
		if v, s, ok := p.Load(); !ok || len(v.Path) != i+1 || !s.Paused || v.Now != at[i] {
			t.Fatalf("step %d: %d points at %d, %+v", i, len(v.Path), v.Now, s)
		}
	}
	p.LoadPoint(-1)
	if v, _, _ := p.Load(); len(v.Path) != 5 {
		t.Errorf("back: %d points", len(v.Path))
	}
	p.LoadEdge(-1)
	if v, s, _ := p.Load(); v.Now != 1000*ms || s.At != 0 || len(v.Path) != 0 || len(v.Lanes) > 1 {
		t.Errorf("the beginning: %+v, %+v", v, s)
	}
	for range 3 { // the first request: begun, and its first two chunks
		p.LoadStep()
	}
	first := p.items[0].Begin()
	if v, _, _ := p.Load(); v.Now < first || len(v.Lanes) != 1 || v.Lanes[0].Stream != 1 {
		t.Errorf("three steps: at %d, %+v", v.Now, v.Lanes)
	}
	if !p.LoadShow(1) || p.State().ID != 1 || p.LoadShow(77) {
		t.Error("the request of the lane is not shown")
	}
	p.LoadEdge(-1)
	p.LoadToggle()
	for v, s, _ := p.Load(); !s.Ended; v, s, _ = p.Load() {
		if have := 1000*ms + metrics.Stamp(s.At); v.Now != have {
			t.Fatalf("at %d of %d", v.Now, have)
		}
		was := v.Now
		*now += 50 * ms
		if v, _, _ = p.Load(); v.Now > was+50*ms {
			t.Fatalf("it jumps from %d to %d", was, v.Now)
		}
	}
	v, s, _ := p.Load()
	if v.Running || !s.Totals || !s.Paused || v.Failed != 9 || len(v.Faults) != 2 || v.Faults[0].Kind != metrics.FaultRateLimit || v.Budget.Tokens != 1234 {
		t.Errorf("the end: %+v, %+v", v, s)
	}
	p.LoadToggle()
	if _, s, _ = p.Load(); s.Paused || s.At != 0 {
		t.Errorf("again: %+v", s)
	}
}

// A load that the program did not end has no totals, and says so.
func TestLoadWithoutEnd(t *testing.T) {
	text, _ := loadText(testseed.Rand(t, 5), 4, false)
	p, _ := loadPlayer(t, text)
	p.LoadEdge(1)
	if v, s, ok := p.Load(); !ok || v.Running || s.Totals || !s.NoEnd || s.Sent != -1 || v.Sent != 0 || len(v.Path) != 4 {
		t.Errorf("%+v", s)
	}
}

// The view of a moment does not depend on how the replay came there.
func TestLoadDependsOnTheMomentAlone(t *testing.T) {
	r := testseed.Rand(t, 5)
	text, _ := loadText(r, 8, true)
	p, _ := loadPlayer(t, text)
	l := p.loads[0].Load
	for range 50 {
		now := l.Begin() + metrics.Stamp(r.Int64N(int64(l.Last()-l.Begin())))
		a, _ := l.At(now)
		l.At(l.Last())
		l.At(l.Begin())
		b, _ := l.At(now)
		if d := cmp.Diff(a, b); d != "" {
			t.Fatal(d)
		}
	}
}

// Of a recording with several loads each can be chosen, and each plays from its
// own beginning. The time between two of them is played as one second.
func TestLoadsAreChosen(t *testing.T) {
	text, _ := loadText(testseed.Rand(t, 5), 4, true)
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
			line = numbers.ReplaceAllString(strings.Replace(line, `"load":1`, fmt.Sprintf(`"load":%d`, i), 1), fmt.Sprintf(`"id":%d$1`, i))
			all.WriteString(line + "\n")
		}
	}
	p, now := loadPlayer(t, all.String())
	for i, by := range []int{0, 1, 1, 1, -1, -1, -1} {
		want := [...]int{1, 2, 3, 3, 2, 1, 1}[i]
		moved := by != 0 && p.LoadNext(by)
		v, s, _ := p.Load()
		if s.Load != want || s.Index != want || s.Count != 3 || moved == (i == 0 || i == 3 || i == 6) || s.At != 0 || len(v.Path) != 0 || len(v.Lanes) > 1 || !v.Running {
			t.Fatalf("step %d: moved %v to %+v, %d lanes", i, moved, s, len(v.Lanes))
		}
	}
	for from := 1; from < 3; from++ {
		p.LoadEdge(1)
		p.LoadToggle()
		*now += 1200 * ms
		p.Load()
		*now += 1 * ms
		if _, s, _ := p.Load(); s.Index != from+1 || s.At > time.Second || s.Paused {
			t.Errorf("after load %d: %+v", from, s)
		}
	}
}

var (
	times   = regexp.MustCompile(`"\w+_ns":\d+`)
	numbers = regexp.MustCompile(`"id":(\d)`)
)
