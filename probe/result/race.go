package result

import (
	"io"
	"strconv"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/racestat"
)

// RaceSchema names the format of the document of `tokscope race --json`,
// RaceLinesSchema that of its lines with --ndjson.
const (
	RaceSchema      = "tokscope/race/v1"
	RaceLinesSchema = "tokscope/race-lines/v1"
)

// Race is the document of `tokscope race --json`, and the file saved from the
// screen.
type Race struct {
	Schema  string   `json:"schema"`
	Tool    Tool     `json:"tool"`
	Started string   `json:"started"`
	Setup   RaceHead `json:"setup"`
	RaceEnd
	Pairs []RacePair `json:"pairs"` // every round, the dropped first one included
	// Blocks are those of a race with --swap, which has no pairs. Cut is the one that the
	// end of the race cut, or whose restart failed: no verdict is on it.
	Blocks []RaceBlock `json:"blocks,omitempty"`
	Cut    *RaceBlock  `json:"cut_block,omitempty"`
}

// RaceHead is what a race was asked to do.
type RaceHead struct {
	*racestat.View
	Seed string `json:"seed"` // of the orders and nonces
}

// RaceResult is one request of a lane. Unknown figures are null; a failed request
// has none. Its stall is the longest gap.
type RaceResult struct {
	Lane int `json:"lane"` // index in lanes
	*racestat.Result
	Times [4]metrics.Value `json:"ttft_ms|tpot_ms|total_ms|stall_ms" form:"bare"`
	Late  bool             `json:"client_late,omitempty"` // tokscope's own lateness affects its figures
}

// RacePair is a round: one request for each lane.
type RacePair struct {
	*racestat.Round
	Results []RaceResult `json:"results"` // by lane
}

// RaceBlock is one start of the server and the requests to it. Its times are the geometric
// means of those of its requests.
type RaceBlock struct {
	*racestat.Block
	Times    [len(racestat.Swapped)]metrics.Value `json:"ttft_ms|tpot_ms" form:"bare"`
	Requests []RaceResult                         `json:"requests"` // without those that warm up
}

// RaceVerdict is what the pairs of two lanes say of one figure. The ratio is that of b
// over a; an end of its interval is null where it is not bounded.
type RaceVerdict struct {
	Figure string `json:"figure"`
	*racestat.Verdict
	// Scope says why the verdict is of these rounds alone: "few_rounds", too few to
	// tell whether neighbors are alike, or "alike_rounds". "" holds beyond them.
	Scope racestat.Scope `json:"in_these_rounds"`
	Text  string         `json:"text"`
}

// RaceFailures are the failed requests of a lane, in rounds that count.
type RaceFailures struct {
	Lane     int `json:"lane"`
	Failed   int `json:"failed"`
	Requests int `json:"requests"`
	Late     int `json:"client_late"` // requests that tokscope's own lateness affects
	// Sent counts all requests of the lane, those of the dropped pair too, and Faults
	// its failures by kind.
	Sent   int                  `json:"requests_sent"`
	Faults []metrics.FaultCount `json:"faults,omitempty"`
	// TTFT are its percentiles with the failures of rounds that count.
	TTFT metrics.WithFailures `json:"ttft_with_failures_ms,omitzero"`
}

// RaceFailIf is what the race says of a condition of --fail-if.
type RaceFailIf struct {
	*comparison.Verdict
	Lane int      `json:"lane"` // that is judged; index in lanes
	Than *int     `json:"than"` // the lane that a ratio is to; null for other limits
	Low  *float64 `json:"low"`
}

// RaceEnd is the result.
type RaceEnd struct {
	Ended    string         `json:"ended"`
	Why      string         `json:"why"` // the same as a sentence
	Summary  string         `json:"summary"`
	Verdict  []RaceVerdict  `json:"verdict"`
	Failures []RaceFailures `json:"failures"`
	FailIf   []RaceFailIf   `json:"fail_if"`
	Spent    racestat.Spent `json:"spent"`
	Lag      Lag            `json:"lag"` // of tokscope
}

// RaceBeginLine, RacePairLine and RaceEndLine are the lines of --ndjson.
type RaceBeginLine struct {
	Type    string `json:"type"`
	Schema  string `json:"schema"`
	Started string `json:"started"`
	RaceHead
}

// RacePairLine is a line for each round, when it has ended.
type RacePairLine struct {
	Type string `json:"type"`
	RacePair
	Summary string `json:"summary"` // of the race so far
}

// RaceBlockLine is a line for each block, when it has ended.
type RaceBlockLine struct {
	Type string `json:"type"`
	RaceBlock
	Summary string `json:"summary"` // of the race so far
}

// RaceEndLine is the last line.
type RaceEndLine struct {
	Type string `json:"type"`
	RaceEnd
}

// RaceOf returns the document of a race.
func RaceOf(version string, v *racestat.View, say Sentences) Race {
	r := Race{
		Schema: RaceSchema, Tool: ToolOf(version),
		Started: v.Wall.UTC().Format(time.RFC3339Nano), Setup: raceHeadOf(v), RaceEnd: raceEndOf(v, say),
	}
	for i := range v.Rounds {
		r.Pairs = append(r.Pairs, racePairOf(&v.Rounds[i]))
	}
	for i := range v.Blocks {
		r.Blocks = append(r.Blocks, raceBlockOf(&v.Blocks[i]))
	}
	if v.Block.N > 0 {
		cut := raceBlockOf(&v.Block)
		r.Cut = &cut
	}
	return r
}

// WriteRaceLine writes one line of --ndjson: the head for "begin", the newest round or
// block for "pair", the result for "end".
func WriteRaceLine(w io.Writer, kind string, v *racestat.View, say Sentences) error {
	rounds, blocks := len(v.Rounds), len(v.Blocks)
	switch {
	case kind == "begin":
		return Sentences(nil).WriteLine(w,
			RaceBeginLine{kind, RaceLinesSchema, v.Wall.UTC().Format(time.RFC3339Nano), raceHeadOf(v)})
	case kind == "end":
		return say.WriteLine(w, RaceEndLine{kind, raceEndOf(v, say)})
	case blocks > 0:
		return say.WriteLine(w, RaceBlockLine{"block", raceBlockOf(&v.Blocks[blocks-1]), say.One(v)})
	case rounds > 0:
		return say.WriteLine(w, RacePairLine{kind, racePairOf(&v.Rounds[rounds-1]), say.One(v)})
	}
	return nil
}

func raceHeadOf(v *racestat.View) RaceHead { return RaceHead{v, strconv.FormatUint(v.Seed, 10)} }

func racePairOf(r *racestat.Round) RacePair {
	p := RacePair{Round: r}
	for lane := range r.Results {
		p.Results = append(p.Results, raceResultOf(lane, &r.Results[lane]))
	}
	return p
}

func raceBlockOf(b *racestat.Block) RaceBlock {
	out := RaceBlock{Block: b}
	for i, f := range racestat.Swapped {
		out.Times[i] = b.Values[f]
	}
	for i := range b.Results {
		out.Requests = append(out.Requests, raceResultOf(b.Lane, &b.Results[i]))
	}
	return out
}

func raceResultOf(lane int, res *racestat.Result) RaceResult {
	one := RaceResult{Lane: lane, Result: res, Late: res.Delay.Code != ""}
	for i, f := range racestat.Times {
		if !res.Failed() {
			one.Times[i] = res.Values[f]
		}
	}
	return one
}

func raceEndOf(v *racestat.View, say Sentences) RaceEnd {
	texts := say.all(v, time.Time{}, 2+len(v.Verdicts))
	e := RaceEnd{Ended: string(v.Ended), Summary: texts[0], Why: texts[1]}
	for i := range v.Verdicts {
		w := &v.Verdicts[i]
		e.Verdict = append(e.Verdict, RaceVerdict{racestat.Name(w.Figure), w, w.Scope(), texts[2+i]})
	}
	for i := range v.Lanes {
		l := &v.Lanes[i]
		f := RaceFailures{Lane: i, Failed: l.Lost, Requests: l.Counted, Late: l.Late, Sent: l.Requests, Faults: l.Faults,
			TTFT: v.TTFTWithFailures(i)}
		e.Failures = append(e.Failures, f)
	}
	e.FailIf, e.Lag = raceFailIfOf(v), Lag{Observer: v.Observer}
	if e.Spent = v.Spent; v.Spent.Free {
		e.Spent.Money = metrics.Known(0, 0)
	}
	return e
}

// raceFailIfOf judges the conditions of a race.
func raceFailIfOf(v *racestat.View) (out []RaceFailIf) {
	for _, w := range comparison.JudgeRace(v, v.Conditions) {
		one := RaceFailIf{Verdict: &w, Lane: w.Of, Low: lowOf(&w.Condition, w.Low)}
		if w.Than >= 0 {
			one.Than = &w.Than
		}
		out = append(out, one)
	}
	return out
}
