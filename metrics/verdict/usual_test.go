package verdict

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// TestUnusual holds what the history adds to the findings of a request, and that the
// session's own earlier runs say nothing of a figure that it knows.
func TestUnusual(t *testing.T) {
	find := func(all []Finding, code Code) *Finding {
		for i := range all {
			if all[i].Code == code {
				return &all[i]
			}
		}
		return nil
	}
	u := &metrics.Usual{TTFT: metrics.Band{N: 45, Median: 170, Low: 150, High: 200},
		Speed: metrics.Band{N: 45, Median: 113, Low: 100, High: 120}, Prefill: metrics.Known(150, 45)}
	at := func(ms float64) metrics.Stamp { return metrics.Stamp(1 + ms*1e6) }
	in := func(ttft float64, speed metrics.Value) Input {
		s := metrics.Stream{ID: 9, State: metrics.Done, Usual: u}
		s.Marks.Sent, s.Marks.End = at(0), at(ttft+1000)
		f := metrics.Figures{TTFT: metrics.Known(ttft, 0), Speed: speed, TokenSource: metrics.TokensUsage,
			Gaps: metrics.Dist{N: 100}}
		var earlier []metrics.Run
		for i := range 5 {
			e := metrics.Run{Stream: s, Figures: f}
			e.Stream.ID, e.Figures.TTFT, e.Figures.Speed = i, metrics.Known(10, 0), metrics.Known(900, 0)
			earlier = append(earlier, e)
		}
		return Input{Stream: &s, Figures: &f, Earlier: earlier}
	}

	slow := in(276, metrics.Known(60, 0))
	slow.Figures.Wait = []metrics.Share{{Name: metrics.SharePrefill, Ms: metrics.Known(262, 0), Server: true}}
	all := Of(slow)
	first, speed := find(all, FirstToken), find(all, Speed)
	testkit.That(t, first.Usual == &u.TTFT && first.Above && first.Grade == Notable && first.More == metrics.SharePrefill,
		"%+v", first)
	testkit.That(t, speed.Usual == &u.Speed && !speed.Above && speed.Grade == Notable, "%+v", speed)
	testkit.That(t, find(all, Earlier) == nil && find(all, EarlierTPS) == nil,
		"the session's earlier runs are held against the request as well")
	if f := find(Of(in(500, metrics.Known(113, 0))), FirstToken); f.Grade != Bad {
		t.Errorf("2.9 times: %+v", f)
	}
	if f := find(Of(in(100, metrics.Known(113, 0))), FirstToken); f.Usual == nil || f.Above || f.Grade != Good {
		t.Errorf("faster: %+v", f)
	}
	same := Of(in(190, metrics.Known(113, 0)))
	testkit.That(t, find(same, FirstToken).Usual == nil && find(same, Speed).Usual == nil && find(same, Earlier) == nil,
		"as usual: %+v", same)
	held := in(276, metrics.Known(60, 0))
	held.Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectHeld}}
	if f := find(Of(held), FirstToken); f.Usual != nil {
		t.Errorf("a stream that a proxy held is compared: %+v", f)
	}
	tier := in(276, metrics.Known(60, 0))
	tier.Stream.Served.Tier = "flex"
	if f := find(Of(tier), FirstToken); f.Usual != nil {
		t.Errorf("another tier is compared: %+v", f)
	}
	wait := in(0, metrics.Value{})
	wait.Stream.State, wait.Figures.TTFT, wait.Now = metrics.Waiting, metrics.Unknown(metrics.WhyNoChunk), at(199)
	if f := find(Of(wait), Waiting); f.Usual != nil {
		t.Errorf("a wait as usual: %+v", f)
	}
	wait.Now = at(210)
	if f := find(Of(wait), Waiting); f.Usual != &u.TTFT || !f.Above {
		t.Errorf("a long wait: %+v", f)
	}
}
