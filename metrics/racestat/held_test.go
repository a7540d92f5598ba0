package racestat

import (
	"math"
	"math/rand/v2"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/testkit"
)

// A server makes tokens ms each, the first after wait ms; both differ by a twentieth
// from request to request. With holds, something keeps an answer until its end, and
// lets it go within that many ms a token.
type server struct {
	wait, each, holds float64
	tokens            int
}

// result is that of one request.
func (s server) result(r *rand.Rand) Result {
	about := func(x float64) float64 { return x * math.Exp(0.05*r.NormFloat64()) }
	v := metrics.NoStream(0)
	v.State, v.Usage.Completion, v.TokensFrom = metrics.Done, s.tokens, metrics.TokensUsage
	v.Marks.Start, v.Marks.Sent = 0, 0
	at, each := about(s.wait), about(s.each)
	if s.holds > 0 {
		at += each * float64(s.tokens)
		each = s.holds
	}
	for i := range s.tokens {
		v.Text = append(v.Text, "word "...)
		v.Chunks = append(v.Chunks, metrics.Chunk{At: metrics.Stamp(at * 1e6), User: metrics.Stamp(at * 1e6), Read: int32(i),
			Event: int32(i), Bytes: 180, TextEnd: int32(len(v.Text)), Tokens: -1, Kernel: true})
		at += each * (0.5 + r.Float64())
	}
	v.Marks.End = v.Chunks[len(v.Chunks)-1].At
	v.Now = v.Marks.End
	f := metrics.Measure(&v, metrics.Options{})
	return ResultOf(&v, &f)
}

// raced returns the verdicts after so many pairs of a and b, and how many requests
// had no TPOT.
func raced(r *rand.Rand, a, b server, pairs int) (map[figure.ID]State, int) {
	board, without := NewBoard(2, Level, Band, pairs), 0
	for n := range pairs {
		round := Round{N: n + 1, Order: r.Perm(2), Results: []Result{a.result(r), b.result(r)}}
		for i := range round.Results {
			if !round.Results[i].Values[figure.TPOT].OK {
				without++
			}
		}
		board.Add(&round)
	}
	board.End()
	states := map[figure.ID]State{}
	for _, v := range board.Verdicts() {
		states[v.Figure] = v.State
	}
	return states, without
}

// TestHeldAnswersDecideNothing holds that a lane which holds answers back wins no
// figure of the pace, that plain lanes are told apart, and that fast ones keep
// their speed. TOKSCOPE_LONG plays 100 races of each in place of 10.
func TestHeldAnswersDecideNothing(t *testing.T) {
	r, races, pairs := testkit.Rand(t, 26), 10, 60
	if testkit.Long() {
		races = 100
	}
	any := func(low, high float64) float64 { return low * math.Pow(high/low, r.Float64()) }
	decided := 0
	for range races {
		plain := server{wait: any(200, 3000), each: any(5, 40), tokens: 40 + r.IntN(200)}
		held := plain
		held.holds = any(0.01, 0.1)
		states, _ := raced(r, plain, held, pairs)
		for _, f := range []figure.ID{figure.TPOT, figure.Longest} {
			if s := states[f]; s == Decided || s == Equal {
				t.Errorf("%s between %+v and %+v: %s", f, plain, held, s)
			}
		}
		slower := plain
		slower.each *= 1.1
		if states, _ = raced(r, plain, slower, pairs); states[figure.TPOT] == Decided {
			decided++
		}
		for _, fast := range []server{{wait: 24_000, each: any(0.4, 10), tokens: 40}, {wait: any(100, 4000), each: 0.4, tokens: 40 + r.IntN(400)}} {
			if _, without := raced(r, fast, fast, 8); without > 0 {
				t.Errorf("%+v: %d of 16 requests have no TPOT", fast, without)
			}
		}
	}
	if t.Logf("%d of %d pairs of plain lanes 10 %% apart were decided", decided, races); decided*100 < races*95 {
		t.Errorf("%d of %d", decided, races)
	}
}
