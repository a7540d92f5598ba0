package loadgen

import (
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
)

// A window computes from its input, without a load, a lock or a clock: two
// users with 10 tokens per 100 ms each, whose requests end once a second.
func TestWindowByItself(t *testing.T) {
	w := newWindow(&Config{SLOs: []slo.Objective{{Name: "ttft", Limit: 150}}}, newTimeline(0, longWindow))
	testkit.Is(t, w.begin(phase{now: 1}, 2, 0), nil, "a point … before any window")
	second := metrics.Stamp(time.Second)
	fill := func(from, to metrics.Stamp) {
		for at := from; at < to; at += metrics.Stamp(sliceLen) {
			b := w.timeline.at(at)
			b.tokens, b.decoding, b.sampled = 10, 200, 100
			w.gaps.track(metrics.GapBlock{At: at, Ms: 10, Gaps: 1, Gap: 10}, metrics.GapBlock{})
			if at%second == 0 {
				b.done++
				f := metrics.Figures{TTFT: metrics.Known(100, 1), Speed: metrics.Known(50, 1)}
				w.add(at-second, newRecord(at, true, &f))
			}
		}
	}
	fill(0, 3*second)
	if p := w.point(phase{now: 3 * second, cold: 1}); !p.Warmup || p.Steady || p.Tokens == 0 {
		t.Errorf("one user is cold: %+v", p)
	}
	if p := w.point(phase{now: 3 * second}); p.Warmup || p.Tokens != 0 || len(w.records) != 0 {
		t.Errorf("the warm-up has ended now, and nothing counts yet: %+v", p)
	}
	fill(3*second, 13*second)
	now := phase{now: 13 * second}
	p := w.live(now)
	testkit.Given(t, p.Steady && p.Why.Code == "" && p.Users == 2 && p.From == 3*second+metrics.Stamp(sliceLen),
		"not steady: %+v, %+v", p.Why, p)
	if p.Total.V < 99 || p.Total.V > 101 || p.Running.V != 2 || p.TTFT.P50.V != 100 || p.Gaps.Max.V != 10 ||
		p.GoodShare.V != 1 || p.TTFT.N != 8 {
		t.Errorf("%+v", p)
	}
	w.setSLOs([]slo.Objective{{Name: "ttft", Limit: 50}})
	if p := w.point(now); p.GoodShare.V != 0 || len(p.Misses) != 1 {
		t.Errorf("other objectives: %+v", p)
	}
	held := now
	held.holding = true
	if p := w.point(held); p.Steady || p.Why.Code != loadstat.UnsteadyHold {
		t.Errorf("on hold: %v %+v", p.Steady, p.Why)
	}
	kept := w.begin(now, 5, 0)
	if kept == nil || !kept.Steady || kept.Users != 2 || kept.GoodShare.V != 0 || len(w.path) != 1 || w.users != 5 ||
		w.best != nil || len(w.records) != 0 {
		t.Errorf("kept %+v, %d on the path, now %+v", kept, len(w.path), w.users)
	}
	now.leaving, now.extra = 1, 1
	testkit.Is(t, w.begin(now, 4, 0), nil, "kept … while a user of before was leaving")
}
