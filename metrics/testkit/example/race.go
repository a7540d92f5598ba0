package example

import (
	"math"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
)

// Race is an ended race of lanes in so many rounds, the first of which is dropped. A lane
// takes twice as long as the one before it, give or take 10 %, and as long per token.
// edit, unless it is nil, changes a round when it has the result of a lane.
func Race(lanes, rounds int, edit func(r *racestat.Round, lane int)) *racestat.View {
	board := racestat.NewBoard(lanes, racestat.Level, racestat.Band, 30)
	v := &racestat.View{Wall: time.Unix(1.8e9, 0), Seed: 4711, Level: racestat.Level, Alpha: board.Alpha(),
		Band: racestat.Band, Failing: -1, Bounds: racestat.Bounds{Pairs: 30, Tokens: 1e6}, Ended: racestat.EndSettled,
		Work:     metrics.Workload{Name: "chat", InputTokens: 1000, MaxTokens: 48},
		Observer: metrics.Observer{N: 9, LateP99: 2e5},
		Spent: racestat.Spent{Tokens: 9000, Billed: 9000, Time: 40 * time.Second, Money: metrics.Known(0.0054, 0),
			Currency: "USD"}}
	for i := range lanes {
		name := []string{"groq", "together\x1b[2J", "here"}[i%3]
		at := metrics.Endpoint{Name: name, URL: "https://" + name + ".example.com/v1", Model: "llama-3.3-70b"}
		v.Lanes = append(v.Lanes, racestat.Lane{Label: name, Endpoint: at, Counted: max(rounds-1, 0), Requests: rounds,
			Proto: "h2", Late: i})
	}
	for n := 1; n <= rounds; n++ {
		r := racestat.Round{N: n, Dropped: n == 1}
		for lane := range lanes {
			r.Order = append(r.Order, (n+lane)%lanes)
		}
		for lane := range lanes {
			ms := metrics.Known(100*math.Pow(2, float64(lane))*(1+0.1*math.Sin(float64(n*n))), 1)
			r.Results = append(r.Results, racestat.Result{Values: [figure.Kept]metrics.Value{
				figure.TTFT: ms, figure.TPOT: metrics.Known(7, 1), figure.Total: ms, figure.Longest: ms}})
			if edit != nil {
				edit(&r, lane)
			}
			if fault := r.Results[lane].Fault; fault != nil {
				l := &v.Lanes[lane]
				l.Last, l.Faults = fault, metrics.AddFaults(l.Faults, metrics.FaultCount{Kind: fault.Kind, N: 1})
				if !r.Dropped {
					l.Lost++
				}
			}
		}
		board.Add(&r)
		v.Rounds = append(v.Rounds, r)
	}
	v.Verdicts = board.Verdicts()
	return v
}

// Order is the order of the blocks of a Swap of two settings.
var Order = []int{0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0}

// Swap is a race of settings after so many blocks of an order, the verdicts as if it has
// ended. Block n begins after n minutes. The second of two settings is 1.5 times as fast to
// the first token. edit, unless it is nil, changes a block before it is summed.
func Swap(lanes int, order []int, blocks int, edit func(b *racestat.Block)) *racestat.View {
	v := Race(lanes, 0, nil)
	v.Swap = &racestat.Swap{Command: []string{"./serve.sh", "{lane}"}, Blocks: len(order) / lanes, Requests: 3}
	v.BlockOrder, v.Alpha, v.Ended, v.Bounds = order, racestat.SwapAlpha(lanes), racestat.EndBlocks, racestat.Bounds{}
	for i, lane := range order[:blocks] {
		n, at := i+1, time.Duration(i+1)*time.Minute
		b := racestat.Block{N: n, Lane: lane, Began: at, Ready: at + time.Duration(4000+n)*time.Millisecond,
			Results: make([]racestat.Result, 3)}
		for i := range b.Results {
			b.Results[i].Values[figure.TTFT] = metrics.Known(300/(1+0.5*float64(lane))+float64(n), 1)
			b.Results[i].Values[figure.TPOT] = metrics.Known(7+0.2*float64(n%3), 1)
		}
		if edit != nil {
			edit(&b)
		}
		b.Sum()
		v.Blocks = append(v.Blocks, b)
	}
	v.Verdicts = v.Swap.Verdicts(v.Blocks, lanes, v.Band, true)
	return v
}
