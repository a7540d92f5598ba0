package metrics

import (
	"slices"
	"strings"
	"testing"
)

func TestParseSLO(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"ttft=500ms", "ttft=500ms"},
		{" ttft <= 0.5s , tpot<50ms ", "ttft=500ms,tpot=50ms"},
		{"speed>=20", "speed>=20"},
		{"speed = 20 tok/s", "speed>=20"},
		{"TTFB=1500µs,ttfc=2s,itl=30ms,gap=1m,total=10s", "ttfb=1.5ms,ttfc=2s,itl=30ms,gap=1m0s,total=10s"},
	} {
		slos, err := Parse(c.text)
		if err != nil {
			t.Errorf("ParseSLO(%q): %v", c.text, err)
			continue
		}
		var parts []string
		for _, o := range slos {
			parts = append(parts, o.String())
		}
		if got := strings.Join(parts, ","); got != c.want {
			t.Errorf("ParseSLO(%q) = %s, want %s", c.text, got, c.want)
		}
		again, err := Parse(c.want)
		if err != nil || !slices.Equal(again, slos) {
			t.Errorf("%q does not read back: %v, %v", c.want, again, err)
		}
	}
}

func TestParseSLOErrorsSayWhatIsRight(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ttft", "write name=limit"},
		{"ttft=500", "with its unit such as ttft=500ms"},
		{"ttft=-1s", "is no time"},
		{"ttft>=500ms", "upper bound"},
		{"speed<20", "lower bound, write speed>=20"},
		{"speed=fast", "tokens per second"},
		{"speed=NaN", "is no speed"},
		{"latency=1s", "there are ttfb, ttft, ttfc, tpot, itl, gap, total, speed"},
		{"ttft=1s,ttft=2s", "twice"},
	} {
		_, err := Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("ParseSLO(%q): %v, want it to say %q", c.text, err, c.want)
		}
	}
}

func TestMetAndGoodput(t *testing.T) {
	good := newPlay().every(100, 20, 11, "a ").usage(11).done()
	slow := newPlay().every(900, 20, 11, "a ").usage(11).done()
	stalled := newPlay().every(100, 20, 10, "a ").chunk(2280, "a ").usage(11).done()
	single := newPlay().chunk(100, "a").usage(1).done()
	failed := newPlay().every(100, 20, 5, "a ")
	failed.State = Failed
	cancelled := newPlay().every(100, 20, 5, "a ")
	cancelled.State = Cancelled
	slos, err := Parse("ttft=500ms,tpot=50ms,gap=1s")
	if err != nil {
		t.Fatal(err)
	}
	var runs []Run
	for _, c := range []struct {
		name   string
		s      *play
		missed []string
	}{
		{"good", good, nil},
		{"late", slow, []string{"ttft"}},
		{"a stall of two seconds", stalled, []string{"tpot", "gap"}},
		{"one token has no TPOT to be good", single, []string{"tpot", "gap"}},
		{"failed", failed, []string{"ttft", "tpot", "gap"}},
		{"cancelled", cancelled, []string{"ttft", "tpot", "gap"}},
	} {
		run := Run{Stream: c.s.Stream, Figures: c.s.measure()}
		ok, missed := Met(&run, slos)
		if ok != (c.missed == nil) || !slices.Equal(missed, c.missed) {
			t.Errorf("%s: %v, missed %v; want %v", c.name, ok, missed, c.missed)
		}
		runs = append(runs, run)
	}
	g := GoodputOf(runs, slos)
	if g.Requests != 5 || g.Met != 1 {
		t.Errorf("%d of %d requests are good, want 1 of 5", g.Met, g.Requests)
	}
	near(t, "share", g.Share, 0.2)
	near(t, "rate over 2.28 s", g.Rate, 1/2.28)
	var misses []int
	for _, m := range g.Missed {
		misses = append(misses, m.N)
	}
	if !slices.Equal(misses, []int{2, 3, 3}) {
		t.Errorf("misses %v, want 2 of ttft, 3 of tpot, 3 of gap", misses)
	}
	// A p99 that n cannot carry is judged by the longest gap.
	itl, _ := Parse("itl=30ms")
	if ok, _ := Met(&runs[0], itl); !ok {
		t.Error("eleven gaps of 20 ms do not meet itl=30ms")
	}
	if ok, _ := Met(&runs[2], itl); ok {
		t.Error("a gap of 2 s meets itl=30ms")
	}
}
