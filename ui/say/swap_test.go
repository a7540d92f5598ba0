package say

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
)

// swapped is a race of off and on after so many of its 12 blocks.
func swapped(blocks int) *racestat.View {
	v := &racestat.View{Lanes: []racestat.Lane{{Label: "off"}, {Label: "on", Endpoint: metrics.Endpoint{URL: "http://h/v1"}}}, Band: 1.03, Running: true,
		Swap:       &racestat.Swap{Command: []string{"./serve.sh", "{lane}"}, Blocks: 6, Requests: 5},
		BlockOrder: make([]int, 12), Blocks: make([]racestat.Block, blocks), Spent: racestat.Spent{Time: time.Duration(blocks) * time.Minute}}
	v.Verdicts = []racestat.Verdict{{Figure: figure.TTFT, B: 1, State: racestat.Open}, {Figure: figure.TPOT, B: 1, State: racestat.Open}}
	return v
}

// TestSwapStep writes what a race of settings does at each moment.
func TestSwapStep(t *testing.T) {
	v := swapped(4)
	is(t, SwapStep(v), "")
	v.Block, v.Now = racestat.Block{N: 5, Lane: 1, Began: time.Minute}, 68*time.Second
	for step, want := range map[racestat.Step]string{
		racestat.NoStep: "", racestat.Starting: ": waiting for the old server at http://h/v1 to end, 8 s", racestat.Waiting: ": waiting for the model, 8 s",
		racestat.WarmingUp: ": warming up, not counted", racestat.Measuring: ": request 3 of 5",
	} {
		v.Step, v.Block.Results = step, make([]racestat.Result, 2)
		is(t, SwapStep(v), "block 5 of 12, B on"+want)
	}
	v.Step, v.Now = racestat.Starting, 62*time.Second
	is(t, SwapStep(v), "block 5 of 12, B on: restarting the server, 2 s")
	v.Step, v.Block.Results = racestat.Measuring, make([]racestat.Result, 5)
	is(t, SwapStep(v), "block 5 of 12, B on: request 5 of 5")
	v.Running = false
	is(t, SwapStep(v), "")
	is(t, SwapRuns(v), "./serve.sh {lane} before each of 12 blocks")
}

// TestSwapSentence names no winner before all blocks are there, and then prefill and
// decode apart, also where a setting helps one and costs the other.
func TestSwapSentence(t *testing.T) {
	is(t, RaceSentence(swapped(0)), "Runs ./serve.sh {lane} before each of 12 blocks. All are judged at the end.")
	v := swapped(4)
	v.Verdicts[0].Leader, v.Verdicts[0].Ratio = 1, 0.5
	is(t, RaceSentence(v), "4 of 12 blocks. Judged when all are there, in about 480 s.")
	is(t, RaceState(&v.Verdicts[0], RaceLetter, v), "judged after all 12 blocks")
	stopped := swapped(4)
	stopped.Running, stopped.Ended = false, racestat.EndStopped
	is(t, RaceSentence(stopped), "Stopped after 4 of 12 blocks: nothing is judged before all are there.")
	stopped.Block.Fault = &metrics.Fault{Kind: metrics.FaultCancelled, Message: "the old server at http://h/v1 had not ended", Next: "end it"}
	is(t, RaceSentence(stopped), "Stopped after 4 of 12 blocks: nothing is judged before all are there. The old server at http://h/v1 had not ended: end it.")
	short := raceVerdict(figure.TTFT, racestat.Undecided, 0, 0, 2)
	short.N, short.Needs = 4, 12
	is(t, RaceState(&short, RaceLetter, stopped), "not judged: 4 of 12 blocks")
	failed := swapped(4)
	failed.Running, failed.Ended = false, racestat.EndRestart
	failed.Block = racestat.Block{N: 5, Lane: 1, Fault: &metrics.Fault{Kind: metrics.FaultConfig, Message: "./serve.sh ended with exit status 3: no such model"}}
	is(t, RaceSentence(failed), "The server did not come back as on, for block 5: "+failed.Block.Fault.Error()+". Nothing is judged; what was measured is kept.")

	v = swapped(12)
	v.Running, v.Ended = false, racestat.EndBlocks
	v.Verdicts = []racestat.Verdict{raceVerdict(figure.TTFT, racestat.Decided, 0, 1.25, 2), raceVerdict(figure.TPOT, racestat.Decided, 1, 0.5, 0.8)}
	for i := range v.Verdicts {
		v.Verdicts[i].N, v.Verdicts[i].Needs, v.Verdicts[i].P = 12, 12, 2./924
	}
	is(t, RaceSentence(v), "off is 1.6x faster to the first token than on (1.2–2.0). on is 1.6x faster per token than off (1.2–2.0).")
	is(t, SwapP(&v.Verdicts[1]), "0.0022")
	v.Verdicts[0].State = racestat.Equal
	if s := RaceSentence(v); !strings.HasSuffix(s, " No difference in TTFT (within 3 %).") {
		t.Error(s)
	}
	v.Verdicts[0].State, v.Verdicts[0].N = racestat.Undecided, 11
	if s := RaceSentence(v); !strings.HasSuffix(s, " TTFT: no clear difference in 12 blocks.") {
		t.Error(s)
	}
}
