package report

import (
	"math"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/ui/uitest/golden"
)

// raced is a race of so many lanes after so many pairs, the first of which is dropped.
// Each lane takes twice as long as the one before; of the last one every third fails.
func raced(lanes, pairs int, failing bool) *racestat.View {
	board := racestat.NewBoard(lanes, racestat.Level, racestat.Band, 30)
	v := &racestat.View{Wall: time.Unix(1.8e9, 0), Seed: 4711, Level: racestat.Level, Alpha: board.Alpha(),
		Band: racestat.Band, Failing: -1, Bounds: racestat.Bounds{Pairs: 30, Tokens: 1e6}, Ended: racestat.EndSettled,
		Work: metrics.Workload{Name: "chat", InputTokens: 1000, MaxTokens: 48}, Observer: metrics.Observer{N: 9, LateP99: 2e5},
		Spent: racestat.Spent{Tokens: 9000, Billed: 9000, Time: 40 * time.Second, Money: metrics.Known(0.0054, 0), Currency: "USD"}}
	for i, name := range []string{"groq", "together\x1b[2J", "here"}[:lanes] {
		v.Lanes = append(v.Lanes, racestat.Lane{Label: name, Counted: pairs - 1, Requests: pairs, Proto: "h2",
			Endpoint: metrics.Endpoint{Name: name, URL: "https://" + name + ".example.com/v1", Model: "llama-3.3-70b"}})
		v.Lanes[i].Late = i
	}
	for n := 1; n <= pairs; n++ {
		r := racestat.Round{N: n, Dropped: n == 1}
		for lane := range lanes {
			r.Order = append(r.Order, (n+lane)%lanes)
			ms := metrics.Known(100*math.Pow(2, float64(lane))*(1+0.1*math.Sin(float64(n*n))), 1)
			result := racestat.Result{Elapsed: 900, Values: [figure.Kept]metrics.Value{figure.TTFT: ms,
				figure.TPOT: metrics.Known(7, 1), figure.Total: ms, figure.Longest: ms}}
			if failing && lane == lanes-1 && n%3 == 0 {
				l := &v.Lanes[lane]
				l.Lost++
				l.Last = &metrics.Fault{Kind: metrics.FaultRateLimit, Message: "the server answers 429", Next: "wait"}
				l.Faults = []metrics.FaultCount{{Kind: metrics.FaultRateLimit, N: l.Lost}}
				result = racestat.Result{Fault: l.Last}
			}
			r.Results = append(r.Results, result)
		}
		board.Add(&r)
		v.Rounds = append(v.Rounds, r)
	}
	v.Verdicts = board.Verdicts()
	return v
}

// swapped is a race of two settings after so many of 12 blocks; one request fails in block
// number failing, and the server does not come back for it where the race ends before.
func swapped(blocks, failing int) *racestat.View {
	fault := &metrics.Fault{Kind: metrics.FaultConfig, Message: "./serve.sh ended with exit status 3: no \x1b[2Jsuch model", Next: "start it by hand"}
	v := raced(2, 0, false)
	v.Swap = &racestat.Swap{Command: []string{"./serve.sh", "{lane}"}, Blocks: 6, Requests: 2}
	v.BlockOrder, v.Alpha, v.Ended = []int{0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0}, racestat.SwapAlpha(2), racestat.EndBlocks
	v.Bounds = racestat.Bounds{}
	v.Lanes[0].Label, v.Lanes[1].Label = "ub=512", "ub=2048"
	for n := 1; n <= blocks; n++ {
		at := time.Duration(n) * time.Minute
		b := racestat.Block{N: n, Lane: v.BlockOrder[n-1], Began: at, Ready: at + time.Duration(4000+n)*time.Millisecond}
		for i := range 3 {
			r := racestat.Result{}
			r.Values[figure.TTFT] = metrics.Known(300/(1+0.5*float64(b.Lane))+float64(n), 1)
			r.Values[figure.TPOT] = metrics.Known(7+0.2*float64(n%3), 1)
			if n == failing && i == 1 {
				r.Fault = fault
			}
			b.Results = append(b.Results, r)
		}
		b.Sum()
		v.Blocks = append(v.Blocks, b)
	}
	if blocks < failing {
		v.Block, v.Ended = racestat.Block{N: failing, Lane: v.BlockOrder[failing-1], Fault: fault}, racestat.EndRestart
	}
	v.Verdicts = v.Swap.Verdicts(v.Blocks, 2, v.Band, true)
	return v
}

// TestRace shows a race: its lanes, its verdicts, and what qualifies them.
func TestRace(t *testing.T) {
	parallel, direct := raced(2, 8, false), raced(2, 0, false)
	parallel.Parallel, parallel.Ended = true, racestat.EndStopped
	direct.Lanes[1].Connection, direct.Lanes[1].Direct, direct.Lanes[1].Model = metrics.ReuseCold, true, "other"
	varied := raced(2, 24, false)
	lanes, field, err := racestat.ParseContest("groq --vary tier=default,priority").Lanes()
	testkit.OK(t, err)
	varied.Vary = field
	for i := range lanes {
		l := &varied.Lanes[i]
		l.Label, l.Value, l.Endpoint.Name, l.Endpoint.URL = lanes[i].Label, lanes[i].Value, "groq", "https://groq.example.com/v1"
		l.Asked.Tier, l.Served.Tier, l.Otherwise = l.Value, "default", i*24
	}
	show(t, "race",
		scene{"two lanes, of which one is faster", Race(raced(2, 24, false), testOrigin, false)},
		scene{"conditions", Race(raced(2, 24, false), testOrigin, false, "ttft.p50 > 1.2x: met")},
		scene{"stopped after a few pairs, all at the same time", Race(parallel, testOrigin, false)},
		scene{"one field varied, which was served otherwise", Race(varied, testOrigin, false)},
		scene{"three lanes, of which one fails", Race(raced(3, 24, true), testOrigin, false)},
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
