package slo

import (
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
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
		{"ttft=-1s", "is not a time"},
		{"ttft>=500ms", "upper bound"},
		{"speed<20", "lower bound: write speed>=20"},
		{"speed=fast", "tokens per second"},
		{"speed=NaN", "is not a speed"},
		{"latency=1s", "known are ttfb, ttft, ttfc, tpot, itl, gap, total, speed"},
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
	failed.State = metrics.Failed
	cancelled := newPlay().every(100, 20, 5, "a ")
	cancelled.State = metrics.Cancelled
	slos, err := Parse("ttft=500ms,tpot=50ms,gap=1s")
	if err != nil {
		t.Fatal(err)
	}
	var runs []metrics.Run
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
		{"canceled", cancelled, []string{"ttft", "tpot", "gap"}},
	} {
		run := metrics.Run{Stream: c.s.Stream, Figures: c.s.measure()}
		ok, missed := Met(&run, slos)
		if ok != (c.missed == nil) || !slices.Equal(missed, c.missed) {
			t.Errorf("%s: %v, missed %v; want %v", c.name, ok, missed, c.missed)
		}
		runs = append(runs, run)
	}
	// With too few values for a p99 the longest gap is judged.
	itl, _ := Parse("itl=30ms")
	if ok, _ := Met(&runs[0], itl); !ok {
		t.Error("eleven gaps of 20 ms do not meet itl=30ms")
	}
	if ok, _ := Met(&runs[2], itl); ok {
		t.Error("a gap of 2 s meets itl=30ms")
	}
}
