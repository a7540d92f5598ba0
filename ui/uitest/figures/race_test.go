package figures

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/racestat"
	"tokscope/probe/record"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/report"
	racescreen "tokscope/ui/screen/race"
	"tokscope/ui/uitest"
)

// race is a race, with its second lane, that lane's last result, and the verdict on
// TTFT.
type race struct {
	View    racestat.View
	Lane    racestat.Lane
	Result  racestat.Result
	Verdict racestat.Verdict
}

const (
	anIndex    = "It is the index of a lane, not a figure."
	aChoice    = "A person chose it, and it is no figure."
	inPairs    = "The pairs of the document have it of each request."
	oneLine    = "The line of a lane in text has it; the screen shows it before the race."
	lagNote    = "The notes have it where they have room, the least important last; the footer shows a lag that matters."
	ofTheRound = "The table of pairs and JSON have the round when it has ended."
)

// ofRaces are the figures of a race that do not stand everywhere.
var ofRaces = map[string]exception{
	"View.Failing":                      {unwalked, anIndex},
	"Verdict.A":                         {unwalked, anIndex},
	"Verdict.B":                         {unwalked, anIndex},
	"Verdict.Leader":                    {unwalked, anIndex},
	"View.Conditions":                   {unwalked, aChoice},
	"View.Verdicts":                     {unwalked, inItsPlace},
	"View.Round.*":                      {unwalked, ofTheRound},
	"View.Now":                          {unwalked, "It is the clock of the screen."},
	"View.Began":                        {"screen, text, JSON", "Text and JSON have the time of the day instead."},
	"View.Running":                      {"text, JSON", "Text and JSON are written when the race has ended."},
	"View.Holding":                      {"text, JSON", "Text and JSON are written when the race has ended."},
	"View.Phases":                       {"text, JSON", "Text and JSON are written when the race has ended."},
	"View.Level":                        {"screen, text", "They have the level that holds: 95 % for 5 %."},
	"View.Seed":                         {"screen", "It repeats a race, for which one takes the document."},
	"View.Ended":                        {"screen, text", "It is a sentence by its code, and those have tests."},
	"View.Observer.Use.Seconds":         {"screen, text", "It is for how long the cores were counted."},
	"View.Observer.LateP50":             {"screen, text", ownLag},
	"View.Observer.N":                   {"screen, text", ownLag},
	"View.Observer.GCPauses":            {"screen, text", ownLag},
	"View.Observer.GCTotal":             {"screen, text", ownLag},
	"View.Observer.KernelStamps":        {"screen, text", ownLag},
	"View.Observer.UserStamps":          {"screen, text", ownLag},
	"View.Observer.LateEvents":          {"screen, text", ownLag},
	"View.Observer.SharedReads":         {"screen, text", ownLag},
	"View.Observer.LagP50":              {"screen, text", ownLag},
	"View.Observer.LagP99":              {"screen, text", ownLag},
	"View.Observer.LagMax":              {"screen, text", ownLag},
	"View.Observer.ClockStep":           {"screen, text", ownLag},
	"View.Observer.LateP99":             {"screen", lagNote},
	"View.Observer.LateMax":             {"screen", lagNote},
	"View.Observer.Use.CPU":             {"screen", lagNote},
	"View.Observer.Use.Cores":           {"screen", lagNote},
	"View.Observer.Use.Descriptors":     {"screen", lagNote},
	"View.Observer.Use.DescriptorLimit": {"screen", lagNote},
	"Lane.Connection":                   {"screen", oneLine},
	"Lane.HTTP":                         {"screen, text", "The line of a lane has the protocol of its last response."},
	"Lane.Direct":                       {"screen", oneLine},
	"Lane.Here":                         {"screen, text", "The endpoint says it."},
	"Lane.Model":                        {"screen, JSON", "The line of a lane has it; the document names the model that was asked for."},
	"Lane.Proto":                        {"screen, JSON", oneLine},
	"Lane.Reused":                       {"screen, text, JSON", "Each result has it in JSON."},
	"Lane.Counted":                      {"screen", "The title of the verdicts has the number of pairs."},
	"Lane.Tokens":                       {"screen, text, JSON", "Each result has its tokens in JSON, and all lanes together have a sum."},
	"Lane.Estimated":                    {"screen, text, JSON", "Each result says it in JSON, and so does the sum of all lanes."},
	"Result.Prompt":                     {"screen, text", inPairs},
	"Result.Output":                     {"screen, text", inPairs},
	"Result.Counted":                    {"screen, text", inPairs},
	"Result.Cost":                       {"screen, text, JSON", "The cost of all requests together stands everywhere."},
	"Result.Elapsed":                    {"screen, text, JSON", "The time of the race stands everywhere; a result has its total."},
	"Result.Connect":                    {"screen, text", "A note has the median of it."},
	"Result.Stream":                     {"screen, text", inPairs},
	"Result.Proto":                      {"screen, text, JSON", "The line of a lane has that of its last response."},
	"Result.Reused":                     {"screen, text", inPairs},
	"Result.Delay":                      {"screen, text, JSON", "A note counts the late requests; JSON marks them."},
	"Verdict.Verdict.State":             {"screen, text, JSON", "It is the outer state before the bound of the race counts."},
	"Verdict.Verdict.More":              {"screen, text, JSON", "The forecast is the smaller of both."},
	"Verdict.Verdict.MoreEqual":         {"screen, text, JSON", "The forecast is the smaller of both."},
	"Verdict.Verdict.Needs":             {"screen, text", "The state of a verdict that is too early has it."},
	"Verdict.Verdict.OrderShare":        {"screen, text", "A note has it where the order matters."},
	"Verdict.BandOffered":               {"screen, text", "The state of an equal pair says it; JSON has the forecast's reason."},
}

// raceView is a race of two lanes after 60 pairs, with every figure.
func raceView() racestat.View {
	known := func(v float64) metrics.Value { return metrics.Known(v, 1) }
	board := racestat.NewBoard(2, racestat.Level, racestat.Band, 100)
	fault := &metrics.Fault{Kind: metrics.FaultReset, Message: "the connection broke"}
	v := racestat.View{
		Now: 60e9, Wall: time.Unix(1.8e9, 0), Seed: 4711, Running: true, Work: metrics.Workload{Name: "chat", Prompt: "Why?", MaxTokens: 48}, Bounds: racestat.DefaultBounds,
		Level: racestat.Level, Alpha: board.Alpha(), Band: racestat.Band, Failing: 1, Phases: []racestat.Phase{racestat.Recorded, racestat.Running},
		Lanes: []racestat.Lane{
			{Label: "groq", Endpoint: uitest.Demo, Requests: 15, Counted: 14},
			{Label: "together", Endpoint: uitest.Demo, Model: "llama", Proto: "HTTP/1.1", Reused: true, Requests: 15, Faults: []metrics.FaultCount{{Kind: metrics.FaultReset, N: 1}}, Counted: 14, Lost: 1, Last: fault, Tokens: 1100, Late: 2},
		},
		Spent:    racestat.Spent{Tokens: 2200, Billed: 2100, Money: known(0.02), Currency: "USD", Time: 50 * time.Second},
		Observer: metrics.Observer{N: 900, LateP50: 5e4, LateP99: 2e5, LateMax: 3e5, KernelStamps: 4000, Use: metrics.Use{CPU: 0.5, Seconds: 20, Cores: 2, Descriptors: 30, DescriptorLimit: 1000}},
	}
	for n := 1; n <= 61; n++ {
		r := racestat.Round{N: n, Dropped: n == 1, Order: []int{n % 2, 1 - n%2}}
		for lane := range 2 {
			x := 1 + 0.1*math.Sin(float64(7*n+lane))
			y := x * (1 + 0.1*float64(n/2*lane%2)) // neighbors differ more
			r.Results = append(r.Results, racestat.Result{
				Values: [racestat.Timed]metrics.Value{known(180 * x), known(7.1 * y), known(520 * y * (1 + float64(lane)/4)), known(31 * y)},
				Prompt: 31, Output: 48, Counted: true, Cost: known(0.001), Elapsed: 560, Connect: known(24), Stream: 2*n + lane, Proto: "HTTP/1.1",
			})
		}
		board.Add(&r)
		v.Rounds = append(v.Rounds, r)
	}
	v.Verdicts = board.Verdicts()
	v.Round = racestat.Round{N: 62, Order: []int{0, 1}}
	return v
}

// whole puts the parts of r into the race. Every lane has a result in each round.
func (r *race) whole() *racestat.View {
	v := r.View
	v.Lanes = slices.Clone(v.Lanes)
	v.Lanes[1] = r.Lane
	v.Verdicts = slices.Clone(v.Verdicts)
	v.Verdicts[0] = r.Verdict
	v.Rounds = slices.Clone(v.Rounds)
	for i := range v.Rounds {
		w := &v.Rounds[i]
		w.Results = slices.Clone(w.Results)
		for len(w.Results) < len(v.Lanes) {
			w.Results = append(w.Results, w.Results[0])
		}
	}
	last := &v.Rounds[len(v.Rounds)-1]
	last.Results[1] = r.Result
	return &v
}

// ended are the ways in which the race is shown: while it runs, and at its end.
func (r *race) ended() (all []*racestat.View) {
	all = append(all, r.whole())
	for _, code := range []racestat.EndCode{racestat.EndPairs, racestat.EndTime, racestat.EndTokens, racestat.EndLane} {
		v := r.whole()
		if v.Ended == racestat.NotEnded {
			v.Running, v.Ended = !v.Running, code
		}
		all = append(all, v)
	}
	return all
}

// TestEveryFigureOfARace walks racestat.View, Lane, Result and Verdict.
func TestEveryFigureOfARace(t *testing.T) {
	t.Parallel()
	plain := race{View: raceView()}
	plain.Lane, plain.Verdict = plain.View.Lanes[1], plain.View.Verdicts[0]
	plain.Result = plain.View.Rounds[60].Results[1]
	walkAll(t, 80, plain, ofRaces, func(r race) texts {
		out := texts{}
		for _, v := range r.ended() {
			for f := range racestat.Figure(racestat.Timed) {
				out.add(onScreen, func() string {
					screen := racescreen.View{Race: *v, Tracks: make([]racescreen.Track, len(v.Lanes)), Figure: f}
					return frame(func(g *draw.Grid) { racescreen.DrawView(g, g.Bounds(), &screen) })
				})
			}
			out.add(inText, func() string {
				return written(t, func(b *bytes.Buffer) error { return report.Race(b, v, report.Origin{}, false) })
			})
			out.add(inJSON, func() string { return jsonOf(t, record.RaceOf("test", v, say)) })
		}
		v := r.whole()
		out.add(inText, func() string { return written(t, func(b *bytes.Buffer) error { return report.RacePair(b, v) }) })
		out.add(inText, func() string { return format.RaceCost(v.Spent) })
		return out
	})
}
