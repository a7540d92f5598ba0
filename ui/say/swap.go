package say

import (
	"strings"
	"time"

	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/ui/format"
)

// RaceAmount writes how much of a race has ended: "12 pairs", "5 of 12 blocks".
func RaceAmount(v *racestat.View) string {
	if v.Swap == nil {
		return format.Plural(v.Pairs(), "pair", "pairs")
	}
	return format.Count(len(v.Blocks)) + " of " + allBlocks(v)
}

// allBlocks writes the number of blocks of a race: "12 blocks".
func allBlocks(v *racestat.View) string { return format.Plural(len(v.BlockOrder), "block", "blocks") }

// SwapRuns says which program of the person's runs, and how often.
func SwapRuns(v *racestat.View) string {
	return strings.Join(v.Swap.Command, " ") + " before each of " + allBlocks(v)
}

// SwapStep writes what a race of settings does now, with the letter and the label of the
// lane: "block 5 of 12, B on: waiting for the model, 8 s"; "" between blocks.
func SwapStep(v *racestat.View) string {
	b := &v.Block
	if !v.Running || b.N == 0 {
		return ""
	}
	doing, restarting := "", string(format.AppendElapsed(nil, (v.Now-b.Began).Seconds()))
	switch waits := SwapWaits(v); {
	case waits != "":
		doing = ": " + waits + ", " + restarting
	case v.Step == racestat.Starting:
		doing = ": restarting the server, " + restarting
	case v.Step == racestat.Waiting:
		doing = ": waiting for the model, " + restarting
	case v.Step == racestat.WarmingUp:
		doing = ": warming up, not counted"
	case v.Step == racestat.Measuring:
		doing = ": request " + format.Count(min(len(b.Results)+1, v.Swap.Requests)) + " of " + format.Count(v.Swap.Requests)
	}
	return "block " + format.Count(b.N) + " of " + format.Count(len(v.BlockOrder)) + ", " +
		RaceLetter(b.Lane) + " " + v.Lanes[b.Lane].Label + doing
}

// SwapWaits names the server before a block's that has not ended after some seconds:
// "waiting for the old server at http://127.0.0.1:8080/v1 to end"; "" for none.
func SwapWaits(v *racestat.View) string {
	if !v.Leaving() {
		return ""
	}
	return "waiting for the old server at " + v.Lanes[v.Block.Lane].Endpoint.URL + " to end"
}

// SwapP writes the p-value of a verdict on blocks with two digits, "–" before there is one.
func SwapP(v *racestat.Verdict) string {
	return format.Either(v.P > 0, format.Exact(format.Digits(v.P, 2)), format.Unknown)
}

// SwapPhase names the phase that a figure of blocks is the time of, with the figure.
func SwapPhase(f figure.ID) string {
	return format.Either(f == figure.TTFT, "prefill: ", "decode: ") + f.Label()
}

// swapUnjudged are the sentences of a race of settings that lacks blocks.
func swapUnjudged(v *racestat.View) Sentence {
	n := len(v.Blocks)
	switch {
	case v.Ended == racestat.EndRestart:
		return Sentence{{Text: capital(RaceEnd(v)) + ": " + v.Block.Fault.Error() + "."}}.
			further("Nothing is judged; what was measured is kept.")
	case !v.Running:
		s := Sentence{{Text: "Stopped after " + RaceAmount(v) + ": nothing is judged before all are there."}}
		if v.Block.Fault != nil {
			s = s.further(capital(v.Block.Fault.Error()) + ".")
		}
		return s
	case n == 0:
		return Sentence{{Text: "Runs " + SwapRuns(v) + "."}}.further("All are judged at the end.")
	}
	left := v.Spent.Time / time.Duration(n) * time.Duration(len(v.BlockOrder)-n)
	return Sentence{{Text: RaceAmount(v) + ". Judged when all are there, in about " + format.Duration(left) + "."}}
}
