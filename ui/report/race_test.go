package report

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/metrics/testkit/example"
	"tokscope/ui/uitest/golden"
)

// raced is a race of so many lanes after so many pairs; of the last one every third fails.
func raced(lanes, pairs int, failing bool) *racestat.View {
	fault := &metrics.Fault{Kind: metrics.FaultRateLimit, Message: "the server answers 429", Next: "wait"}
	return example.Race(lanes, pairs, func(r *racestat.Round, lane int) {
		if failing && lane == lanes-1 && r.N%3 == 0 {
			r.Results[lane] = racestat.Result{Fault: fault}
		}
	})
}

// swapped is a race of two settings after so many of 12 blocks; one request fails in block
// number failing, and the server does not come back for it where the race ends before.
func swapped(blocks, failing int) *racestat.View {
	fault := &metrics.Fault{Kind: metrics.FaultConfig,
		Message: "./serve.sh ended with exit status 3: no \x1b[2Jsuch model", Next: "start it by hand"}
	v := example.Swap(2, example.Order, blocks, func(b *racestat.Block) {
		if b.N == failing {
			b.Results[1].Fault = fault
		}
	})
	v.Lanes[0].Label, v.Lanes[1].Label = "ub=512", "ub=2048"
	if blocks < failing {
		v.Block, v.Ended = racestat.Block{N: failing, Lane: v.BlockOrder[failing-1], Fault: fault}, racestat.EndRestart
	}
	return v
}

// TestRace shows a race: its lanes, its verdicts, and what qualifies them.
func TestRace(t *testing.T) {
	parallel, direct := raced(2, 8, false), raced(2, 0, false)
	parallel.Parallel, parallel.Ended = true, racestat.EndStopped
	direct.Lanes[1].Connection, direct.Lanes[1].Direct, direct.Lanes[1].Model = metrics.ReuseCold, true, "other"
	direct.Lanes[1].Endpoint.API, direct.Lanes[1].Endpoint.Settings = "messages", "api=messages"
	open := raced(3, 8, false)
	open.Lanes[0].Unended, open.Lanes[2].Unended = 3, 8
	varied := raced(2, 24, false)
	lanes, field, err := racestat.ParseContest("groq --vary tier=default,priority").Lanes()
	testkit.OK(t, err)
	varied.Vary = field
	for i := range lanes {
		l := &varied.Lanes[i]
		l.Label, l.Value, l.Endpoint.Name, l.Endpoint.URL = lanes[i].Label, lanes[i].Value, "groq",
			"https://groq.example.com/v1"
		l.Asked.Tier, l.Served.Tier, l.Otherwise = l.Value, "default", i*24
	}
	show(t, "race",
		scene{"two lanes, of which one is faster", Race(raced(2, 24, false), testOrigin, false)},
		scene{"conditions", Race(raced(2, 24, false), testOrigin, false, "ttft.p50 > 1.2x: met")},
		scene{"stopped after a few pairs, all at the same time", Race(parallel, testOrigin, false)},
		scene{"one field varied, which was served otherwise", Race(varied, testOrigin, false)},
		scene{"three lanes, of which one fails", Race(raced(3, 24, true), testOrigin, false)},
		scene{"answers without their end marker", Race(open, testOrigin, false)},
		scene{"the head", RaceHead(direct)},
		scene{"blocks of two settings", Race(swapped(12, 0), testOrigin, false)},
		scene{"a restart that failed", Race(swapped(5, 6), testOrigin, false)})
	var pairs strings.Builder
	for lanes := 2; lanes <= 3; lanes++ {
		for n := range 4 {
			pairs.WriteString(RacePair(raced(lanes, n, true)))
		}
	}
	for n := range 4 {
		pairs.WriteString(RacePair(swapped(n, 2)))
	}
	golden.Text(t, "race-pairs", pairs.String())
}
