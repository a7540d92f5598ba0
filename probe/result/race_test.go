package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
)

// racedView is an ended race of two lanes and so many pairs, in which the second
// takes a quarter longer for its first token and fails once.
func racedView(pairs int) *racestat.View {
	board := racestat.NewBoard(2, racestat.Level, racestat.Band, 30)
	v := &racestat.View{
		Wall: time.Unix(1e9, 0), Seed: 7, Level: racestat.Level, Alpha: board.Alpha(), Band: racestat.Band, Bounds: racestat.DefaultBounds, Ended: racestat.EndPairs, Failing: -1,
		Lanes: []racestat.Lane{{Label: "a", Here: true}, {Label: "b\x1b[31m", Lost: 1, Counted: pairs}},
		Spent: racestat.Spent{Tokens: 900, Billed: 450, Time: 3 * time.Second, Money: metrics.Unknown(metrics.WhyNoPrice)},
	}
	known := func(ms float64) metrics.Value { return metrics.Known(ms, 1) }
	for n := 1; n <= pairs+1; n++ {
		r := racestat.Round{N: n, Dropped: n == 1, Order: []int{n % 2, 1 - n%2}}
		for lane := range 2 {
			f := 1 + float64(lane)/4
			r.Results = append(r.Results, racestat.Result{
				Values: [figure.Kept]metrics.Value{figure.TTFT: known((100 + float64(n)) * f), figure.TPOT: metrics.Unknown(metrics.WhyNotCounted), figure.Total: known(1000 + float64(n*7%5)), figure.Longest: known(20)},
				Stream: 2*n + lane, Prompt: 20, Output: 30,
			})
		}
		if n == 5 {
			r.Results[1].Fault = &metrics.Fault{Kind: metrics.FaultRateLimit, Message: "slow down"}
		}
		board.Add(&r)
		v.Rounds = append(v.Rounds, r)
	}
	board.End()
	v.Verdicts = board.Verdicts()
	return v
}

// TestRaceDocument checks verdict and pairs of the document, and that neither
// infinities nor control characters reach it.
func TestRaceDocument(t *testing.T) {
	v := racedView(14)
	doc := RaceOf("v1", v, nil)
	var out bytes.Buffer
	testkit.OK(t, Sentences(nil).WriteDocument(&out, doc))
	if strings.Contains(out.String(), "\x1b") {
		t.Error("a control character is written")
	}
	var back Race
	testkit.OK(t, Unmarshal(out.Bytes(), &back))
	if len(back.Pairs) != 15 || !back.Pairs[0].Dropped || back.Pairs[1].Dropped || len(back.Verdict) != 5 || back.Setup.Parallel || back.Setup.Seed != "7" {
		t.Errorf("%d pairs, %d verdicts, %+v", len(back.Pairs), len(back.Verdict), back.Setup)
	}
	ttft, tpot, total, fails := back.Verdict[0], back.Verdict[1], back.Verdict[2], back.Verdict[4]
	if ttft.State != "decided" || ttft.Leader != 0 || ttft.Lo == 0 || ttft.Lo > 1.2500001 || ttft.Hi < 1.2499999 || ttft.Left != 1 || ttft.N != 13 {
		t.Errorf("TTFT: %+v", ttft)
	}
	if tpot.State != "missing" || tpot.Left != 14 || !math.IsNaN(tpot.Ratio) {
		t.Errorf("TPOT: %+v", tpot)
	}
	if total.N != 14 || math.IsNaN(total.Ratio) {
		t.Errorf("total: %+v", total)
	}
	if fails.State != "undecided" || fails.N != 1 || !math.IsNaN(fails.Ratio) || back.Failures[1].Failed != 1 {
		t.Errorf("failures: %+v, %+v", fails, back.Failures)
	}
	if failed := back.Pairs[4].Results[1]; failed.Fault == nil || failed.TTFT.OK {
		t.Errorf("the failed request: %+v", failed)
	}
	if back.Spent.Money.OK || back.Spent.Billed != 450 {
		t.Errorf("spent: %+v", back.Spent)
	}
	if back.FailIf == nil || len(back.FailIf) != 0 {
		t.Errorf("without --fail-if: %+v", back.FailIf)
	}
	v.Verdicts[2].Hi = math.Inf(1)
	out.Reset()
	if Sentences(nil).WriteDocument(&out, RaceOf("v1", v, nil)) != nil || !strings.Contains(out.String(), `"ratio_high": null`) {
		t.Error("infinity is written")
	}
}

// TestRaceFailIf checks the outcomes of --fail-if in the document and in the last
// line: the lanes, the interval where it is bounded, and nothing where it is unknown.
func TestRaceFailIf(t *testing.T) {
	v := racedView(14)
	for _, text := range []string{"ttft > 1.2x", "ttft of A > 2x B", "tpot > 50ms", "failures > 2%", "ttft > 1ms", "ttft of other > 2x"} {
		c := testkit.Must(condition.Parse(text))(t)
		v.Conditions = append(v.Conditions, c)
	}
	var line bytes.Buffer
	testkit.OK(t, WriteRaceLine(&line, "end", v, nil))
	var end RaceEndLine
	testkit.OK(t, Unmarshal(line.Bytes(), &end))
	var got []string
	for _, f := range end.FailIf {
		than := -1
		if f.Than != nil {
			than = *f.Than
		}
		got = append(got, fmt.Sprintf("%s: %s, %d to %d, %v %v", f.Condition, f.Outcome, f.Lane, than, !math.IsNaN(f.Value), f.Low != nil && !math.IsNaN(f.High)))
	}
	want := []string{
		"ttft.p50 > 1.2x: met, 1 to 0, true true", "ttft.p50 of A > 2x B: unmet, 0 to 1, true true", "tpot.p50 > 50ms: unknown, 1 to -1, false false",
		"failures > 2%: open, 1 to -1, true true", "ttft.p50 > 1ms: met, 1 to -1, true true",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if f := end.FailIf[0]; f.Value < 1.2499 || f.Value > 1.2501 || *f.Low > f.Value || f.High < f.Value {
		t.Errorf("%v from %v to %v", f.Value, *f.Low, f.High)
	}
}

// TestRaceBlocks checks document and lines of a race between settings: the blocks with
// their requests and p, and the one whose restart failed apart from them.
func TestRaceBlocks(t *testing.T) {
	v := racedView(0)
	v.Rounds, v.Ended = nil, racestat.EndRestart
	v.Swap, v.BlockOrder = &racestat.Swap{Command: []string{"./serve.sh", "{lane}"}, Blocks: 6, Requests: 1}, make([]int, 12)
	for n := 1; n <= 12; n++ {
		b := racestat.Block{N: n, Lane: n % 2, Began: time.Minute, Ready: 2 * time.Minute, Results: make([]racestat.Result, 1)}
		b.Results[0].Values[figure.TTFT] = metrics.Known(float64(n%2+1)*100+float64(n), 1)
		b.Sum()
		v.Blocks = append(v.Blocks, b)
	}
	v.Block = racestat.Block{N: 13, Fault: &metrics.Fault{Kind: metrics.FaultConfig, Message: "no such model"}}
	v.Verdicts = v.Swap.Verdicts(v.Blocks, 2, v.Band, true)
	var out bytes.Buffer
	doc := RaceOf("v1", v, nil)
	testkit.OK(t, Sentences(nil).WriteDocument(&out, doc))
	var back Race
	testkit.OK(t, Unmarshal(out.Bytes(), &back))
	if len(back.Blocks) != 12 || back.Blocks[1].Ready != 2*time.Minute || back.Blocks[0].TTFT.V < 201 || back.Blocks[0].TPOT.OK || len(back.Blocks[0].Requests) != 1 || back.Blocks[0].Requests[0].Lane != 1 {
		t.Errorf("blocks: %+v", back.Blocks)
	}
	if back.Cut == nil || back.Cut.N != 13 || back.Cut.Fault.Message != "no such model" || back.Setup.Swap.Requests != 1 || len(back.Setup.BlockOrder) != 12 {
		t.Errorf("cut %+v, setup %+v", back.Cut, back.Setup)
	}
	if w := back.Verdict[0]; w.State != racestat.Decided || w.P == 0 || w.P > 0.0022 || w.Leader != 0 {
		t.Errorf("verdict %+v", w)
	}
	out.Reset()
	testkit.OK(t, WriteRaceLine(&out, "pair", v, nil))
	var line RaceBlockLine
	testkit.OK(t, Unmarshal(out.Bytes(), &line))
	if line.Type != "block" || line.N != 12 {
		t.Errorf("line %+v", line)
	}
}

// TestRaceLines checks the lines of --ndjson: each one JSON value of its type.
func TestRaceLines(t *testing.T) {
	v := racedView(3)
	var out bytes.Buffer
	say := SayOf(func(*racestat.View) string { return "so far" })
	for _, kind := range []string{"begin", "pair", "end"} {
		testkit.OK(t, WriteRaceLine(&out, kind, v, say))
	}
	var types []string
	for line := range strings.Lines(out.String()) {
		var l struct {
			Type, Summary string
			N             int
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if l.Type == "pair" && (l.N != 4 || l.Summary != "so far") {
			t.Errorf("the pair: %+v", l)
		}
		types = append(types, l.Type)
	}
	if !reflect.DeepEqual(types, []string{"begin", "pair", "end"}) {
		t.Errorf("lines %v", types)
	}
}
